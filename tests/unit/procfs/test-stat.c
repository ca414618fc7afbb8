// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <unistd.h>

#include "base/scan.h"
#include "procfs/procfs.h"
#include "seen.h"

enum { FIELDS = 52 };

static struct source_keys keys;
static struct thread_sample sample;

/* Linux 6.18 prints this line; 5.10 has the same fields. */
static const char real_line[] =
        "25220 (cat) R 25218 25219 7088 34816 25220 4194304 100 11 12 13 456 789 10 9 20 0 3 0 "
        "526000 "
        "3133440 386 18446744073709551615 94811797127168 94811797147049 140724550824864 0 0 0 0 0 "
        "0 0 "
        "0 0 17 1 0 0 42 0 0 94811797163056 94811797164672 94811889561600 140724550830731 "
        "140724550830751 140724550830751 140724550832107 0\n";

static int setup(void **state)
{
	(void)state;
	source_keys_init(&keys, SOURCE_stat);
	return 0;
}

static int done(void **state)
{
	(void)state;
	source_keys_done(&keys);
	sample_done(&sample);
	return 0;
}

static enum source_outcome parse_bytes(const char *text, size_t len)
{
	char *copy = exact_copy(text, len);
	enum source_outcome outcome;

	sample_reset(&sample);
	sample.tid = sample.tgid = 25220;
	outcome = stat_parse(&keys, copy, len, &sample);
	free(copy);
	return outcome;
}

static enum source_outcome parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

/* A line whose field N is N, but for those that @fields names. The first and the second are not numbers. */
struct field {
	unsigned number;
	const char *text;
};

static void make_line(struct strbuf *line, const char *comm, size_t comm_len, unsigned last,
                      const struct field *fields, size_t count)
{
	strbuf_clear(line);
	strbuf_add_str(line, "1 (");
	strbuf_add(line, comm, comm_len);
	strbuf_add_str(line, ") S");
	for (unsigned number = 4; number <= last; number++) {
		const char *text = NULL;

		for (size_t i = 0; i < count; i++)
			if (fields[i].number == number)
				text = fields[i].text;
		if (text)
			strbuf_addf(line, " %s", text);
		else
			strbuf_addf(line, " %u", number);
	}
	strbuf_add_char(line, '\n');
}

static enum source_outcome parse_fields(unsigned last, const struct field *fields, size_t count)
{
	struct strbuf line = STRBUF_INIT;
	enum source_outcome outcome;

	make_line(&line, "comm", 4, last, fields, count);
	outcome = parse_bytes(line.data, line.len);
	strbuf_done(&line);
	return outcome;
}

/* Other threads have the same numbers, which are kept once. A process that was released has -1. */
static void test_parent(void **state)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	(void)state;
	sample_reset(&sample);
	sample.tid = 25221;
	sample.tgid = 25220;
	assert_int_equal(stat_parse(&keys, real_line, strlen(real_line), &sample), OUTCOME_read);
	assert_false(sample.has_parent);
	strbuf_add_str(&line, "25220 (cat) Z 25218 -1 -1");
	strbuf_add_str(&line, strstr(real_line, " 34816"));
	assert_int_equal(parse(strbuf_str(&line)), OUTCOME_read);
	assert_false(sample.has_parent);
	strbuf_clear(&line);
	strbuf_add_str(&line, "25220 (cat) Z 25218 4294967296 1");
	strbuf_add_str(&line, strstr(real_line, " 34816"));
	assert_int_equal(parse(strbuf_str(&line)), OUTCOME_read);
	assert_false(sample.has_parent);
}

static void test_stat_real_line(void **state)
{
	(void)state;
	assert_int_equal(parse(real_line), OUTCOME_read);
	assert_text(&sample.comm, "cat");
	assert_int_equal(sample.start_time_clock_ticks, 526000);
	assert_true(sample.has_parent);
	assert_int_equal(sample.ppid, 25218);
	assert_int_equal(sample.pgrp, 25219);
	assert_int_equal(sample.session, 7088);
	assert_seen(&sample, state, 'R');
	assert_seen(&sample, vsize_bytes, 3133440);
	assert_seen(&sample, rss_bytes, 386 * (uint64_t)sysconf(_SC_PAGESIZE));
	assert_seen(&sample, minflt, 100);
	assert_seen(&sample, majflt, 12);
	assert_seen(&sample, utime_clock_ticks, 456);
	assert_seen(&sample, stime_clock_ticks, 789);
	assert_seen(&sample, priority, 20);
	assert_seen(&sample, nice, 0);
	assert_seen(&sample, nr_threads, 3);
	assert_seen(&sample, processor, 1);
	assert_seen(&sample, rt_priority, 0);
	assert_true(metric_set_has(&sample.seen, METRIC_policy));
	assert_string_equal(sample.policy.v.bytes, "SCHED_OTHER");
	assert_int_equal(count_metrics(&sample.seen), count_of_source(SOURCE_stat));
	assert_int_equal(count_metrics(&sample.malformed), 0);
}

/* Every field is the one that proc(5) numbers so. */
static void test_stat_field_numbers(void **state)
{
	(void)state;
	assert_int_equal(parse_fields(FIELDS, NULL, 0), OUTCOME_read);
	assert_seen(&sample, minflt, 10);
	assert_seen(&sample, majflt, 12);
	assert_seen(&sample, utime_clock_ticks, 14);
	assert_seen(&sample, stime_clock_ticks, 15);
	assert_seen(&sample, priority, 18);
	assert_seen(&sample, nice, 19);
	assert_seen(&sample, nr_threads, 20);
	assert_int_equal(sample.start_time_clock_ticks, 22);
	assert_seen(&sample, processor, 39);
	assert_seen(&sample, rt_priority, 40);
	assert_string_equal(sample.policy.v.bytes, "SCHED_UNKNOWN(41)");
}

/* comm is whatever stands between the first '(' and the last ')'. */
static void test_stat_comm_bytes(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} comms[] = {
	        {"", 0},
	        {" ", 1},
	        {"a b", 3},
	        {") (", 3},
	        {"a) R 1 2 3 (b", 13},
	        {"((((", 4},
	        {"))))", 4},
	        {")", 1},
	        {"\n", 1},
	        {"a\nb\n", 4},
	        {"\t\r\v", 3},
	        {"\\n", 2},
	        {"\x1b[31mred", 8},
	        {"\xff\xfe\x80", 3},
	        {"\xe6\xbc", 2},
	        {"fifteen letters", 15},
	        {"kworker/u8:3-events_unbound_and_much_longer", 43},
	};
	struct strbuf line = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(comms); i++) {
		make_line(&line, comms[i].bytes, comms[i].len, FIELDS, NULL, 0);
		assert_int_equal(parse_bytes(line.data, line.len), OUTCOME_read);
		assert_int_equal(sample.comm.len, comms[i].len);
		assert_memory_equal(strbuf_str(&sample.comm), comms[i].bytes, comms[i].len);
		assert_seen(&sample, state, 'S');
		assert_seen(&sample, minflt, 10);
		assert_int_equal(sample.start_time_clock_ticks, 22);
	}
	strbuf_done(&line);
}

static void test_stat_last_newline_missing(void **state)
{
	(void)state;
	assert_int_equal(parse_bytes(real_line, strlen(real_line) - 1), OUTCOME_read);
	assert_seen(&sample, processor, 1);
	assert_int_equal(count_metrics(&sample.seen), count_of_source(SOURCE_stat));
}

/* Older kernels have fewer fields; without the birth of the thread the line names nobody. */
static void test_stat_fewer_fields(void **state)
{
	(void)state;
	for (unsigned last = 3; last <= FIELDS; last++) {
		enum source_outcome outcome = parse_fields(last, NULL, 0);

		assert_int_equal(outcome, last < 22 ? OUTCOME_malformed : OUTCOME_read);
		if (last < 22)
			continue;
		assert_seen(&sample, nice, 19);
		assert_int_equal(metric_set_has(&sample.seen, METRIC_processor), last >= 39);
		assert_int_equal(metric_set_has(&sample.seen, METRIC_rt_priority), last >= 40);
		assert_int_equal(metric_set_has(&sample.seen, METRIC_policy), last >= 41);
		assert_int_equal(count_metrics(&sample.malformed), 0);
	}
}

/* More fields than anybody knows of. */
static void test_stat_more_fields(void **state)
{
	(void)state;
	assert_int_equal(parse_fields(500, NULL, 0), OUTCOME_read);
	assert_int_equal(count_metrics(&sample.seen), count_of_source(SOURCE_stat));
	assert_seen(&sample, processor, 39);
}

static void test_stat_nr_threads_only_at_leader(void **state)
{
	(void)state;
	sample_reset(&sample);
	sample.tgid = 25220;
	sample.tid = 25221;
	assert_int_equal(stat_parse(&keys, real_line, strlen(real_line), &sample), OUTCOME_read);
	assert_unseen(&sample, nr_threads);
	assert_unseen(&sample, vsize_bytes);
	assert_unseen(&sample, rss_bytes);
	assert_int_equal(count_metrics(&sample.seen), count_of_source(SOURCE_stat) - 3);
}

/* A leader that has exited has no memory. If its process goes on, the memory is not known; else it is 0, as that of a kernel thread. */
static void test_stat_memory_of_leaders(void **state)
{
	static const struct field gone[] = {{20, "2"}, {23, "0"}, {24, "0"}};
	static const struct field none[] = {{20, "1"}, {23, "0"}, {24, "0"}};
	static const struct field large[] = {{23, "18446744073709551615"},
	                                     {24, "18446744073709551615"}};

	(void)state;
	assert_int_equal(parse_fields(FIELDS, gone, ARRAY_SIZE(gone)), OUTCOME_read);
	assert_unseen(&sample, vsize_bytes);
	assert_unseen(&sample, rss_bytes);
	assert_seen(&sample, nr_threads, 2);
	assert_int_equal(parse_fields(FIELDS, none, ARRAY_SIZE(none)), OUTCOME_read);
	assert_seen(&sample, vsize_bytes, 0);
	assert_seen(&sample, rss_bytes, 0);
	assert_int_equal(parse_fields(FIELDS, large, ARRAY_SIZE(large)), OUTCOME_read);
	assert_seen(&sample, vsize_bytes, UINT64_MAX);
	assert_seen(&sample, rss_bytes, UINT64_MAX);
}

static void test_stat_negative_priorities(void **state)
{
	static const struct field real_time[] = {{18, "-100"}, {19, "-20"}, {40, "99"}, {41, "1"}};
	static const struct field deadline[] = {{18, "-101"}, {41, "6"}};

	(void)state;
	assert_int_equal(parse_fields(FIELDS, real_time, ARRAY_SIZE(real_time)), OUTCOME_read);
	assert_seen(&sample, priority, -100);
	assert_seen(&sample, nice, -20);
	assert_seen(&sample, rt_priority, 99);
	assert_string_equal(sample.policy.v.bytes, "SCHED_FIFO");
	assert_int_equal(parse_fields(FIELDS, deadline, ARRAY_SIZE(deadline)), OUTCOME_read);
	assert_seen(&sample, priority, -101);
	assert_string_equal(sample.policy.v.bytes, "SCHED_DEADLINE");
}

static void test_stat_huge_values(void **state)
{
	static const struct field largest[] = {{10, "18446744073709551615"},
	                                       {14, "18446744073709551615"},
	                                       {18, "2147483647"},
	                                       {22, "18446744073709551615"},
	                                       {40, "4294967295"}};
	static const struct field larger[] = {
	        {10, "18446744073709551616"}, {14, "99999999999999999999999"},
	        {18, "2147483648"},           {19, "-2147483649"},
	        {40, "4294967296"},           {41, "4294967296"}};

	(void)state;
	assert_int_equal(parse_fields(FIELDS, largest, ARRAY_SIZE(largest)), OUTCOME_read);
	assert_seen(&sample, minflt, UINT64_MAX);
	assert_seen(&sample, utime_clock_ticks, UINT64_MAX);
	assert_seen(&sample, priority, INT32_MAX);
	assert_seen(&sample, rt_priority, UINT32_MAX);
	assert_int_equal(sample.start_time_clock_ticks, UINT64_MAX);

	assert_int_equal(parse_fields(FIELDS, larger, ARRAY_SIZE(larger)), OUTCOME_read);
	assert_malformed(&sample, minflt);
	assert_malformed(&sample, utime_clock_ticks);
	assert_malformed(&sample, priority);
	assert_malformed(&sample, nice);
	assert_malformed(&sample, rt_priority);
	assert_malformed(&sample, policy);
	assert_seen(&sample, stime_clock_ticks, 15);
	assert_seen(&sample, majflt, 12);
}

/* Values that make no sense cost only themselves. */
static void test_stat_senseless_values(void **state)
{
	static const struct field fields[] = {{10, "-1"}, {12, "1.5"}, {14, "x"}, {40, "-1"}};

	(void)state;
	assert_int_equal(parse_fields(FIELDS, fields, ARRAY_SIZE(fields)), OUTCOME_read);
	assert_malformed(&sample, minflt);
	assert_malformed(&sample, majflt);
	assert_malformed(&sample, utime_clock_ticks);
	assert_malformed(&sample, rt_priority);
	assert_seen(&sample, stime_clock_ticks, 15);
	assert_int_equal(count_metrics(&sample.malformed), 4);
}

/* Text that is no stat line changes nothing. */
static void test_stat_malformed_lines(void **state)
{
	static const char *const lines[] = {
	        "",
	        "\n",
	        "1",
	        "1 (",
	        "1 (comm",
	        "1 (comm)",
	        "1 (comm) ",
	        "1 (comm) S",
	        ")(",
	        "1 )comm( S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23",
	        "1 comm S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23",
	        "1 (comm) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 x 23",
	        "1 (comm) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 -22 23",
	        "1 (comm) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 18446744073709551616",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		sample_reset(&sample);
		strbuf_add_str(&sample.comm, "before");
		sample.start_time_clock_ticks = 77;
		if (stat_parse(&keys, lines[i], strlen(lines[i]), &sample) != OUTCOME_malformed)
			fail_msg("\"%s\"", lines[i]);
		assert_text(&sample.comm, "before");
		assert_int_equal(sample.start_time_clock_ticks, 77);
		assert_int_equal(count_metrics(&sample.seen), 0);
		assert_int_equal(count_metrics(&sample.malformed), 0);
	}
}

static bool is_digit_at(size_t at)
{
	return real_line[at] >= '0' && real_line[at] <= '9';
}

/* The values that a cut line still has are those of the whole line; only the number that the cut went through
 * is shorter. */
static void test_stat_cut_anywhere(void **state)
{
	static struct thread_sample whole;
	size_t start_time_end =
	        (size_t)(strstr(real_line, "526000") - real_line) + strlen("526000");

	(void)state;
	assert_int_equal(parse(real_line), OUTCOME_read);
	whole = sample;
	for (size_t cut = 0; cut < strlen(real_line); cut++) {
		bool through_number = cut > 0 && is_digit_at(cut - 1) && is_digit_at(cut);
		enum source_outcome outcome = parse_bytes(real_line, cut);
		unsigned differ = 0;

		if (cut < start_time_end - strlen("526000") + 1) {
			assert_int_equal(outcome, OUTCOME_malformed);
			continue;
		}
		assert_int_equal(outcome, OUTCOME_read);
		assert_text(&sample.comm, "cat");
		for (unsigned i = 0; i < METRIC_COUNT; i++)
			if (metric_set_has(&sample.seen, (enum metric_id)i))
				differ += memcmp(sample_value(&sample, (enum metric_id)i),
				                 sample_value(&whole, (enum metric_id)i),
				                 metric_table[i].type == METRIC_TYPE_label_letter
				                         ? 1
				                         : sizeof(uint32_t)) != 0;
		differ += sample.start_time_clock_ticks != whole.start_time_clock_ticks;
		assert_int_equal(count_metrics(&sample.malformed), 0);
		assert_true(differ <= through_number);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_parent),
	        cmocka_unit_test(test_stat_real_line),
	        cmocka_unit_test(test_stat_field_numbers),
	        cmocka_unit_test(test_stat_comm_bytes),
	        cmocka_unit_test(test_stat_last_newline_missing),
	        cmocka_unit_test(test_stat_fewer_fields),
	        cmocka_unit_test(test_stat_more_fields),
	        cmocka_unit_test(test_stat_nr_threads_only_at_leader),
	        cmocka_unit_test(test_stat_memory_of_leaders),
	        cmocka_unit_test(test_stat_negative_priorities),
	        cmocka_unit_test(test_stat_huge_values),
	        cmocka_unit_test(test_stat_senseless_values),
	        cmocka_unit_test(test_stat_malformed_lines),
	        cmocka_unit_test(test_stat_cut_anywhere),
	};

	return cmocka_run_group_tests(tests, setup, done);
}
