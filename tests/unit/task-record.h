/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* task-record - what the tests of the records of a pass start from. */
#include "bpf/task-record.h"
#include "check.h"

enum { VALUES_TGID = 400, VALUES_TID = 401, VALUES_TICKS = 100 };

/* Longer than any wait in the records. */
#define VALUES_AGE_NS UINT64_C(1000000000000)

/* A kernel that keeps and prints everything. */
static inline struct task_record_rules values_rules(void)
{
	struct task_record_rules rules = {
	        .kept = UINT32_MAX,
	        .taskstats = {.cpu_delay = true, .delays = TASKSTATS_DELAYS_BOOT, .irq = true},
	        .ticks_per_second = VALUES_TICKS,
	        .page_bytes = 4096,
	};

	for (unsigned source = 0; source < SOURCE_COUNT; source++)
		rules.outcomes[source] = OUTCOME_read;
	for (unsigned metric = 0; metric < METRIC_COUNT; metric++)
		metric_set_add(&rules.printed, (enum metric_id)metric);
	return rules;
}

/* A thread in which each number of 64 bits is another one: 1000 and its place. */
static inline struct task_record values_thread(void)
{
	const size_t first = offsetof(struct task_record, born_boottime_ns);
	struct task_record values = {
	        .flags = TASK_RECORD_HAS_CPUS | TASK_RECORD_HAS_DELAYS,
	        .tid = VALUES_TID,
	        .tgid = VALUES_TGID,
	        .comm = "worker",
	        .slice_ns = 2800000,
	        .processor = 5,
	        .priority = 25,
	        .nice = 5,
	        .rt_priority = 0,
	        .policy = 0,
	        .state = 'S',
	};
	uint64_t number = 1000;

	for (size_t i = 0; i < THREAD_DELAY_COUNT; i++)
		values.delay_counts[i] = 500 + (uint32_t)i;
	for (size_t at = first; at < sizeof(values); at += sizeof(number), number++)
		memcpy((char *)&values + at, &number, sizeof(number));
	return values;
}
