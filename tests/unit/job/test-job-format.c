// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-format.h"

#include "base/mem.h"
#include "check.h"
#include "job-scene.h"

static void assert_format(const char *template, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, reason = STRBUF_INIT;
	cleanup_(job_scene_done) struct job_scene scene;

	job_scene_init(&scene, 1);
	assert_int_equal(job_format_check(template, &reason), 0);
	job_format_add(template, &scene.report, &text);
	assert_text(&text, expected);
}

static void test_fields(void **state)
{
	(void)state;
	assert_format("", "");
	assert_format("plain", "plain");
	assert_format("{{{exit_code}}}", "{3}");
	assert_format("{cpu_time} {wall_clock_time}", "3.0 2.0");
	assert_format("{command} in {working_directory}", "make '-j 2' in /home/x");
	assert_format("{container} {cgroup}", "cgroup /a/ctprof-run-1-0");
	/* A number that is not known is a dash, in every form. */
	assert_format("{peak_memory} {peak_memory!S} {peak_memory:.2f}", "- - -");
}

static void test_conversions(void **state)
{
	(void)state;
	assert_format("{peak_rss!S}", "3.1 MB");
	assert_format("{minor_faults!S} {cpus!S}", "12.3 kB 2 Bytes");
	assert_format("{wall_clock_time!T}", "2.00s");
	assert_format("{minor_faults!T}", "3h 25m 45.0s");
	assert_format("{average_pcpu!P}", "150.00%");
	assert_format("{exit_code!E} {exit_code!N} {exit_code!X}", "3 3 3");
}

static void test_specs(void **state)
{
	(void)state;
	assert_format("{cpu_time:.3f}", "3.000");
	assert_format("{cpu_time:.2f!N}", "3.00");
	assert_format("{minor_faults:d}", "12345");
	assert_format("{minor_faults:.1e}", "1.2e+04");
	assert_format("[{cpus:5}] [{cpus:<5}]", "[    2] [2    ]");
	assert_format("[{container:8}] [{container:>8}]", "[cgroup  ] [  cgroup]");
}

static void assert_refused(const char *template, const char *part)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	assert_true(job_format_check(template, &reason) < 0);
	assert_contains(strbuf_str(&reason), part);
}

static void test_refused(void **state)
{
	(void)state;
	assert_refused("{", "'{' stands alone");
	assert_refused("a}b", "'}' stands alone");
	assert_refused("{}", "no field ''");
	assert_refused("{cpu_tim}", "no field 'cpu_tim'");
	assert_refused("{cpu_time!Q}", "no conversion as in 'cpu_time!Q'");
	assert_refused("{cpu_time:.f}", "no format");
	assert_refused("{cpu_time:x}", "no format");
	assert_refused("{command:d}", "no format");
	assert_refused("{cpu_time:99999}", "no format");
	/* Names of others do not reach the terminal as they are. */
	assert_refused("{\033[31m}", "\\x1b[31m");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_fields),
	        cmocka_unit_test(test_conversions),
	        cmocka_unit_test(test_specs),
	        cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
