// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes the place of thread-pointers.c in a build without BPF. */
#include <errno.h>

#include "bpf/thread-pointer.h"

int thread_pointers_open(struct thread_pointers **ret_pointers)
{
	(void)ret_pointers;
	return -EOPNOTSUPP;
}

struct thread_pointers *thread_pointers_free(struct thread_pointers *pointers)
{
	(void)pointers;
	return NULL;
}

void thread_pointers_freep(struct thread_pointers **pointers)
{
	*pointers = NULL;
}

ssize_t thread_pointers_read(struct thread_pointers *pointers, uint32_t tgid,
                             const struct thread_pointer **ret_threads)
{
	(void)pointers;
	(void)tgid;
	(void)ret_threads;
	return -EOPNOTSUPP;
}
