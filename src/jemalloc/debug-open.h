/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* debug-open - opens files with debugging information where a process, or this system, would have them. */
#include <stddef.h>
#include <stdint.h>

#include "base/local-path.h"
#include "ctprof/base/macro.h"

/* Below @root (its descriptor -1: none), which may be somebody else's, and then below this system's root. @link may be empty, and
 * @directory NULL. Returns the descriptor of a regular file on one of the
 * file systems @allowed, or -errno. */
must_check_ int debug_open(enum file_systems allowed, const struct local_root *root,
                           const char *directory, const uint8_t *build_id, size_t build_id_len,
                           const char *link);
