/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* file-look - opens files that processes have mapped, and looks into them, in a helper process: a file system that does not
 * answer holds up that one and nobody else, for nothing ends a process that waits for it. */
#include "base/helper-guard.h"
#include "base/regular-file.h"
#include "jemalloc/jemalloc-inspect.h"
#include "procfs/maps.h"

struct file_looker;

/* Never NULL. Nothing is started before the first file, nor without @guard's consent, which is borrowed. */
struct file_looker *file_looker_new(struct helper_guard *guard);
void file_looker_freep(struct file_looker **looker);

/* Sets the file systems from which files may be opened. Only local ones are allowed before the first call. */
void file_looker_allow(struct file_looker *looker, enum file_systems allowed);

/* Looks into a file that a process has mapped; @tid is one of its threads that lives. Files with the same device, inode, time
 * of change and size are looked into once. Waits for at most @wait_ns, and never for more than 4 s. Returns 0; or -errno where
 * the file could not be opened through this process: -EREMOTE for a file on a file system that is not allowed, -EBUSY where an
 * earlier helper still lives, -ENOLCK where nothing would keep helpers from piling up, -ENOPKG where no helper program can be trusted, -ETIME where it took too long. */
must_check_ int file_looker_inspect(struct file_looker *looker, uint32_t tgid, uint32_t tid,
                                    const struct mapped_file *mapped, uint64_t wait_ns,
                                    struct jemalloc_object *ret_object);
