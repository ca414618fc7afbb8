// SPDX-License-Identifier: GPL-2.0-or-later
#include "group-process.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

/* Time in user mode and in kernel mode is rounded down to ticks, each by itself. */
enum { ROUNDED_TICKS = 2 };

static void open_process(struct group_process *process, const struct thread_sample *sample,
                         const struct host *host)
{
	process->open = true;
	process->tgid = sample->tgid;
	process->start_time_clock_ticks = sample_process_start(sample);
	strbuf_copy(&process->pcomm, &sample->pcomm);
	row_host_set(&process->host, sample);
	process->exited_unwanted = false;
	process->successors = sample->process_successors;
	process->tick_ns = host ? NS_PER_SECOND / host_ticks_per_second(host) : NS_PER_SECOND / 100;
	process->is_exact = host && host_is_read_by_bpf(host);
	process->is_of_window = sample->window_part != WINDOW_PART_NONE;
	/* In a window, the total is a difference as well. */
	process->rounded_ns = process->is_of_window ? ROUNDED_TICKS * process->tick_ns : 0;
	process->rounding_is_exact = true;
	process->threads = 0;
	process->totals_seen = process->totals_impossible = 0;
	memset(process->totals, 0, sizeof(process->totals));
	memset(process->sums, 0, sizeof(process->sums));
	memset(process->seen, 0, sizeof(process->seen));
	memset(process->covered, 0, sizeof(process->covered));
	memset(process->ended, 0, sizeof(process->ended));
	process->is_apart = process->is_divided = false;
	process->group_count = 0;
	process->number++;
}

bool group_process_is_next(const struct group_process *process, const struct thread_sample *sample)
{
	return process->open &&
	       (!sample_is_of_process(sample, process->tgid, process->start_time_clock_ticks) ||
	        sample->process_successors != process->successors ||
	        !row_host_is(&process->host, sample));
}

/* Returns whether the thread was born when the kernel kept no delay record: it was read, and has none of the seven
 * buckets that the record has. The bucket cpu is not one of them. Then the kernel adds nothing of it to the total of
 * its process either (delayacct_add_tsk() of kernel/delayacct.c). */
static bool has_no_delay_record(const struct thread_sample *sample)
{
	static const enum metric_id buckets[] = {
	        METRIC_blkio_delay_count,     METRIC_swapin_delay_count,
	        METRIC_freepages_delay_count, METRIC_thrashing_delay_count,
	        METRIC_compact_delay_count,   METRIC_wpcopy_delay_count,
	        METRIC_irq_delay_count,
	};

	for (size_t i = 0; i < ARRAY_SIZE(buckets); i++)
		if (metric_set_has(&sample->seen, buckets[i]) ||
		    sample_reason(sample, buckets[i]) != OUTCOME_off)
			return false;
	return metric_set_has(&sample->seen, METRIC_cpu_delay_count);
}

/* Returns whether the sum is complete without the thread's value, but for work of threads that have ended: the thread
 * has ended itself, and there is no full record of it, or the kernel does not count it at all. */
static bool leaves_the_sum_whole(const struct thread_sample *sample, enum metric_id metric)
{
	if (sample_ended_inside(sample))
		return true;
	return metric_table[metric].source == SOURCE_taskstats &&
	       metric != METRIC_cpu_delay_count && metric != METRIC_cpu_delay_total_ns &&
	       has_no_delay_record(sample);
}

/* Returns the most that the ticks of the thread lack of its CPU time. The kernel makes their sum of the run time, so that the rest of
 * that is exactly what they lack; if the run time is less, they are of another clock. In a window the two are differences, whose parts of
 * ticks at both ends are not known. A thread lacks no more than it ran, and nothing if it never ran. */
static uint64_t rounded_ns(const struct group_process *process, const struct thread_sample *sample)
{
	bool has_ticks = metric_set_has(&sample->seen, METRIC_utime_clock_ticks) &&
	                 metric_set_has(&sample->seen, METRIC_stime_clock_ticks);
	uint64_t most = ROUNDED_TICKS * process->tick_ns, ran, counted;

	if (!metric_set_has(&sample->seen, METRIC_run_time_ns))
		return has_ticks ? most : UINT64_MAX;
	ran = sample_number(sample, METRIC_run_time_ns);
	/* All that such a thread ran is in the total alone. */
	if (!has_ticks)
		return ran;
	counted =
	        saturating_multiply(saturating_add(sample_number(sample, METRIC_utime_clock_ticks),
	                                           sample_number(sample, METRIC_stime_clock_ticks)),
	                            process->tick_ns);
	if (sample->window_part != WINDOW_PART_NONE)
		counted = 0;
	else if (counted > ran)
		return most;
	return ran - counted < most ? ran - counted : most;
}

/* Returns whether rounded_ns() is what the ticks of the thread lack. */
static bool has_exact_rounding(const struct group_process *process,
                               const struct thread_sample *sample)
{
	static const enum metric_id needed[] = {METRIC_run_time_ns, METRIC_utime_clock_ticks,
	                                        METRIC_stime_clock_ticks};

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!metric_set_has(&sample->seen, needed[i]))
			return false;
	return sample->window_part == WINDOW_PART_NONE &&
	       sample_number(sample, METRIC_run_time_ns) / process->tick_ns >=
	               saturating_add(sample_number(sample, METRIC_utime_clock_ticks),
	                              sample_number(sample, METRIC_stime_clock_ticks)) &&
	       rounded_ns(process, sample) < ROUNDED_TICKS * process->tick_ns;
}

void group_process_add(struct group_process *process, const struct thread_sample *sample,
                       const struct host *host)
{
	if (!process->open)
		open_process(process, sample, host);
	saturating_add_to(&process->rounded_ns, rounded_ns(process, sample));
	process->rounding_is_exact =
	        process->rounding_is_exact && has_exact_rounding(process, sample);
	if (process->start_time_clock_ticks == PROCESS_START_UNKNOWN)
		process->start_time_clock_ticks = sample_process_start(sample);
	if (sample->has_process_totals) {
		process->totals_seen = sample->process_totals_seen;
		process->totals_impossible = sample->process_totals_impossible;
		memcpy(process->totals, sample->process_totals, sizeof(process->totals));
	}
	process->threads++;
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		enum metric_id metric = process_total_table[i].metric;

		if (!metric_set_has(&sample->seen, metric)) {
			process->ended[i] += sample_ended_inside(sample);
			if (leaves_the_sum_whole(sample, metric))
				process->seen[i]++;
			else if (!metric_set_has(&sample->impossible, metric))
				process->covered[i]++;
			continue;
		}
		saturating_add_to(&process->sums[i], sample_number(sample, metric));
		process->seen[i]++;
	}
}

void group_process_add_group(struct group_process *process, struct group *group,
                             const uint32_t names[GROUP_KEYS_MAX])
{
	struct group_place *place;

	if (group->of_process == process->number ||
	    (process->by_threads_alone && process->group_count > 0))
		return;
	group->of_process = process->number;
	place = array_add(process->groups, process->group_count, process->group_size);
	place->group = group;
	memcpy(place->names, names, sizeof(place->names));
}

/* Returns whether the total may have the threads that are not in the sum: one that is lower than the sum has at least one that fell. The
 * split of clock ticks differs between the two. */
static bool may_have_others(const struct group_process *process, unsigned total)
{
	return measure_unit(process_total_table[total].metric) == UNIT_ticks ||
	       process->totals[total] >= process->sums[total];
}

/* Returns whether each thread is in the sum, or only in the total. An impossible value of a thread is in neither, since it
 * makes the total wrong. */
static bool is_whole(const struct group_process *process, unsigned total)
{
	uint32_t covered =
	        process->is_apart || !may_have_others(process, total) ? 0 : process->covered[total];

	return (process->totals_seen & 1u << total) &&
	       process->seen[total] + covered == process->threads;
}

bool group_process_covers(const struct group_process *process, enum process_total total)
{
	return !process->is_apart && process->covered[total] + process->ended[total] > 0 &&
	       is_whole(process, total);
}

/* Returns a total less the sum over the threads. The totals were read before the threads, so the work of the living in
 * between never counts as that of exited ones, and a process's counters never fall when one of its threads exits. */
static uint64_t remainder_of(const struct group_process *process, enum process_total total)
{
	return is_whole(process, total) && process->totals[total] > process->sums[total]
	               ? process->totals[total] - process->sums[total]
	               : 0;
}

/* The kernel splits CPU time into user and kernel mode in proportion to its ticks, for the process as a whole and for
 * each thread anew; only the sum of both is exact. If a process's split differs from that of its threads, one of the
 * two seems to have a remainder, which is false. */
static void settle_cpu_time(const struct group_process *process,
                            uint64_t remainders[PROCESS_TOTAL_COUNT])
{
	enum { USER = PROCESS_TOTAL_utime_clock_ticks, SYSTEM = PROCESS_TOTAL_stime_clock_ticks };
	__int128 total = (__int128)process->totals[USER] + process->totals[SYSTEM];
	__int128 sum = (__int128)process->sums[USER] + process->sums[SYSTEM];
	__int128 both = total > sum ? total - sum : 0;

	if (remainders[USER] > both)
		remainders[USER] = (uint64_t)both;
	if (remainders[SYSTEM] > both - remainders[USER])
		remainders[SYSTEM] = (uint64_t)(both - remainders[USER]);
}

bool group_process_knows(const struct group_process *process, enum process_source source)
{
	bool any = false;

	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		if (!(process->totals_seen & 1u << i) || process_total_source(i) != source)
			continue;
		if (!is_whole(process, i))
			return false;
		any = true;
	}
	return any;
}

bool group_process_close(struct group_process *process,
                         uint64_t ret_remainders[PROCESS_TOTAL_COUNT])
{
	bool any = false;

	process->open = false;
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		ret_remainders[i] = remainder_of(process, (enum process_total)i);
	settle_cpu_time(process, ret_remainders);
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		any = any || ret_remainders[i] > 0;
	return any;
}

/* Returns whether the remainders of CPU time may be what its threads lack. */
static bool ticks_are_rounding(const struct group_process *process,
                               const uint64_t remainders[PROCESS_TOTAL_COUNT])
{
	uint64_t ticks = saturating_add(remainders[PROCESS_TOTAL_utime_clock_ticks],
	                                remainders[PROCESS_TOTAL_stime_clock_ticks]);

	return saturating_multiply(ticks, process->tick_ns) <= process->rounded_ns;
}

/* Both modes lose in proportion. */
static void remove_ticks(uint64_t remainders[PROCESS_TOTAL_COUNT], uint64_t lacking)
{
	enum { USER = PROCESS_TOTAL_utime_clock_ticks, SYSTEM = PROCESS_TOTAL_stime_clock_ticks };
	uint64_t all = saturating_add(remainders[USER], remainders[SYSTEM]);
	uint64_t left = all > lacking ? all - lacking : 0;

	if (lacking == 0 || all == 0)
		return;
	remainders[USER] = (uint64_t)((unsigned __int128)remainders[USER] * left / all);
	remainders[SYSTEM] = left - remainders[USER];
}

bool group_process_remove_rounding(const struct group_process *process,
                                   uint64_t remainders[PROCESS_TOTAL_COUNT])
{
	bool more = !ticks_are_rounding(process, remainders);

	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (metric_unit(process_total_table[i].metric) != UNIT_ticks)
			more = more || remainders[i] > 0;
	if (process->rounding_is_exact)
		remove_ticks(remainders, process->rounded_ns / process->tick_ns);
	return more;
}

/* Returns whether the totals of taskstats show that exited threads have run. In a window, a remainder is also what the living did between
 * the readings of the total and of the threads, if these are not the same. For that the run time has a tick, and the count of waits for a
 * CPU has a few and a hundredth. The count has each thread that ever ran, however short. */
static bool taskstats_show_them(const struct group_process *process,
                                const uint64_t remainders[PROCESS_TOTAL_COUNT])
{
	enum { COUNT = PROCESS_TOTAL_cpu_delay_count, FEW = 4, PART = 100 };

	if (process->is_exact)
		return remainders[PROCESS_TOTAL_run_time_ns] > 0 || remainders[COUNT] > 0;
	return remainders[PROCESS_TOTAL_run_time_ns] > process->tick_ns ||
	       remainders[COUNT] > FEW + process->totals[COUNT] / PART;
}

uint32_t group_process_unseen(const struct group_process *process,
                              const uint64_t remainders[PROCESS_TOTAL_COUNT])
{
	uint32_t unseen = GROUP_EXITED_RAN;

	if (ticks_are_rounding(process, remainders) && !taskstats_show_them(process, remainders))
		return 0;
	/* The ticks are no witness against themselves. */
	for (unsigned source = 0; source < PROCESS_SOURCE_COUNT; source++)
		if (source != PROCESS_SOURCE_stat &&
		    !group_process_knows(process, (enum process_source)source))
			unseen |= UINT32_C(1) << source;
	return unseen;
}

/* Returns whether the total has more than the threads with a value, by more than what is rounded off in them: work of the other threads, or
 * of exited ones. */
static bool has_more(const struct group_process *process, unsigned total)
{
	bool is_in_ticks = measure_unit(process_total_table[total].metric) == UNIT_ticks;
	uint64_t rounded = is_in_ticks ? process->threads : 0;

	return (process->totals_seen & 1u << total) &&
	       process->totals[total] > saturating_add(process->sums[total], rounded);
}

uint32_t group_process_incomplete(const struct group_process *process,
                                  const uint64_t remainders[PROCESS_TOTAL_COUNT])
{
	bool ran = group_process_unseen(process, remainders) != 0;
	uint32_t incomplete = 0;

	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (!is_whole(process, i) && (ran || has_more(process, i)))
			incomplete |= UINT32_C(1) << i;
	return incomplete;
}

/* The CPU time of a process that its clock ticks have, in parts of ticks, and that its run time has. */
struct run_times {
	uint64_t ticks_ns, known_ns, rounded_ns;
};

static bool has_run_ticks(const struct group_process *process)
{
	return is_whole(process, PROCESS_TOTAL_utime_clock_ticks) &&
	       is_whole(process, PROCESS_TOTAL_stime_clock_ticks);
}

static struct run_times run_times_of(const struct group_process *process)
{
	uint64_t ticks = saturating_add(process->totals[PROCESS_TOTAL_utime_clock_ticks],
	                                process->totals[PROCESS_TOTAL_stime_clock_ticks]);

	return (struct run_times){
	        .ticks_ns = saturating_multiply(ticks, process->tick_ns),
	        .known_ns = saturating_add(process->sums[PROCESS_TOTAL_run_time_ns],
	                                   remainder_of(process, PROCESS_TOTAL_run_time_ns)),
	        .rounded_ns = ROUNDED_TICKS * process->tick_ns,
	};
}

/* The kernel's total of exited threads has the run time of each as of its last tick or switch, and that of short threads is nearly 0; the
 * clock ticks of a process have all of it. */
uint64_t group_process_unseen_run_ns(const struct group_process *process)
{
	enum { PART = 100 /* clocks differ by less */ };
	struct run_times times = run_times_of(process);
	uint64_t slack_ns = times.rounded_ns;

	if (!has_run_ticks(process))
		return 0;
	if (is_whole(process, PROCESS_TOTAL_run_time_ns))
		slack_ns += times.ticks_ns / PART;
	return times.ticks_ns > saturating_add(times.known_ns, slack_ns)
	               ? times.ticks_ns - times.known_ns
	               : 0;
}

uint64_t group_process_short_run_ns(const struct group_process *process,
                                    const uint64_t remainders[PROCESS_TOTAL_COUNT])
{
	struct run_times times = run_times_of(process);
	uint64_t most_ns = saturating_add(times.ticks_ns, times.rounded_ns);

	if (group_process_unseen(process, remainders) == 0 ||
	    group_process_unseen_run_ns(process) > 0)
		return 0;
	if (!has_run_ticks(process))
		return UINT64_MAX;
	return most_ns > times.known_ns ? most_ns - times.known_ns : 0;
}

uint32_t group_process_left_out(const struct group_process *process,
                                uint64_t remainders[PROCESS_TOTAL_COUNT])
{
	uint32_t left_out = group_process_unseen_run_ns(process) > 0
	                            ? UINT32_C(1) << PROCESS_TOTAL_run_time_ns
	                            : 0;
	bool any = process->is_of_window ? group_process_unseen(process, remainders) != 0
	                                 : group_process_remove_rounding(process, remainders);

	/* Threads that ended without the value are in the rest, whatever their clock ticks show. */
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (remainders[i] > 0 && (any || process->ended[i] > 0))
			left_out |= UINT32_C(1) << i;
	return left_out;
}

void group_process_done(struct group_process *process)
{
	strbuf_done(&process->pcomm);
	row_host_done(&process->host);
	free(take_ptr(process->groups));
	process->group_count = process->group_size = 0;
	process->open = false;
}
