// SPDX-License-Identifier: GPL-2.0-or-later
#include "where/selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/scan.h"

void selection_done(struct selection *selection)
{
	free(selection->ids);
	free(selection->comms);
	free(selection->cgroups);
	*selection = (struct selection){0};
}

static void add_id(struct selection *selection, uint32_t id)
{
	uint32_t *place = array_add(selection->ids, selection->id_count, selection->id_capacity);

	while (place > selection->ids && place[-1] > id) {
		place[0] = place[-1];
		place--;
	}
	*place = id;
}

/* Returns whether the process is selected by its id; true where no id was given. */
static bool has_id(const struct selection *selection, uint32_t tgid)
{
	return selection->id_count == 0 || bsearch(&tgid, selection->ids, selection->id_count,
	                                           sizeof(tgid), id_compare) != NULL;
}

int selection_add_ids(struct selection *selection, const char *list, struct strbuf *reterr)
{
	for (const char *at = list;; at++) {
		size_t len = strcspn(at, ",");
		uint64_t id;

		if (!scan_u64(at, len, &id) || id == 0 || id > INT32_MAX) {
			strbuf_addf(reterr, "'%.*s' is no process id", (int)len, at);
			return -EINVAL;
		}
		if (selection->id_count == 0 || !has_id(selection, (uint32_t)id))
			add_id(selection, (uint32_t)id);
		at += len;
		if (*at == '\0')
			return 0;
	}
}

int selection_add_comm(struct selection *selection, const char *pattern, struct strbuf *reterr)
{
	if (!glob_check(pattern, reterr))
		return -EINVAL;
	*array_add(selection->comms, selection->comm_count, selection->comm_capacity) = pattern;
	return 0;
}

int selection_add_cgroup(struct selection *selection, const char *path, struct strbuf *reterr)
{
	if (path[0] != '/') {
		strbuf_addf(reterr,
		            "'%s' is no path of a cgroup: it begins with /, as in "
		            "--group-by cgroup",
		            path);
		return -EINVAL;
	}
	*array_add(selection->cgroups, selection->cgroup_count, selection->cgroup_capacity) = path;
	return 0;
}

bool selection_is_all(const struct selection *selection)
{
	return selection->id_count == 0 && selection->comm_count == 0 &&
	       selection->cgroup_count == 0;
}

bool selection_has_comm(const struct selection *selection, const char *comm, size_t len)
{
	for (size_t i = 0; i < selection->comm_count; i++)
		if (glob_match_name(selection->comms[i], comm, len))
			return true;
	return selection->comm_count == 0;
}

/* Returns whether @path is @parent or below it. Slashes at the end of @parent do not count. */
static bool is_below(const char *parent, const char *path, size_t len)
{
	size_t parent_len = strlen(parent);

	while (parent_len > 0 && parent[parent_len - 1] == '/')
		parent_len--;
	return len >= parent_len && memcmp(path, parent, parent_len) == 0 &&
	       (len == parent_len || path[parent_len] == '/');
}

bool selection_has_cgroup(const struct selection *selection, const char *path, size_t len)
{
	for (size_t i = 0; i < selection->cgroup_count; i++)
		if (is_below(selection->cgroups[i], path, len))
			return true;
	return selection->cgroup_count == 0;
}

bool selection_has(const struct selection *selection, const struct thread_sample *sample)
{
	return has_id(selection, sample->tgid) &&
	       selection_has_comm(selection, strbuf_str(&sample->pcomm), sample->pcomm.len) &&
	       (selection->cgroup_count == 0 ||
	        (sample->has_cgroup &&
	         selection_has_cgroup(selection, strbuf_str(&sample->cgroup), sample->cgroup.len)));
}

static void add_texts(const char *kind, const char *const *texts, size_t count, struct strbuf *out)
{
	if (count == 0)
		return;
	strbuf_addf(out, "%s%s ", out->len > 0 ? " and " : "", kind);
	for (size_t i = 0; i < count; i++)
		strbuf_addf(out, "%s%s", i > 0 ? "," : "", texts[i]);
}

void selection_add_text(const struct selection *selection, struct strbuf *out)
{
	if (selection->id_count > 0)
		strbuf_addf(out, "%spid ", out->len > 0 ? " and " : "");
	for (size_t i = 0; i < selection->id_count; i++)
		strbuf_addf(out, "%s%u", i > 0 ? "," : "", selection->ids[i]);
	add_texts("comm", selection->comms, selection->comm_count, out);
	add_texts("cgroup", selection->cgroups, selection->cgroup_count, out);
}

void selection_note(const struct selection *selection, struct snapshot_info *info)
{
	static const enum window_number of_the_host[] = {WINDOW_threads_missed, WINDOW_threads_lost,
	                                                 WINDOW_unaccounted_clock_ticks};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const char *before = host_text(&info->host, HOST_selection);

	if (selection_is_all(selection))
		return;
	if (before)
		strbuf_add_str(&text, before);
	selection_add_text(selection, &text);
	host_set_text(&info->host, HOST_selection, strbuf_str(&text), text.len);
	if (info->window.seen[WINDOW_unaccounted_clock_ticks]) {
		info->window.has_unchosen = true;
		info->window.unchosen_clock_ticks =
		        info->window.numbers[WINDOW_unaccounted_clock_ticks];
	}
	for (size_t i = 0; i < ARRAY_SIZE(of_the_host); i++) {
		info->window.seen[of_the_host[i]] = false;
		info->window.numbers[of_the_host[i]] = 0;
	}
}

bool selection_is_apart(const struct selection *selection, const struct host *host,
                        const struct host *other)
{
	cleanup_(strbuf_done) struct strbuf noted = STRBUF_INIT;
	const char *text = host_text(host, HOST_selection);
	const char *beside = host_text(other, HOST_selection);

	selection_add_text(selection, &noted);
	return text && strcmp(text, strbuf_str(&noted)) != 0 &&
	       (!beside || strcmp(text, beside) != 0);
}

/* Reads "pid 12,34" at the begin of the text, and moves the text behind it. Returns false if it is not there. */
static bool read_ids(const char **text, struct selection *ret)
{
	static const char kind[] = "pid ";
	cleanup_(strbuf_done) struct strbuf list = STRBUF_INIT, reason = STRBUF_INIT;
	size_t len;

	if (strncmp(*text, kind, strlen(kind)) != 0)
		return false;
	*text += strlen(kind);
	len = strcspn(*text, " ");
	strbuf_add(&list, *text, len);
	*text += len;
	return selection_add_ids(ret, strbuf_str(&list), &reason) == 0;
}

static void keep_common(struct id_list *ids, const struct selection *with)
{
	size_t kept = 0;

	for (size_t i = 0; i < ids->count; i++)
		if (has_id(with, ids->ids[i]))
			ids->ids[kept++] = ids->ids[i];
	ids->count = kept;
}

bool selection_noted_ids(const struct host *host, struct id_list *ret)
{
	static const char joint[] = " and ";
	const char *text = host_text(host, HOST_selection);

	for (bool is_first = true; text; is_first = false) {
		cleanup_(selection_done) struct selection noted = {0};

		if (!read_ids(&text, &noted))
			return false;
		for (size_t i = 0; is_first && i < noted.id_count; i++)
			*array_add(ret->ids, ret->count, ret->capacity) = noted.ids[i];
		keep_common(ret, &noted);
		if (*text == '\0')
			return true;
		if (strncmp(text, joint, strlen(joint)) != 0)
			return false;
		text += strlen(joint);
	}
	return false;
}

bool selection_notes_cgroup(const struct host *host)
{
	static const char kind[] = "cgroup ";
	const char *text = host_text(host, HOST_selection);

	return text && (strncmp(text, kind, strlen(kind)) == 0 || strstr(text, " and cgroup "));
}
