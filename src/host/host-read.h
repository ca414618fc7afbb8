/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* host-read - reads the fields of registry/host.def from /proc and /sys. */
#include <stdbool.h>

#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/metric/host.h"
#include "ctprof/metric/psi.h"
#include "taskstats/taskstats.h"

struct id_list;

/* Fills all host fields that the trees under @proc_fd and @sys_fd have; -1 means that there is no such tree. @cgroup_fd
 * is the root of the cgroup2 hierarchy or -1. @live means that @proc_fd is the /proc of this process's own pid
 * namespace. Clock ticks, the architecture and the uptime are those of the running system. hostname and kernel_cmdline
 * are left out if @anonymous. */
void host_read(int proc_fd, int sys_fd, int cgroup_fd, bool live, bool anonymous,
               struct host *host);

/* Makes @host, which is zeroed, a copy of @known, which host_read() has filled for the same trees, and reads those fields again
 * that change while the host is up: the uptime, the number of threads, the CPUs online, and the switches of the kernel's
 * accounting. */
void host_read_again(int proc_fd, int sys_fd, bool live, const struct host *known,
                     struct host *host);

/* Fills the counters since boot; called right beside the reading of the threads: the fields of @host that come from
 * /proc/stat, and @psi as psi_read_host() does. stat_interval_ns and pressure_interval_ns become CLOCK_BOOTTIME in the
 * middle of each reading; if not @live, they become @host's uptime_ns, or stay unseen. */
void host_read_counters(int proc_fd, bool live, struct host *host, struct psi *psi);

/* Fills the host's users: the names of the owners of @processes in this system's /proc, or with NULL of all processes, by user id.
 * Reads /etc/passwd, and asks the name service once for each other user; an id without a name has no entry. */
void host_read_users(int proc_fd, const struct id_list *processes, struct host *host);

/* Adds to the host's containers the names of those that Docker, containerd, podman, CRI-O and systemd-machined keep in files below
 * @root_fd, the root directory of the system, by the id that their cgroups have. Without permission, or without such files, it adds
 * none. Names may hold any bytes but NUL. */
void host_read_containers(int root_fd, struct host *host);

/* Reads @sys_fd's kernel/sched_ext; present is false if the kernel has none, and single files may be missing.
 * @sys_fd may be -1. */
void sched_ext_read(int sys_fd, struct sched_ext *sched_ext);

/* Returns the rules for taskstats that follow from task_delayacct, kernel_release and kernel_config of @host and from
 * host->boot. Unknown settings count as possible: the cpu bucket is kept, the others were switched on at run time.
 * Pure. */
struct taskstats_rules taskstats_rules_of(const struct host *host);
