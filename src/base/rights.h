/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* rights - the rights that this program has and its user has not: capabilities of its file, or the ids of a set-id program. They are for
 * reading the processes of this system. Everything else is done with the rights of the user, so that files that the user names, in arguments
 * or in the environment, are those that the user may open anyway. A program that root runs has no such rights. */
#include <stdbool.h>

#include "ctprof/base/macro.h"

/* Lowers the rights of the process to those of its user. Called once, by main() and before there are threads. Returns 0 or -errno. */
must_check_ int rights_init(void);

/* Raises the rights of this thread to all that the program has, and of threads that it makes meanwhile, until rights_lower().
 * Returns whether they were lower. */
bool rights_raise(void);

/* For cleanup_(rights_lower): takes back what rights_raise() returned. */
void rights_lower(const bool *raised);
