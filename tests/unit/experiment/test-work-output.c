// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <math.h>

#include "experiment/work-output.h"

static struct plan plan;
static struct work_output output;
static struct unit unit;

static int setup(void **state)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	(void)state;
	experiment_plan_init(&plan, NULL);
	if (plan_set(&plan, "outcome rate", "rate: ([0-9.e+-]+)/s", &reason) < 0 ||
	    plan_set(&plan, "outcome", "^[0-9]+$", &reason) < 0)
		return -1;
	work_output_init(&output, &plan);
	unit = (struct unit){0};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < unit.outcome_count; i++)
		free(unit.outcomes[i].name);
	work_output_done(&output);
	experiment_plan_done(&plan);
	return 0;
}

static void add(const char *text)
{
	work_output_add(&output, text, strlen(text));
}

static void assert_outcome(size_t i, const char *name, double value)
{
	assert_true(i < unit.outcome_count);
	assert_string_equal(unit.outcomes[i].name, name);
	assert_true(fabs(unit.outcomes[i].value - value) <= 1e-9);
}

/* Work is a sum, an outcome the last number; a line may come in pieces, and the last one lacks its newline. */
static void test_numbers(void **state)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	(void)state;
	add("ctprof-work 3\nrate: 1.5/s\nctprof-w");
	add("ork 4.5\n17\nctprof-work\nctprof-work x\n ctprof-work 9\n");
	add("rate: 2e3/s");
	work_output_end(&output);
	assert_true(work_output_report(&output, &unit, &reason));
	assert_int_equal(unit.outcome_count, 3);
	assert_outcome(0, "work", 7.5);
	assert_outcome(1, "rate", 2000);
	assert_outcome(2, "outcome", 17);
	assert_string_equal(strbuf_str(&output.last), "rate: 2e3/s");
}

/* A number that was not printed is no zero. */
static void test_missing(void **state)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	(void)state;
	add("17\nrate: fast/s\nrate: ./s\n");
	assert_false(work_output_report(&output, &unit, &reason));
	assert_string_equal(strbuf_str(&reason), "the workload has printed no number for rate");
}

/* Output from before the window does not count. */
static void test_clear(void **state)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	(void)state;
	add("ctprof-work 3\n17\nrate: 1/s\nctprof-wo");
	work_output_clear(&output);
	assert_false(work_output_report(&output, &unit, &reason));
	assert_int_equal(unit.outcome_count, 0);
	add("rk 2\n18\nrate: 2/s\n");
	assert_true(work_output_report(&output, &unit, &reason));
	assert_outcome(0, "work", 2);
	assert_outcome(2, "outcome", 18);
}

/* Output from behind the window does not count, also the end of a line that has begun in it; a command that fails there is
 * reported with its last line. */
static void test_freeze(void **state)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	(void)state;
	add("ctprof-work 3\n17\nrate: 1/s\nctprof-wo");
	work_output_freeze(&output);
	add("rk 2\n18\nrate: 2/s\nctprof-work 5\n");
	work_output_end(&output);
	assert_true(work_output_report(&output, &unit, &reason));
	assert_outcome(0, "work", 3);
	assert_outcome(1, "rate", 1);
	assert_outcome(2, "outcome", 17);
	assert_string_equal(strbuf_str(&output.last), "ctprof-work 5");
}

/* A line without an end takes no memory without one. */
static void test_long_line(void **state)
{
	char piece[1000];

	(void)state;
	memset(piece, 'x', sizeof(piece));
	for (unsigned i = 0; i < 1000; i++)
		work_output_add(&output, piece, sizeof(piece));
	assert_int_equal(output.line.len, WORK_LINE_BYTES);
	add("\n17\n");
	assert_true(output.found[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_numbers, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_missing, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_clear, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_freeze, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_long_line, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
