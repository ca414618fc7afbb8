// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <math.h>

#include "base/mem.h"
#include "effect/trial.h"
#include "trials.h"

#define UNIT(file_, arm_, block_, state_, more_)                                                \
	"{\"file\":\"" file_ "\",\"arm\":\"" arm_ "\",\"block\":" block_                        \
	",\"position\":0,\"session\":1,\"boot_id\":\"x\",\"state\":\"" state_ "\",\"start\":5," \
	"\"length_ns\":7" more_ ",\"outcomes\":{\"wall_time_ns\":1.5}}"
#define HEAD                                                                                     \
	"{\"ctprof_experiment\":1,\"name\":\"n\",\"state\":\"complete\",\"order\":\"abba\","     \
	"\"seed\":9,\"settle_ns\":3,\"plan\":{\"blocks\":1,\"margin\":0.03,\"min_effect\":0.01," \
	"\"primary\":[\"work\"],\"control\":[],\"guard\":[\"steal<2%\"]},\"arms\":[{\"name\":"   \
	"\"A\",\"lines\":[\"sysctl a = 1\"]},{\"name\":\"B\",\"lines\":[]}],\"sessions\":["      \
	"{\"session\":1,\"boot_id\":\"x\",\"host\":\"h\",\"start\":1}],\"units\":["

static struct trial trial;
static struct strbuf error;

static int teardown(void **state)
{
	(void)state;
	trial_done(&trial);
	strbuf_done(&error);
	return 0;
}

static int read_text(const char *text)
{
	cleanup_(strbuf_done) struct strbuf json = STRBUF_INIT;

	strbuf_add_str(&json, text);
	strbuf_clear(&error);
	return trial_read(&trial, "dir", &json, &error);
}

static const char good[] = HEAD UNIT("unit-1.zst", "A", "0", "discarded", "") "," UNIT(
        "unit-2.zst", "B", "1", "void",
        ",\"reason\":\"steal\"") "," UNIT("unit-3.zst", "B", "1", "done",
                                          "") "," UNIT("unit-4.zst", "A", "1", "done", "") "]}";

static void test_good(void **state)
{
	(void)state;
	assert_int_equal(read_text(good), 0);
	trial_find_blocks(&trial);
	assert_int_equal(trial.unit_count, 2);
	assert_string_equal(trial.units[0].path, "dir/unit-3.zst");
	assert_int_equal(trial.units[0].arm, 1);
	assert_int_equal(trial.units[0].start_unix_ns, 5);
	assert_int_equal(trial.units[0].outcome_count, 1);
	assert_int_equal(trial.discarded, 1);
	assert_int_equal(trial.voided, 1);
	assert_string_equal(trial.void_reasons.entries[0], "session 1, block 1: steal");
	assert_int_equal(trial.block_count, 1);
	assert_string_equal(trial.primaries.entries[0], "work");
	assert_string_equal(trial.arms[0].lines[0], "sysctl a = 1");
	assert_near(trial.margin, .03, 1e-12);
	assert_int_equal(trial.seed, 9);
	/* The same directory again would count twice. */
	assert_int_equal(read_text(good), -EBADMSG);
	assert_contains(strbuf_str(&error), "units, which were read before");
}

/* Reads the text with another @start or @boot. */
static void read_changed(const char *start, const char *boot, int expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	for (const char *at = good; *at;) {
		if (strncmp(at, "\"start\":5", 9) == 0) {
			strbuf_addf(&text, "\"start\":%s", start);
			at += 9;
		} else if (strncmp(at, "\"boot_id\":\"x\"", 13) == 0) {
			strbuf_addf(&text, "\"boot_id\":\"%s\"", boot);
			at += 13;
		} else {
			strbuf_add_char(&text, *at++);
		}
	}
	assert_int_equal(read_text(strbuf_str(&text)), expected);
}

/* Two experiments in one boot are one session with more blocks; another boot is another session. */
static void test_directories(void **state)
{
	(void)state;
	read_changed("5", "x", 0);
	read_changed("6", "x", 0);
	read_changed("6", "y", 0);
	assert_int_equal(trial.primaries.count, 1);
	assert_int_equal(trial.units[0].session, 0);
	assert_int_equal(trial.units[2].session, 0);
	assert_int_equal(trial.units[4].session, 2);
	trial_find_blocks(&trial);
	assert_int_equal(trial.block_count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(trial.blocks[i].count, 2);
	assert_int_equal(trial.blocks[0].session, trial.blocks[1].session);
	assert_int_not_equal(trial.blocks[1].session, trial.blocks[2].session);
	free(trial.arms[0].lines[0]);
	trial.arms[0].lines[0] = mem_copy("sysctl a = 2", 12);
	read_changed("7", "z", -EBADMSG);
	assert_contains(strbuf_str(&error), "arms, which are not those of the first directory");
}

/* The units are in the order of time, whatever the clock was when they began. */
static void test_clock_set_back(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char *start;

	(void)state;
	strbuf_add_str(&text, good);
	start = strstr(strstr(text.data, "unit-3.zst"), "\"start\":5");
	start[strlen("\"start\":")] = '6';
	assert_int_equal(read_text(strbuf_str(&text)), 0);
	trial_find_blocks(&trial);
	assert_int_equal(trial.units[0].start_unix_ns, 6);
	assert_string_equal(trial.units[0].path, "dir/unit-3.zst");
	assert_string_equal(trial.units[1].path, "dir/unit-4.zst");
}

static void check_refused(const char *text, const char *what)
{
	cleanup_(strbuf_done) struct strbuf sentence = STRBUF_INIT;

	trial_done(&trial);
	assert_int_equal(read_text(text), -EBADMSG);
	strbuf_addf(&sentence,
	            "dir/experiment.json: this is no experiment that ctprof ab wrote: %s", what);
	assert_text(&error, strbuf_str(&sentence));
}

static void test_refused(void **state)
{
	(void)state;
	check_refused("", "JSON");
	check_refused("[]", "JSON");
	check_refused("{}", "version");
	check_refused("{\"ctprof_experiment\":2}", "version");
	check_refused("{\"ctprof_experiment\":1,\"arms\":[{\"name\":\"A\"}]}", "arms");
	check_refused("{\"ctprof_experiment\":1,\"arms\":[{\"name\":\"A\"},{\"name\":\"A\"}]}",
	              "arms");
	check_refused("{\"ctprof_experiment\":1,\"arms\":[{\"name\":\"A\"},{\"name\":\"B\"}]}",
	              "plan");
	/* Files lie in the directory. */
	check_refused(HEAD UNIT("../unit.zst", "A", "1", "done", "") "]}", "units");
	check_refused(HEAD UNIT("/etc/passwd", "A", "1", "done", "") "]}", "units");
	check_refused(HEAD UNIT(".", "A", "1", "done", "") "]}", "units");
	check_refused(HEAD UNIT("u", "C", "1", "done", "") "]}", "units");
	check_refused(HEAD UNIT("u", "A", "-1", "done", "") "]}", "units");
	check_refused(HEAD UNIT("u", "A", "99999999999", "done", "") "]}", "units");
}

/* Each block that was given up is kept, so that there is a bound. A loop over all of them for each one would take seconds here. */
static void test_many_voids(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	strbuf_add_str(&text, HEAD);
	for (unsigned i = 0; i <= TRIAL_UNITS_MAX; i++)
		strbuf_addf(&text,
		            "%s{\"arm\":\"A\",\"block\":%u,\"session\":1,\"state\":\"void\","
		            "\"reason\":\"x\"}",
		            i > 0 ? "," : "", i);
	strbuf_add_str(&text, "]}");
	check_refused(strbuf_str(&text), "units");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_teardown(test_good, teardown),
	        cmocka_unit_test_teardown(test_directories, teardown),
	        cmocka_unit_test_teardown(test_clock_set_back, teardown),
	        cmocka_unit_test_teardown(test_refused, teardown),
	        cmocka_unit_test_teardown(test_many_voids, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
