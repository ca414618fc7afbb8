/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* rights - the capabilities that this program's file gives to it and its user has not got. They are for reading the processes of this
 * system. Everything else is done with the rights of the user, so that files that the user names, in arguments or in the environment, and
 * commands are those that the user may open and execute anyway. A program that root runs has no such rights. The ids of a set-id program
 * are given up at the start. */
#include <stdbool.h>

#include "ctprof/base/macro.h"

/* Gives up set-id ids, and lowers the rights of the process to those of its user. Called once, by main() and before there are threads.
 * Returns 0 or -errno. */
must_check_ int rights_init(void);

/* Raises the rights of this thread to all that the program has, and of threads that it makes meanwhile, until rights_lower().
 * Returns whether they were lower. */
bool rights_raise(void);

/* Lowers the rights of this thread for what a caller does in the middle of a reading, such as a command. Returns whether they were
 * raised, for cleanup_(rights_resume), which raises them again. */
bool rights_pause(void);
void rights_resume(const bool *paused);

/* For cleanup_(rights_lower): takes back what rights_raise() returned. */
void rights_lower(const bool *raised);
