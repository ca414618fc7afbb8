/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* select-processes - finds the processes of a selection in a /proc tree, without reading the others' threads. */
#include "base/fd.h"
#include "ctprof/base/macro.h"
#include "where/selection.h"
#include "window/exit-log.h"

/* Lists the selected processes in rising order. Process ids are looked up; for names and cgroups /proc/PID/comm and /proc/PID/cgroup
 * of every process are read. Processes of @known are in the list as long as they exist, whatever their names are now, and those
 * found are added to it; it may be NULL. Returns 0; -ESRCH if there is none, or not all of the ids, or if an id is that of a
 * thread, unless @known had processes before; or -errno. A sentence is appended to @reterr. */
must_check_ int select_processes(const struct selection *selection, int proc_fd,
                                 struct id_list *known, struct id_list *ret, struct strbuf *reterr);

/* Fills the host's users as host_read_users() does: the owners of the processes with the ids of the selection, or of all processes if
 * it has no ids. The selection may be NULL. */
void select_users(const struct selection *selection, int proc_fd, struct host *host);

/* Keeps the ends of threads whose process is one of @known, or is selected by its leader's end. */
void select_exits(const struct selection *selection, const struct id_list *known,
                  struct exit_log *log);
