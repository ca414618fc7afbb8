/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* file-opener - the helper process that opens files which processes have mapped, and has them parsed by another one. */
#include <sys/types.h>

#include "ctprof/base/macro.h"

/* Answers HELPER_LOOK on @socket until it is closed. Files with the same device, inode, time of change and size are parsed
 * once. @guard_fd, or -1, is kept open; @parent is who started this process. */
noreturn_ void file_opener_run(int socket, int guard_fd, pid_t parent);
