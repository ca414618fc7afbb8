/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* walk-team - lets one or more threads of ours walk the processes of a host, each with readers of its own. The rows
 * reach the one writer in the order of the processes. */
#include "walk.h"

/* The processes to read. */
struct walk_work {
	size_t count;
	uint32_t (*tgid)(const struct walk_work *self, size_t index);
	/* Reads the process at @index, behind walk_begin_process(), and gives its rows to the sink of @walk. Several threads of ours
	 * call it at once. Result as that of walk_read_process(). */
	int (*read)(const struct walk_work *self, struct walk *walk, size_t index);
};

/* The work of reading each process from its files. */
struct walk_files {
	struct walk_work work; /* must stay the first member */
	const struct id_list *processes;
};
/* @processes is borrowed. */
void walk_files_init(struct walk_files *files, const struct id_list *processes);

struct walk_job {
	const struct walk_options *options; /* those of the walk */
	const struct walk_work *work;
	struct snapshot_writer *writer; /* has begun */
	struct stall_list *stalls;      /* borrowed, and used by the calling thread alone */
	unsigned walkers; /* threads that read; 16 at most, and more where some have stalled */
};

/* Returns the best number of walkers: one for each CPU that we may run on, and one alone for a small host or another
 * system's tree. */
unsigned walk_team_size(const struct walk *walk, const struct walk_work *work);

/* Reads all processes of the job. @walk is initialised; its jemalloc reader, tally and cgroups serve all walkers, and
 * its times become those of all. Returns 0; or -errno, with a sentence about @root appended to @reterr if ctprof has
 * run out of descriptors or memory, and without one if the writer failed. */
must_check_ int walk_team_all(struct walk *walk, const struct walk_job *job, const char *root,
                              struct strbuf *reterr);
