/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* maps - finds the files whose code is mapped into a process in the text of /proc/<tgid>/maps, or by asking that file. */
#include <limits.h>
#include <stdint.h>

#include "base/scan.h"
#include "ctprof/base/macro.h"

/* A file with code in the process. A file that was loaded several times appears as often. */
struct mapped_file {
	uint64_t start; /* the mapping with the code, as map_files names it */
	uint64_t end;
	/* The begin of the loading: the lowest mapping of the same file below that one, and the offset of that mapping
	 * in the file. */
	uint64_t first_start;
	uint64_t first_offset;
	uint64_t inode;
	struct span
	        file; /* device, inode and path: the whole description of the file in the line */
	struct span path; /* as the process sees it; may end in " (deleted)" */
};

struct maps_reader {
	struct span rest;
	struct mapped_file run; /* mappings of one file, one above the other */
	uint64_t last_offset;   /* of the file, behind the last mapping */
	bool is_returned;       /* the run's code was returned */
};

/* @text is borrowed while it is being read. */
void maps_begin(struct maps_reader *reader, const char *text, size_t len);

/* Stores the next file with code, in the order of addresses. Returns false at the end. Malformed lines are skipped. */
must_check_ bool maps_next(struct maps_reader *reader, struct mapped_file *ret_file);

/* The mappings with code one by one, without the others and without a text (PROCMAP_QUERY, Linux 6.11). */
struct maps_query {
	int fd;                   /* of maps, borrowed */
	uint64_t address;         /* what was asked for lies below it; 0 at first */
	char text[64 + PATH_MAX]; /* of the last answer */
};

/* Stores the next mapping that has code of a file: one that is mapped in pieces appears as often. The begin of its loading is not
 * looked for, and a path that is longer than the kernel gives here is empty. Returns 1; 0 at the end; -ESRCH where the process has no memory; or another -errno where one has to read
 * the text instead. */
must_check_ int maps_query_next(struct maps_query *query, struct mapped_file *ret_file);
