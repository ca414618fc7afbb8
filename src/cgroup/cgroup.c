// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroup/cgroup.h"

#include <limits.h>
#include <string.h>

#include "base/scan.h"
#include "cgroup/cgroup-mount.h"

static bool is_number(struct span span)
{
	uint64_t number;

	return scan_u64(span.text, span.len, &number);
}

/* Splits "0::/path" or "4:cpu,cpuacct:/path". The kernel refuses newlines in the names of cgroups, so a line is one
 * entry, and colons in the names of hierarchies, so the path begins behind the second colon. Nothing is trimmed: a path
 * may end in a blank. */
static bool split_line(struct span line, struct span *ret_number, struct span *ret_list,
                       struct span *ret_path)
{
	const char *end = line.text + line.len;
	const char *first = memchr(line.text, ':', line.len);
	const char *second = first ? memchr(first + 1, ':', (size_t)(end - first) - 1) : NULL;

	if (!second)
		return false;
	*ret_number = (struct span){line.text, (size_t)(first - line.text)};
	*ret_list = (struct span){first + 1, (size_t)(second - first) - 1};
	*ret_path = (struct span){second + 1, (size_t)(end - second) - 1};
	return true;
}

bool cgroup_next_line(const struct cgroup_v1_controllers *controllers, struct span *rest,
                      struct cgroup_line *ret)
{
	struct span line, number, list, path;

	while (scan_line(rest, &line)) {
		if (!split_line(line, &number, &list, &path))
			continue;
		*ret = (struct cgroup_line){.path = path};
		if (span_is(number, "0")) {
			ret->is_v2 = list.len == 0;
			if (!ret->is_v2)
				continue;
		} else if (is_number(number) && path.len > 0 && path.text[0] == '/') {
			ret->list = list;
			ret->controllers = cgroup_v1_controllers_find(controllers, list);
			ret->is_systemd = span_is(list, "name=systemd");
		} else {
			continue;
		}
		return true;
	}
	return false;
}

bool cgroup_path_is_cut(struct span path)
{
	return path.len >= PATH_MAX - 1;
}

static enum source_outcome set_path(struct thread_sample *sample, struct span path, bool is_v1)
{
	if (cgroup_path_is_cut(path))
		return OUTCOME_malformed;
	strbuf_clear(&sample->cgroup);
	strbuf_add(&sample->cgroup, path.text, path.len);
	sample->has_cgroup = true;
	sample->cgroup_is_v1 = is_v1;
	return OUTCOME_read;
}

/* Returns whether the kernel may have written all lines, also those of unknown hierarchies. */
static bool is_cgroup_text(struct span text)
{
	struct span line, number, list, path;

	while (scan_line(&text, &line))
		if (!split_line(line, &number, &list, &path) || !is_number(number) ||
		    path.len == 0 || path.text[0] != '/')
			return false;
	return true;
}

/* In version 1, the hierarchy of the registry's first controller is used, then systemd's own. */
static enum source_outcome parse_v1(const char *text, size_t len, struct thread_sample *sample)
{
	struct cgroup_v1_controllers controllers;
	struct span rest = {text, len}, best = {0};
	unsigned best_rank = CGROUP_V1_CONTROLLERS_MAX + 1;
	struct cgroup_line line;

	cgroup_v1_controllers_init(&controllers);
	while (cgroup_next_line(&controllers, &rest, &line)) {
		uint32_t read = line.controllers & controllers.with_values;
		unsigned rank = read != 0 ? (unsigned)__builtin_ctz(read)
		                          : CGROUP_V1_CONTROLLERS_MAX + !line.is_systemd * 1u;

		if (rank < best_rank) {
			best = line.path;
			best_rank = rank;
		}
	}
	if (best_rank > CGROUP_V1_CONTROLLERS_MAX)
		return is_cgroup_text((struct span){text, len}) ? OUTCOME_off : OUTCOME_malformed;
	return set_path(sample, best, true);
}

/* Stores the lines of version 1 without their numbers. */
static void set_v1_lines(const char *text, size_t len, struct thread_sample *sample)
{
	struct cgroup_v1_controllers controllers;
	struct span rest = {text, len};
	struct cgroup_line line;

	cgroup_v1_controllers_init(&controllers);
	strbuf_clear(&sample->cgroups_v1);
	while (cgroup_next_line(&controllers, &rest, &line)) {
		size_t bytes = line.list.len + line.path.len + strlen(":\n");

		if (line.is_v2 || line.list.len == 0 || cgroup_path_is_cut(line.path) ||
		    sample->cgroups_v1.len + bytes > SAMPLE_CGROUPS_V1_BYTES)
			continue;
		strbuf_add(&sample->cgroups_v1, line.list.text, line.list.len);
		strbuf_add_char(&sample->cgroups_v1, ':');
		strbuf_add(&sample->cgroups_v1, line.path.text, line.path.len);
		strbuf_add_char(&sample->cgroups_v1, '\n');
	}
}

enum source_outcome cgroup_parse(const char *text, size_t len, struct thread_sample *sample)
{
	static const char unified[] = "0::";
	struct span rest = {text, len}, line;

	set_v1_lines(text, len, sample);
	while (scan_line(&rest, &line)) {
		if (line.len < strlen(unified) || memcmp(line.text, unified, strlen(unified)) != 0)
			continue;
		return set_path(
		        sample,
		        (struct span){line.text + strlen(unified), line.len - strlen(unified)},
		        false);
	}
	return parse_v1(text, len, sample);
}
