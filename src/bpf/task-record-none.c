// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes the place of task-record.c in a build without BPF. */
#include <errno.h>

#include "task-record-store.h"

int task_record_open(struct task_record_reader **ret_reader)
{
	(void)ret_reader;
	return -EOPNOTSUPP;
}

struct task_record_reader *task_record_free(struct task_record_reader *reader)
{
	(void)reader;
	return NULL;
}

void task_record_freep(struct task_record_reader **reader)
{
	*reader = NULL;
}

int task_record_read(struct task_record_reader *reader, struct task_record_pass *ret_pass)
{
	(void)reader;
	(void)ret_pass;
	return -EOPNOTSUPP;
}

uint32_t task_record_kept(const struct task_record_reader *reader)
{
	(void)reader;
	return 0;
}
