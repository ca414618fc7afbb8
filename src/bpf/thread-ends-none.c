// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes the place of thread-ends.c in a build without BPF. */
#include <errno.h>

#include "bpf/thread-end.h"

int thread_ends_open(struct thread_ends **ret_ends)
{
	(void)ret_ends;
	return -EOPNOTSUPP;
}

struct thread_ends *thread_ends_free(struct thread_ends *ends)
{
	(void)ends;
	return NULL;
}

void thread_ends_freep(struct thread_ends **ends)
{
	*ends = NULL;
}

void thread_ends_read(struct thread_ends *ends,
                      void (*take)(void *context, const struct thread_end *end), void *context)
{
	(void)ends;
	(void)take;
	(void)context;
}

uint64_t thread_ends_lost(const struct thread_ends *ends)
{
	(void)ends;
	return 0;
}
