/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* wait-read - reads in which function of the kernel and in which system call a thread waits. */
#include "ctprof/metric/sample.h"

/* Sets both of the thread with the sample's ids, or their outcomes. They are read behind its other values: the thread may wait
 * elsewhere by then. @proc_fd is the root of the /proc tree. */
void wait_read(int proc_fd, struct thread_sample *sample);
