// SPDX-License-Identifier: GPL-2.0-or-later
#include "runs/runs.h"

#include <math.h>

#include "check.h"

static void add_run(struct runs *runs, const char *prefix, const char *name, double number,
                    const char *text)
{
	cleanup_(job_info_done) struct job_info info = {0};

	job_info_set_number(&info, name, number, false);
	if (text)
		job_info_set_text(&info, name, text);
	runs_add(runs, &info, prefix, strlen(prefix));
}

static void assert_order(const struct runs *runs, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < runs->count; i++)
		strbuf_addf(&text, "%s ", job_info_text(&runs->entries[i], "prefix"));
	assert_text(&text, expected);
}

static void test_sort(void **state)
{
	char rss[] = "peak_rss", prefix[] = "prefix";
	const struct run_order by_rss[] = {{rss, false}, {NULL, false}};
	const struct run_order by_rss_down[] = {{rss, true}, {NULL, false}};
	const struct run_order by_prefix[] = {{prefix, false}, {NULL, false}};
	cleanup_(runs_done) struct runs runs = {0};

	(void)state;
	add_run(&runs, "text", "peak_rss", NAN, "8 MB");
	add_run(&runs, "none", "peak_rss", NAN, NULL);
	add_run(&runs, "run10", "peak_rss", 5, NULL);
	add_run(&runs, "run9", "peak_rss", 5, NULL);
	add_run(&runs, "small", "peak_rss", 1, NULL);
	add_run(&runs, "empty", "peak_rss", NAN, "");
	runs_sort(&runs, by_rss);
	assert_order(&runs, "small run9 run10 text empty none ");
	runs_reverse(&runs);
	assert_order(&runs, "none empty text run10 run9 small ");
	runs_sort(&runs, by_rss_down);
	assert_order(&runs, "text run9 run10 small empty none ");
	runs_sort(&runs, by_prefix);
	assert_order(&runs, "empty none run9 run10 small text ");
	assert_true(runs_have(&runs, "peak_rss"));
	assert_false(runs_have(&runs, "peak_vsz"));
}

static void test_totals(void **state)
{
	cleanup_(runs_done) struct runs runs = {0};
	struct run_total total;

	(void)state;
	add_run(&runs, "a", "exit_code", 0, NULL);
	add_run(&runs, "b", "exit_code", 4, NULL);
	add_run(&runs, "c", "wall_clock_time", 2, NULL);
	total = runs_total(&runs, "exit_code");
	assert_int_equal(total.seen, 2);
	assert_true(total.sum == 4 && total.mean == 2 && total.max == 4);
	assert_int_equal(runs_failed(&runs), 1);
	total = runs_total(&runs, "peak_rss");
	assert_int_equal(total.seen, 0);
	assert_true(isnan(total.max) && isnan(total.mean));
}

static void assert_number(enum run_form form, double number, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	run_add_number(form, number, &text);
	assert_text(&text, expected);
}

/* The texts are those of con-duct 0.23. */
static void test_forms(void **state)
{
	const struct job_field null = {.kind = JOB_FIELD_NULL, .text = (char[]){""}};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	assert_number(RUN_FORM_bytes, 0, "0 Bytes");
	assert_number(RUN_FORM_bytes, 1, "1 Byte");
	assert_number(RUN_FORM_bytes, 999.9, "999 Bytes");
	assert_number(RUN_FORM_bytes, 1000, "1.0 kB");
	assert_number(RUN_FORM_bytes, 999999, "1000.0 kB");
	assert_number(RUN_FORM_bytes, 229076992, "229.1 MB");
	assert_number(RUN_FORM_seconds, 6.15315, "6.153 sec");
	assert_number(RUN_FORM_percent, 64.2, "64.20%");
	assert_number(RUN_FORM_moment, 1795342222.5503, "1795342222.55");
	run_add_value(run_field_find("wall_clock_time"), &null, &text);
	run_add_value(run_field_find("peak_pcpu"), &null, &text);
	run_add_value(run_field_find("peak_rss"), &null, &text);
	assert_text(&text, "- sec-%-");
}

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; run_field_names[i]; i++)
		assert_ptr_equal(run_field_find(run_field_names[i]), &run_fields[i]);
	assert_null(run_field_find("nothing"));
	assert_int_equal(run_field_find("ctprof_cpu_time")->form, RUN_FORM_seconds);
	assert_int_equal(run_field_find("ctprof_peak_memory")->form, RUN_FORM_bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_sort),
	        cmocka_unit_test(test_totals),
	        cmocka_unit_test(test_forms),
	        cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
