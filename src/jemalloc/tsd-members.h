/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* tsd-members - where the counters are in jemalloc's struct tsd_s, by debugging information (DWARF). */
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "elf-file.h"

/* Returns 0, -ENODATA where the file does not say, or -EFBIG where its debugging information is above 1 GiB. Opens no other file. */
must_check_ int tsd_members_find(const struct elf_file *file, uint64_t *ret_allocated,
                                 uint64_t *ret_deallocated);
