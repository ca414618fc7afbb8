// SPDX-License-Identifier: GPL-2.0-or-later
#include "proc-tree.h"

#include <inttypes.h>

#include "base/mem.h"
#include "check.h"

char *proc_tree_file(uint32_t tgid, uint32_t tid, const char *name)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%u/task/%u/%s", tgid, tid, name);
	return path.data;
}

static void add_file(const struct temp_tree *tree, const struct proc_thread *thread,
                     const char *name, const struct strbuf *text)
{
	cleanup_(mem_freep) char *path = proc_tree_file(thread->tgid, thread->tid, name);

	temp_tree_write(tree, path, strbuf_str(text), text->len);
}

static void add_stat(const struct temp_tree *tree, const struct proc_thread *thread,
                     struct strbuf *text)
{
	strbuf_clear(text);
	strbuf_addf(text,
	            "%u (%s) S 1 1 1 0 -1 4194304 %u 0 2 0 %" PRIu64
	            " 0 0 0 20 0 7 0 %u 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n",
	            thread->tid, thread->comm ? thread->comm : "thread", thread->tid + 10,
	            thread->utime_clock_ticks, thread->tid + 1000);
	add_file(tree, thread, "stat", text);
}

static void add_sched(const struct temp_tree *tree, const struct proc_thread *thread,
                      struct strbuf *text)
{
	strbuf_clear(text);
	strbuf_addf(
	        text,
	        "thread (%u, #threads: 1)\n"
	        "-------------------------------------------------------------------\n"
	        "se.nr_migrations : 5\nnr_voluntary_switches : %u\nnr_involuntary_switches : 2\n",
	        thread->tid, thread->tid + 20);
	add_file(tree, thread, "sched", text);
}

static void add_schedstat(const struct temp_tree *tree, const struct proc_thread *thread,
                          struct strbuf *text)
{
	strbuf_clear(text);
	if (thread->schedstat)
		strbuf_add_str(text, thread->schedstat);
	else
		strbuf_addf(text, "%u000 %u00 %u\n", thread->tid, thread->tid, thread->tid);
	add_file(tree, thread, "schedstat", text);
}

void proc_tree_add(const struct temp_tree *tree, const struct proc_thread *thread)
{
	struct strbuf text = STRBUF_INIT;

	add_stat(tree, thread, &text);
	add_schedstat(tree, thread, &text);
	add_sched(tree, thread, &text);
	strbuf_clear(&text);
	strbuf_addf(&text,
	            "rchar: %u\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n"
	            "cancelled_write_bytes: 7\n",
	            thread->tid + 30);
	add_file(tree, thread, "io", &text);
	strbuf_clear(&text);
	strbuf_addf(&text, "1:cpu:/x\n0::/group-%u\n", thread->tgid);
	add_file(tree, thread, "cgroup", &text);
	strbuf_clear(&text);
	strbuf_add_str(&text,
	               "Name:\tthread\nCpus_allowed_list:\t0-3\nvoluntary_ctxt_switches:\t999\n"
	               "nonvoluntary_ctxt_switches:\t888\n");
	add_file(tree, thread, "status", &text);
	strbuf_clear(&text);
	strbuf_addf(&text, "%u/comm", thread->tgid);
	temp_tree_write_text(tree, text.data, "process\n");
	strbuf_done(&text);
}
