/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* mount-table - finds the file system of an open file without asking that file system: by the mount that the descriptor keeps. A
 * device number would not do, since the next file system may get that of one that is gone. */
#include "ctprof/base/strbuf.h"
#include "procfs/mount-line.h"

struct mount_table {
	int fd;            /* of our own mountinfo, for news of it; -1: not opened yet */
	struct strbuf own; /* its text */
	struct strbuf other;
};

#define MOUNT_TABLE_INIT ((struct mount_table){.fd = -1})

void mount_table_done(struct mount_table *table);

/* Stores the mount with this id, that of STATX_MNT_ID for a descriptor that is open: the mount exists as long as that is. Looks for it
 * in our own mountinfo and then in the one in @process_fd, the directory of a process, until @until_ns of CLOCK_MONOTONIC. Returns false if it is in neither, as
 * the kernel's own mounts, those of other namespaces and those that were unmounted; or if the time was too short for the latter. */
must_check_ bool mount_table_find(struct mount_table *table, int process_fd, uint64_t id,
                                  uint64_t until_ns, struct mount_line *ret_line);
