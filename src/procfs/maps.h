/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* maps - the files whose code is mapped into a process, out of the text of /proc/<tgid>/maps. */
#include <stdint.h>

#include "base/scan.h"
#include "ctprof/base/macro.h"

/* A file with code in the process. The same file stands here as often as it was loaded. */
struct mapped_file {
	uint64_t start; /* the mapping with the code, as map_files names it */
	uint64_t end;
	/* Where loading began: the lowest mapping of the same file below that one, and what part of the file it has. */
	uint64_t first_start;
	uint64_t first_offset;
	uint64_t inode;
	struct span file; /* device, inode and path: all that the line says of the file */
	struct span path; /* as the process sees it; may end in " (deleted)" */
};

struct maps_reader {
	struct span rest;
	struct mapped_file run; /* mappings of one file, one above the other */
	uint64_t last_offset;   /* of the file, behind what was mapped last */
	bool is_told;           /* the run's code was found */
};

/* @text is borrowed while it is being read. */
void maps_begin(struct maps_reader *reader, const char *text, size_t len);

/* The next file with code, in the order of addresses; false at the end. Lines that make no sense are passed over. */
must_check_ bool maps_next(struct maps_reader *reader, struct mapped_file *ret_file);
