// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "ctprof/thread-end.h"
#include "ctprof/thread-values.h"

/* Where a metric is in a record. */
struct value_place {
	enum metric_id metric;
	uint16_t offset; /* of 64 bits */
};

#define AT(metric_, field_)                                              \
	{                                                                \
		METRIC_##metric_, offsetof(struct thread_values, field_) \
	}

/* Printed as they are. */
static const struct value_place printed_places[] = {
        AT(run_time_ns, run_ns),
        AT(wait_time_ns, wait_ns),
        AT(timeslices, timeslices),
        AT(nr_migrations, nr_migrations),
        AT(nr_wakeups, schedstats.nr_wakeups),
        AT(nr_wakeups_local, schedstats.nr_wakeups_local),
        AT(nr_wakeups_remote, schedstats.nr_wakeups_remote),
        AT(nr_wakeups_sync, schedstats.nr_wakeups_sync),
        AT(nr_wakeups_migrate, schedstats.nr_wakeups_migrate),
        AT(nr_wakeups_affine, schedstats.nr_wakeups_affine),
        AT(nr_wakeups_affine_attempts, schedstats.nr_wakeups_affine_attempts),
        AT(nr_forced_migrations, schedstats.nr_forced_migrations),
        AT(nr_failed_migrations_affine, schedstats.nr_failed_migrations_affine),
        AT(nr_failed_migrations_running, schedstats.nr_failed_migrations_running),
        AT(nr_failed_migrations_hot, schedstats.nr_failed_migrations_hot),
        AT(wait_sum, schedstats.wait_sum),
        AT(wait_count, schedstats.wait_count),
        AT(wait_max, schedstats.wait_max),
        AT(sleep_max, schedstats.sleep_max),
        AT(block_sum, schedstats.sum_block_runtime),
        AT(block_max, schedstats.block_max),
        AT(iowait_sum, schedstats.iowait_sum),
        AT(iowait_count, schedstats.iowait_count),
        AT(exec_max, schedstats.exec_max),
        AT(slice_max, schedstats.slice_max),
        AT(core_forceidle_sum, schedstats.core_forceidle_sum),
        AT(rchar, io.rchar),
        AT(wchar, io.wchar),
        AT(syscr, io.syscr),
        AT(syscw, io.syscw),
        AT(read_bytes, io.read_bytes),
        AT(write_bytes, io.write_bytes),
        AT(cancelled_write_bytes, io.cancelled_write_bytes),
};

struct delay_places {
	uint32_t kept;
	enum metric_id count, total, max, min;
};

#define DELAY(name_, kept_)                      \
	[THREAD_DELAY_##name_] = {               \
	        kept_,                           \
	        METRIC_##name_##_delay_count,    \
	        METRIC_##name_##_delay_total_ns, \
	        METRIC_##name_##_delay_max_ns,   \
	        METRIC_##name_##_delay_min_ns,   \
	}

static const struct delay_places delay_places[THREAD_DELAY_COUNT] = {
        DELAY(blkio, THREAD_VALUES_DELAYS),     DELAY(swapin, THREAD_VALUES_DELAYS),
        DELAY(freepages, THREAD_VALUES_DELAYS), DELAY(thrashing, THREAD_VALUES_DELAYS),
        DELAY(compact, THREAD_VALUES_COMPACT),  DELAY(wpcopy, THREAD_VALUES_WPCOPY),
        DELAY(irq, THREAD_VALUES_IRQ),
};

/* Everything here is a metric of 64 bits. */
static void set(struct thread_sample *sample, enum metric_id metric, uint64_t value)
{
	memcpy((char *)sample + metric_table[metric].offset, &value, sizeof(value));
	metric_set_add(&sample->seen, metric);
}

static void set_policy(struct thread_sample *sample, unsigned policy)
{
	static const char *const names[] = {
#define POLICY(number_, name_) [number_] = (name_),
#include "policies.def"
#undef POLICY
	};
	const char *name = policy < ARRAY_SIZE(names) ? names[policy] : NULL;
	char text[sizeof("255")];
	int len;

	if (name && sample_set_label(sample, METRIC_policy, name, strlen(name)))
		return;
	len = snprintf(text, sizeof(text), "%u", policy & UINT8_MAX);
	(void)sample_set_text(sample, METRIC_policy, ENCODING_POLICY, text, (size_t)len);
}

/* Where the kernel would bring CPU time up to date first, what it will say is not known. */
static void set_cpu_time(const struct thread_values_rules *rules,
                         const struct thread_values *values, struct thread_sample *sample)
{
	uint64_t tick_ns = UINT64_C(1000000000) / rules->ticks_per_second;
	uint64_t user = values->sampled_user_ns, system = values->sampled_system_ns;
	const struct cpu_time_found found = {
	        .run_ns = values->run_ns,
	        .sampled_user_ns = values->sampled_user_ns,
	        .sampled_system_ns = values->sampled_system_ns,
	        .told_user_ns = values->told_user_ns,
	        .told_system_ns = values->told_system_ns,
	};

	if (values->flags & THREAD_VALUES_TIME_RUNS)
		return;
	if (rules->kept & THREAD_VALUES_TOLD)
		cpu_time_divide(&found, &user, &system);
	sample_set(sample, utime_clock_ticks, (struct counter_ticks){user / tick_ns});
	sample_set(sample, stime_clock_ticks, (struct counter_ticks){system / tick_ns});
}

static void set_stat(const struct thread_values_rules *rules, const struct thread_values *values,
                     struct thread_sample *sample)
{
	set_policy(sample, values->policy);
	sample_set(sample, nice, (struct ordinal_i32){values->nice});
	sample_set(sample, priority, (struct ordinal_i32){values->priority});
	sample_set(sample, rt_priority, (struct ordinal_u32){values->rt_priority});
	sample_set(sample, processor, (struct ordinal_i32){values->processor});
	sample_set(sample, state, (struct label_letter){values->state});
	sample_set(sample, minflt, (struct counter_count){values->minflt});
	sample_set(sample, majflt, (struct counter_count){values->majflt});
	set_cpu_time(rules, values, sample);
	sample->outcomes[SOURCE_stat] = rules->outcomes[SOURCE_stat];
}

static bool is_fair_policy(unsigned policy)
{
	enum { OTHER = 0, BATCH = 3, EXT = 7 };

	return policy == OTHER || policy == BATCH || policy == EXT;
}

/* The kernel prints most of these with a sign; what is negative then is no value. */
static void set_printed(const struct thread_values_rules *rules, const struct thread_values *values,
                        struct thread_sample *sample)
{
	for (size_t i = 0; i < ARRAY_SIZE(printed_places); i++) {
		enum metric_id metric = printed_places[i].metric;
		uint64_t value;

		if (!metric_set_has(&rules->printed, metric) ||
		    sample->outcomes[metric_table[metric].source] != OUTCOME_read)
			continue;
		memcpy(&value, (const char *)values + printed_places[i].offset, sizeof(value));
		if (value > INT64_MAX && metric_table[metric].source == SOURCE_sched)
			metric_set_add(&sample->malformed, metric);
		else
			set(sample, metric, value);
	}
}

static void set_sched(const struct thread_values_rules *rules, const struct thread_values *values,
                      struct thread_sample *sample)
{
	const struct thread_schedstats *stats = &values->schedstats;

	/* Printed elsewhere as well. */
	sample_set(sample, voluntary_csw, (struct counter_count){values->voluntary_csw});
	sample_set(sample, nonvoluntary_csw, (struct counter_count){values->nonvoluntary_csw});
	if (sample->outcomes[SOURCE_sched] != OUTCOME_read)
		return;
	if (metric_set_has(&rules->printed, METRIC_voluntary_sleep_ns)) {
		if (stats->sum_sleep_runtime <= INT64_MAX &&
		    stats->sum_block_runtime <= stats->sum_sleep_runtime)
			set(sample, METRIC_voluntary_sleep_ns,
			    stats->sum_sleep_runtime - stats->sum_block_runtime);
		else
			metric_set_add(&sample->malformed, METRIC_voluntary_sleep_ns);
	}
	if (metric_set_has(&rules->printed, METRIC_fair_slice_ns) &&
	    is_fair_policy(values->policy) && values->slice_ns < UINT32_MAX)
		sample_set(sample, fair_slice_ns, (struct gauge_ns){values->slice_ns});
	if (metric_set_has(&rules->printed, METRIC_ext_enabled))
		sample_set(sample, ext_enabled,
		           (struct label_flag){(values->flags & THREAD_VALUES_ON_EXT) != 0});
}

/* All zero from a thread that has used CPU time is not a measurement. */
static bool schedstat_makes_sense(const struct thread_values *values,
                                  const struct thread_sample *sample)
{
	struct counter_ticks user = {0}, system = {0};

	return values->run_ns > 0 || values->wait_ns > 0 || values->timeslices > 0 ||
	       !sample_get(sample, utime_clock_ticks, &user) ||
	       !sample_get(sample, stime_clock_ticks, &system) || metric_sum(user, system).v == 0;
}

static void set_wait(struct thread_sample *sample, enum metric_id metric, uint64_t value,
                     uint64_t longest_ns)
{
	if (value > longest_ns)
		sample_set_impossible(sample, metric, value);
	else
		set(sample, metric, value);
}

static void set_range(const struct thread_values_rules *rules, struct thread_sample *sample,
                      const struct delay_places *places, uint64_t max, uint64_t min,
                      uint64_t longest_ns)
{
	if (rules->kept & THREAD_VALUES_DELAY_MAX)
		set_wait(sample, places->max, max, longest_ns);
	if (rules->kept & THREAD_VALUES_DELAY_MIN)
		set_wait(sample, places->min, min, longest_ns);
}

static void set_delay(const struct thread_values_rules *rules, const struct thread_values *values,
                      enum thread_delay delay, uint64_t longest_ns, struct thread_sample *sample)
{
	const struct delay_places *places = &delay_places[delay];
	const struct thread_delay_times *times = &values->delays[delay];
	uint32_t count = values->delay_counts[delay];

	if (!(rules->kept & places->kept))
		return;
	/* Without interrupt time accounting the bucket is there and stays at zero. */
	if (delay == THREAD_DELAY_irq && !rules->taskstats.irq && count == 0 &&
	    times->total_ns == 0)
		return;
	set(sample, places->count, count);
	set_wait(sample, places->total, times->total_ns, longest_ns);
	set_range(rules, sample, places, times->max_ns, times->min_ns, longest_ns);
}

static uint64_t bytes_of_pages(const struct thread_values_rules *rules, uint64_t pages)
{
	uint64_t bytes;

	return __builtin_mul_overflow(pages, rules->page_bytes, &bytes) ? UINT64_MAX : bytes;
}

static void set_taskstats(const struct thread_values_rules *rules,
                          const struct thread_values *values, uint64_t boottime_ns,
                          struct thread_sample *sample)
{
	static const struct delay_places cpu = {.max = METRIC_cpu_delay_max_ns,
	                                        .min = METRIC_cpu_delay_min_ns};
	uint64_t elapsed_ns =
	        boottime_ns > values->born_boottime_ns ? boottime_ns - values->born_boottime_ns : 0;
	uint64_t longest_ns = taskstats_longest_wait_ns(elapsed_ns);
	const uint32_t cpu_needs = THREAD_VALUES_SCHED_INFO | THREAD_VALUES_DELAYS;

	sample->outcomes[SOURCE_taskstats] = rules->outcomes[SOURCE_taskstats];
	if (rules->outcomes[SOURCE_taskstats] != OUTCOME_read)
		return;
	if (rules->taskstats.cpu_delay && (rules->kept & cpu_needs) == cpu_needs) {
		set(sample, METRIC_cpu_delay_count, values->timeslices);
		set_wait(sample, METRIC_cpu_delay_total_ns, values->wait_ns, longest_ns);
		set_range(rules, sample, &cpu, values->wait_max_ns, values->wait_min_ns,
		          longest_ns);
	}
	if (rules->taskstats.delays != TASKSTATS_DELAYS_OFF &&
	    (values->flags & THREAD_VALUES_HAS_DELAYS))
		for (unsigned delay = 0; delay < THREAD_DELAY_COUNT; delay++)
			set_delay(rules, values, (enum thread_delay)delay, longest_ns, sample);
	if (values->hiwater_vm_pages > 0 && (rules->kept & THREAD_VALUES_HIWATER)) {
		set(sample, METRIC_hiwater_rss_bytes,
		    bytes_of_pages(rules, values->hiwater_rss_pages));
		set(sample, METRIC_hiwater_vm_bytes,
		    bytes_of_pages(rules, values->hiwater_vm_pages));
	}
}

static void set_affinity(const struct thread_values_pass *pass, const struct thread_values *values,
                         struct thread_sample *sample)
{
	const struct cpu_mask *cpus;
	struct cpu_mask *own = &sample->cpu_affinity.v;

	sample->outcomes[SOURCE_affinity] = OUTCOME_malformed;
	if (!(values->flags & THREAD_VALUES_HAS_CPUS))
		return;
	cpus = &pass->cpus[values->cpus];
	if (cpu_mask_count(cpus) == 0)
		return;
	own->used_words = cpus->used_words;
	memcpy(own->words, cpus->words, cpus->used_words * sizeof(cpus->words[0]));
	metric_set_add(&sample->seen, METRIC_cpu_affinity);
	sample->outcomes[SOURCE_affinity] = OUTCOME_read;
}

static void set_identity(const struct thread_values_rules *rules,
                         const struct thread_values_pass *pass, const struct thread_values *values,
                         const struct process_values *process, struct thread_sample *sample)
{
	const char *name = values->comm;
	size_t len = strnlen(values->comm, sizeof(values->comm));

	if ((values->flags & THREAD_VALUES_KERNEL) && values->name > 0) {
		name = pass->names[values->name - 1].bytes;
		len = strnlen(name, sizeof(pass->names[0].bytes));
	}
	sample->tid = values->tid;
	sample->tgid = values->tgid;
	strbuf_clear(&sample->comm);
	strbuf_add(&sample->comm, name, len);
	sample->start_time_clock_ticks =
	        values->born_boottime_ns / (UINT64_C(1000000000) / rules->ticks_per_second);
	sample_set_process_start(sample, values->process_born_boottime_ns /
	                                         (UINT64_C(1000000000) / rules->ticks_per_second));
	sample->read_boottime_ns = process ? process->read_boottime_ns : pass->begin_boottime_ns;
	if (!process)
		return;
	sample->uid = process->uid;
	sample->has_uid = true;
	if (values->tid == values->tgid)
		sample_set(sample, nr_threads, (struct gauge_count){process->nr_threads});
}

void thread_values_sample(const struct thread_values_rules *rules,
                          const struct thread_values_pass *pass, const struct thread_values *values,
                          const struct process_values *process, struct thread_sample *sample)
{
	set_identity(rules, pass, values, process, sample);
	set_stat(rules, values, sample);
	for (enum metric_source source = SOURCE_schedstat; source <= SOURCE_io; source++)
		if (source != SOURCE_status)
			sample->outcomes[source] = rules->outcomes[source];
	if (!schedstat_makes_sense(values, sample) &&
	    sample->outcomes[SOURCE_schedstat] == OUTCOME_read)
		sample->outcomes[SOURCE_schedstat] = OUTCOME_off;
	set_printed(rules, values, sample);
	set_sched(rules, values, sample);
	set_affinity(pass, values, sample);
	/* By when it was read, not by when its process was: it may be a little younger. */
	set_taskstats(rules, values, pass->end_boottime_ns, sample);
}
