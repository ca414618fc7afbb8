/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-cgroup - the leaf below the caller's own cgroup in which a job runs. It changes nothing for the job: it has no
 * controller that divides CPUs or I/O, and no limits. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fd.h"
#include "cgroup/cgroup-mount.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "job/job-values.h"

/* A leaf in one hierarchy. */
struct job_leaf {
	bool used;
	int parent_fd;      /* the caller's own cgroup */
	int fd;             /* the leaf */
	struct strbuf path; /* as /proc/PID/cgroup has it */
	bool was_left; /* a process of the job is elsewhere, so the counters are not those of the job */
};

enum job_leaf_id {
	JOB_LEAF_UNIFIED, /* version 2 */
	JOB_LEAF_CPUACCT, /* version 1, as the next one; only if there is no leaf of version 2 */
	JOB_LEAF_MEMORY,
	JOB_LEAF_COUNT,
};

struct job_cgroup {
	struct cgroup_mounts mounts;
	char name[64]; /* of the leaves */
	struct job_leaf leaves[JOB_LEAF_COUNT];
	struct strbuf reason; /* a phrase: why there is no leaf that has all processes of the job */
};

/* Makes the leaves that the user may make. Never fails: leaves that cannot be made are not used. @cgroup is zeroed or
 * done. */
void job_cgroup_init(struct job_cgroup *cgroup);

/* Removes the leaves. Returns whether none is left; @cgroup->reason has the path of one that is. */
bool job_cgroup_remove(struct job_cgroup *cgroup);

/* Frees everything, and removes leaves that are there and empty; for cleanup_(job_cgroup_done). */
void job_cgroup_done(struct job_cgroup *cgroup);

/* Moves the process into the leaves; @in_unified: it is in that of version 2 already. A leaf that does not take it is removed. */
void job_cgroup_enter(struct job_cgroup *cgroup, pid_t pid, bool in_unified);

/* Returns the leaf that has all processes of the job and counts their CPU time, or NULL. */
const struct job_leaf *job_cgroup_leaf(const struct job_cgroup *cgroup);

/* Returns the processes in the leaves and in cgroups below them, in @list, sorted; 0 or -errno. */
must_check_ int job_cgroup_list(const struct job_cgroup *cgroup, struct id_list *list);

/* Moves all processes that are directly in the leaves to the caller's own cgroups, also those that are born meanwhile. Returns 0 or
 * -errno. */
must_check_ int job_cgroup_move_back(struct job_cgroup *cgroup);

/* Returns the CPU time of the job so far in seconds. Returns false if it is not known. */
bool job_cgroup_cpu_time(const struct job_cgroup *cgroup, double *ret);

/* Sets the CPU time by mode and the peak of memory, as far as they are known: not those of a leaf that was left. */
void job_cgroup_values(const struct job_cgroup *cgroup, struct job_values *values);
