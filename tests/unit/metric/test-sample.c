// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <unistd.h>

#include "ctprof/metric/sample.h"

static struct thread_sample sample;

static int reset(void **state)
{
	(void)state;
	sample_reset(&sample);
	return 0;
}

static bool seen(enum metric_id metric)
{
	return metric_set_has(&sample.seen, metric);
}

static bool malformed(enum metric_id metric)
{
	return metric_set_has(&sample.malformed, metric);
}

static bool set_text(enum metric_id metric, enum metric_encoding encoding, const char *text)
{
	size_t len = strlen(text);
	char *copy = exact_copy(text, len);
	bool set = sample_set_text(&sample, metric, encoding, copy, len);

	free(copy);
	assert_int_equal(set, seen(metric));
	assert_int_equal(set, !malformed(metric));
	return set;
}

static void check_refused(enum metric_id metric, enum metric_encoding encoding,
                          const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sample_reset(&sample);
		if (set_text(metric, encoding, texts[i]))
			fail_msg("\"%s\"", texts[i]);
		assert_int_equal(sample_reason(&sample, metric), OUTCOME_malformed);
	}
	sample_reset(&sample);
}

static void test_decimal_unsigned(void **state)
{
	static const char *const refused[] = {"",    "-",  "-1", "1.5", "18446744073709551616",
	                                      "abc", "1 ", "0x1"};

	(void)state;
	assert_true(set_text(METRIC_minflt, ENCODING_DECIMAL, "0"));
	assert_int_equal(sample.minflt.v, 0);
	assert_true(set_text(METRIC_minflt, ENCODING_DECIMAL, "18446744073709551615"));
	assert_int_equal(sample.minflt.v, UINT64_MAX);
	check_refused(METRIC_minflt, ENCODING_DECIMAL, refused, ARRAY_SIZE(refused));
}

static void test_decimal_i32(void **state)
{
	static const char *const refused[] = {"",    "-",   "2147483648",          "-2147483649",
	                                      "1.0", "--1", "18446744073709551615"};

	(void)state;
	assert_true(set_text(METRIC_nice, ENCODING_DECIMAL, "-20"));
	assert_int_equal(sample.nice.v, -20);
	assert_true(set_text(METRIC_nice, ENCODING_DECIMAL, "2147483647"));
	assert_int_equal(sample.nice.v, INT32_MAX);
	assert_true(set_text(METRIC_nice, ENCODING_DECIMAL, "-2147483648"));
	assert_int_equal(sample.nice.v, INT32_MIN);
	check_refused(METRIC_nice, ENCODING_DECIMAL, refused, ARRAY_SIZE(refused));
}

static void test_decimal_u32(void **state)
{
	static const char *const refused[] = {"", "-1", "4294967296", "18446744073709551616"};

	(void)state;
	assert_true(set_text(METRIC_rt_priority, ENCODING_DECIMAL, "4294967295"));
	assert_int_equal(sample.rt_priority.v, UINT32_MAX);
	check_refused(METRIC_rt_priority, ENCODING_DECIMAL, refused, ARRAY_SIZE(refused));
}

static void test_dotted(void **state)
{
	static const char *const refused[] = {"",   "0.-000500", "-1.5",  "-1",
	                                      "1.", ".5",        "1.2.3", "x"};

	(void)state;
	assert_true(set_text(METRIC_wait_max, ENCODING_DOTTED_MS, "1.5"));
	assert_int_equal(sample.wait_max.v, 1500000);
	assert_true(set_text(METRIC_wait_sum, ENCODING_DOTTED_MS, "42"));
	assert_int_equal(sample.wait_sum.v, 42);
	check_refused(METRIC_wait_max, ENCODING_DOTTED_MS, refused, ARRAY_SIZE(refused));
}

static void test_policy_names(void **state)
{
	static const struct {
		const char *number, *name;
	} policies[] = {
	        {"0", "SCHED_OTHER"},      {"1", "SCHED_FIFO"},
	        {"2", "SCHED_RR"},         {"3", "SCHED_BATCH"},
	        {"4", "SCHED_UNKNOWN(4)"}, {"5", "SCHED_IDLE"},
	        {"6", "SCHED_DEADLINE"},   {"7", "SCHED_EXT"},
	        {"8", "SCHED_UNKNOWN(8)"}, {"4294967295", "SCHED_UNKNOWN(4294967295)"},
	};
	static const char *const refused[] = {"", "-1", "SCHED_OTHER", "4294967296", "1.0"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
		assert_true(set_text(METRIC_policy, ENCODING_POLICY, policies[i].number));
		assert_string_equal(sample.policy.v.bytes, policies[i].name);
	}
	check_refused(METRIC_policy, ENCODING_POLICY, refused, ARRAY_SIZE(refused));
}

static void test_letter(void **state)
{
	static const char *const refused[] = {"",     "SS",   " ",    "\t",
	                                      "\x7f", "\x01", "\xc3", "\xc3\xa9"};

	(void)state;
	for (char letter = '!'; letter <= '~'; letter++) {
		assert_true(set_text(METRIC_state, ENCODING_LETTER, (const char[]){letter, 0}));
		assert_int_equal(sample.state.v, letter);
	}
	check_refused(METRIC_state, ENCODING_LETTER, refused, ARRAY_SIZE(refused));
	assert_false(sample_set_text(&sample, METRIC_state, ENCODING_LETTER, "", 1));
}

static void test_flag(void **state)
{
	static const char *const refused[] = {"", "-1", "true", "1.0", "18446744073709551616"};

	(void)state;
	assert_true(set_text(METRIC_ext_enabled, ENCODING_FLAG, "0"));
	assert_false(sample.ext_enabled.v);
	assert_true(set_text(METRIC_ext_enabled, ENCODING_FLAG, "1"));
	assert_true(sample.ext_enabled.v);
	assert_true(set_text(METRIC_ext_enabled, ENCODING_FLAG, "18446744073709551615"));
	assert_true(sample.ext_enabled.v);
	check_refused(METRIC_ext_enabled, ENCODING_FLAG, refused, ARRAY_SIZE(refused));
}

static void test_cpu_list(void **state)
{
	static const char *const refused[] = {"", "8192", "3-1", "0-3,", "all"};

	(void)state;
	assert_true(set_text(METRIC_cpu_affinity, ENCODING_CPU_LIST, "0-3,8"));
	assert_int_equal(cpu_mask_count(&sample.cpu_affinity.v), 5);
	assert_true(cpu_mask_has(&sample.cpu_affinity.v, 8));
	check_refused(METRIC_cpu_affinity, ENCODING_CPU_LIST, refused, ARRAY_SIZE(refused));
}

static void test_pages(void **state)
{
	static const char *const refused[] = {"", "-1", "1.5", "18446744073709551616", "1 kB"};

	(void)state;
	assert_true(set_text(METRIC_rss_bytes, ENCODING_PAGES, "7"));
	assert_int_equal(sample.rss_bytes.v, 7 * (uint64_t)sysconf(_SC_PAGESIZE));
	assert_true(set_text(METRIC_rss_bytes, ENCODING_PAGES, "18446744073709551615"));
	assert_int_equal(sample.rss_bytes.v, UINT64_MAX);
	check_refused(METRIC_rss_bytes, ENCODING_PAGES, refused, ARRAY_SIZE(refused));
}

/* An encoding without a text, and one that the metric's type does not have. */
static void test_encoding_does_not_fit(void **state)
{
	static const enum metric_encoding no_text[] = {ENCODING_ONE, ENCODING_DOTTED_MS_DIFFERENCE,
	                                               ENCODING_CPU_MASK, ENCODING_STRUCT_U64,
	                                               ENCODING_STRUCT_KIB};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(no_text); i++) {
		sample_reset(&sample);
		assert_false(set_text(METRIC_minflt, no_text[i], "1"));
	}
	assert_false(set_text(METRIC_majflt, ENCODING_CPU_LIST, "1"));
	assert_false(set_text(METRIC_utime_clock_ticks, ENCODING_LETTER, "1"));
	assert_false(set_text(METRIC_stime_clock_ticks, ENCODING_POLICY, "1"));
	assert_false(set_text(METRIC_nice, ENCODING_FLAG, "1"));
	assert_false(set_text(METRIC_policy, ENCODING_DECIMAL, "1"));
	assert_false(set_text(METRIC_state, ENCODING_DOTTED_MS, "1"));
	assert_false(set_text(METRIC_cpu_affinity, ENCODING_DECIMAL, "1"));
}

static bool set_difference(const char *from, const char *less)
{
	sample_reset(&sample);
	return sample_set_difference(&sample, METRIC_voluntary_sleep_ns, from, strlen(from), less,
	                             strlen(less));
}

static void test_difference(void **state)
{
	static const struct {
		const char *from, *less;
		bool valid;
		uint64_t value;
	} cases[] = {
	        {"10.5", "0.5", true, 10000000},
	        {"10.5", "10.5", true, 0},
	        {"18446744073709.551615", "0", true, UINT64_MAX},
	        {"0.000001", "0.000000", true, 1},
	        {"1.0", "1.000001", false, 0},
	        {"-1.0", "0.0", false, 0},
	        {"1.0", "0.-000500", false, 0},
	        {"", "0", false, 0},
	        {"1", "", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(set_difference(cases[i].from, cases[i].less), cases[i].valid);
		assert_int_equal(seen(METRIC_voluntary_sleep_ns), cases[i].valid);
		assert_int_equal(malformed(METRIC_voluntary_sleep_ns), !cases[i].valid);
		if (cases[i].valid)
			assert_int_equal(sample.voluntary_sleep_ns.v, cases[i].value);
	}
}

static void test_set_integer_ranges(void **state)
{
	(void)state;
	assert_true(sample_set_integer(&sample, METRIC_minflt, UINT64_MAX));
	assert_false(sample_set_integer(&sample, METRIC_nice, (uint64_t)INT32_MAX + 1));
	assert_false(sample_set_integer(&sample, METRIC_nice, UINT64_MAX));
	assert_false(seen(METRIC_nice));
	assert_true(sample_set_integer(&sample, METRIC_nice, INT32_MAX));
	assert_false(sample_set_integer(&sample, METRIC_rt_priority, (uint64_t)UINT32_MAX + 1));
	assert_false(seen(METRIC_rt_priority));
	assert_true(sample_set_integer(&sample, METRIC_rt_priority, UINT32_MAX));
	assert_true(sample_set_integer(&sample, METRIC_ext_enabled, 2));
	assert_true(sample.ext_enabled.v);
	assert_false(sample_set_integer(&sample, METRIC_policy, 1));
	assert_false(sample_set_integer(&sample, METRIC_state, 'S'));
	assert_false(sample_set_integer(&sample, METRIC_cpu_affinity, 1));
}

static void test_set_negative_ranges(void **state)
{
	(void)state;
	assert_false(sample_set_negative(&sample, METRIC_priority, (int64_t)INT32_MIN - 1));
	assert_false(sample_set_negative(&sample, METRIC_priority, (int64_t)INT32_MAX + 1));
	assert_false(seen(METRIC_priority));
	assert_true(sample_set_negative(&sample, METRIC_priority, INT32_MIN));
	assert_int_equal(sample.priority.v, INT32_MIN);
	assert_false(sample_set_negative(&sample, METRIC_minflt, -1));
	assert_false(sample_set_negative(&sample, METRIC_rt_priority, -1));
	assert_false(sample_set_negative(&sample, METRIC_ext_enabled, -1));
	assert_false(sample_set_negative(&sample, METRIC_policy, -1));
}

static void test_set_label_lengths(void **state)
{
	static const char longest[] = "1234567890123456789012345678901";

	(void)state;
	assert_int_equal(strlen(longest), LABEL_TEXT_BYTES - 1);
	assert_true(sample_set_label(&sample, METRIC_policy, longest, strlen(longest)));
	assert_string_equal(sample.policy.v.bytes, longest);
	sample_reset(&sample);
	assert_false(
	        sample_set_label(&sample, METRIC_policy, "12345678901234567890123456789012", 32));
	assert_false(sample_set_label(&sample, METRIC_policy, "", 0));
	assert_false(sample_set_label(&sample, METRIC_policy, "a\0b", 3));
	assert_false(sample_set_label(&sample, METRIC_minflt, "a", 1));
	assert_false(sample_set_label(&sample, METRIC_ext_enabled, "true", 4));
	assert_false(seen(METRIC_policy));
	assert_false(sample_set_flag(&sample, METRIC_minflt, true));
	assert_false(sample_set_flag(&sample, METRIC_state, true));
}

/* A label that is shorter than the one before it leaves nothing of it. */
static void test_label_replaced(void **state)
{
	static const char zeros[LABEL_TEXT_BYTES];

	(void)state;
	assert_true(sample_set_label(&sample, METRIC_policy, "SCHED_DEADLINE", 14));
	assert_true(sample_set_label(&sample, METRIC_policy, "X", 1));
	assert_memory_equal(sample.policy.v.bytes + 1, zeros, LABEL_TEXT_BYTES - 1);
}

static void test_get_only_what_was_seen(void **state)
{
	struct counter_ns run_time = {77};
	bool got = sample_get(&sample, run_time_ns, &run_time);

	(void)state;
	assert_false(got);
	assert_int_equal(run_time.v, 77);
	sample_set(&sample, run_time_ns, (struct counter_ns){5});
	got = sample_get(&sample, run_time_ns, &run_time);
	assert_true(got);
	assert_int_equal(run_time.v, 5);
	assert_ptr_equal(sample_value(&sample, METRIC_run_time_ns), &sample.run_time_ns);
}

/* Its own reason, else that of its source, else off. */
static void test_reasons(void **state)
{
	(void)state;
	assert_int_equal(sample_reason(&sample, METRIC_minflt), OUTCOME_off);
	sample.outcomes[SOURCE_stat] = OUTCOME_read;
	assert_int_equal(sample_reason(&sample, METRIC_minflt), OUTCOME_off);
	for (unsigned o = OUTCOME_read + 1; o < OUTCOME_COUNT; o++) {
		sample.outcomes[SOURCE_stat] = (enum source_outcome)o;
		assert_int_equal(sample_reason(&sample, METRIC_minflt), o);
		assert_int_equal(sample_reason(&sample, METRIC_rchar), OUTCOME_off);
	}
	sample.outcomes[SOURCE_stat] = OUTCOME_denied;
	assert_false(sample_set_text(&sample, METRIC_minflt, ENCODING_DECIMAL, "x", 1));
	assert_int_equal(sample_reason(&sample, METRIC_minflt), OUTCOME_malformed);
	assert_int_equal(sample_reason(&sample, METRIC_majflt), OUTCOME_denied);
	metric_set_add(&sample.skipped, METRIC_majflt);
	assert_int_equal(sample_reason(&sample, METRIC_majflt), OUTCOME_skipped);
}

/* Every time is bounded by the life of its thread, or says that nothing bounds it; one nanosecond more is impossible, and one
 * less is not. */
static void test_judge_every_bound(void **state)
{
	const struct sample_bounds bounds = {.running_ns = 5000000000,
	                                     .life_ns = 9000000000,
	                                     .ticks_per_second = 100,
	                                     .more_ticks = 20};

	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;
		bool is_time = metric_unit(metric) == UNIT_ns || metric_unit(metric) == UNIT_ticks;
		enum metric_bound bound = metric_table[i].bound;
		uint64_t most = bound == BOUND_running    ? bounds.running_ns
		                : bound == BOUND_siblings ? 7 * bounds.running_ns
		                                          : bounds.life_ns;
		bool bounded = is_time && bound != BOUND_open;

		if (bound == BOUND_program)
			continue;
		assert_int_equal(is_time, bound != BOUND_none);
		if (metric_unit(metric) == UNIT_ticks)
			most = most / 10000000 + 20;
		sample_reset(&sample);
		if (!sample_set_integer(&sample, metric, most))
			continue;
		sample_judge(&sample, &bounds);
		assert_true(seen(metric));
		if (!sample_set_integer(&sample, metric, most + 1))
			continue;
		sample_judge(&sample, &bounds);
		assert_int_equal(seen(metric), !bounded);
		assert_int_equal(metric_set_has(&sample.impossible, metric), bounded);
		assert_true(sample_has_said(&sample, metric));
		if (bounded)
			assert_int_equal(sample_reason(&sample, metric), OUTCOME_impossible);
	}
}

static const struct host_bounds host = {.ticks_per_second = 100, .possible_cpus = 4};

/* At the end of a life of 2 s: that, 1 % and 1 s. One that was born up to a second after it was read has the age 0. */
static void test_judge_at(void **state)
{
	const uint64_t life = 2000000000, most = life + life / 100 + 1000000000;

	(void)state;
	sample.start_time_clock_ticks = 364799;
	sample_set(&sample, blkio_delay_total_ns, (struct counter_ns){3648111719672});
	sample_set(&sample, blkio_delay_max_ns, (struct peak_ns){most + 1});
	sample_set(&sample, run_time_ns, (struct counter_ns){most});
	sample_judge_at(&sample, 0, host);
	sample_judge_at(&sample, 3646989999999, host);
	assert_true(seen(METRIC_blkio_delay_total_ns));
	sample_judge_at(&sample, 3646990000000, host);
	assert_false(seen(METRIC_blkio_delay_total_ns));
	sample_set(&sample, blkio_delay_total_ns, (struct counter_ns){3648111719672});
	sample_set(&sample, run_time_ns, (struct counter_ns){most});
	sample_set(&sample, blkio_delay_max_ns, (struct peak_ns){most + 1});
	sample_judge_at(&sample, UINT64_C(3647990000000) + life, host);
	assert_false(seen(METRIC_blkio_delay_total_ns));
	assert_false(seen(METRIC_blkio_delay_max_ns));
	assert_true(seen(METRIC_run_time_ns));
	assert_int_equal(sample.blkio_delay_total_ns.v, 3648111719672);
	assert_int_equal(metric_longest_ns(UINT64_MAX), UINT64_MAX);
}

/* In a window of 1 s: that, 1 % and 100 ms, in clock ticks two more, and no second. Waits may have begun before. */
static void test_judge_inside(void **state)
{
	const uint64_t life = 1000000000, most = life + life / 100 + 100000000;

	(void)state;
	sample.life_ns = life;
	sample.read_boottime_ns = 7;
	sample_set(&sample, run_time_ns, (struct counter_ns){most});
	sample_set(&sample, utime_clock_ticks, (struct counter_ticks){111 + 2});
	sample_set(&sample, stime_clock_ticks, (struct counter_ticks){111 + 3});
	sample_set(&sample, blkio_delay_total_ns, (struct counter_ns){3648111719672});
	sample_judge_inside(&sample, host);
	assert_true(seen(METRIC_run_time_ns));
	assert_true(seen(METRIC_utime_clock_ticks));
	assert_false(seen(METRIC_stime_clock_ticks));
	assert_true(seen(METRIC_blkio_delay_total_ns));
	sample_set(&sample, run_time_ns, (struct counter_ns){most + 1});
	sample_judge_inside(&sample, (struct host_bounds){0});
	assert_true(seen(METRIC_run_time_ns));
	sample_judge_inside(&sample, host);
	assert_false(seen(METRIC_run_time_ns));
	/* Nobody knows when it was read. */
	sample.read_boottime_ns = 0;
	sample_set(&sample, run_time_ns, (struct counter_ns){metric_longest_ns(life)});
	sample_judge_inside(&sample, host);
	assert_true(seen(METRIC_run_time_ns));
}

static void set_total(enum process_total total, uint64_t value)
{
	sample.has_process_totals = true;
	sample.process_totals_seen |= UINT32_C(1) << total;
	sample.process_totals[total] = value;
}

static bool total_is_seen(enum process_total total)
{
	bool is_seen = sample.process_totals_seen >> total & 1;
	bool is_impossible = sample.process_totals_impossible >> total & 1;

	assert_true(sample_has_said_total(&sample, total));
	assert_int_not_equal(is_seen, is_impossible);
	return is_seen;
}

/* Each total that is a time of running has a bound, and no other one. A process that started 2 s ago, whatever the age of the thread
 * that has the totals, ran for no longer than that on each of 4 CPUs, 1 % and 1 s more. */
static void test_judge_totals_at(void **state)
{
	const uint64_t longest = UINT64_C(2000000000) + 20000000 + 1000000000;
	const uint64_t started = UINT64_C(3647990000000);

	(void)state;
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		enum process_total total = (enum process_total)i;
		enum metric_id metric = process_total_table[i].metric;
		bool bounded = metric_table[metric].bound == BOUND_running;
		uint64_t most = 4 * longest;

		if (metric_unit(metric) == UNIT_ticks)
			most = most / 10000000 + 20;
		sample_reset(&sample);
		sample.tgid = 7;
		sample.tid = 8;
		sample.start_time_clock_ticks = 364999;
		sample_set_process_start(&sample, 364799);
		set_total(total, most);
		sample_judge_at(&sample, started + 2000000000, host);
		assert_true(total_is_seen(total));
		set_total(total, most + 1);
		sample_judge_at(&sample, started + 2000000000, (struct host_bounds){100, 0});
		assert_true(total_is_seen(total));
		sample_set_process_start(&sample, PROCESS_START_UNKNOWN);
		sample_judge_at(&sample, started + 2000000000, host);
		assert_true(total_is_seen(total));
		sample_set_process_start(&sample, 364799);
		sample_judge_at(&sample, started + 2000000000, host);
		assert_int_equal(total_is_seen(total), !bounded);
		assert_int_equal(sample.process_totals[i], most + 1);
	}
	sample_forget_totals(&sample);
	assert_false(sample.has_process_totals);
	assert_int_equal(sample.process_totals_impossible, 0);
}

/* In a window it is the interval, also where the thread that has the totals lived for a moment only. */
static void test_judge_totals_inside(void **state)
{
	const uint64_t most = 4 * (UINT64_C(1000000000) + 10000000 + 100000000);

	(void)state;
	sample.life_ns = 1000;
	sample.interval_ns = 1000000000;
	sample.read_boottime_ns = 7;
	set_total(PROCESS_TOTAL_run_time_ns, most);
	set_total(PROCESS_TOTAL_utime_clock_ticks, most / 10000000 + 2);
	set_total(PROCESS_TOTAL_stime_clock_ticks, most / 10000000 + 3);
	set_total(PROCESS_TOTAL_wait_time_ns, UINT64_MAX);
	sample_judge_inside(&sample, host);
	assert_true(total_is_seen(PROCESS_TOTAL_run_time_ns));
	assert_true(total_is_seen(PROCESS_TOTAL_utime_clock_ticks));
	assert_false(total_is_seen(PROCESS_TOTAL_stime_clock_ticks));
	assert_true(total_is_seen(PROCESS_TOTAL_wait_time_ns));
	set_total(PROCESS_TOTAL_run_time_ns, most + 1);
	sample_judge_inside(&sample, (struct host_bounds){100, UINT64_MAX});
	assert_true(total_is_seen(PROCESS_TOTAL_run_time_ns));
	sample_judge_inside(&sample, host);
	assert_false(total_is_seen(PROCESS_TOTAL_run_time_ns));
}

static void test_reset_forgets(void **state)
{
	(void)state;
	sample.tid = sample.tgid = 7;
	sample.start_time_clock_ticks = sample.read_boottime_ns = 9;
	sample.has_cgroup = true;
	strbuf_add_str(&sample.comm, "comm");
	strbuf_add_str(&sample.pcomm, "pcomm");
	strbuf_add_str(&sample.cgroup, "/");
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		metric_set_add(&sample.seen, (enum metric_id)i);
		metric_set_add(&sample.malformed, (enum metric_id)i);
		metric_set_add(&sample.impossible, (enum metric_id)i);
		metric_set_add(&sample.skipped, (enum metric_id)i);
		assert_true(seen((enum metric_id)i));
	}
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		sample.outcomes[s] = OUTCOME_gone;

	sample_reset(&sample);
	assert_int_equal(sample.tid + sample.tgid, 0);
	assert_int_equal(sample.start_time_clock_ticks + sample.read_boottime_ns, 0);
	assert_false(sample.has_cgroup);
	assert_text(&sample.comm, "");
	assert_text(&sample.pcomm, "");
	assert_text(&sample.cgroup, "");
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		assert_false(seen((enum metric_id)i));
		assert_false(malformed((enum metric_id)i));
		assert_false(metric_set_has(&sample.impossible, (enum metric_id)i));
		assert_false(metric_set_has(&sample.skipped, (enum metric_id)i));
	}
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		assert_int_equal(sample.outcomes[s], OUTCOME_unneeded);
}

static int done(void **state)
{
	(void)state;
	sample_done(&sample);
	sample_done(&sample);
	return 0;
}

#define on_sample(test_) cmocka_unit_test_setup(test_, reset)

static void test_state(void **state)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_false(sample_add_state(&sample, &out));
	assert_int_equal(out.len, 0);
	assert_true(set_text(METRIC_state, ENCODING_LETTER, "D"));
	assert_true(sample_add_state(&sample, &out));
	assert_string_equal(strbuf_str(&out), "D uninterruptible");
	strbuf_clear(&out);
	/* A letter of a kernel to come. */
	assert_true(set_text(METRIC_state, ENCODING_LETTER, "Q"));
	assert_true(sample_add_state(&sample, &out));
	assert_string_equal(strbuf_str(&out), "Q");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_sample(test_decimal_unsigned),
	        on_sample(test_decimal_i32),
	        on_sample(test_decimal_u32),
	        on_sample(test_dotted),
	        on_sample(test_policy_names),
	        on_sample(test_letter),
	        on_sample(test_state),
	        on_sample(test_flag),
	        on_sample(test_cpu_list),
	        on_sample(test_pages),
	        on_sample(test_encoding_does_not_fit),
	        on_sample(test_difference),
	        on_sample(test_set_integer_ranges),
	        on_sample(test_set_negative_ranges),
	        on_sample(test_set_label_lengths),
	        on_sample(test_label_replaced),
	        on_sample(test_get_only_what_was_seen),
	        on_sample(test_reasons),
	        on_sample(test_judge_every_bound),
	        on_sample(test_judge_at),
	        on_sample(test_judge_inside),
	        on_sample(test_judge_totals_at),
	        on_sample(test_judge_totals_inside),
	        on_sample(test_reset_forgets),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
