// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>

#include "base/mem.h"
#include "check.h"
#include "job-scene.h"

static json_t *report_of(size_t count)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(job_scene_done) struct job_scene scene;
	json_t *json;

	job_scene_init(&scene, count);
	scene.runs[0].groups.entries = mem_calloc(1, sizeof(struct job_group));
	scene.runs[0].groups.count = 1;
	scene.runs[0].groups.entries[0] =
	        (struct job_group){.name = "cc\xff", .cpu_time = 1.5, .processes = 2, .threads = 3};
	scene.runs[0].values.impossible[JOB_cpu_time] = count == 1 ? 2 : 0;
	job_report_json(&scene.report, &text);
	assert_int_equal(text.data[text.len - 1], '\n');
	json = json_loads(strbuf_str(&text), 0, NULL);
	assert_non_null(json);
	return json;
}

static json_t *run_of(const json_t *json, size_t i)
{
	return json_array_get(json_object_get(json, "runs"), i);
}

static void test_one_run(void **state)
{
	json_t *json = report_of(1), *values = json_object_get(run_of(json, 0), "values"),
	       *sources = json_object_get(run_of(json, 0), "sources"),
	       *group = json_array_get(json_object_get(run_of(json, 0), "groups"), 0);

	(void)state;
	assert_int_equal(json_object_size(values), JOB_VALUE_COUNT);
	assert_int_equal(json_integer_value(json_object_get(json, "exit_code")), 3);
	assert_string_equal(json_string_value(json_array_get(json_object_get(json, "command"), 1)),
	                    "-j 2");
	assert_float_equal(json_number_value(json_object_get(values, "cpu_time")), 3, 0);
	/* Not known is null, and has no source. */
	assert_true(json_is_null(json_object_get(values, "peak_memory")));
	assert_null(json_object_get(sources, "peak_memory"));
	assert_string_equal(json_string_value(json_object_get(sources, "cpu_time")), "cgroup");
	assert_string_equal(json_string_value(json_object_get(group, "name")), "cc\xef\xbf\xbd");
	assert_null(json_object_get(json, "statistics"));
	assert_int_equal(json_integer_value(json_object_get(
	                         json_object_get(run_of(json, 0), "impossible"), "cpu_time")),
	                 2);
	json_decref(json);
}

static void test_several_runs(void **state)
{
	json_t *json = report_of(2), *statistics = json_object_get(json, "statistics"),
	       *wall = json_object_get(statistics, "wall_clock_time"),
	       *cpu = json_object_get(statistics, "cpu_time");

	(void)state;
	assert_int_equal(json_array_size(json_object_get(json, "runs")), 2);
	assert_float_equal(json_number_value(json_object_get(wall, "mean")), 2.5, 1e-9);
	assert_float_equal(json_number_value(json_object_get(wall, "max")), 3, 0);
	assert_true(json_is_null(json_object_get(cpu, "low")));
	assert_null(json_object_get(statistics, "minor_faults"));
	assert_null(json_object_get(statistics, "exit_code"));
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_one_run),
	        cmocka_unit_test(test_several_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
