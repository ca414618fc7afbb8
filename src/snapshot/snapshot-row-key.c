// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot-row.h"

#include <string.h>

bool thread_row_has_identity(uint64_t identities, enum thread_row_identity identity)
{
	return (identities & UINT64_C(1) << identity) != 0;
}

bool thread_row_is_superseded(uintptr_t meaning, uint64_t identities)
{
	switch (meaning) {
	case ROW_host:
		return thread_row_has_identity(identities, ROW_host_hex);
	case ROW_pcomm:
		return thread_row_has_identity(identities, ROW_pcomm_hex);
	case ROW_comm:
		return thread_row_has_identity(identities, ROW_comm_hex);
	case ROW_cgroup:
		return thread_row_has_identity(identities, ROW_cgroup_hex);
	case ROW_cgroup_v1:
		return thread_row_has_identity(identities, ROW_cgroup_v1_hex) ||
		       thread_row_has_identity(identities, ROW_cgroup) ||
		       thread_row_has_identity(identities, ROW_cgroup_hex);
	case ROW_cgroup_v1_hex:
		return thread_row_has_identity(identities, ROW_cgroup) ||
		       thread_row_has_identity(identities, ROW_cgroup_hex);
	case ROW_cgroups_v1:
		return thread_row_has_identity(identities, ROW_cgroups_v1_hex);
	case ROW_exe:
		return thread_row_has_identity(identities, ROW_exe_hex);
	case ROW_cwd:
		return thread_row_has_identity(identities, ROW_cwd_hex);
	case ROW_title:
		return thread_row_has_identity(identities, ROW_title_hex);
	}
	return false;
}

uint32_t *thread_row_u32(struct thread_sample *sample, enum thread_row_identity identity)
{
	switch (identity) {
	case ROW_tid:
		return &sample->tid;
	case ROW_tgid:
		return &sample->tgid;
	case ROW_uid:
		return &sample->uid;
	case ROW_ppid:
		return &sample->ppid;
	case ROW_pgrp:
		return &sample->pgrp;
	case ROW_session:
		return &sample->session;
	case ROW_process_successors:
		return &sample->process_successors;
	case ROW_merged_threads:
		return &sample->merged_threads;
	case ROW_jemalloc_program:
		return &sample->jemalloc_program;
	default:
		return NULL;
	}
}

void thread_row_note_identities(uint64_t identities, struct thread_sample *sample)
{
	sample->has_cgroup = thread_row_has_identity(identities, ROW_cgroup) ||
	                     thread_row_has_identity(identities, ROW_cgroup_v1);
	sample->cgroup_is_v1 =
	        sample->has_cgroup && !thread_row_has_identity(identities, ROW_cgroup);
	sample->has_exe = thread_row_has_identity(identities, ROW_exe);
	sample->has_cwd = thread_row_has_identity(identities, ROW_cwd);
	sample->has_title = thread_row_has_identity(identities, ROW_title);
	sample->has_wchan = thread_row_has_identity(identities, ROW_wchan);
	sample->has_syscall = thread_row_has_identity(identities, ROW_syscall);
	sample->has_uid = thread_row_has_identity(identities, ROW_uid);
	sample->has_parent = thread_row_has_identity(identities, ROW_ppid) &&
	                     thread_row_has_identity(identities, ROW_pgrp) &&
	                     thread_row_has_identity(identities, ROW_session);
	sample->has_process_start =
	        thread_row_has_identity(identities, ROW_process_start_time_clock_ticks);
	if (!thread_row_has_identity(identities, ROW_life_ns))
		sample->life_ns = sample->interval_ns;
}

int thread_row_set_label(struct thread_row_reader *rows, enum metric_id metric, const char *text,
                         size_t len, struct thread_sample *sample)
{
	if (!rows->is_own && reference_row_is_unread(&rows->reference, metric, text, len))
		return 0;
	return sample_set_label(sample, metric, text, len)
	               ? 0
	               : value_refuse(&rows->values, metric_table[metric].name, "a label");
}

/* A fact of a later version is ignored. */
static void set_exit_fact(struct thread_sample *sample, const char *name, uint64_t value)
{
	for (unsigned i = 0; i < EXIT_FACT_COUNT; i++)
		if (strcmp(exit_fact_table[i].name, name) == 0)
			sample_set_exit_fact(sample, (enum exit_fact)i, value);
}

int thread_row_read_exit(struct thread_row_reader *rows, enum json_token token,
                         struct thread_sample *sample)
{
	static const char key[] = "exit";
	struct value_reader *values = &rows->values;
	uint64_t value;
	int r;

	if (token != JSON_TOKEN_OBJECT_OPEN)
		return value_refuse(&rows->values, key, "an object");
	sample->exit_facts_seen = 0;
	strbuf_add_str(&values->place, key);
	while ((r = value_next_key(values)) > 0) {
		r = value_u64(values, &value);
		if (r < 0)
			break;
		set_exit_fact(sample, strbuf_str(&values->key), value);
	}
	value_leave(values, 0);
	return r;
}
