/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* proc-text - reads small files of /proc in a process that must not allocate. */
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"

enum { PROC_TEXT_BYTES = 4096 };

/* Reads /proc/TGID/NAME, or /proc/TGID/task/TID/NAME if @tid is not 0, as far as it fits. Returns its length, or
 * -errno. */
must_check_ ssize_t proc_text_read(uint32_t tgid, uint32_t tid, const char *name,
                                   char text[static PROC_TEXT_BYTES]);
