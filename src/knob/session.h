/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* session - the processes of a session (setsid(2)), found in /proc. */
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"

/* Reads when a process started, in ticks since the boot. Returns 0 or -errno. */
must_check_ int session_start_ticks(pid_t pid, uint64_t *ret);

/* Sends a signal to every process of a session but zombies; 0 sends none. @start_ticks is that of its leader: a session of the same id
 * whose leader started at another time is not meant. If the leader is gone, those that are left are meant: the kernel gives no id to a
 * new process that a session still has. Returns the number of processes, or -errno. */
int session_signal(pid_t session, uint64_t start_ticks, int signal);
