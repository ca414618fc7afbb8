// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes the place of thread-end-reader.c in a build without BPF. */
#include <errno.h>

#include "bpf/thread-end.h"

int thread_end_reader_open(struct thread_end_reader **ret_reader)
{
	(void)ret_reader;
	return -EOPNOTSUPP;
}

struct thread_end_reader *thread_end_reader_free(struct thread_end_reader *reader)
{
	(void)reader;
	return NULL;
}

void thread_end_reader_freep(struct thread_end_reader **reader)
{
	*reader = NULL;
}

void thread_end_reader_read(struct thread_end_reader *reader,
                            void (*take)(void *context, const struct thread_end *end),
                            void *context)
{
	(void)reader;
	(void)take;
	(void)context;
}

uint64_t thread_end_reader_lost(const struct thread_end_reader *reader)
{
	(void)reader;
	return 0;
}
