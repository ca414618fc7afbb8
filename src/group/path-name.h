/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* path-name - the names of groups by a text of the process: its executable, the directory of that, its working directory, its title.
 * A name without a path is in parentheses, which no path that the kernel shows begins with. */
#include "ctprof/metric/host.h"
#include "ctprof/metric/sample.h"
#include "group/cgroup-key.h"

/* Append a thread's name for the keys exe, exe:dir and cwd. */
void path_name_exe(const struct thread_sample *sample, struct strbuf *out);
void path_name_exe_dir(const struct thread_sample *sample, struct strbuf *out);
/* For the key title: the title, else the name of the process. */
void path_name_title(const struct thread_sample *sample, struct strbuf *out);
/* For the keys wchan (@is_wchan) and syscall: where the thread waits, "(none)", or "(ended)". */
void path_name_wait(const struct thread_sample *sample, bool is_wchan, struct strbuf *out);
/* The name of the host: that of the thread, else of @host, which may be NULL. */
void path_name_host(const struct thread_sample *sample, const struct host *host,
                    struct strbuf *out);
/* " on db7" behind an id, if the thread is of one of several hosts that were merged, whose processes have equal ids; nothing if another
 * key names the host. */
void path_name_on_host(const struct thread_sample *sample, const struct host *host, bool is_named,
                       struct strbuf *out);
void path_name_cwd(const struct thread_sample *sample, struct strbuf *out);

/* Returns whether the cgroup of the thread could not be read: of one that ended, it may have been removed before. Its name is
 * path_name_unread_cgroup then. */
bool path_name_lacks_cgroup(const struct thread_sample *sample);
extern const char path_name_unread_cgroup[];

/* The names of threads without one. */
extern const char path_name_unread_exe[], path_name_unread_cwd[], path_name_unread_title[],
        path_name_unread_wchan[], path_name_unread_syscall[];

/* Appends that part of the thread's path in version 2, or in version 1, and returns true; else appends @otherwise, or that the cgroup was not
 * read, and returns false. @host may be NULL. */
bool path_name_part(enum cgroup_part part, const char *otherwise,
                    const struct thread_sample *sample, const struct host *host,
                    struct strbuf *out);
extern const char path_name_no_container[]; /* otherwise, for a container */

/* Appends the name of the container that the thread's cgroup is of, as the host has it; its id if it has none; or "(no
 * container)". @host may be NULL. */
void path_name_container(const struct thread_sample *sample, const struct host *host,
                         struct strbuf *out);
