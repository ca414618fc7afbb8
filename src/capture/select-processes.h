/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* select-processes - finds the processes of a selection in a /proc tree, without reading the others' threads. */
#include "base/fd.h"
#include "ctprof/base/macro.h"
#include "where/selection.h"
#include "window/exit-log.h"

/* A process. Its start in clock ticks is one number where it was read, and a range where it is computed from the record of an end; both
 * ends are PROCESS_START_UNKNOWN where it is not known. */
struct selected_process {
	uint32_t tgid;
	uint64_t earliest_start, latest_start;
};

struct selected_processes {
	struct selected_process *processes; /* owned */
	size_t count, capacity;
};
/* For cleanup_(selected_processes_done). */
void selected_processes_done(struct selected_processes *selected);

/* Lists the selected processes in rising order. Process ids are looked up; for names and cgroups /proc/PID/comm and /proc/PID/cgroup
 * of every process are read. Processes of @known are in the list as long as they exist, whatever their names are now, but no other
 * process that has the id of one of them now; those found are added to it, with field 22 of /proc/PID/stat. It may be NULL. Returns 0;
 * -ESRCH if there is none, or not all of the ids, or if an id is that of a thread, unless @known had processes before; or -errno. A
 * sentence is appended to @reterr. */
must_check_ int select_processes(const struct selection *selection, int proc_fd,
                                 struct selected_processes *known, struct id_list *ret,
                                 struct strbuf *reterr);

/* Fills the host's users as host_read_users() does: the owners of the processes with the ids of the selection, or of all processes if
 * it has no ids. The selection may be NULL. */
void select_users(const struct selection *selection, int proc_fd, struct host *host);

/* Keeps the ends of threads whose process is one of @known, or is selected by its leader's end. */
void select_exits(const struct selection *selection, const struct selected_processes *known,
                  struct exit_log *log);
