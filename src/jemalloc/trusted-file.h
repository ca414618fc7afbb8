/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* trusted-file - whether files that processes have mapped lack jemalloc, for those that only root or this user can write: most of
 * a system. Their bytes are not somebody else's, and nobody else can hold up their readers, so that no helper is
 * started for them. */
#include "base/strmap.h"
#include "procfs/maps.h"

struct trusted_files {
	struct strmap by_identity; /* what was found */
	int own_root_fd;           /* -1: not opened yet */
};

#define TRUSTED_FILES_INIT ((struct trusted_files){.own_root_fd = -1})

void trusted_files_done(struct trusted_files *files);

/* Returns true where the file is one of these, and has no name of jemalloc's, nor has the file with its debugging information
 * if there is one. False is no answer. The caller knows the file system as FILE_SYSTEM_LOCAL. @thread_fd is the directory
 * of a thread of the process @tgid, for its root. */
must_check_ bool trusted_file_lacks_jemalloc(struct trusted_files *files, uint32_t tgid,
                                             int thread_fd, const struct mapped_file *mapped);
