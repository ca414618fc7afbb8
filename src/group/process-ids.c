// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/process-ids.h"

static void set_parent(const struct thread_sample *sample, struct process_ids *ids)
{
	ids->ppid = sample->ppid;
	ids->pgrp = sample->pgrp;
	ids->session = sample->session;
	ids->has_parent = ids->has_session = sample->has_parent;
	if (!ids->has_parent && sample_has_exit_fact(sample, EXIT_FACT_ppid)) {
		ids->ppid = (uint32_t)sample->exit_facts[EXIT_FACT_ppid];
		ids->has_parent = true;
	}
}

struct process_ids process_ids_of(const struct thread_sample *sample, uint64_t host_hash)
{
	struct process_ids ids = {.is_known = true,
	                          .host_hash = host_hash,
	                          .tgid = sample->tgid,
	                          .start_clock_ticks = sample_process_start(sample)};

	if (sample->tid == sample->tgid)
		set_parent(sample, &ids);
	return ids;
}

bool process_ids_are_same(const struct process_ids *a, const struct process_ids *b)
{
	return a->tgid == b->tgid && a->start_clock_ticks == b->start_clock_ticks &&
	       a->host_hash == b->host_hash;
}
