// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes the place of thread-values.c in a build without BPF. */
#include <errno.h>

#include "thread-values-store.h"

int thread_values_open(struct thread_values_reader **ret_reader)
{
	(void)ret_reader;
	return -EOPNOTSUPP;
}

struct thread_values_reader *thread_values_free(struct thread_values_reader *reader)
{
	(void)reader;
	return NULL;
}

void thread_values_freep(struct thread_values_reader **reader)
{
	*reader = NULL;
}

int thread_values_read(struct thread_values_reader *reader, struct thread_values_pass *ret_pass)
{
	(void)reader;
	(void)ret_pass;
	return -EOPNOTSUPP;
}

uint32_t thread_values_kept(const struct thread_values_reader *reader)
{
	(void)reader;
	return 0;
}
