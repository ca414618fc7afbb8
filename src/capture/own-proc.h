/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* own-proc - whose ids a /proc has. */
#include <stdbool.h>

/* Whether @proc_fd is the /proc of our own pid namespace: only then do its ids mean to system calls what they mean
 * there. */
bool proc_is_own(int proc_fd);
