/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* container-table - the containers of a snapshot with the numbers that docker stats prints, by its formulas. */
#include "base/strmap.h"
#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/snapshot/snapshot.h"
#include "metric/fold.h"

/* The outermost cgroup of a container: in version 2, and in version 1 where all controllers have the same path. */
struct container {
	size_t path_lens[2]; /* 0: it has no cgroup of that version */
	struct cgroup_stats stats[2];
};

struct container_table {
	struct strmap map; /* id of the container to struct container; owned */
};

void container_table_init(struct container_table *table);
void container_table_done(struct container_table *table);

/* Adds a cgroup; ignores those that are in no container, or below the cgroup of one. */
void container_table_add(struct container_table *table, const struct cgroup_stats *stats);

/* The numbers of a container; each is none if it is not known. */
struct container_numbers {
	/* In a window, 100 for one CPU: docker's is cpu_percent_docker, cAdvisor's cpu_percent_cadvisor. */
	struct quantity cpu_percent_docker, cpu_percent_cadvisor;
	/* The memory in use without the inactive file pages, unless these are not below it (docker), or down to 0
	 * (cAdvisor's working set). */
	struct quantity memory_bytes, working_set_bytes;
	struct quantity
	        limit_bytes; /* of its own cgroup, or the memory of the host if that is less */
	struct quantity memory_percent;          /* memory_bytes of limit_bytes */
	struct quantity read_bytes, write_bytes; /* of all block devices */
	struct quantity pids;                    /* processes and threads */
};

/* Computes them. Pure. */
struct container_numbers container_numbers_of(const struct container *container,
                                              const struct snapshot_info *info);
