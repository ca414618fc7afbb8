// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "procfs/procfs.h"

static const char stat_text[] =
        "1234 (a) b) S 1 1234 1234 0 -1 4194560 1010 1111 1212 1313 1414 1515 1616 1717 20 0 5 0 "
        "2222 1000000 250 18446744073709551615 1 1 0 0 0 0 0 4096 17 0 0 0 17 1 0 0 0 0 0 0 0 0 "
        "0 0 0 0 0\n";
static const char io_text[] = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\n"
                              "write_bytes: 6\ncancelled_write_bytes: 7\n";

static const uint32_t stat_totals = 1u << PROCESS_TOTAL_minflt | 1u << PROCESS_TOTAL_majflt |
                                    1u << PROCESS_TOTAL_utime_clock_ticks |
                                    1u << PROCESS_TOTAL_stime_clock_ticks;
static const uint32_t io_totals = 1u << PROCESS_TOTAL_rchar | 1u << PROCESS_TOTAL_wchar |
                                  1u << PROCESS_TOTAL_syscr | 1u << PROCESS_TOTAL_syscw |
                                  1u << PROCESS_TOTAL_read_bytes | 1u << PROCESS_TOTAL_write_bytes |
                                  1u << PROCESS_TOTAL_cancelled_write_bytes;

static struct thread_sample sample;

static int done(void **state)
{
	(void)state;
	sample_done(&sample);
	return 0;
}

/* Adds to what the sample has. */
static enum source_outcome parse_bytes(enum metric_source source, const char *text, size_t len)
{
	char *copy = exact_copy(text, len);
	enum source_outcome outcome = process_totals_parse(source, copy, len, &sample);

	free(copy);
	return outcome;
}

static enum source_outcome parse(enum metric_source source, const char *text)
{
	sample_reset(&sample);
	return parse_bytes(source, text, strlen(text));
}

static void assert_total(enum process_total total, uint64_t expected)
{
	assert_true(sample.process_totals_seen & 1u << total);
	assert_int_equal(sample.process_totals[total], expected);
}

static void assert_stat(void)
{
	assert_total(PROCESS_TOTAL_minflt, 1010);
	assert_total(PROCESS_TOTAL_majflt, 1212);
	assert_total(PROCESS_TOTAL_utime_clock_ticks, 1414);
	assert_total(PROCESS_TOTAL_stime_clock_ticks, 1515);
}

static void test_process_totals_stat(void **state)
{
	(void)state;
	assert_int_equal(parse(SOURCE_process_stat, stat_text), OUTCOME_read);
	assert_true(sample.has_process_totals);
	assert_int_equal(sample.process_totals_seen, stat_totals);
	assert_stat();
}

/* One source adds to the other. */
static void test_process_totals_io(void **state)
{
	(void)state;
	assert_int_equal(parse(SOURCE_process_stat, stat_text), OUTCOME_read);
	assert_int_equal(parse_bytes(SOURCE_process_io, io_text, strlen(io_text)), OUTCOME_read);
	assert_int_equal(sample.process_totals_seen, stat_totals | io_totals);
	assert_stat();
	assert_total(PROCESS_TOTAL_rchar, 1);
	assert_total(PROCESS_TOTAL_wchar, 2);
	assert_total(PROCESS_TOTAL_syscr, 3);
	assert_total(PROCESS_TOTAL_syscw, 4);
	assert_total(PROCESS_TOTAL_read_bytes, 5);
	assert_total(PROCESS_TOTAL_write_bytes, 6);
	assert_total(PROCESS_TOTAL_cancelled_write_bytes, 7);
}

/* The name of a process may look like all of the line. */
static void test_process_totals_hostile_name(void **state)
{
	(void)state;
	assert_int_equal(parse(SOURCE_process_stat,
	                       "7 (x) R 1 1 1 0 -1 0 9 9 9 9 9 9) S 1 1 1 0 -1 0 1 2 3 4 5 6 7"),
	                 OUTCOME_read);
	assert_total(PROCESS_TOTAL_minflt, 1);
	assert_total(PROCESS_TOTAL_majflt, 3);
	assert_total(PROCESS_TOTAL_utime_clock_ticks, 5);
	assert_total(PROCESS_TOTAL_stime_clock_ticks, 6);
	assert_int_equal(parse(SOURCE_process_stat, "7 (\n\xff\x1b)) S 1 1 1 0 -1 0 1 2 3"),
	                 OUTCOME_read);
	assert_int_equal(sample.process_totals_seen,
	                 1u << PROCESS_TOTAL_minflt | 1u << PROCESS_TOTAL_majflt);
}

static void test_process_totals_cut(void **state)
{
	(void)state;
	for (size_t len = 0; len < strlen(stat_text); len++) {
		enum source_outcome outcome;

		sample_reset(&sample);
		outcome = parse_bytes(SOURCE_process_stat, stat_text, len);
		assert_int_equal(outcome == OUTCOME_read, sample.has_process_totals);
		assert_int_equal(sample.has_process_totals, sample.process_totals_seen != 0);
		assert_int_equal(sample.process_totals_seen & ~stat_totals, 0);
	}
	for (size_t len = 0; len < strlen(io_text); len++) {
		enum source_outcome outcome;

		sample_reset(&sample);
		outcome = parse_bytes(SOURCE_process_io, io_text, len);
		assert_int_equal(outcome == OUTCOME_read, sample.has_process_totals);
		assert_int_equal(sample.process_totals_seen & ~io_totals, 0);
	}
}

/* One value that makes no sense is missing; the others are there. */
static void test_process_totals_senseless(void **state)
{
	static const char *const texts[] = {
	        "",          "\n",        "1 (x",       "1 x) S",    ")", "1 (x) S 1 2 3",
	        "rchar 1\n", "rchar: \n", "rchar: x\n", "other: 1\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parse(SOURCE_process_stat, texts[i]), OUTCOME_malformed);
		assert_int_equal(parse(SOURCE_process_io, texts[i]), OUTCOME_malformed);
		assert_false(sample.has_process_totals);
	}
	assert_int_equal(parse(SOURCE_process_taskstats, stat_text), OUTCOME_malformed);
	assert_int_equal(parse(SOURCE_process_io, "rchar: -1\nwchar: 18446744073709551616\n"
	                                          "syscr: 18446744073709551615\n"),
	                 OUTCOME_read);
	assert_int_equal(sample.process_totals_seen, 1u << PROCESS_TOTAL_syscr);
	assert_total(PROCESS_TOTAL_syscr, UINT64_MAX);
	assert_int_equal(parse(SOURCE_process_stat, "1 (x) S 1 1 1 0 -1 0 -1 2 x 4 5 6 7"),
	                 OUTCOME_read);
	assert_int_equal(sample.process_totals_seen, 1u << PROCESS_TOTAL_utime_clock_ticks |
	                                                     1u << PROCESS_TOTAL_stime_clock_ticks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_process_totals_stat),
	        cmocka_unit_test(test_process_totals_io),
	        cmocka_unit_test(test_process_totals_hostile_name),
	        cmocka_unit_test(test_process_totals_cut),
	        cmocka_unit_test(test_process_totals_senseless),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
