// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"
#include "bpf/task-record.h"
#include "bpf/thread-end.h"

static void add_io(struct thread_io *sum, const struct thread_io *io)
{
	saturating_add_to(&sum->rchar, io->rchar);
	saturating_add_to(&sum->wchar, io->wchar);
	saturating_add_to(&sum->syscr, io->syscr);
	saturating_add_to(&sum->syscw, io->syscw);
	saturating_add_to(&sum->read_bytes, io->read_bytes);
	saturating_add_to(&sum->write_bytes, io->write_bytes);
	saturating_add_to(&sum->cancelled_write_bytes, io->cancelled_write_bytes);
}

struct process_record_sum process_record_begin(const struct process_record *process)
{
	struct process_record_sum sum = {0};

	if (process) {
		sum.read_boottime_ns = process->read_boottime_ns;
		sum.nr_threads = process->nr_threads;
	}
	return sum;
}

/* The kernel leaves ended threads out of a process's taskstats, since exited threads have their sum; all other totals
 * of a process have them until they are reaped. */
void process_record_add(struct process_record_sum *sum, const struct task_record *values)
{
	bool has_ended = values->state == 'Z' || values->state == 'X';

	sum->any_changed |=
	        values->flags >> TASK_RECORD_THREADS_SHIFT != (sum->nr_threads & UINT16_MAX);
	sum->threads += values->born_boottime_ns <= sum->read_boottime_ns;
	sum->any_before |= values->tid < values->tgid;
	sum->any_behind |= values->tid > values->tgid;
	saturating_add_to(&sum->run_ns, values->run_ns);
	saturating_add_to(&sum->sampled_user_ns, values->sampled_user_ns);
	saturating_add_to(&sum->sampled_system_ns, values->sampled_system_ns);
	saturating_add_to(&sum->minflt, values->minflt);
	saturating_add_to(&sum->majflt, values->majflt);
	add_io(&sum->io, &values->io);
	sum->any_time_runs |= (values->flags & TASK_RECORD_TIME_RUNS) != 0;
	if (has_ended)
		return;
	sum->any_exiting |= (values->flags & TASK_RECORD_EXITING) != 0;
	saturating_add_to(&sum->cpu_count, values->timeslices);
	saturating_add_to(&sum->cpu_delay_ns, values->wait_ns);
	saturating_add_to(&sum->stats_run_ns, values->run_ns);
	saturating_add_to(&sum->stats_real_ns, values->sampled_user_ns);
	saturating_add_to(&sum->stats_real_ns, values->sampled_system_ns);
	for (unsigned delay = 0; delay < THREAD_DELAY_COUNT; delay++) {
		saturating_add_to(&sum->delay_counts[delay], values->delay_counts[delay]);
		saturating_add_to(&sum->delay_ns[delay], values->delays[delay].total_ns);
	}
}

/* Some of the threads before the leader may have exited by its turn, and some behind it by theirs: if there are both,
 * one may compensate for the other, unless their number was the same at each turn. */
bool process_record_are_whole(const struct process_record *process,
                              const struct process_record_sum *sum)
{
	return !(process->flags & TASK_RECORD_CHANGED) && sum->threads == process->nr_threads &&
	       !(sum->any_before && sum->any_behind && sum->any_changed);
}

static void set(struct thread_sample *sample, enum process_total total, uint64_t exited,
                uint64_t living)
{
	saturating_add_to(&exited, living);
	sample->process_totals[total] = exited;
	sample->process_totals_seen |= UINT32_C(1) << total;
	sample->has_process_totals = true;
}

static void set_stat(const struct task_record_rules *rules, const struct process_record *process,
                     const struct process_record_sum *sum, struct thread_sample *sample)
{
	uint64_t tick_ns = NS_PER_SECOND / rules->ticks_per_second, user, system;
	struct cpu_time_found found = {
	        .run_ns = process->run_ns,
	        .sampled_user_ns = process->sampled_user_ns,
	        .sampled_system_ns = process->sampled_system_ns,
	        .prev_user_ns = process->prev_user_ns,
	        .prev_system_ns = process->prev_system_ns,
	};

	set(sample, PROCESS_TOTAL_minflt, process->minflt, sum->minflt);
	set(sample, PROCESS_TOTAL_majflt, process->majflt, sum->majflt);
	if (sum->any_time_runs)
		return;
	saturating_add_to(&found.run_ns, sum->run_ns);
	saturating_add_to(&found.sampled_user_ns, sum->sampled_user_ns);
	saturating_add_to(&found.sampled_system_ns, sum->sampled_system_ns);
	user = found.sampled_user_ns;
	system = found.sampled_system_ns;
	if (rules->kept & TASK_RECORD_PREV_CPUTIME)
		cpu_time_divide(&found, &user, &system);
	set(sample, PROCESS_TOTAL_utime_clock_ticks, user / tick_ns, 0);
	set(sample, PROCESS_TOTAL_stime_clock_ticks, system / tick_ns, 0);
}

/* The kernel adds the I/O of a child that was waited for to that of its parent, so that it cannot be separated from
 * that of exited threads. */
static bool has_had_children(const struct task_record_rules *rules,
                             const struct process_record *process)
{
	uint64_t tick_ns = NS_PER_SECOND / rules->ticks_per_second;

	return process->children_user_ns >= tick_ns || process->children_system_ns >= tick_ns ||
	       process->children_minflt > 0 || process->children_majflt > 0;
}

static enum source_outcome set_io(const struct task_record_rules *rules,
                                  const struct process_record *process,
                                  const struct process_record_sum *sum,
                                  struct thread_sample *sample)
{
	const uint32_t needed = TASK_RECORD_CHARS | TASK_RECORD_BYTES;
	const struct thread_io *exited = &process->io, *living = &sum->io;

	if (rules->outcomes[SOURCE_process_io] != OUTCOME_read)
		return rules->outcomes[SOURCE_process_io];
	if ((rules->kept & needed) != needed || has_had_children(rules, process))
		return OUTCOME_off;
	set(sample, PROCESS_TOTAL_rchar, exited->rchar, living->rchar);
	set(sample, PROCESS_TOTAL_wchar, exited->wchar, living->wchar);
	set(sample, PROCESS_TOTAL_syscr, exited->syscr, living->syscr);
	set(sample, PROCESS_TOTAL_syscw, exited->syscw, living->syscw);
	set(sample, PROCESS_TOTAL_read_bytes, exited->read_bytes, living->read_bytes);
	set(sample, PROCESS_TOTAL_write_bytes, exited->write_bytes, living->write_bytes);
	set(sample, PROCESS_TOTAL_cancelled_write_bytes, exited->cancelled_write_bytes,
	    living->cancelled_write_bytes);
	return OUTCOME_read;
}

static void set_delays(const struct task_record_rules *rules, const struct process_record *process,
                       const struct process_record_sum *sum, struct thread_sample *sample)
{
	static const struct {
		enum thread_delay delay;
		uint32_t kept;
		enum process_total count, total;
	} places[] = {
#define DELAY(name_, kept_)                                                \
	{THREAD_DELAY_##name_, kept_, PROCESS_TOTAL_##name_##_delay_count, \
	 PROCESS_TOTAL_##name_##_delay_total_ns}
	        DELAY(swapin, TASK_RECORD_DELAYS),    DELAY(freepages, TASK_RECORD_DELAYS),
	        DELAY(thrashing, TASK_RECORD_DELAYS), DELAY(compact, TASK_RECORD_COMPACT),
	        DELAY(wpcopy, TASK_RECORD_WPCOPY),    DELAY(irq, TASK_RECORD_IRQ),
#undef DELAY
	};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		unsigned delay = places[i].delay;
		uint64_t exited_count = process->stats_delay_counts[delay];
		uint64_t exited_ns = process->stats_delay_ns[delay];

		if (!(rules->kept & places[i].kept))
			continue;
		if (delay == THREAD_DELAY_irq && !rules->taskstats.irq &&
		    exited_count + sum->delay_counts[delay] == 0 &&
		    exited_ns + sum->delay_ns[delay] == 0)
			continue;
		set(sample, places[i].count, exited_count, sum->delay_counts[delay]);
		set(sample, places[i].total, exited_ns, sum->delay_ns[delay]);
	}
}

/* Returns whether there is any trace of a delay record, unless the kernel gives one to every thread from boot on. */
static bool has_delays(const struct task_record_rules *rules, const struct process_record *process,
                       const struct process_record_sum *sum)
{
	uint64_t traces = 0;

	for (unsigned delay = 0; delay < THREAD_DELAY_COUNT; delay++)
		traces |= process->stats_delay_counts[delay] | process->stats_delay_ns[delay] |
		          sum->delay_counts[delay] | sum->delay_ns[delay];
	return rules->taskstats.delays == TASKSTATS_DELAYS_BOOT ||
	       (rules->taskstats.delays == TASKSTATS_DELAYS_LATER && traces != 0);
}

static enum source_outcome set_taskstats(const struct task_record_rules *rules,
                                         const struct process_record *process,
                                         const struct process_record_sum *sum,
                                         struct thread_sample *sample)
{
	const uint32_t cpu_needs = TASK_RECORD_SCHED_INFO | TASK_RECORD_DELAYS;

	if (rules->outcomes[SOURCE_process_taskstats] != OUTCOME_read)
		return rules->outcomes[SOURCE_process_taskstats];
	if (sum->any_exiting)
		return OUTCOME_gone;
	if (rules->taskstats.cpu_delay && (rules->kept & cpu_needs) == cpu_needs) {
		set(sample, PROCESS_TOTAL_run_time_ns, process->stats_run_ns, sum->stats_run_ns);
		if (!sum->any_time_runs)
			set(sample, PROCESS_TOTAL_cpu_run_real_total_ns, process->stats_real_ns,
			    sum->stats_real_ns);
		set(sample, PROCESS_TOTAL_wait_time_ns, process->stats_cpu_delay_ns,
		    sum->cpu_delay_ns);
		set(sample, PROCESS_TOTAL_timeslices, process->stats_cpu_count, sum->cpu_count);
		set(sample, PROCESS_TOTAL_cpu_delay_count, process->stats_cpu_count,
		    sum->cpu_count);
		set(sample, PROCESS_TOTAL_cpu_delay_total_ns, process->stats_cpu_delay_ns,
		    sum->cpu_delay_ns);
	}
	if (has_delays(rules, process, sum))
		set_delays(rules, process, sum, sample);
	return OUTCOME_read;
}

void process_record_totals(const struct task_record_rules *rules,
                           const struct process_record *process,
                           const struct process_record_sum *sum, struct thread_sample *sample)
{
	set_stat(rules, process, sum, sample);
	sample->outcomes[SOURCE_process_stat] = OUTCOME_read;
	sample->outcomes[SOURCE_process_io] = set_io(rules, process, sum, sample);
	sample->outcomes[SOURCE_process_taskstats] = set_taskstats(rules, process, sum, sample);
}
