// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-cgroup-left.h"

#include <stdio.h>
#include <string.h>

#include "base/scan.h"
#include "cgroup/cgroup.h"

enum { TEXT_BYTES = 1 << 20 };

static int read_of(int proc_fd, uint32_t pid, const char *name, struct strbuf *ret)
{
	char path[64];

	snprintf(path, sizeof(path), "%u/%s", pid, name);
	return fd_read_all_at(proc_fd, path, ret, TEXT_BYTES);
}

static bool is_below(const struct job_leaf *leaf, struct span path)
{
	size_t len = leaf->path.len;

	return path.len >= len && memcmp(path.text, strbuf_str(&leaf->path), len) == 0 &&
	       (path.len == len || path.text[len] == '/');
}

static bool is_of_leaf(const struct cgroup_v1_controllers *controllers,
                       const struct cgroup_line *line, enum job_leaf_id id)
{
	static const char *const names[JOB_LEAF_COUNT] = {
	        [JOB_LEAF_CPUACCT] = "cpuacct",
	        [JOB_LEAF_MEMORY] = "memory",
	};

	if (!names[id] || line->is_v2)
		return line->is_v2 && !names[id];
	return (line->controllers &
	        cgroup_v1_controllers_find(controllers,
	                                   (struct span){names[id], strlen(names[id])})) != 0;
}

/* Returns the leaves that a process is not in, as bits by their ids. */
static unsigned missing_leaves(const struct job_cgroup *cgroup, const struct strbuf *text)
{
	struct cgroup_v1_controllers controllers;
	struct span rest = {strbuf_str(text), text->len};
	struct cgroup_line line;
	unsigned missing = 0;

	cgroup_v1_controllers_init(&controllers);
	while (cgroup_next_line(&controllers, &rest, &line))
		for (unsigned i = 0; i < JOB_LEAF_COUNT; i++)
			if (cgroup->leaves[i].used &&
			    is_of_leaf(&controllers, &line, (enum job_leaf_id)i) &&
			    !is_below(&cgroup->leaves[i], line.path))
				missing |= 1U << i;
	return missing;
}

/* A process that exits seems to be in the root of each hierarchy of version 1. */
static bool is_exiting(int proc_fd, uint32_t pid)
{
	enum { PF_EXITING = 4, FLAGS_BEHIND_NAME = 7 };
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const char *behind;
	struct span rest, word;
	uint64_t flags;

	if (read_of(proc_fd, pid, "stat", &text) < 0)
		return true;
	behind = memrchr(strbuf_str(&text), ')', text.len);
	if (!behind)
		return true;
	behind++;
	rest = (struct span){behind, text.len - (size_t)(behind - strbuf_str(&text))};
	for (int i = 0; i < FLAGS_BEHIND_NAME; i++)
		if (!scan_word(&rest, &word))
			return true;
	return !scan_u64(word.text, word.len, &flags) || (flags & PF_EXITING) != 0;
}

void job_cgroup_check(struct job_cgroup *cgroup, int proc_fd, const struct id_list *pids)
{
	for (size_t at = 0; at < pids->count; at++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
		unsigned missing;

		if (read_of(proc_fd, pids->ids[at], "cgroup", &text) < 0)
			continue;
		missing = missing_leaves(cgroup, &text);
		if (missing == 0 || is_exiting(proc_fd, pids->ids[at]))
			continue;
		for (unsigned i = 0; i < JOB_LEAF_COUNT; i++)
			cgroup->leaves[i].was_left =
			        cgroup->leaves[i].was_left || (missing >> i & 1) != 0;
	}
}

static struct job_leaf *cpu_leaf(struct job_cgroup *cgroup)
{
	struct job_leaf *unified = &cgroup->leaves[JOB_LEAF_UNIFIED];

	return unified->used ? unified : &cgroup->leaves[JOB_LEAF_CPUACCT];
}

bool job_cgroup_is_more(double time, double other)
{
	const double slack = 0.02, part = 0.02;

	return time > other * (1 + part) + slack;
}

void job_cgroup_check_time(struct job_cgroup *cgroup, double counted, double waited)
{
	struct job_leaf *leaf = cpu_leaf(cgroup);

	if (leaf->used && job_cgroup_is_more(waited, counted))
		leaf->was_left = true;
}

void job_cgroup_check_ends(struct job_cgroup *cgroup, const struct job_values *ends, double counted,
                           const struct job_tally *tally)
{
	/* Both are the kernel's exact times; the leaf's is cut to microseconds. */
	const double slack = 0.0001;
	const struct {
		enum job_value_id id;
		double least;
	} known[] = {
	        {JOB_cpu_time, counted - slack},
	        {JOB_minor_faults, tally->minor_faults},
	        {JOB_major_faults, tally->major_faults},
	        {JOB_voluntary_switches, tally->voluntary_switches},
	        {JOB_involuntary_switches, tally->involuntary_switches},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (ends->seen[known[i].id] && ends->numbers[known[i].id] < known[i].least)
			cgroup->leaves[JOB_LEAF_UNIFIED].was_left = true;
}

bool job_cgroup_say_left(const struct job_cgroup *cgroup, bool is_waited, struct strbuf *out)
{
	bool memory = cgroup->leaves[JOB_LEAF_MEMORY].was_left;
	bool cpu = cgroup->leaves[JOB_LEAF_UNIFIED].was_left ||
	           cgroup->leaves[JOB_LEAF_CPUACCT].was_left;

	if (cpu)
		strbuf_add_str(out, is_waited ? "a process left it, so CPU time is that of wait4(2)"
		                              : "a process left it, and wait4(2) lacks one, "
		                                "so CPU time is not known");
	if (memory)
		strbuf_addf(out, "%sa process left the cgroup of memory, whose peak is not known",
		            cpu ? "; " : "");
	return cpu || memory;
}
