/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* merge-info - what a window of many hosts says of all of them together. */
#include "ctprof/snapshot/snapshot.h"

/* Leaves of what a file says of its host what can be merged. A file of many hosts stays as it is. */
void merge_info_prepare(struct snapshot_info *info);

/* Adds a file to the others; both are prepared. */
void merge_info_add(struct snapshot_info *into, const struct snapshot_info *from);
