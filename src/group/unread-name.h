/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* unread-name - names of threads that this user could not read, or that were not asked for: a thread without them is in a group of these. */
#include "group/group-by.h"

/* Returns the name that threads without one of the key have, or NULL if all threads have one. */
const char *unread_name(enum group_key key);

/* Returns whether the thread's name of the key was not read, and would have been with other rights or options. Threads that ended before
 * were read by nobody. */
bool unread_name_has(enum group_key key, const struct thread_sample *sample);
