/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* wait-read - reads in which function of the kernel and in which system call a thread waits. */
#include "ctprof/metric/sample.h"

/* Sets both of the thread with the sample's ids, or their outcomes. They are read behind its other values: the thread may wait
 * elsewhere by then. @proc_fd is the root of the /proc tree. @stalls: reading would wait for an exec of the process to end, as
 * proc_pid_syscall() does (fs/proc/base.c), and is left alone. */
void wait_read(int proc_fd, bool stalls, struct thread_sample *sample);
