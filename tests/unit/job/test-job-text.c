// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/mem.h"
#include "check.h"
#include "job-scene.h"

static void test_answer_comes_first(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(job_scene_done) struct job_scene scene;
	static const char first[] =
	        "make '-j 2': 2.000 s, exit 3\n"
	        "  CPU      3.000 s (user 2.000 s, system 1.000 s), 150.0 % of one CPU (2 CPUs)\n"
	        "  memory   - peak in the cgroup, largest process -\n"
	        "  RSS      3.0 MiB peak, - average of the sum (- samples)\n"
	        "  waited   - for a CPU, - for storage\n";

	(void)state;
	job_scene_init(&scene, 1);
	job_report_text(&scene.report, &text);
	assert_true(text.len > strlen(first));
	assert_memory_equal(text.data, first, strlen(first));
	assert_contains(text.data, "  faults   12,345 minor, - major\n");
	assert_contains(text.data, "  counted  in the cgroup /a/ctprof-run-1-0\n");
	assert_null(strstr(text.data, "  stalled"));
	assert_null(strstr(text.data, "impossible"));
	scene.runs[0].values.impossible[JOB_blkio_delay] = 16;
	strbuf_clear(&text);
	job_report_text(&scene.report, &text);
	assert_contains(text.data,
	                "  left out 16 impossible values of threads (*): blkio_delay 16\n");
	strbuf_clear(&text);
	job_set(&scene.runs[0].values, JOB_processes_stalled, JOB_SOURCE_samples, 1);
	job_report_text(&scene.report, &text);
	assert_contains(text.data, "  stalled  1 process, whose files");
}

static void test_signal_and_left(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(job_scene_done) struct job_scene scene;
	struct job_result *run;

	(void)state;
	job_scene_init(&scene, 1);
	run = &scene.runs[0];
	run->code = 137;
	run->left = mem_calloc(2, sizeof(run->left[0]));
	run->left_count = 2;
	run->left[0] = (struct job_live){.pid = 7, .comm = "sleep"};
	run->left[1] = (struct job_live){.pid = 9, .comm = "a\033[2J"};
	job_report_text(&scene.report, &text);
	assert_contains(text.data, "exit 137 (signal 9: Killed), 2 processes go on\n");
	assert_contains(text.data, "  goes on  7 sleep, 9 a\\x1b[2J\n");
	assert_null(strchr(text.data, '\033'));
}

static void test_long_command(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(job_scene_done) struct job_scene scene;
	char name[300];

	(void)state;
	job_scene_init(&scene, 1);
	memset(name, 'x', sizeof(name));
	free(scene.argv[0]);
	scene.argv[0] = mem_copy(name, sizeof(name));
	job_report_text(&scene.report, &text);
	assert_int_equal(strchr(text.data, '\n') - text.data, 80);
	assert_contains(text.data, "xxx...: 2.000 s, exit 3\n");
}

static void test_repeats(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(job_scene_done) struct job_scene scene;

	(void)state;
	job_scene_init(&scene, 3);
	job_report_repeats(&scene.report, &text);
	assert_contains(text.data, "make '-j 2': 3 runs, 3 failed\n");
	/* 2, 3 and 4: t(0.975, 2) = 4.3027, so 3 ± 4.3027 / sqrt(3) */
	assert_contains(text.data,
	                "  wall_clock_time           3.000 s     1.000 s     0.516 s     "
	                "5.484 s\n");
	/* The same in all runs: no interval. */
	assert_contains(text.data,
	                "  cpu_time                  3.000 s     0.000 s           -     "
	                "      -\n");
	/* Not known of one of them. */
	assert_null(strstr(text.data, "minor_faults"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_answer_comes_first),
	        cmocka_unit_test(test_signal_and_left),
	        cmocka_unit_test(test_long_command),
	        cmocka_unit_test(test_repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
