// SPDX-License-Identifier: GPL-2.0-or-later
/* A thread that is not the leader of its process and executes a program takes over the leader's ids and birth
 * (de_thread() in fs/exec.c), but keeps its own counters. The difference of its counters and those of the former leader
 * means nothing. */
#include "base/mem.h"
#include "window-join.h"
#include "window-subtract.h"

/* Stores how long the whole process has run since @first was read, exited threads included. Returns false unless both
 * readings have that. */
static bool process_ran(const struct window_join *join, const struct thread_key *process,
                        uint64_t *ret_ns)
{
	const struct window_reading *readings[] = {&join->first, &join->last};
	uint64_t total_ns[ARRAY_SIZE(readings)];

	for (size_t i = 0; i < ARRAY_SIZE(readings); i++) {
		uint32_t row = window_reading_totals(readings[i], process->tgid,
		                                     process->process_start_clock_ticks);
		cleanup_(sample_done) struct thread_sample sample = {0};

		if (row == THREAD_STORE_NONE)
			return false;
		thread_store_get(&readings[i]->threads, row, &sample);
		if (!sample_has_said_total(&sample, PROCESS_TOTAL_run_time_ns))
			return false;
		total_ns[i] = sample.process_totals[PROCESS_TOTAL_run_time_ns];
	}
	*ret_ns = total_ns[1] > total_ns[0] ? total_ns[1] - total_ns[0] : 0;
	return true;
}

/* Stores how many page faults of a process a reading has of its exited threads. */
static bool exited_minflt(const struct window_reading *reading, uint32_t leader_row, uint64_t *ret)
{
	const struct thread_store *threads = &reading->threads;
	const struct thread_key *process = thread_store_key(threads, leader_row);
	const uint32_t bit = UINT32_C(1) << PROCESS_TOTAL_minflt;
	cleanup_(sample_done) struct thread_sample sample = {0};
	uint64_t total = 0, sum = 0;
	bool known = false;

	for (uint32_t row = leader_row;
	     row < threads->count &&
	     thread_key_same_process(thread_store_key(threads, row), process);
	     row++) {
		uint64_t minflt;

		thread_store_get(threads, row, &sample);
		if (!window_get_counter(&sample, METRIC_minflt, &minflt))
			return false;
		saturating_add_to(&sum, minflt);
		if (!(sample.process_totals_seen & bit))
			continue;
		known = true;
		total = sample.process_totals[PROCESS_TOTAL_minflt];
	}
	*ret = total > sum ? total - sum : 0;
	return known;
}

/* Returns whether threads have exited that had at least as many page faults as the leader, so that it may be one of
 * them. Only kernel threads have none; they execute nothing, but change their names. */
static bool leader_may_have_exited(const struct window_join *join, const struct thread_key *key,
                                   const struct thread_sample *first)
{
	uint32_t first_row = window_reading_find(&join->first, key);
	uint32_t last_row = window_reading_find(&join->last, key);
	uint64_t minflt, before, now;

	if (!window_get_counter(first, METRIC_minflt, &minflt))
		return true;
	if (minflt == 0)
		return false;
	if (!exited_minflt(&join->first, first_row, &before) ||
	    !exited_minflt(&join->last, last_row, &now))
		return true;
	return now > before && now - before >= minflt;
}

/* Returns whether the leader of a process may be another thread now, because the process has executed a program.
 * Records of ends decide. Without them, a process with one thread may have executed it in this thread, as shells do:
 * then no thread has exited. */
static bool may_have_taken_over(const struct window_join *join, const struct thread_key *key,
                                const struct thread_sample *first)
{
	uint64_t threads;

	if (!window_is_other_program(&join->sample, first) ||
	    (window_exits_are_known(join->exits->exits) && join->exits->overruns == 0))
		return false;
	if (window_get_counter(first, METRIC_nr_threads, &threads) && threads > 1)
		return true;
	return leader_may_have_exited(join, key, first);
}

/* Returns whether the run times differ by more than @slack_ns. */
static bool ran_differently(const struct thread_sample *first, const struct thread_sample *later,
                            uint64_t slack_ns)
{
	struct counter_ns before, now;

	return sample_get(first, run_time_ns, &before) && sample_get(later, run_time_ns, &now) &&
	       (metric_rose(before, now) > slack_ns || metric_rose(now, before) > slack_ns);
}

/* Returns whether the leader had ended when it was read first, and its ids have another thread now, which lives or has run since. */
static bool is_after_its_end(const struct thread_sample *first, const struct thread_sample *later,
                             uint64_t slack_ns)
{
	return sample_has_ended(first) &&
	       (!sample_has_ended(later) || ran_differently(first, later, slack_ns));
}

/* Returns whether a thread of the process that was there at the first reading may have the leader's ids now: its own ids are lost, or it
 * was not read. */
static bool may_have_taker(const struct window_join *join, const struct thread_key *leader,
                           const struct thread_sample *first)
{
	const struct thread_store *threads = &join->first.threads;
	uint32_t row = window_reading_find(&join->first, leader);
	uint64_t count, read = 0;

	if (window_has_lost(join, leader) || !window_get_counter(first, METRIC_nr_threads, &count))
		return true;
	for (; row < threads->count &&
	       thread_key_same_process(thread_store_key(threads, row), leader);
	     row++)
		read++;
	return count > read;
}

/* Only the leader's ids are taken over: a difference that is impossible for another thread is the kernel's fault, and
 * judged as such. So is one that no taker can have: a taker that was born inside has run for no longer than the interval. The margin is a tick
 * and the skew of the readings; the total is read before the thread. */
bool window_is_another(const struct window_join *join, const struct thread_key *key,
                       const struct thread_sample *first)
{
	uint64_t interval_ns = join->sample.interval_ns, process_ns;
	uint64_t slack_ns = interval_ns / 16 + 10 * join->tick_ns, ran_ns;
	struct counter_ns before, now;

	if (key->tid != key->tgid)
		return false;
	if (window_is_behind(&join->sample, first) || may_have_taken_over(join, key, first) ||
	    is_after_its_end(first, &join->sample, join->tick_ns))
		return true;
	if (!sample_get(first, run_time_ns, &before) ||
	    !sample_get(&join->sample, run_time_ns, &now))
		return false;
	ran_ns = metric_rose(before, now);
	if (ran_ns > interval_ns + slack_ns)
		return may_have_taker(join, key, first);
	return ran_ns > slack_ns && process_ran(join, key, &process_ns) &&
	       ran_ns - slack_ns > process_ns;
}

/* The former leader ran no more. If a thread of its process has no record under its own ids, it has taken over these; else it may have
 * been one that was born inside. */
bool window_is_of_taker(struct window_join *join, uint32_t leader_row, uint32_t record)
{
	if (window_has_lost(join, thread_store_key(&join->first.threads, leader_row)))
		return true;
	thread_store_get(&join->first.threads, leader_row, &join->other);
	thread_store_get(&join->exits->records, record, &join->sample);
	return ran_differently(&join->other, &join->sample, join->tick_ns);
}

bool window_leader_is_replaced(struct window_join *join, const struct thread_key *leader,
                               uint32_t row)
{
	uint32_t first = window_reading_find(&join->first, leader);

	if (join->replaced[row])
		return true;
	if (first == THREAD_STORE_NONE)
		return false;
	thread_store_get(&join->first.threads, first, &join->other);
	thread_store_get(&join->last.threads, row, &join->sample);
	return is_after_its_end(&join->other, &join->sample, 0);
}
