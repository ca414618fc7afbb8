// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot-row-judge.h"

#include <string.h>

void thread_row_find_process(struct thread_row_process *before, struct thread_sample *sample)
{
	if (sample_process_start(sample) == PROCESS_START_UNKNOWN &&
	    sample_is_of_process(sample, before->tgid, before->start_clock_ticks))
		sample_set_process_start(sample, before->start_clock_ticks);
	*before = (struct thread_row_process){sample->tgid, sample_process_start(sample)};
}

/* A row of one host has the boot only if it is another one than that of the host, in a sum over several. */
static void forget_host(const struct snapshot_info *info, struct thread_sample *sample)
{
	const char *boot = host_text(&info->host, HOST_boot_id);

	strbuf_clear(&sample->host);
	if (sample->boot_id.len > 0 &&
	    (info->kind != KIND_window || !boot || strcmp(boot, strbuf_str(&sample->boot_id)) == 0))
		strbuf_clear(&sample->boot_id);
}

bool thread_row_find_host(const struct snapshot_info *info, struct row_host *before,
                          struct thread_row_process *process, struct thread_sample *sample)
{
	if (!info->is_of_hosts)
		forget_host(info, sample);
	if (!row_host_is(before, sample)) {
		*process = ROW_PROCESS_INIT;
		row_host_set(before, sample);
	}
	return !info->is_of_hosts || sample->host.len > 0;
}

/* A window is useless without its length. */
const char *snapshot_window_fault(const struct snapshot_info *info)
{
	if (info->kind != KIND_window)
		return info->is_of_hosts ? "it is of many hosts, and no window" : NULL;
	if (!info->window.seen[WINDOW_length_ns] || info->window.numbers[WINDOW_length_ns] == 0)
		return "its kind is \"window\", and it does not say how long it was";
	return NULL;
}

/* An earlier version did not judge what it wrote, and a file may have been changed since. */
void thread_row_judge(const struct snapshot_info *info, struct thread_sample *sample)
{
	struct host_bounds bounds = host_bounds_of(&info->host);
	uint64_t read_ns = sample->read_boottime_ns;

	/* Each of its threads was judged. */
	if (sample->merged_threads > 0)
		return;
	if (read_ns == 0)
		read_ns = info->captured_boottime_ns;
	sample_judge_at(sample, read_ns, bounds);
	if (sample->window_part != WINDOW_PART_NONE)
		sample_judge_inside(sample, bounds);
}

bool thread_row_writes_outcome(const enum source_outcome rules[SOURCE_COUNT],
                               const struct thread_sample *sample, unsigned source)
{
	enum source_outcome outcome = sample->outcomes[source];

	return outcome != OUTCOME_unneeded && outcome != OUTCOME_read && outcome != rules[source];
}

void thread_row_keep_written_reasons(const enum source_outcome rules[SOURCE_COUNT],
                                     struct thread_sample *sample)
{
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		if (!thread_row_writes_outcome(rules, sample, s))
			sample->outcomes[s] = OUTCOME_unneeded;
	for (size_t i = 0; i < METRIC_SET_WORDS; i++) {
		sample->malformed.words[i] &= ~sample->seen.words[i];
		sample->skipped.words[i] &= ~(sample->seen.words[i] | sample->malformed.words[i]);
	}
}
