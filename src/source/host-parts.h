/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* host-parts - the subjects of host_read(). Each leaves the fields unseen that it cannot read; a descriptor of -1
 * is a tree that is not there. */
#include "ctprof/host.h"

/* kernel_config: from config.gz below @proc_fd; else, of the running system (@live), from /boot/config-<release>,
 * and of another one's tree from its file config. Needs kernel_release. */
void host_read_kernel_config(int proc_fd, bool live, struct host *host);

/* host->boot, task_delayacct and sched_schedstats. Needs kernel_release and kernel_config. */
void host_read_switches(int proc_fd, struct host *host);

/* Processors, memory, huge pages, mitigations, frequency governors. */
void host_read_hardware(int proc_fd, int sys_fd, struct host *host);

/* Tunables and features of the scheduler. */
void host_read_scheduler(int proc_fd, int sys_fd, struct host *host);
