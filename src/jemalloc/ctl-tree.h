/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* ctl-tree - jemalloc's control tree in an image: which functions answer "thread.allocatedp" and "thread.deallocatedp".
 * Its nodes are (bool named, const char *name, size_t nchildren, const void *children, int (*ctl)(...)). */
#include <stddef.h>
#include <stdint.h>

#include "elf-image.h"

enum { CTL_PAIRS_MAX = 4 };

struct ctl_pair {
	uint64_t allocatedp; /* addresses of functions */
	uint64_t deallocatedp;
};

/* Finds the pairs of nodes with these names. Returns their number. */
size_t ctl_tree_find(const struct elf_image *image, struct ctl_pair pairs[CTL_PAIRS_MAX]);
