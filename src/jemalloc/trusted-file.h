/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* trusted-file - whether files that processes have mapped lack jemalloc, for those that only root or this user can write: most of
 * a system. Their bytes are not somebody else's, and nobody else can hold up their readers, so that no helper is
 * started for them. */
#include <stdbool.h>
#include <sys/stat.h>

#include "base/strmap.h"
#include "procfs/maps.h"
#include "procfs/mount-table.h"

struct trusted_files {
	struct strmap by_identity; /* what was found: struct finding, owned */
	struct mount_table mounts;
	int own_root_fd; /* -1: not opened yet */
	bool memory_tried;
	bool has_memory;
	struct statx memory; /* of a file of memfd_create(2) */
};

#define TRUSTED_FILES_INIT ((struct trusted_files){.mounts = MOUNT_TABLE_INIT, .own_root_fd = -1})

void trusted_files_done(struct trusted_files *files);

/* All is borrowed. */
struct trusted_file_question {
	uint32_t tgid;
	int thread_fd; /* the directory of one of its threads, for its root and its mounts */
	const struct mapped_file *mapped;
	uint64_t until_ns; /* of CLOCK_MONOTONIC */
};

/* Returns true where the file is one of these, and has no name of jemalloc's, nor has the file with its debugging information
 * if there is one. False is no answer, as for a file that is larger than anybody wants to wait for here, or is on no mount of ours or
 * of the process's; a memory file is on none, and known by its device. The file system is not asked anything before its mount is
 * known as that of a local one. */
must_check_ bool trusted_file_lacks_jemalloc(struct trusted_files *files,
                                             const struct trusted_file_question *question);
