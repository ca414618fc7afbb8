// SPDX-License-Identifier: GPL-2.0-or-later
#include "runs/run-where.h"

#include "check.h"

static void info_init(struct job_info *info)
{
	*info = (struct job_info){0};
	job_info_set_text(info, "command", "make -j 8");
	job_info_set_text(info, "SLURM_JOB_ID", "4242");
	job_info_set_number(info, "exit_code", 3, true);
	job_info_set_number(info, "peak_rss", 2.5e9, true);
	job_info_set_number(info, "wall_clock_time", 90.5, false);
}

static void assert_holds(const char *text, bool expected)
{
	cleanup_(job_info_done) struct job_info info;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(run_where_freep) struct run_where *where = run_where_parse(text, &reason);

	info_init(&info);
	assert_string_equal(strbuf_str(&reason), "");
	assert_non_null(where);
	if (run_where_holds(where, &info) != expected)
		fail_msg("%s", text);
}

static void test_tests(void **state)
{
	(void)state;
	assert_holds("exit_code = 3", true);
	assert_holds("exit_code==3.0", true);
	assert_holds("exit_code != 3", false);
	assert_holds("peak_rss > 2GB", true);
	assert_holds("peak_rss > 2.5GB", false);
	assert_holds("peak_rss >= 2.5GB", true);
	assert_holds("peak_rss < 3GiB", true);
	assert_holds("wall_clock_time <= 1.5min", false);
	assert_holds("wall_clock_time > 1.5min", true);
	assert_holds("command ~ 'make*'", true);
	assert_holds("command !~ \"make*\"", false);
	assert_holds("command = 'make -j 8'", true);
	assert_holds("command = make", false);
	/* A number in a text is one. */
	assert_holds("SLURM_JOB_ID > 4000", true);
	assert_holds("SLURM_JOB_ID = 4242", true);
}

static void test_missing(void **state)
{
	(void)state;
	assert_holds("nothing = 3", false);
	assert_holds("nothing != 3", false);
	assert_holds("not nothing = 3", true);
	assert_holds("command > 3", false);
}

static void test_order(void **state)
{
	(void)state;
	assert_holds("exit_code = 0 and exit_code = 0 or exit_code = 3", true);
	assert_holds("exit_code = 3 or exit_code = 0 and exit_code = 0", true);
	assert_holds("(exit_code = 3 or exit_code = 0) and exit_code = 0", false);
	assert_holds("!(exit_code = 3)", false);
	assert_holds("not not exit_code = 3 && command ~ m*", true);
	assert_holds("exit_code=3&&peak_rss>1||exit_code=0", true);
	assert_holds("NOT(exit_code=0)AND exit_code=3", true);
}

static void assert_refused(const char *text, const char *reason)
{
	cleanup_(strbuf_done) struct strbuf found = STRBUF_INIT;

	assert_null(run_where_parse(text, &found));
	assert_text(&found, reason);
}

static void test_refusals(void **state)
{
	cleanup_(strbuf_done) struct strbuf deep = STRBUF_INIT, found = STRBUF_INIT;

	(void)state;
	assert_refused("", "the name of a field was expected at its end");
	assert_refused("exit_code", "an operator such as = or > was expected at its end");
	assert_refused("exit_code =", "a value was expected at its end");
	assert_refused("exit_code > abc",
	               "a number, with or without a unit, was expected at 'abc'");
	assert_refused("exit_code > 3furlongs",
	               "a number, with or without a unit, was expected at '3furlongs'");
	assert_refused("exit_code = 3 exit_code = 4",
	               "'and' or 'or' was expected at 'exit_code = 4'");
	assert_refused("(exit_code = 3", "')' was expected at its end");
	assert_refused("exit_code = 3 and", "the name of a field was expected at its end");
	assert_refused("command = 'x", "a value was expected at ''x'");
	assert_refused("\x1b = 3", "the name of a field was expected at '\\x1b = 3'");
	for (unsigned i = 0; i < 100; i++)
		strbuf_add_char(&deep, '(');
	assert_null(run_where_parse(strbuf_str(&deep), &found));
	assert_contains(strbuf_str(&found), "too many parentheses");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_tests),
	        cmocka_unit_test(test_missing),
	        cmocka_unit_test(test_order),
	        cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
