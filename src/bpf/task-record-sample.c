// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "bpf/task-record.h"
#include "bpf/thread-end.h"

/* A thread of the pass, with results that several of its metrics need. */
struct thread_record {
	const struct task_record_rules *rules;
	const struct task_record_pass *pass;
	const struct task_record *values;
	const struct process_record *process; /* or NULL */
	uint64_t longest_ns;                  /* no wait of the thread is longer */
	bool has_cpu_time;
	uint64_t user_ticks, system_ticks;
};

/* clang-format off */
/* Each metric has one row in bpf-places.def. The array without a length becomes an array of one element with the row;
 * without a row it is still compatible with an array of two. */
#define METRIC(id_, ...) extern const char bpf_places_of_##id_[];
#include CTPROF_METRICS_DEF
#undef METRIC
#define BPF_PLACE(metric_, ...)                                                                    \
	enum { bpf_place_of_##metric_ = METRIC_##metric_ };                                        \
	extern const char bpf_places_of_##metric_[1];
#include CTPROF_BPF_PLACES_DEF
#undef BPF_PLACE
#define METRIC(id_, ...)                                                                           \
	_Static_assert(!__builtin_types_compatible_p(__typeof__(bpf_places_of_##id_), const char[2]), \
		       "metric " #id_ ": has no row in bpf-places.def that says where BPF has it");
#include CTPROF_METRICS_DEF
#undef METRIC

enum {
#define METRIC(id_, type_, bound_, rule_, encoding_, source_, ...) source_of_##id_ = SOURCE_##source_,
#include CTPROF_METRICS_DEF
#undef METRIC
};
/* clang-format on */

/* Returns whether the kernel keeps the data in @needs and the metric's source has it at the moment. status is not
 * needed. */
static bool is_given(const struct thread_record *record, const struct thread_sample *sample,
                     enum metric_id metric, enum metric_source source, uint32_t needs)
{
	const struct task_record_rules *rules = record->rules;

	if ((rules->kept & needs) != needs)
		return false;
	if (source != SOURCE_status && sample->outcomes[source] != OUTCOME_read)
		return false;
	return metric_set_has(&rules->printed, metric);
}

static void set_policy(const struct thread_record *record, struct thread_sample *sample)
{
	static const char *const names[] = {
#define POLICY(number_, name_) [number_] = (name_),
#include "policies.def"
#undef POLICY
	};
	unsigned policy = record->values->policy;
	const char *name = policy < ARRAY_SIZE(names) ? names[policy] : NULL;
	char text[sizeof("255")];
	int len;

	if (name && sample_set_label(sample, METRIC_policy, name, strlen(name)))
		return;
	len = snprintf(text, sizeof(text), "%u", policy & UINT8_MAX);
	(void)sample_set_text(sample, METRIC_policy, ENCODING_POLICY, text, (size_t)len);
}

static void set_affinity(const struct thread_record *record, struct thread_sample *sample)
{
	const struct cpu_mask *cpus;
	struct cpu_mask *own = &sample->cpu_affinity.v;

	sample->outcomes[SOURCE_affinity] = OUTCOME_malformed;
	if (!(record->values->flags & TASK_RECORD_HAS_CPUS))
		return;
	cpus = &record->pass->cpus[record->values->cpus];
	if (cpu_mask_count(cpus) == 0)
		return;
	own->used_words = cpus->used_words;
	memcpy(own->words, cpus->words, cpus->used_words * sizeof(cpus->words[0]));
	metric_set_add(&sample->seen, METRIC_cpu_affinity);
	sample->outcomes[SOURCE_affinity] = OUTCOME_read;
}

static bool is_leader(const struct thread_record *record)
{
	return record->process && record->values->tid == record->values->tgid;
}

/* Returns whether stat_parse() would have the sizes. */
static bool has_size(const struct thread_record *record)
{
	return is_leader(record) &&
	       (record->process->vsize_pages > 0 || record->process->nr_threads < 2);
}

static bool has_fair_slice(const struct task_record *values)
{
	enum { OTHER = 0, BATCH = 3, EXT = 7 };

	return values->slice_ns < UINT32_MAX &&
	       (values->policy == OTHER || values->policy == BATCH || values->policy == EXT);
}

static bool counts_cpu_delay(const struct thread_record *record)
{
	return record->rules->taskstats.cpu_delay;
}

static bool counts_delay(const struct thread_record *record, enum thread_delay delay)
{
	const struct task_record *values = record->values;

	if (record->rules->taskstats.delays == TASKSTATS_DELAYS_OFF ||
	    !(values->flags & TASK_RECORD_HAS_DELAYS))
		return false;
	/* The bucket is there and stays at zero without interrupt time accounting. */
	return delay != THREAD_DELAY_irq || record->rules->taskstats.irq ||
	       values->delay_counts[delay] != 0 || values->delays[delay].total_ns != 0;
}

static uint64_t bytes_of_pages(const struct thread_record *record, uint64_t pages)
{
	return saturating_multiply(pages, record->rules->page_bytes);
}

static bool is_negative(uint64_t number)
{
	return number > INT64_MAX;
}

/* copy_<metric>() sets the metric from the record, as its row in bpf-places.def says. The kernel prints the numbers of the sched
 * file with a sign; a negative one is malformed. */
/* clang-format off */
#define NO_NEEDS 0
#define NEEDS1(a_) TASK_RECORD_##a_
#define NEEDS2(a_, b_) TASK_RECORD_##a_ | TASK_RECORD_##b_
#define NEEDS3(a_, b_, c_) TASK_RECORD_##a_ | TASK_RECORD_##b_ | TASK_RECORD_##c_

#define FIELD(field_) NUMBER, true, values->field_
#define FIELD_ALWAYS(field_) ALWAYS, values->field_
#define NUMBER(number_) NUMBER, true, number_
#define NUMBER_IF(condition_, number_) NUMBER, condition_, number_
#define DELAY_COUNT(bucket_)                                                                       \
	NUMBER, counts_delay(record, THREAD_DELAY_##bucket_), values->delay_counts[THREAD_DELAY_##bucket_]
#define DELAY_TIME(bucket_, field_)                                                                \
	WAIT, counts_delay(record, THREAD_DELAY_##bucket_), values->delays[THREAD_DELAY_##bucket_].field_
#define WAIT_IF(condition_, time_) WAIT, condition_, time_
#define DIFFERENCE(from_, less_) DIFFERENCE, values->from_, values->less_
#define SET_BY(function_) FUNCTION, function_
#define NOT_BY_BPF SKIPPED,
#define ELSEWHERE NOTHING,

#define GIVEN(id_, needs_) is_given(record, sample, METRIC_##id_, (enum metric_source)source_of_##id_, needs_)
#define SET_NUMBER(id_, needs_, condition_, number_)                                               \
	if (!GIVEN(id_, needs_) || !(condition_))                                                  \
		return;                                                                            \
	if ((int)source_of_##id_ == (int)SOURCE_sched && is_negative((uint64_t)(number_)))         \
		metric_set_add(&sample->malformed, METRIC_##id_);                                  \
	else                                                                                       \
		sample_set(sample, id_, (__typeof__(sample->id_)){number_})
#define SET_ALWAYS(id_, needs_, number_) sample_set(sample, id_, (__typeof__(sample->id_)){number_})
#define SET_WAIT(id_, needs_, condition_, time_)                                                   \
	if (!GIVEN(id_, needs_) || !(condition_))                                                  \
		return;                                                                            \
	if ((time_) > record->longest_ns)                                                          \
		sample_set_impossible(sample, METRIC_##id_, time_);                                \
	else                                                                                       \
		sample_set(sample, id_, (__typeof__(sample->id_)){time_})
#define SET_DIFFERENCE(id_, needs_, from_, less_)                                                  \
	if (!GIVEN(id_, needs_))                                                                   \
		return;                                                                            \
	if ((from_) > INT64_MAX || (less_) > (from_))                                              \
		metric_set_add(&sample->malformed, METRIC_##id_);                                  \
	else                                                                                       \
		sample_set(sample, id_, (__typeof__(sample->id_)){(from_) - (less_)})
#define SET_FUNCTION(id_, needs_, function_) function_(record, sample)
#define SET_SKIPPED(id_, needs_, ...)                                                              \
	if ((int)source_of_##id_ == (int)SOURCE_status ||                                          \
	    sample->outcomes[source_of_##id_] == OUTCOME_read)                                     \
		metric_set_add(&sample->skipped, METRIC_##id_)
#define SET_NOTHING(id_, needs_, ...)

#define IS_ELSEWHERE_NUMBER 0
#define IS_ELSEWHERE_ALWAYS 0
#define IS_ELSEWHERE_WAIT 0
#define IS_ELSEWHERE_DIFFERENCE 0
#define IS_ELSEWHERE_FUNCTION 0
#define IS_ELSEWHERE_SKIPPED 0
#define IS_ELSEWHERE_NOTHING 1

#define BPF_PLACE(id_, needs_, place_) PLACE_(id_, needs_, place_)
#define PLACE_(id_, needs_, ...) SETTER_(id_, needs_, __VA_ARGS__)
#define SETTER_(id_, needs_, form_, ...)                                                           \
	_Static_assert(IS_ELSEWHERE_##form_ == ((int)source_of_##id_ == (int)SOURCE_synthetic ||   \
						(int)source_of_##id_ == (int)SOURCE_jemalloc),     \
		       "metric " #id_ ": metrics of synthetic and jemalloc are ELSEWHERE in bpf-places.def, " \
		       "and those of other sources are not");                                      \
	static void copy_##id_(unused_ const struct thread_record *record,                         \
			      unused_ struct thread_sample *sample)                                \
	{                                                                                          \
		unused_ const struct task_record *values = record->values;                       \
                                                                                                   \
		SET_##form_(id_, needs_, __VA_ARGS__);                                             \
	}
#include CTPROF_BPF_PLACES_DEF
#undef BPF_PLACE

static void set_metrics(const struct thread_record *record, struct thread_sample *sample)
{
#define BPF_PLACE(id_, ...) copy_##id_(record, sample);
#include CTPROF_BPF_PLACES_DEF
#undef BPF_PLACE
}
/* clang-format on */

/* CPU time stays unknown if the kernel would bring it up to date before it prints it. */
static void find_cpu_time(struct thread_record *record)
{
	const struct task_record *values = record->values;
	uint64_t tick_ns = NS_PER_SECOND / record->rules->ticks_per_second;
	uint64_t user = values->sampled_user_ns, system = values->sampled_system_ns;
	const struct cpu_time_found found = {
	        .run_ns = values->run_ns,
	        .sampled_user_ns = values->sampled_user_ns,
	        .sampled_system_ns = values->sampled_system_ns,
	        .prev_user_ns = values->prev_user_ns,
	        .prev_system_ns = values->prev_system_ns,
	};

	record->has_cpu_time = !(values->flags & TASK_RECORD_TIME_RUNS);
	if (!record->has_cpu_time)
		return;
	if (record->rules->kept & TASK_RECORD_PREV_CPUTIME)
		cpu_time_divide(&found, &user, &system);
	record->user_ticks = user / tick_ns;
	record->system_ticks = system / tick_ns;
}

/* All zero from a thread that has used CPU time is not a measurement. */
static bool schedstat_makes_sense(const struct thread_record *record)
{
	const struct task_record *values = record->values;

	return values->run_ns > 0 || values->wait_ns > 0 || values->timeslices > 0 ||
	       !record->has_cpu_time || (record->user_ticks == 0 && record->system_ticks == 0);
}

static void set_identity(const struct task_record_rules *rules, const struct task_record_pass *pass,
                         const struct task_record *values, const struct process_record *process,
                         struct thread_sample *sample)
{
	const char *name = values->comm;
	size_t len = strnlen(values->comm, sizeof(values->comm));

	if ((values->flags & TASK_RECORD_KERNEL) && values->name > 0) {
		name = pass->names[values->name - 1].bytes;
		len = strnlen(name, sizeof(pass->names[0].bytes));
	}
	sample->tid = values->tid;
	sample->tgid = values->tgid;
	strbuf_clear(&sample->comm);
	strbuf_add(&sample->comm, name, len);
	sample->start_time_clock_ticks =
	        values->born_boottime_ns / (NS_PER_SECOND / rules->ticks_per_second);
	sample_set_process_start(sample, values->process_born_boottime_ns /
	                                         (NS_PER_SECOND / rules->ticks_per_second));
	sample->read_boottime_ns = process ? process->read_boottime_ns : pass->begin_boottime_ns;
	if (!process)
		return;
	sample->uid = process->uid;
	sample->has_uid = true;
	if (values->tid != values->tgid || process->pgrp == UINT32_MAX ||
	    process->session == UINT32_MAX)
		return;
	sample->ppid = process->ppid;
	sample->pgrp = process->pgrp;
	sample->session = process->session;
	sample->has_parent = true;
}

/* Sets the outcomes of the sources whose metrics are in the record. */
static void set_outcomes(const struct thread_record *record, struct thread_sample *sample)
{
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		if (source_table[s].pass == SOURCE_PASS_THREAD)
			sample->outcomes[s] = record->rules->outcomes[s];
	if (!schedstat_makes_sense(record) && sample->outcomes[SOURCE_schedstat] == OUTCOME_read)
		sample->outcomes[SOURCE_schedstat] = OUTCOME_off;
}

void task_record_sample(const struct task_record_rules *rules, const struct task_record_pass *pass,
                        const struct task_record *values, const struct process_record *process,
                        struct thread_sample *sample)
{
	/* The end of the pass counts, not the time at which the process was read: the thread may be a little younger. */
	uint64_t elapsed_ns = pass->end_boottime_ns > values->born_boottime_ns
	                              ? pass->end_boottime_ns - values->born_boottime_ns
	                              : 0;
	struct thread_record record = {
	        .rules = rules,
	        .pass = pass,
	        .values = values,
	        .process = process,
	        .longest_ns = taskstats_longest_wait_ns(elapsed_ns),
	};

	find_cpu_time(&record);
	set_identity(rules, pass, values, process, sample);
	set_outcomes(&record, sample);
	set_metrics(&record, sample);
}
