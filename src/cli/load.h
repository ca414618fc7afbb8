/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* load - reads snapshot files into groups, two at once on two cores. */
#include <stdbool.h>

#include "ctprof/snapshot/snapshot.h"
#include "facts/fact-groups.h"
#include "group/group-filter.h"
#include "group/group.h"

struct load {
	const char *path; /* "-" for standard input */
	const struct snapshot_limits *limits;
	struct group_table groups;  /* initialised by the caller */
	struct group_filter filter; /* which threads are wanted, where its label is set */
	bool wants_cgroups;         /* fill the table of cgroups */
	bool wants_smaps;
	bool wants_knobs;            /* fill the list of what is set on cgroups */
	struct cgroup_table cgroups; /* initialised by the caller */
	struct settings knobs;       /* see facts/cgroup-knobs.h */
	struct smaps_table smaps;    /* initialised by the caller */
	bool keeps_bytes;            /* of the file, to read it again */
	struct strbuf bytes;         /* those */
	uint32_t forgotten;          /* families of another tool's zeros, beside the file's own */
	uint64_t file_bytes;         /* read: the compressed size */
	struct snapshot_info info;
	struct strbuf error; /* why it failed */
	int result;          /* 0 or -errno */
};

/* Reads a snapshot from the source into the tables. Returns 0 or -errno, with a sentence in load->error where the bytes
 * are to blame. */
must_check_ int load_source(struct load *load, struct byte_source *source);

/* Loads one or two; two at the same time. */
void load_run(struct load *loads, unsigned count);
void load_done(struct load *load);
