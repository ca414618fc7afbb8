// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/metric/sample.h"
#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/scan.h"

const char *const window_part_names[WINDOW_PART_COUNT] = {
        [WINDOW_PART_NONE] = "",         [WINDOW_PART_continued] = "continued",
        [WINDOW_PART_born] = "born",     [WINDOW_PART_exited] = "exited",
        [WINDOW_PART_passed] = "passed",
};

void sample_keep_run_time(struct thread_sample *sample)
{
	struct counter_ns run_time;

	if (sample_get(sample, run_time_ns, &run_time))
		sample->run_time_before_ns = run_time.v;
}

void sample_reset(struct thread_sample *sample)
{
	sample->tid = 0;
	sample->tgid = 0;
	sample->start_time_clock_ticks = 0;
	sample_set_process_start(sample, PROCESS_START_UNKNOWN);
	sample->process_successors = 0;
	sample->exit_facts_seen = 0;
	sample->read_boottime_ns = 0;
	sample->window_part = WINDOW_PART_NONE;
	sample->interval_ns = 0;
	sample->life_ns = 0;
	sample->run_time_before_ns = 0;
	sample->merged_threads = 0;
	sample->jemalloc_boottime_ns = sample->jemalloc_interval_ns = 0;
	sample->jemalloc_program = 0;
	strbuf_clear(&sample->host);
	strbuf_clear(&sample->boot_id);
	strbuf_clear(&sample->pcomm);
	strbuf_clear(&sample->comm);
	strbuf_clear(&sample->cgroup);
	sample->has_cgroup = false;
	sample->cgroup_is_v1 = false;
	strbuf_clear(&sample->cgroups_v1);
	strbuf_clear(&sample->exe);
	sample->has_exe = sample->has_cwd = sample->has_title = false;
	sample->has_wchan = sample->has_syscall = false;
	strbuf_clear(&sample->cwd);
	strbuf_clear(&sample->title);
	strbuf_clear(&sample->wchan);
	strbuf_clear(&sample->syscall);
	sample->uid = 0;
	sample->has_uid = false;
	sample->has_parent = false;
	sample_forget_totals(sample);
	sample->has_smaps = false;
	keyed_values_clear(&sample->smaps_rollup_kib);
	memset(&sample->seen, 0, sizeof(sample->seen));
	memset(&sample->malformed, 0, sizeof(sample->malformed));
	memset(&sample->skipped, 0, sizeof(sample->skipped));
	memset(&sample->impossible, 0, sizeof(sample->impossible));
	memset(sample->outcomes, 0, sizeof(sample->outcomes));
}

void sample_done(struct thread_sample *sample)
{
	strbuf_done(&sample->host);
	strbuf_done(&sample->boot_id);
	strbuf_done(&sample->pcomm);
	strbuf_done(&sample->comm);
	strbuf_done(&sample->cgroup);
	strbuf_done(&sample->cgroups_v1);
	strbuf_done(&sample->exe);
	strbuf_done(&sample->cwd);
	strbuf_done(&sample->title);
	strbuf_done(&sample->wchan);
	strbuf_done(&sample->syscall);
	keyed_values_done(&sample->smaps_rollup_kib);
}

static enum metric_representation representation(enum metric_id metric)
{
	return metric_type_table[metric_table[metric].type].representation;
}

static void *value_at(struct thread_sample *sample, enum metric_id metric)
{
	return (char *)sample + metric_table[metric].offset;
}

/* The wrappers of metric.h have one member, so a value and its wrapper have the same bytes. */
static void store(struct thread_sample *sample, enum metric_id metric, const void *value,
                  size_t size)
{
	memcpy(value_at(sample, metric), value, size);
	metric_set_add(&sample->seen, metric);
}

bool sample_set_integer(struct thread_sample *sample, enum metric_id metric, uint64_t value)
{
	switch (representation(metric)) {
	case REPRESENTATION_U64:
		store(sample, metric, &value, sizeof(value));
		return true;
	case REPRESENTATION_U32:
		if (value > UINT32_MAX)
			return false;
		store(sample, metric, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
		return true;
	case REPRESENTATION_I32:
		return value <= INT32_MAX && sample_set_negative(sample, metric, (int64_t)value);
	case REPRESENTATION_FLAG:
		return sample_set_flag(sample, metric, value != 0);
	case REPRESENTATION_TEXT:
	case REPRESENTATION_LETTER:
	case REPRESENTATION_CPUS:
		break;
	}
	return false;
}

bool sample_set_negative(struct thread_sample *sample, enum metric_id metric, int64_t value)
{
	if (representation(metric) != REPRESENTATION_I32 || value < INT32_MIN || value > INT32_MAX)
		return false;
	store(sample, metric, &(int32_t){(int32_t)value}, sizeof(int32_t));
	return true;
}

bool sample_set_label(struct thread_sample *sample, enum metric_id metric, const char *text,
                      size_t len)
{
	struct label_bytes label = {0};

	if (memchr(text, '\0', len))
		return false;
	if (representation(metric) == REPRESENTATION_LETTER) {
		if (len != 1 || text[0] <= ' ' || text[0] > '~')
			return false;
		store(sample, metric, text, 1);
		return true;
	}
	if (representation(metric) != REPRESENTATION_TEXT || len == 0 || len >= sizeof(label.bytes))
		return false;
	memcpy(label.bytes, text, len);
	store(sample, metric, &label, sizeof(label));
	return true;
}

bool sample_set_flag(struct thread_sample *sample, enum metric_id metric, bool value)
{
	if (representation(metric) != REPRESENTATION_FLAG)
		return false;
	store(sample, metric, &value, sizeof(value));
	return true;
}

static bool set_decimal(struct thread_sample *sample, enum metric_id metric, const char *text,
                        size_t len)
{
	uint64_t value;
	int64_t negative;

	if (scan_u64(text, len, &value))
		return sample_set_integer(sample, metric, value);
	return scan_i64(text, len, &negative) && sample_set_negative(sample, metric, negative);
}

static bool set_dotted(struct thread_sample *sample, enum metric_id metric, const char *text,
                       size_t len)
{
	uint64_t ns;

	return scan_dotted_ms(text, len, &ns) && sample_set_integer(sample, metric, ns);
}

static bool set_policy(struct thread_sample *sample, enum metric_id metric, const char *text,
                       size_t len)
{
	char unknown[LABEL_TEXT_BYTES];
	const char *name = unknown;
	uint64_t number;

	if (!scan_u64(text, len, &number) || number > UINT32_MAX)
		return false;
	snprintf(unknown, sizeof(unknown), "SCHED_UNKNOWN(%u)", (unsigned)number);
	switch (number) {
#define POLICY(number_, name_) \
	case number_:          \
		name = name_;  \
		break;
#include "policies.def"
#undef POLICY
	}
	return sample_set_label(sample, metric, name, strlen(name));
}

static bool set_cpu_list(struct thread_sample *sample, enum metric_id metric, const char *text,
                         size_t len)
{
	if (representation(metric) != REPRESENTATION_CPUS ||
	    !cpu_mask_parse(value_at(sample, metric), text, len))
		return false;
	metric_set_add(&sample->seen, metric);
	return true;
}

static bool set_by_encoding(struct thread_sample *sample, enum metric_id metric,
                            enum metric_encoding encoding, const char *text, size_t len)
{
	uint64_t number;

	switch (encoding) {
	case ENCODING_DECIMAL:
		return set_decimal(sample, metric, text, len);
	case ENCODING_PAGES:
		return scan_u64(text, len, &number) &&
		       sample_set_integer(
		               sample, metric,
		               saturating_multiply(number, (uint64_t)sysconf(_SC_PAGESIZE)));
	case ENCODING_DOTTED_MS:
		return set_dotted(sample, metric, text, len);
	case ENCODING_POLICY:
		return set_policy(sample, metric, text, len);
	case ENCODING_LETTER:
		return sample_set_label(sample, metric, text, len);
	case ENCODING_FLAG:
		return scan_u64(text, len, &number) && sample_set_flag(sample, metric, number != 0);
	case ENCODING_CPU_LIST:
		return set_cpu_list(sample, metric, text, len);
	case ENCODING_ONE:
	case ENCODING_ELAPSED: /* the others are not text */
	case ENCODING_DOTTED_MS_DIFFERENCE:
	case ENCODING_CPU_MASK:
	case ENCODING_STRUCT_U64:
	case ENCODING_STRUCT_KIB:
		break;
	}
	return false;
}

bool sample_set_text(struct thread_sample *sample, enum metric_id metric,
                     enum metric_encoding encoding, const char *text, size_t len)
{
	if (set_by_encoding(sample, metric, encoding, text, len))
		return true;
	metric_set_add(&sample->malformed, metric);
	return false;
}

bool sample_set_difference(struct thread_sample *sample, enum metric_id metric, const char *from,
                           size_t from_len, const char *less, size_t less_len)
{
	uint64_t a, b;

	if (scan_dotted_ms(from, from_len, &a) && scan_dotted_ms(less, less_len, &b) && a >= b &&
	    sample_set_integer(sample, metric, a - b))
		return true;
	metric_set_add(&sample->malformed, metric);
	return false;
}

uint64_t metric_longest_ns(uint64_t lived_ns)
{
	return saturating_add(lived_ns, lived_ns / 100 + NS_PER_SECOND);
}

void sample_set_impossible(struct thread_sample *sample, enum metric_id metric, uint64_t value)
{
	store(sample, metric, &value, sizeof(value));
	metric_set_remove(&sample->seen, metric);
	metric_set_add(&sample->impossible, metric);
}

static uint64_t longest_ticks(uint64_t longest_ns, const struct sample_bounds *bounds)
{
	unsigned __int128 ticks =
	        (unsigned __int128)longest_ns * bounds->ticks_per_second / NS_PER_SECOND;

	return ticks < UINT64_MAX - bounds->more_ticks ? (uint64_t)ticks + bounds->more_ticks
	                                               : UINT64_MAX;
}

static uint64_t bound_of(enum metric_id metric, const struct sample_bounds *bounds)
{
	/* The kernel adds the time of each idle CPU of the core to the thread that runs on another one (kernel/sched/core_sched.c,
	 * __sched_core_account_forceidle(), Linux 5.17 to 6.18). No core has more than eight, those of POWER8 and later. */
	enum { SIBLINGS_MAX = 7 };
	uint64_t longest_ns = bounds->life_ns;

	if (metric_table[metric].bound == BOUND_running)
		longest_ns = bounds->running_ns;
	else if (metric_table[metric].bound == BOUND_siblings)
		longest_ns = saturating_multiply(bounds->running_ns, SIBLINGS_MAX);
	return metric_unit(metric) == UNIT_ticks ? longest_ticks(longest_ns, bounds) : longest_ns;
}

/* CPU time in user mode and in the kernel is one time: together it has the bound of each. The wrong one of them is not known. */
static void judge_modes(struct thread_sample *sample, const struct sample_bounds *bounds)
{
	static const enum metric_id modes[] = {METRIC_utime_clock_ticks, METRIC_stime_clock_ticks};
	uint64_t sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (!metric_set_has(&sample->seen, modes[i]))
			return;
		saturating_add_to(&sum, sample_number(sample, modes[i]));
	}
	for (size_t i = 0; i < ARRAY_SIZE(modes) && sum > bound_of(modes[0], bounds); i++)
		sample_set_impossible(sample, modes[i], sample_number(sample, modes[i]));
}

void sample_judge(struct thread_sample *sample, const struct sample_bounds *bounds)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;
		uint64_t value;

		if (!metric_set_has(&sample->seen, metric) || !metric_has_longest_time(metric))
			continue;
		value = sample_number(sample, metric);
		if (value > bound_of(metric, bounds))
			sample_set_impossible(sample, metric, value);
	}
	judge_modes(sample, bounds);
}

void sample_add_to_totals(const struct thread_sample *sample, uint64_t sums[PROCESS_TOTAL_COUNT])
{
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		enum metric_id metric = process_total_table[i].metric;

		if (metric_set_has(&sample->seen, metric))
			saturating_add_to(&sums[i], sample_number(sample, metric));
	}
}

static void set_total_impossible(struct thread_sample *sample, enum process_total total)
{
	sample->process_totals_seen &= ~(UINT32_C(1) << total);
	sample->process_totals_impossible |= UINT32_C(1) << total;
}

/* The same as judge_modes() of a process. */
static void judge_total_modes(struct thread_sample *sample, const struct sample_bounds *bounds)
{
	const uint64_t *totals = sample->process_totals;
	uint32_t both = UINT32_C(1) << PROCESS_TOTAL_utime_clock_ticks |
	                UINT32_C(1) << PROCESS_TOTAL_stime_clock_ticks;

	if ((sample->process_totals_seen & both) != both ||
	    saturating_add(totals[PROCESS_TOTAL_utime_clock_ticks],
	                   totals[PROCESS_TOTAL_stime_clock_ticks]) <=
	            bound_of(METRIC_utime_clock_ticks, bounds))
		return;
	set_total_impossible(sample, PROCESS_TOTAL_utime_clock_ticks);
	set_total_impossible(sample, PROCESS_TOTAL_stime_clock_ticks);
}

/* Makes totals impossible that exceed their bound. @bounds are those of one CPU. */
static void judge_totals(struct thread_sample *sample, struct sample_bounds bounds, uint64_t cpus)
{
	if (!sample->has_process_totals || cpus == 0)
		return;
	bounds.running_ns = saturating_multiply(bounds.running_ns, cpus);
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		enum metric_id metric = process_total_table[i].metric;
		uint32_t bit = UINT32_C(1) << i;

		if (!(sample->process_totals_seen & bit) ||
		    !process_total_is_bounded((enum process_total)i) ||
		    sample->process_totals[i] <= bound_of(metric, &bounds))
			continue;
		set_total_impossible(sample, (enum process_total)i);
	}
	judge_total_modes(sample, &bounds);
}

/* Finds what bounds the times of a thread or a process of this birth. Returns false if it was born more than a second after the
 * reading: the two are times of different clocks then. */
static bool bounds_at(uint64_t birth_clock_ticks, uint64_t read_boottime_ns,
                      uint64_t ticks_per_second, struct sample_bounds *ret_bounds)
{
	/* The kernel charges a thread with whole ticks in which it ran for a moment only. */
	enum { SLACK_TICKS = 20, LATE_NS = NS_PER_SECOND };
	unsigned __int128 born_ns = (unsigned __int128)birth_clock_ticks * NS_PER_SECOND;
	uint64_t longest_ns;

	born_ns /= ticks_per_second;
	if (born_ns > (unsigned __int128)read_boottime_ns + LATE_NS)
		return false;
	longest_ns = metric_longest_ns(
	        born_ns < read_boottime_ns ? read_boottime_ns - (uint64_t)born_ns : 0);
	*ret_bounds = (struct sample_bounds){longest_ns, longest_ns, ticks_per_second, SLACK_TICKS};
	return true;
}

void sample_judge_at(struct thread_sample *sample, uint64_t read_boottime_ns,
                     struct host_bounds host)
{
	uint64_t process_start = sample_process_start(sample);
	struct sample_bounds bounds;

	if (read_boottime_ns == 0 || host.ticks_per_second == 0)
		return;
	if (bounds_at(sample->start_time_clock_ticks, read_boottime_ns, host.ticks_per_second,
	              &bounds))
		sample_judge(sample, &bounds);
	if (process_start != PROCESS_START_UNKNOWN &&
	    bounds_at(process_start, read_boottime_ns, host.ticks_per_second, &bounds))
		judge_totals(sample, bounds, host.possible_cpus);
}

bool sample_exit_fact_is_impossible(const struct thread_sample *sample, enum exit_fact fact)
{
	return exit_fact_table[fact].bound == BOUND_running && sample_has_exit_fact(sample, fact) &&
	       sample_has_exit_fact(sample, EXIT_FACT_elapsed_ns) &&
	       sample->exit_facts[fact] >
	               metric_longest_ns(sample->exit_facts[EXIT_FACT_elapsed_ns]);
}

static uint64_t longest_inside(const struct thread_sample *sample, uint64_t lived_ns)
{
	enum { SLACK_NS = 100 * NS_PER_MS };

	return sample->read_boottime_ns == 0 ? metric_longest_ns(lived_ns)
	                                     : saturating_add(lived_ns, lived_ns / 100 + SLACK_NS);
}

void sample_judge_inside(struct thread_sample *sample, struct host_bounds host)
{
	/* CPU time is split by mode, and each part is rounded to a tick. */
	enum { SLACK_TICKS = 2 };
	struct sample_bounds bounds = {.life_ns = UINT64_MAX,
	                               .ticks_per_second = host.ticks_per_second,
	                               .more_ticks = SLACK_TICKS};

	if (sample->life_ns == 0 || host.ticks_per_second == 0)
		return;
	bounds.running_ns = longest_inside(sample, sample->life_ns);
	sample_judge(sample, &bounds);
	bounds.running_ns = longest_inside(sample, sample->interval_ns);
	judge_totals(sample, bounds, host.possible_cpus);
}

enum source_outcome sample_reason(const struct thread_sample *sample, enum metric_id metric)
{
	enum source_outcome outcome = sample->outcomes[metric_table[metric].source];

	if (metric_set_has(&sample->malformed, metric))
		return OUTCOME_malformed;
	if (metric_set_has(&sample->impossible, metric))
		return OUTCOME_impossible;
	if (metric_set_has(&sample->skipped, metric))
		return OUTCOME_skipped;
	if (outcome == OUTCOME_read || outcome == OUTCOME_unneeded)
		return OUTCOME_off;
	return outcome;
}

bool sample_is_of_process(const struct thread_sample *sample, uint32_t tgid,
                          uint64_t process_start_clock_ticks)
{
	uint64_t own = sample_process_start(sample);

	if (sample->tgid != tgid)
		return false;
	if (process_start_clock_ticks == PROCESS_START_UNKNOWN)
		return true;
	if (own == PROCESS_START_UNKNOWN)
		return process_start_clock_ticks <= sample->start_time_clock_ticks;
	return own == process_start_clock_ticks;
}

bool sample_has_ended(const struct thread_sample *sample)
{
	struct label_letter state;

	return sample_get(sample, state, &state) && (state.v == 'Z' || state.v == 'X');
}

bool sample_add_state(const struct thread_sample *sample, struct strbuf *out)
{
	static const struct {
		char letter;
		const char *name;
	} named[] = {
#define THREAD_STATE(letter_, name_) {letter_, name_},
#include "states.def"
	};
	struct label_letter state;

	if (!sample_get(sample, state, &state))
		return false;
	strbuf_add_char(out, state.v);
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		if (named[i].letter == state.v)
			strbuf_addf(out, " %s", named[i].name);
	return true;
}

bool sample_is_lost(const struct thread_sample *sample)
{
	return sample->window_part == WINDOW_PART_exited && sample->interval_ns == 0;
}
