/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* inspector-child - the helper process that parses files. */
#include <sys/types.h>

#include "ctprof/base/macro.h"

/* Answers HELPER_INSPECT on @socket. @guard_fd, or -1, is kept open. @parent is who started this process. Ends when nothing comes
 * for a second. */
noreturn_ void inspector_child_run(int socket, int guard_fd, pid_t parent);
