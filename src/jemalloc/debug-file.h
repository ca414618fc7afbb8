/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* debug-file - the file that has another one's debugging information. */
#include <stdbool.h>

#include "elf-file.h"
#include "jemalloc/jemalloc-inspect.h"

struct debug_file {
	bool was_looked_for;
	int fd; /* owned, as the other */
	struct elf_file elf;
};

#define DEBUG_FILE_INIT ((struct debug_file){.fd = -1, .elf = ELF_FILE_INIT})

/* Finds it, at the first call, by build id and then by .gnu_debuglink. Returns whether there is one that belongs to
 * @file. */
bool debug_file_find(struct debug_file *debug, const struct elf_file *file,
                     struct jemalloc_debug_files *files);
/* For cleanup_(debug_file_done). */
void debug_file_done(struct debug_file *debug);
