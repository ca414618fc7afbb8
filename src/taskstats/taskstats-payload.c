// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "taskstats-layout.h"
#include "taskstats/taskstats.h"

/* clang-format off */

/* The field with a key of the registry. The compiler finds it: comparing strings for 91 metrics of 20,000 threads would
 * be too slow. */
#define FIELD_IF_(wanted_, key_, ...) + (__builtin_strcmp(wanted_, #key_) == 0 ? FIELD_##key_ : 0)
#define FIELD_OF(is_taskstats_, wanted_) ((is_taskstats_) ? FIELD_NONE FIELDS(FIELD_IF_, wanted_) : FIELD_NONE)

enum {
#define FIELD(argument_, key_, bucket_, ...) BUCKET_OF_##key_ = BUCKET_##bucket_,
	FIELDS(FIELD, )
#undef FIELD
};
#define IS_VALUE_(wanted_, key_, ...)                                                              \
	|| (__builtin_strcmp(wanted_, #key_) == 0 && (int)BUCKET_OF_##key_ != (int)BUCKET_IDENTITY)
#define IS_VALUE(wanted_) (false FIELDS(IS_VALUE_, wanted_))
#define METRIC(id_, type_, bound_, rule_, encoding_, source_, key_, ...)                                   \
	_Static_assert(SOURCE_##source_ != SOURCE_taskstats || IS_VALUE(key_),                     \
		       "metric " #id_ ": the table of taskstats-layout.h has no value " key_);
#include CTPROF_METRICS_DEF
#undef METRIC

static const struct {
	enum metric_id metric;
	enum metric_encoding encoding;
	enum field field;
} wants[] = {
#define METRIC(id_, type_, bound_, rule_, encoding_, source_, key_, ...)                                   \
	{METRIC_##id_, ENCODING_##encoding_, FIELD_OF(SOURCE_##source_ == SOURCE_taskstats, key_)},
#include CTPROF_METRICS_DEF
#undef METRIC
#define METRIC_FALLBACK(id_, encoding_, source_, key_, ...)                                        \
	{METRIC_##id_, ENCODING_##encoding_, FIELD_OF(SOURCE_##source_ == SOURCE_taskstats, key_)},
#include CTPROF_METRIC_FALLBACKS_DEF
#undef METRIC_FALLBACK
};

/* The metrics of an exit record that are not those of taskstats, by registry/exits.def. */
enum { FIELD_KEY = FIELD_NONE, FIELD_CODE = FIELD_NONE };
#define NOTHING FIELD_NONE
#define PART(field_) FIELD_##field_
#define WHOLE(field_) FIELD_##field_
static const enum field exit_fields[METRIC_COUNT] = {
#define EXIT_METRIC(metric_, recorded_, ...) [METRIC_##metric_] = (enum field)(recorded_),
#include CTPROF_EXITS_DEF
#undef EXIT_METRIC
};
#undef NOTHING
#undef PART
#undef WHOLE

/* taskstats_parse() sets the metrics of taskstats, and set_counters() those that have a field. Code sets the rest:
 * here, in window-exit-row.c for CPU time by mode, and in group.c for the synthetic ones. */
enum { BUCKET_OF_KEY = -1, BUCKET_OF_CODE = -2, BUCKET_OF_NOTHING = -3 };
#define NOTHING BUCKET_OF_NOTHING
#define PART(field_) BUCKET_OF_##field_
#define WHOLE(field_) BUCKET_OF_##field_
enum {
#define METRIC(id_, type_, bound_, rule_, encoding_, source_, ...) source_of_##id_ = SOURCE_##source_,
#include CTPROF_METRICS_DEF
#undef METRIC
};
#define EXIT_METRIC(id_, recorded_, ...)                                                           \
	_Static_assert(((int)source_of_##id_ == (int)SOURCE_taskstats) == ((int)(recorded_) == (int)BUCKET_OF_KEY), \
		       "metric " #id_ ": a record of an exit has all metrics of taskstats by KEY, and no others"); \
	_Static_assert((int)(recorded_) != (int)BUCKET_IDENTITY,                                   \
		       "metric " #id_ ": the field is no value, see the table of taskstats-layout.h"); \
	_Static_assert((int)(recorded_) != (int)BUCKET_OF_CODE || (int)METRIC_##id_ == (int)METRIC_policy ||     \
			       (int)METRIC_##id_ == (int)METRIC_nice ||                            \
			       (int)METRIC_##id_ == (int)METRIC_voluntary_csw ||                   \
			       (int)METRIC_##id_ == (int)METRIC_run_time_ns ||                     \
			       (int)METRIC_##id_ == (int)METRIC_utime_clock_ticks ||               \
			       (int)METRIC_##id_ == (int)METRIC_stime_clock_ticks ||               \
			       (int)source_of_##id_ == (int)SOURCE_synthetic,                      \
		       "metric " #id_ ": no code sets it from the record of an exit");
#include CTPROF_EXITS_DEF
#undef EXIT_METRIC
#undef NOTHING
#undef PART
#undef WHOLE

static const enum field total_fields[PROCESS_TOTAL_COUNT] = {
#define PROCESS_TOTAL(metric_, source_, key_)                                                      \
	[PROCESS_TOTAL_##metric_] = FIELD_OF(SOURCE_##source_ == SOURCE_process_taskstats, key_),
#include CTPROF_PROCESS_TOTALS_DEF
#undef PROCESS_TOTAL
};
/* clang-format on */

static bool is_nonzero(const struct taskstats_payload *payload, enum field field)
{
	uint64_t value;

	return taskstats_get(payload, field, &value) && value != 0;
}

/* Returns whether there is a trace of a delay record. A thread without one has zeros in all seven buckets. */
static bool has_delays(const struct taskstats_payload *payload)
{
	static const enum field signs[] = {
	        FIELD_blkio_count,         FIELD_blkio_delay_total,     FIELD_swapin_count,
	        FIELD_swapin_delay_total,  FIELD_freepages_count,       FIELD_freepages_delay_total,
	        FIELD_thrashing_count,     FIELD_thrashing_delay_total, FIELD_compact_count,
	        FIELD_compact_delay_total, FIELD_wpcopy_count,          FIELD_wpcopy_delay_total,
	        FIELD_irq_count,           FIELD_irq_delay_total,
	};

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (is_nonzero(payload, signs[i]))
			return true;
	return false;
}

/* Notes the buckets that the kernel has filled. */
static void buckets_find(const struct taskstats_payload *payload,
                         const struct taskstats_rules *rules, bool ret_filled[static BUCKET_COUNT])
{
	bool delays = rules->delays == TASKSTATS_DELAYS_BOOT ||
	              (rules->delays == TASKSTATS_DELAYS_LATER && has_delays(payload));

	for (enum bucket bucket = BUCKET_BLKIO; bucket <= BUCKET_IRQ; bucket++)
		ret_filled[bucket] = delays;
	ret_filled[BUCKET_CPU] = rules->cpu_delay;
	/* The bucket is there and stays at zero without interrupt time accounting. */
	if (!rules->irq && !is_nonzero(payload, FIELD_irq_count) &&
	    !is_nonzero(payload, FIELD_irq_delay_total))
		ret_filled[BUCKET_IRQ] = false;
	/* Every address space has had a size: zero means a thread without one, or a kernel without
	 * CONFIG_TASK_XACCT. */
	ret_filled[BUCKET_MEMORY] = is_nonzero(payload, FIELD_hiwater_vm);
	ret_filled[BUCKET_BYTES] = rules->io;
	ret_filled[BUCKET_EVENTS] = true;
	ret_filled[BUCKET_IDENTITY] = false;
}

/* Since Linux 6.12, where threads leave the run queue late, the start of a wait for a block device can be noted in the
 * record of the thread that happens to run at that moment. In its own record the wait then ends as one since boot. */
uint64_t taskstats_longest_wait_ns(uint64_t elapsed_ns)
{
	return metric_longest_ns(elapsed_ns);
}

static uint64_t longest_wait_ns(const struct taskstats_payload *payload)
{
	uint64_t elapsed_us;

	if (!taskstats_get(payload, FIELD_ac_etime, &elapsed_us) ||
	    elapsed_us > UINT64_MAX / NS_PER_US)
		return UINT64_MAX;
	return taskstats_longest_wait_ns(elapsed_us * NS_PER_US);
}

static uint64_t decode(enum metric_encoding encoding, uint64_t value)
{
	return encoding == ENCODING_STRUCT_KIB ? saturating_multiply(value, 1024) : value;
}

enum source_outcome taskstats_parse(const void *bytes, size_t len,
                                    const struct taskstats_rules *rules,
                                    struct thread_sample *sample)
{
	struct taskstats_payload payload;
	bool filled[BUCKET_COUNT];
	uint64_t value, longest_ns;

	if (!taskstats_payload_open(&payload, bytes, len))
		return OUTCOME_malformed;
	buckets_find(&payload, rules, filled);
	longest_ns = longest_wait_ns(&payload);
	for (size_t i = 0; i < ARRAY_SIZE(wants); i++) {
		enum field field = wants[i].field;

		/* A value that the sample has already is at least as exact. */
		if (field == FIELD_NONE || !filled[taskstats_fields[field].bucket] ||
		    metric_set_has(&sample->seen, wants[i].metric) ||
		    !taskstats_get(&payload, field, &value))
			continue;
		if (value > longest_ns && metric_unit(wants[i].metric) == UNIT_ns)
			sample_set_impossible(sample, wants[i].metric, value);
		else if (!sample_set_integer(sample, wants[i].metric,
		                             decode(wants[i].encoding, value)))
			metric_set_add(&sample->malformed, wants[i].metric);
	}
	return OUTCOME_read;
}

/* A value that is too long for the thread's life leaves all of them to the file. */
void taskstats_parse_schedstat(const void *bytes, size_t len, const struct taskstats_rules *rules,
                               struct thread_sample *sample)
{
	struct taskstats_payload payload;
	uint64_t run_ns, wait_ns, timeslices, longest_ns;

	if (!rules->cpu_delay || !taskstats_payload_open(&payload, bytes, len) ||
	    !taskstats_get(&payload, FIELD_cpu_run_virtual_total, &run_ns) ||
	    !taskstats_get(&payload, FIELD_cpu_delay_total, &wait_ns) ||
	    !taskstats_get(&payload, FIELD_cpu_count, &timeslices))
		return;
	longest_ns = longest_wait_ns(&payload);
	if (run_ns == 0 || timeslices == 0 || run_ns > longest_ns || wait_ns > longest_ns)
		return;
	sample_set(sample, run_time_ns, (struct counter_ns){run_ns});
	sample_set(sample, wait_time_ns, (struct counter_ns){wait_ns});
	sample_set(sample, timeslices, (struct counter_count){timeslices});
}

enum source_outcome taskstats_parse_process(const void *bytes, size_t len,
                                            const struct taskstats_rules *rules,
                                            struct thread_sample *sample)
{
	struct taskstats_payload payload;
	bool filled[BUCKET_COUNT];

	if (!taskstats_payload_open(&payload, bytes, len))
		return OUTCOME_malformed;
	buckets_find(&payload, rules, filled);
	for (unsigned total = 0; total < PROCESS_TOTAL_COUNT; total++) {
		enum field field = total_fields[total];

		if (field == FIELD_NONE || !filled[taskstats_fields[field].bucket] ||
		    !taskstats_get(&payload, field, &sample->process_totals[total]))
			continue;
		sample->process_totals_seen |= UINT32_C(1) << total;
	}
	return OUTCOME_read;
}

/* Sets the counters as of the record. */
static void set_counters(const struct taskstats_payload *payload,
                         const bool filled[static BUCKET_COUNT], struct thread_sample *sample)
{
	uint64_t longest_ns = longest_wait_ns(payload), value;

	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;
		enum field field = exit_fields[i];

		if (field == FIELD_NONE || !filled[taskstats_fields[field].bucket] ||
		    !taskstats_get(payload, field, &value))
			continue;
		if (value > longest_ns && metric_unit(metric) == UNIT_ns)
			sample_set_impossible(sample, metric, value);
		else if (!sample_set_integer(sample, metric, value))
			metric_set_add(&sample->malformed, metric);
	}
	if (taskstats_get(payload, FIELD_nvcsw, &value) && value < UINT64_MAX)
		sample_set(sample, voluntary_csw, (struct counter_count){value + 1});
}

/* Ticks measure CPU time by mode, in microseconds; if there is exact time, it is divided in their proportion. */
static void set_cpu_time(const struct taskstats_payload *payload, bool is_exact_kept,
                         struct thread_sample *sample, struct taskstats_exit *exit)
{
	/* Twenty ticks of the slowest clock. */
	const uint64_t enough_ns = UINT64_C(200000000);
	uint64_t exact_ns = 0, user_us, system_us, whole;
	bool is_exact = is_exact_kept &&
	                taskstats_get(payload, FIELD_cpu_run_virtual_total, &exact_ns) &&
	                exact_ns >= enough_ns;

	if (is_exact)
		sample_set(sample, run_time_ns, (struct counter_ns){exact_ns});
	if (!taskstats_get(payload, FIELD_ac_utime, &user_us) ||
	    !taskstats_get(payload, FIELD_ac_stime, &system_us) ||
	    __builtin_add_overflow(user_us, system_us, &whole) || whole > UINT64_MAX / NS_PER_US ||
	    whole < enough_ns / NS_PER_US)
		return;
	exit->system_ns = system_us * NS_PER_US;
	exit->user_ns = user_us * NS_PER_US;
	if (is_exact) {
		exit->system_ns = (uint64_t)((unsigned __int128)exact_ns * system_us / whole);
		exit->user_ns = exact_ns - exit->system_ns;
	}
	exit->has_cpu_time = true;
}

static void set_policy(const struct taskstats_payload *payload, struct thread_sample *sample)
{
	uint8_t policy;
	int8_t nice;
	char text[sizeof("255")];
	int len;

	if (taskstats_copy(payload, FIELD_ac_sched, &policy, sizeof(policy))) {
		len = snprintf(text, sizeof(text), "%d", policy);
		(void)sample_set_text(sample, METRIC_policy, ENCODING_POLICY, text, (size_t)len);
	}
	if (taskstats_copy(payload, FIELD_ac_nice, &nice, sizeof(nice)))
		sample_set(sample, nice, (struct ordinal_i32){nice});
}

/* The kernel computes both ages at one moment, so their difference is exact to a microsecond. */
static void set_process_age(const struct taskstats_payload *payload,
                            const struct thread_sample *sample, struct taskstats_exit *exit)
{
	uint64_t elapsed_us;

	if (!exit->has_tgid || !taskstats_get(payload, FIELD_ac_tgetime, &elapsed_us) ||
	    elapsed_us > UINT64_MAX / NS_PER_US || elapsed_us * NS_PER_US < sample->life_ns)
		return;
	exit->has_process_age = true;
	exit->process_age_ns = elapsed_us * NS_PER_US;
}

static void set_identity(const struct taskstats_payload *payload, struct thread_sample *sample,
                         struct taskstats_exit *exit)
{
	enum { COMM_BYTES = 32 };
	char comm[COMM_BYTES];

	exit->has_tgid =
	        taskstats_copy(payload, FIELD_ac_tgid, &sample->tgid, sizeof(sample->tgid)) &&
	        sample->tgid != 0;
	if (!exit->has_tgid)
		sample->tgid = sample->tid;
	set_process_age(payload, sample, exit);
	sample->has_uid = taskstats_copy(payload, FIELD_ac_uid, &sample->uid, sizeof(sample->uid));
	strbuf_clear(&sample->comm);
	if (taskstats_copy(payload, FIELD_ac_comm, comm, sizeof(comm)))
		strbuf_add(&sample->comm, comm, strnlen(comm, sizeof(comm)));
}

bool taskstats_exit_key(const void *bytes, size_t len, uint32_t *ret_tid, uint64_t *ret_elapsed_ns)
{
	struct taskstats_payload payload;
	uint64_t elapsed_us;

	if (!taskstats_payload_open(&payload, bytes, len) ||
	    !taskstats_copy(&payload, FIELD_ac_pid, ret_tid, sizeof(*ret_tid)) || *ret_tid == 0 ||
	    !taskstats_get(&payload, FIELD_ac_etime, &elapsed_us) ||
	    elapsed_us > UINT64_MAX / NS_PER_US)
		return false;
	*ret_elapsed_ns = elapsed_us * NS_PER_US;
	return true;
}

enum source_outcome taskstats_parse_exit(const void *bytes, size_t len,
                                         const struct taskstats_rules *rules,
                                         struct thread_sample *sample,
                                         struct taskstats_exit *ret_exit)
{
	struct taskstats_payload payload;
	bool filled[BUCKET_COUNT];
	uint64_t elapsed_ns;
	uint32_t tid;

	*ret_exit = (struct taskstats_exit){0};
	if (!taskstats_payload_open(&payload, bytes, len) ||
	    !taskstats_exit_key(bytes, len, &tid, &elapsed_ns))
		return OUTCOME_malformed;
	sample->tid = tid;
	sample->life_ns = elapsed_ns;
	buckets_find(&payload, rules, filled);
	set_identity(&payload, sample, ret_exit);
	set_policy(&payload, sample);
	set_counters(&payload, filled, sample);
	set_cpu_time(&payload, filled[BUCKET_CPU], sample, ret_exit);
	taskstats_set_exit_facts(&payload, filled, ret_exit, sample);
	return taskstats_parse(bytes, len, rules, sample);
}
