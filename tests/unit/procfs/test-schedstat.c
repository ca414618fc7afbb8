// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "procfs/procfs.h"
#include "seen.h"

static struct source_keys keys;
static struct thread_sample sample;

static int setup(void **state)
{
	(void)state;
	source_keys_init(&keys, SOURCE_schedstat);
	return 0;
}

static int done(void **state)
{
	(void)state;
	source_keys_done(&keys);
	sample_done(&sample);
	return 0;
}

static enum source_outcome parse(const char *text)
{
	size_t len = strlen(text);
	char *copy = exact_copy(text, len);
	enum source_outcome outcome;

	sample_reset(&sample);
	outcome = schedstat_parse(&keys, copy, len, &sample);
	free(copy);
	return outcome;
}

static void check_three(const char *text, uint64_t run, uint64_t wait, uint64_t slices)
{
	assert_int_equal(parse(text), OUTCOME_read);
	assert_seen(&sample, run_time_ns, run);
	assert_seen(&sample, wait_time_ns, wait);
	assert_seen(&sample, timeslices, slices);
	assert_int_equal(count_metrics(&sample.seen), count_of_source(SOURCE_schedstat));
}

static void test_schedstat_three_numbers(void **state)
{
	(void)state;
	check_three("1234567 89 4\n", 1234567, 89, 4);
	check_three("1 2 3", 1, 2, 3);
	check_three("0 0 0\n", 0, 0, 0);
	check_three("  1\t2  3 \n\n", 1, 2, 3);
	check_three("18446744073709551615 18446744073709551615 18446744073709551615\n", UINT64_MAX,
	            UINT64_MAX, UINT64_MAX);
}

static void test_schedstat_not_three(void **state)
{
	static const char *const texts[] = {"",      "\n",      "1",         "1 2",
	                                    "1 2\n", "1 2 3 4", "1 2 3 4\n", "1 2 3\n4 5 6\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parse(texts[i]), OUTCOME_malformed);
		assert_int_equal(count_metrics(&sample.seen), 0);
		assert_int_equal(count_metrics(&sample.malformed), 0);
	}
}

static void test_schedstat_senseless_number(void **state)
{
	(void)state;
	assert_int_equal(parse("1 -2 18446744073709551616\n"), OUTCOME_read);
	assert_seen(&sample, run_time_ns, 1);
	assert_malformed(&sample, wait_time_ns);
	assert_malformed(&sample, timeslices);
}

static void test_schedstat_zero(void **state)
{
	static const struct {
		const char *text;
		bool zero;
	} cases[] = {
	        {"0 0 0\n", true}, {"0 0 0", true},   {" 0\t0 0 \n", true}, {"0 0 1\n", false},
	        {"0 1 0", false},  {"1 0 0", false},  {"0 0", false},       {"0 0 0 0", false},
	        {"", false},       {"\n", false},     {"00 0 0", false},    {"-0 0 0", false},
	        {"x y z", false},  {"10 0 0", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].text);
		char *copy = exact_copy(cases[i].text, len);

		assert_int_equal(schedstat_is_zero(copy, len), cases[i].zero);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_schedstat_three_numbers),
	        cmocka_unit_test(test_schedstat_not_three),
	        cmocka_unit_test(test_schedstat_senseless_number),
	        cmocka_unit_test(test_schedstat_zero),
	};

	return cmocka_run_group_tests(tests, setup, done);
}
