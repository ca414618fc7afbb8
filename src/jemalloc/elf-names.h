/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* elf-names - whether the names in an ELF file can be jemalloc's. It reads the tables of strings as they lie in the file,
 * which takes neither a library nor memory of the heap. A hash table of symbols would not do: it answers for a whole name, and
 * jemalloc may be built with any prefix. */
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

#if defined(__x86_64__)
enum { OWN_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#else
enum { OWN_MACHINE = EM_NONE };
#endif

enum { ELF_BUILD_ID_MAX = 64, ELF_LINK_MAX = 255 };

struct elf_names {
	bool can_be_jemalloc; /* in some table of strings is a name that every jemalloc has */
	bool has_table;       /* it has all names, not only those for other files */
	/* The file with debugging information: its build id, and its name, which is empty where there is none. */
	size_t build_id_len;
	uint8_t build_id[ELF_BUILD_ID_MAX];
	char link[ELF_LINK_MAX + 1];
};

/* No more than this is read of a file, and it takes no longer. */
struct elf_names_limits {
	uint64_t bytes;
	uint64_t until_ns; /* of CLOCK_MONOTONIC */
};

/* Reads an open file, which may be anything. Returns 0; -ENOEXEC where it is no ELF file; -EINVAL where it is one that is unusual,
 * damaged or of another machine, of which nothing is said; -EFBIG or -ETIME beyond @limits; or -errno. */
must_check_ int elf_names_read(int fd, const struct elf_names_limits *limits,
                               struct elf_names *ret_names);
