/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* group-pack - keeps the cells, rates and waits of a group in fewer bytes. A group of one thread has 1.2 KiB unpacked,
 * and mostly a quarter of that packed, for most of its numbers are zero or small. Packing loses nothing. */
#include "group/group.h"

/* Makes cells that can be changed. */
void group_open(struct group *group);

/* Packs cells, rates and waits. group_open() and group_read() unpack them. */
void group_pack(struct group *group);

/* Packs the group and returns its cells, emptied, for another group; NULL if there were none. The caller owns them. */
must_check_ struct fold_cell *group_pack_leaving_cells(struct group *group);
