// SPDX-License-Identifier: GPL-2.0-or-later
#include "series/job-info.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "check.h"

static int read_text(struct job_info *info, const char *text, const char *reason)
{
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;
	int r = job_info_read(info, text, strlen(text), &error);

	assert_string_equal(strbuf_str(&error), reason);
	return r;
}

static void test_fields(void **state)
{
	cleanup_(job_info_done) struct job_info info = {0};

	(void)state;
	assert_int_equal(
	        read_text(
	                &info,
	                "{\"command\": \"a b\", \"schema_version\": \"0.2.3\", \"system\": "
	                "{\"uid\": 0}, \"env\": {\"SLURM_JOB_ID\": \"7\"}, \"gpu\": [{\"a\": 1}], "
	                "\"execution_summary\": {\"command\": \"a b\", \"exit_code\": 3, "
	                "\"peak_rss\": null, \"wall_clock_time\": 0.1, \"ok\": true}, "
	                "\"zz\": {\"command\": \"hides\", \"x\": {\"y\": NaN}}}",
	                ""),
	        0);
	/* Objects of others do not hide con-duct's fields. */
	assert_string_equal(job_info_text(&info, "command"), "a b");
	assert_string_equal(job_info_text(&info, "SLURM_JOB_ID"), "7");
	assert_true(job_info_number(&info, "exit_code") == 3);
	assert_true(job_info_number(&info, "uid") == 0);
	assert_true(isnan(job_info_number(&info, "peak_rss")));
	assert_true(isnan(job_info_number(&info, "command")));
	assert_null(job_info_text(&info, "exit_code"));
	assert_null(job_info_find(&info, "nothing"));
	assert_int_equal(job_info_find(&info, "peak_rss")->kind, JOB_FIELD_NULL);
	assert_int_equal(job_info_find(&info, "y")->kind, JOB_FIELD_NULL);
	assert_string_equal(job_info_find(&info, "gpu")->text, "[{\"a\":1}]");
	assert_string_equal(job_info_find(&info, "wall_clock_time")->text, "0.1");
	assert_string_equal(job_info_find(&info, "ok")->text, "true");
	job_info_set_number(&info, "exit_code", 4, true);
	assert_string_equal(job_info_find(&info, "exit_code")->text, "4");
	job_info_set_number(&info, "exit_code", NAN, true);
	assert_string_equal(job_info_find(&info, "exit_code")->text, "4");
}

static void test_outcomes(void **state)
{
	cleanup_(job_info_done) struct job_info info = {0};
	cleanup_(strbuf_done) struct strbuf deep = STRBUF_INIT;
	static const char *const versions[] = {"null",          "2",          "\"0.2\"",
	                                       "\"0.2.3-rc1\"", "\"\"",       "\"0.2.3.4\"",
	                                       "\"0.2.\"",      "\"-1.2.3\"", "\"0.2.1000\""};

	(void)state;
	assert_int_equal(read_text(&info, "", ""), JOB_INFO_EMPTY);
	assert_int_equal(read_text(&info, " \n", ""), JOB_INFO_EMPTY);
	assert_int_equal(read_text(&info, "{\"schema_version\": \"0.1.9\"}", ""), JOB_INFO_OLD);
	assert_int_equal(read_text(&info, "{\"schema_version\": \"9.9.9\"}", ""), 0);
	assert_int_equal(read_text(&info, "{\"schema_version\": \"0.2.0\"}", ""), 0);
	assert_int_equal(read_text(&info, "{}", "it has no schema_version"), -EBADMSG);
	assert_int_equal(read_text(&info, "[]", "it is no JSON object"), -EBADMSG);
	assert_int_equal(read_text(&info, "{\"a", "the text ends too early"), -EBADMSG);
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		char text[64];

		snprintf(text, sizeof(text), "{\"schema_version\": %s}", versions[i]);
		assert_int_equal(read_text(&info, text,
		                           "its schema_version is not three numbers such as 0.2.3"),
		                 -EBADMSG);
	}
	strbuf_add_str(&deep, "{\"schema_version\": \"0.2.3\"");
	for (unsigned i = 0; i < 100; i++)
		strbuf_add_str(&deep, ", \"a\": {\"b\": 1");
	for (unsigned i = 0; i < 101; i++)
		strbuf_add_char(&deep, '}');
	assert_int_equal(
	        read_text(&info, strbuf_str(&deep), "objects are more than 32 inside one another"),
	        -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_fields),
	        cmocka_unit_test(test_outcomes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
