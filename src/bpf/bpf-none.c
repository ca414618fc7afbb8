// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes the place of the programs' readers in a build without BPF: none of them opens, and the other functions are never
 * called. */
#include <errno.h>

#include "bpf/thread-end.h"
#include "task-record-store.h"

int task_record_open(struct task_record_reader **ret_reader)
{
	(void)ret_reader;
	return -EOPNOTSUPP;
}

void task_record_freep(struct task_record_reader **reader)
{
	(void)reader;
}

int task_record_read(struct task_record_reader *reader, struct task_record_pass *ret_pass)
{
	(void)reader;
	(void)ret_pass;
	return -EOPNOTSUPP;
}

ssize_t task_record_read_process(struct task_record_reader *reader, uint32_t tgid,
                                 const struct task_record **ret_threads)
{
	(void)reader;
	(void)tgid;
	(void)ret_threads;
	return -EOPNOTSUPP;
}

const char *task_record_loader(const struct task_record_reader *reader)
{
	(void)reader;
	return "none";
}

uint32_t task_record_kept(const struct task_record_reader *reader)
{
	(void)reader;
	return 0;
}

int thread_end_reader_open(uint64_t wanted_cgroup, struct thread_end_reader **ret_reader)
{
	(void)wanted_cgroup;
	(void)ret_reader;
	return -EOPNOTSUPP;
}

void thread_end_reader_freep(struct thread_end_reader **reader)
{
	(void)reader;
}

void thread_end_reader_read(struct thread_end_reader *reader,
                            void (*take)(void *context, const struct thread_end *end),
                            void *context)
{
	(void)reader;
	(void)take;
	(void)context;
}

uint64_t thread_end_reader_pending(const struct thread_end_reader *reader)
{
	(void)reader;
	return 0;
}

uint64_t thread_end_reader_lost(const struct thread_end_reader *reader)
{
	(void)reader;
	return 0;
}
