/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* own-proc - finds out which pid namespace a /proc belongs to. */
#include <stdbool.h>

/* Returns whether @proc_fd is the /proc of our own pid namespace: only then can its ids be used in system calls. */
bool proc_is_own(int proc_fd);
