/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* elf-file - the parts of an ELF file that tell of jemalloc. A lack of memory in libelf ends the process (mem_exhausted()): it
 * must not look like a file without jemalloc. The file is read, never mapped: somebody else may cut it
 * short at any moment. */
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "elf-names.h"

enum { ELF_SEGMENTS_MAX = 64 };

struct Elf;

struct elf_file {
	int fd;          /* borrowed */
	struct Elf *elf; /* owned */
	bool is_foreign; /* neither 64 bits wide nor little-endian: nothing below is known */
	unsigned machine;
	unsigned type;
	size_t segment_count;
	Elf64_Phdr segments[ELF_SEGMENTS_MAX];
};

#define ELF_FILE_INIT ((struct elf_file){.fd = -1})

/* Returns 0, -ENOEXEC for what is no ELF file, nor a regular one, or -errno where it cannot be read. */
must_check_ int elf_file_open(int fd, struct elf_file *ret_file);
/* For cleanup_(elf_file_close). */
void elf_file_close(struct elf_file *file);

/* Calls @take for each symbol of a table, SHT_SYMTAB or SHT_DYNSYM. Names are borrowed until the file is closed. Returns
 * whether the file has such a table. */
bool elf_file_each_symbol(const struct elf_file *file, uint32_t table,
                          void (*take)(void *context, const char *name, const Elf64_Sym *symbol),
                          void *context);

/* Copies the build id. Returns its length, 0 where there is none. */
size_t elf_file_build_id(const struct elf_file *file, uint8_t build_id[ELF_BUILD_ID_MAX]);

/* The name in .gnu_debuglink, without any '/', and the checksum behind it; NULL where there is none. Borrowed until the
 * file is closed. */
const char *elf_file_debuglink(const struct elf_file *file, uint32_t *ret_checksum);

/* Returns whether the debugging information takes no more memory than that, as it is and uncompressed: libdw reads all of it at once. */
bool elf_file_has_debug_bytes_within(const struct elf_file *file, uint64_t most);

/* The first segment of a type, or NULL. */
const Elf64_Phdr *elf_file_segment(const struct elf_file *file, uint32_t type);
/* Returns whether an address, as the file has it, is in a segment with all of @flags. */
bool elf_file_is_in_segment(const struct elf_file *file, uint64_t address, uint32_t flags);
