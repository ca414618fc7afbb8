// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/path-name.h"

#include <string.h>

#include "base/scan.h"

const char path_name_unread_exe[] = "(exe not read)";
const char path_name_unread_cwd[] = "(cwd not read)";
const char path_name_unread_title[] = "(title not read)";
const char path_name_unread_wchan[] = "(wait channel not read)";
const char path_name_unread_syscall[] = "(system call not read)";

void path_name_exe(const struct thread_sample *sample, struct strbuf *out)
{
	if (!sample->has_exe)
		strbuf_add_str(out, path_name_unread_exe);
	else if (sample->exe.len == 0)
		strbuf_add_str(out, "(no exe)");
	else
		strbuf_add(out, strbuf_str(&sample->exe), sample->exe.len);
}

/* The kernel shows a file in memory so, which lies in no directory. */
static bool is_in_memory(struct span path)
{
	static const char begin[] = "/memfd:", end[] = " (deleted)";

	return path.len > strlen(begin) + strlen(end) &&
	       memcmp(path.text, begin, strlen(begin)) == 0 &&
	       memcmp(path.text + path.len - strlen(end), end, strlen(end)) == 0;
}

void path_name_exe_dir(const struct thread_sample *sample, struct strbuf *out)
{
	struct span path = {strbuf_str(&sample->exe), sample->exe.len};
	size_t len = path.len;

	if (!sample->has_exe || len == 0) {
		path_name_exe(sample, out);
		return;
	}
	if (is_in_memory(path)) {
		strbuf_add_str(out, "(in memory)");
		return;
	}
	while (len > 0 && path.text[len - 1] != '/')
		len--;
	if (len == 0)
		strbuf_add_str(out, "(no directory)");
	else
		strbuf_add(out, path.text, len > 1 ? len - 1 : 1);
}

void path_name_cwd(const struct thread_sample *sample, struct strbuf *out)
{
	if (!sample->has_cwd)
		strbuf_add_str(out, path_name_unread_cwd);
	else if (sample->cwd.len == 0)
		strbuf_add_str(out, "(no cwd)");
	else
		strbuf_add(out, strbuf_str(&sample->cwd), sample->cwd.len);
}

void path_name_title(const struct thread_sample *sample, struct strbuf *out)
{
	if (!sample->has_title)
		strbuf_add_str(out, path_name_unread_title);
	else if (sample->title.len > 0)
		strbuf_add(out, strbuf_str(&sample->title), sample->title.len);
	else if (sample->pcomm.len > 0)
		strbuf_add(out, strbuf_str(&sample->pcomm), sample->pcomm.len);
	else
		strbuf_add_str(out, "(without a name)");
}

const char path_name_unread_cgroup[] = "(cgroup not read)";
const char path_name_no_container[] = "(no container)";

bool path_name_lacks_cgroup(const struct thread_sample *sample)
{
	enum source_outcome outcome = sample->outcomes[SOURCE_cgroup];

	return !sample->has_cgroup && (outcome == OUTCOME_gone || outcome == OUTCOME_denied ||
	                               outcome == OUTCOME_stalled || outcome == OUTCOME_malformed);
}

/* Appends the part of the path in version 2; if that has none, of the first one in version 1 that has one: on a hybrid host, containers may
 * have cgroups in version 1 alone. */
static bool add_part(enum cgroup_part part, const struct thread_sample *sample, struct strbuf *out)
{
	struct span rest = {strbuf_str(&sample->cgroups_v1), sample->cgroups_v1.len}, line;

	if (sample->has_cgroup &&
	    cgroup_part_of(part, strbuf_str(&sample->cgroup), sample->cgroup.len, out))
		return true;
	while (scan_line(&rest, &line)) {
		const char *colon = memchr(line.text, ':', line.len);

		if (colon && cgroup_part_of(part, colon + 1,
		                            line.len - (size_t)(colon + 1 - line.text), out))
			return true;
	}
	return false;
}

/* Every thread of a host with version 1 has a path in each hierarchy: without any it was not read. */
static bool lacks_v1(const struct thread_sample *sample, const struct host *host)
{
	const char *hierarchies = host ? host_text(host, HOST_cgroup_v1_hierarchies) : NULL;

	return sample->cgroups_v1.len == 0 && hierarchies && hierarchies[0] != '\0';
}

bool path_name_part(enum cgroup_part part, const char *otherwise,
                    const struct thread_sample *sample, const struct host *host, struct strbuf *out)
{
	if (path_name_lacks_cgroup(sample)) {
		strbuf_add_str(out, path_name_unread_cgroup);
		return false;
	}
	if (add_part(part, sample, out))
		return true;
	strbuf_add_str(out, lacks_v1(sample, host) ? path_name_unread_cgroup : otherwise);
	return false;
}

void path_name_container(const struct thread_sample *sample, const struct host *host,
                         struct strbuf *out)
{
	const size_t begin = out->len;
	const char *name;

	if (!path_name_part(CGROUP_PART_CONTAINER, path_name_no_container, sample, host, out))
		return;
	name = host ? host_map_get(host, HOST_containers, strbuf_str(out) + begin) : NULL;
	if (!name || name[0] == '(')
		return;
	out->len = begin;
	strbuf_add_str(out, name);
}

void path_name_wait(const struct thread_sample *sample, bool is_wchan, struct strbuf *out)
{
	const struct strbuf *text = is_wchan ? &sample->wchan : &sample->syscall;
	bool is_known = is_wchan ? sample->has_wchan : sample->has_syscall;

	if (is_known && text->len > 0)
		strbuf_add(out, strbuf_str(text), text->len);
	else if (is_known)
		strbuf_add_str(out, "(none)");
	else if (sample_ended_inside(sample))
		strbuf_add_str(out, "(ended)");
	else
		strbuf_add_str(out, is_wchan ? path_name_unread_wchan : path_name_unread_syscall);
}

void path_name_host(const struct thread_sample *sample, const struct host *host, struct strbuf *out)
{
	const char *name = host ? host_text(host, HOST_hostname) : NULL;

	if (sample->host.len > 0)
		strbuf_add(out, strbuf_str(&sample->host), sample->host.len);
	else
		strbuf_add_str(out, name ? name : "(host not known)");
}

void path_name_on_host(const struct thread_sample *sample, const struct host *host, bool is_named,
                       struct strbuf *out)
{
	/* A range of a recording over several boots is of one host. */
	if (sample->host.len == 0 || is_named || !host || host->numbers[HOST_hosts] < 2)
		return;
	strbuf_add_str(out, " on ");
	strbuf_add(out, strbuf_str(&sample->host), sample->host.len);
}
