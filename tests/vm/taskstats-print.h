/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* taskstats-print - the kernel's taskstats by a plain netlink socket. It shares no code with ctprof, so that what
 * ctprof says of them can be held against it. */

/* Prints "thread ID HEX" for every thread of each process in the list, which ends with NULL, and "process ID HEX" for
 * the process itself; HEX is the struct taskstats as it came. Returns an exit status. */
int taskstats_print(char **pids);
