/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* proc-tree - a /proc in a temporary directory. */
#include <stdint.h>

#include "temp-tree.h"

/* A thread whose values follow from its tid, but for what is set here. */
struct proc_thread {
	uint32_t tgid, tid;
	const char *comm;      /* NULL: "thread" */
	const char *schedstat; /* NULL: "<tid>000 <tid>00 <tid>" */
	uint64_t utime_clock_ticks;
};

/* Writes all files of the thread, and its process's comm, "process". */
void proc_tree_add(const struct temp_tree *tree, const struct proc_thread *thread);

/* "<tgid>/task/<tid>/<name>"; the caller frees it. */
char *proc_tree_file(uint32_t tgid, uint32_t tid, const char *name);
