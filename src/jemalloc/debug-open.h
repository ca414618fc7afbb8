/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* debug-open - opens files with debugging information where a process, or this system, would have them. */
#include <stddef.h>
#include <stdint.h>

#include "base/regular-file.h"
#include "ctprof/base/macro.h"

/* Below @root_fd (-1: none), which may be somebody else's, and then below this system's root. @link may be empty, and
 * @directory NULL. Returns the descriptor of a regular file on one of the
 * file systems @allowed, or -errno. */
must_check_ int debug_open(enum file_systems allowed, int root_fd, const char *directory,
                           const uint8_t *build_id, size_t build_id_len, const char *link);
