/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* load - reads snapshot files into groups, two at once on two cores. */
#include <stdbool.h>

#include "base/memory-stream.h"
#include "ctprof/snapshot/snapshot.h"
#include "facts/container-table.h"
#include "facts/fact-groups.h"
#include "group/group-filter.h"
#include "group/group.h"
#include "input/fd-source.h"
#include "snapshot/thread-store.h"
#include "where/selection.h"

struct load {
	const char *path; /* "-" for standard input */
	const struct snapshot_limits *limits;
	struct group_table groups; /* initialised by the caller */
	/* The processes that are wanted; borrowed; NULL: all. Tables of cgroups have those below a cgroup that is wanted. */
	const struct selection *selection;
	uint64_t selected;          /* threads that it let through */
	struct group_filter filter; /* which threads are wanted, where its label is set */
	bool wants_cgroups;         /* fill the table of cgroups */
	bool wants_smaps;
	bool wants_ended; /* keep the threads that ended in the window */
	struct thread_store ended;
	bool wants_knobs;                  /* fill the list of what is set on cgroups */
	struct cgroup_table cgroups;       /* initialised by the caller */
	struct settings knobs;             /* see facts/cgroup-knobs.h */
	struct smaps_table smaps;          /* initialised by the caller */
	bool wants_containers;             /* fill the table of containers */
	struct container_table containers; /* initialised by the caller */
	bool is_read_again;                /* by load_again() */
	bool may_merge; /* rows of threads that ended in a recording: no single thread is asked for */
	bool is_recording;         /* the path names a range of one; set by the loading */
	struct fd_source again;    /* a file that can be read from its begin */
	struct memory_stream copy; /* the bytes of one that cannot */
	uint32_t forgotten;        /* families of another tool's zeros, beside the file's own */
	uint64_t file_bytes;       /* read: the compressed size */
	struct snapshot_info info;
	struct strbuf error; /* why it failed */
	int result;          /* 0 or -errno */
};

/* Reads a snapshot from the source into the tables. Returns 0 or -errno, with a sentence in load->error where the bytes
 * are to blame. */
must_check_ int load_source(struct load *load, struct byte_source *source);

/* Fills the tables with the rows that a writer is given, and not from a file: as load_source() would of the file. Free with
 * load_filler_freep(). */
struct load_filler;
struct load_filler *load_filler_new(struct load *load);
struct snapshot_writer *load_filler_writer(const struct load_filler *filler);
/* Moves the info of the snapshot, which is whole now, to the load. */
void load_filler_finish(struct load_filler *filler, struct snapshot_info *info);
void load_filler_freep(struct load_filler **filler);

/* Returns the bytes that were loaded, from the first one on, which are borrowed until the next call; NULL where the file has changed
 * since. */
struct byte_source *load_again(struct load *load);

/* Loads one or two; two at the same time. */
void load_run(struct load *loads, unsigned count);
void load_done(struct load *load);
