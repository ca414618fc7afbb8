// SPDX-License-Identifier: GPL-2.0-or-later
/* A struct taskstats, behind one byte that says what the host keeps: it is refused whole, or gives values of its own
 * source only, where the rules allow them, and never both a value and a complaint. */
#include <string.h>

#include "fuzz.h"
#include "taskstats/taskstats.h"

static bool is_empty(const struct metric_set *set)
{
	for (size_t i = 0; i < METRIC_SET_WORDS; i++)
		if (set->words[i] != 0)
			return false;
	return true;
}

static bool is_cpu(const char *name)
{
	return strncmp(name, "cpu_", strlen("cpu_")) == 0;
}

static bool is_memory(const char *name)
{
	return strncmp(name, "hiwater_", strlen("hiwater_")) == 0;
}

static void check_metric(const struct thread_sample *sample, const struct taskstats_rules *rules,
                         enum metric_id metric)
{
	const struct metric_desc *desc = &metric_table[metric];
	bool seen = metric_set_has(&sample->seen, metric);
	bool malformed = metric_set_has(&sample->malformed, metric);

	require(!seen || !malformed, "a value, or a complaint");
	if (!seen && !malformed)
		return;
	require(desc->source == SOURCE_taskstats, "of this source");
	require(rules->cpu_delay || !is_cpu(desc->name), "the cpu bucket only where it is kept");
	require(rules->delays != TASKSTATS_DELAYS_OFF || is_cpu(desc->name) ||
	                is_memory(desc->name),
	        "the others only where delays are on");
}

static void check_thread(const uint8_t *data, size_t size, const struct taskstats_rules *rules)
{
	struct thread_sample sample = {0};
	enum source_outcome outcome = taskstats_parse(data, size, rules, &sample);

	require(outcome == OUTCOME_read || outcome == OUTCOME_malformed, "no other outcome");
	if (outcome == OUTCOME_malformed)
		require(is_empty(&sample.seen) && is_empty(&sample.malformed),
		        "what is refused gives no value");
	for (unsigned metric = 0; metric < METRIC_COUNT; metric++)
		check_metric(&sample, rules, metric);
	require(sample.process_totals_seen == 0, "a thread has no totals");
	sample_done(&sample);
}

static void check_process(const uint8_t *data, size_t size, const struct taskstats_rules *rules)
{
	struct thread_sample sample = {0};
	enum source_outcome outcome = taskstats_parse_process(data, size, rules, &sample);

	require(outcome == OUTCOME_read || outcome == OUTCOME_malformed, "no other outcome");
	if (outcome == OUTCOME_malformed)
		require(sample.process_totals_seen == 0, "what is refused gives no total");
	for (unsigned total = 0; total < PROCESS_TOTAL_COUNT; total++)
		if (sample.process_totals_seen >> total & 1)
			require(process_total_table[total].source == SOURCE_process_taskstats,
			        "totals of this source");
	require(is_empty(&sample.seen), "a process has no values of a thread");
	sample_done(&sample);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct taskstats_rules rules = {0};

	if (size == 0)
		return 0;
	rules.cpu_delay = data[0] & 1;
	rules.irq = data[0] & 2;
	rules.delays = (enum taskstats_delays)((data[0] >> 2) % 3);
	check_thread(data + 1, size - 1, &rules);
	check_process(data + 1, size - 1, &rules);
	return 0;
}
