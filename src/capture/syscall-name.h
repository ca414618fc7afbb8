/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* syscall-name - the names of system calls of this machine, by libseccomp, which is loaded for it. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/strbuf.h"

/* Appends the name, with " (32-bit)" behind it for the 32-bit table of a 64-bit kernel; or "#462" if nobody has the name: without the
 * library, or if the call is newer than it. */
void syscall_name_add(uint32_t number, bool is_narrow, struct strbuf *out);
