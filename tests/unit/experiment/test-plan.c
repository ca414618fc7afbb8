// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "experiment/plan.h"

static struct plan plan;

static int setup(void **state)
{
	(void)state;
	experiment_plan_init(&plan, "/cg");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	experiment_plan_done(&plan);
	return 0;
}

static void parse(const char *text)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	char *copy = exact_copy(text, strlen(text));
	int r = plan_parse(&plan, copy, strlen(text), &reason);

	free(copy);
	if (r < 0)
		fail_msg("%s", strbuf_str(&reason));
	if (plan_check(&plan, &reason) < 0)
		fail_msg("%s", strbuf_str(&reason));
}

static void assert_refused(const char *text, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	char *copy = exact_copy(text, strlen(text));
	int r;

	experiment_plan_done(&plan);
	experiment_plan_init(&plan, "/cg");
	r = plan_parse(&plan, copy, strlen(text), &reason);
	free(copy);
	if (r == 0)
		r = plan_check(&plan, &reason);
	assert_string_equal(strbuf_str(&reason), expected);
	assert_int_equal(r, -EINVAL);
}

static const char whole[] = "# a comment\n"
                            "[experiment]\n"
                            "name = rt throttling\n"
                            "workload = stress --cpu 2 | tail\n"
                            "  unit =  window 1.5s \r\n"
                            "blocks = 20\n"
                            "order = sequential\n"
                            "seed = 9007199254740991\n"
                            "settle = 250ms\n"
                            "before-each = sync # no comment\n"
                            "primary = wait_time_ns@pcomm:nginx, work\n"
                            "primary = run_time_ns@comm:a:b\n"
                            "control = run_time_ns@pcomm:sshd\n"
                            "margin = 2.5%\n"
                            "min-effect = 0%\n"
                            "guard = steal<2%, psi_io < 20.25%,lost=0\n"
                            "outcome = ^rate: ([0-9.]+)\n"
                            "outcome p99 = p99=([0-9]+)us\n"
                            "\n"
                            "[arm off]\n"
                            "sysctl kernel.sched_rt_runtime_us = -1\n"
                            "write /sys/a/b = x = y\n"
                            "write /sys/a/c on off\n"
                            "write /sys/a/d=e\n"
                            "cgroup a/b cpu.max = 50000 100000\n"
                            "env A=b=c\n"
                            "env EMPTY =\n"
                            "exec renice -n 5 -p 1 undo renice -n 0 -p 1\n"
                            "daemon scx_rusty --x\n"
                            "cgroup /c/b cpu.max = max\n"
                            "cgroup / cpu.pressure = 1\n"
                            "[ arm on it ]\n";

static void assert_knob(size_t i, enum knob_kind kind, const char *place, const char *value)
{
	const struct knob *knob = &plan.arms[0].knobs.entries[i];

	assert_int_equal(knob->kind, kind);
	if (place)
		assert_string_equal(kind == KNOB_ENV ? knob->name : knob->path, place);
	assert_string_equal(knob->value, value);
}

static void check_whole(void)
{
	assert_string_equal(plan.name, "rt throttling");
	assert_string_equal(plan.workload, "stress --cpu 2 | tail");
	assert_int_equal(plan.unit, PLAN_UNIT_WINDOW);
	assert_int_equal(plan.window_ns, 1500 * NS_PER_MS);
	assert_int_equal(plan.blocks, 20);
	assert_int_equal(plan.order, PLAN_ORDER_SEQUENTIAL);
	assert_true(plan.has_seed);
	assert_int_equal(plan.seed, 9007199254740991);
	assert_int_equal(plan.settle_ns, 250 * NS_PER_MS);
	assert_string_equal(plan.before_each, "sync # no comment");
	assert_int_equal(plan.primaries.count, 3);
	assert_string_equal(plan.primaries.entries[0], "wait_time_ns@pcomm:nginx");
	assert_string_equal(plan.primaries.entries[1], "work");
	assert_string_equal(plan.primaries.entries[2], "run_time_ns@comm:a:b");
	assert_int_equal(plan.controls.count, 1);
	assert_true(fabs(plan.margin - .025) <= 1e-15);
	assert_true(fabs(plan.min_effect - 0) <= 0);
	assert_true(plan.guards[PLAN_GUARD_STEAL].given);
	assert_false(plan.guards[PLAN_GUARD_STEAL].inclusive);
	assert_true(fabs(plan.guards[PLAN_GUARD_STEAL].limit - .02) <= 1e-15);
	assert_true(fabs(plan.guards[PLAN_GUARD_PSI_IO].limit - .2025) <= 1e-15);
	assert_true(plan.guards[PLAN_GUARD_LOST].inclusive);
	assert_true(fabs(plan.guards[PLAN_GUARD_LOST].limit - 0) <= 0);
	assert_false(plan.guards[PLAN_GUARD_PSI_CPU].given);
	assert_int_equal(plan.outcome_count, 2);
	assert_string_equal(plan.outcomes[0].name, "outcome");
	assert_string_equal(plan.outcomes[0].regex, "^rate: ([0-9.]+)");
	assert_string_equal(plan.outcomes[1].name, "p99");
	assert_string_equal(plan.outcomes[1].regex, "p99=([0-9]+)us");
	assert_int_equal(plan.arm_count, 2);
	assert_string_equal(plan.arms[0].name, "off");
	assert_string_equal(plan.arms[1].name, "on it");
	assert_int_equal(plan.arms[0].knobs.count, 11);
	assert_int_equal(plan.arms[1].knobs.count, 0);
	assert_knob(0, KNOB_SYSCTL, "/proc/sys/kernel/sched_rt_runtime_us", "-1");
	assert_knob(1, KNOB_WRITE, "/sys/a/b", "x = y");
	assert_knob(2, KNOB_WRITE, "/sys/a/c", "on off");
	assert_knob(3, KNOB_WRITE, "/sys/a/d", "e");
	assert_knob(4, KNOB_WRITE, "/cg/a/b/cpu.max", "50000 100000");
	assert_knob(5, KNOB_ENV, "A", "b=c");
	assert_knob(6, KNOB_ENV, "EMPTY", "");
	assert_knob(7, KNOB_EXEC, NULL, "renice -n 5 -p 1");
	assert_string_equal(plan.arms[0].knobs.entries[7].undo, "renice -n 0 -p 1");
	assert_knob(8, KNOB_DAEMON, NULL, "scx_rusty --x");
	assert_knob(9, KNOB_WRITE, "/cg/c/b/cpu.max", "max");
	assert_knob(10, KNOB_WRITE, "/cg/cpu.pressure", "1");
}

static void test_whole_file(void **state)
{
	(void)state;
	parse(whole);
	check_whole();
}

/* Not every order and unit can have it, so that it is no part of the whole. */
static void test_until(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	parse("[experiment]\nuntil = mde=2.5%\nprimary = a@pcomm:b\n[arm A]\n[arm B]\n"
	      "sysctl a.b = 1\n");
	plan_add_text(&plan, &text);
	experiment_plan_done(&plan);
	experiment_plan_init(&plan, "/cg");
	assert_true(fabs(plan.until - 0) <= 0);
	parse(strbuf_str(&text));
	assert_true(fabs(plan.until - .025) <= 1e-15);
}

/* The text of a plan is the plan: an experiment is resumed by it. */
static void test_text(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, again = STRBUF_INIT;

	(void)state;
	parse(whole);
	plan_add_text(&plan, &text);
	experiment_plan_done(&plan);
	experiment_plan_init(&plan, "/cg");
	parse(strbuf_str(&text));
	check_whole();
	plan_add_text(&plan, &again);
	assert_string_equal(strbuf_str(&again), strbuf_str(&text));
}

static void test_defaults(void **state)
{
	(void)state;
	parse("[arm A]\n[arm B]\nsysctl vm.swappiness=1");
	assert_null(plan.name);
	assert_null(plan.workload);
	assert_int_equal(plan.unit, PLAN_UNIT_WINDOW);
	assert_int_equal(plan.window_ns, 10 * NS_PER_SECOND);
	assert_int_equal(plan.blocks, 12);
	assert_int_equal(plan.order, PLAN_ORDER_ABBA);
	assert_false(plan.has_seed);
	assert_int_equal(plan.settle_ns, 10 * NS_PER_SECOND);
	assert_true(fabs(plan.margin - .02) <= 1e-15);
	assert_true(fabs(plan.min_effect - .01) <= 1e-15);
	assert_false(plan_has(&plan, "unit"));
}

/* Options overrule the file; lists are added to. */
static void test_options(void **state)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	(void)state;
	parse(whole);
	assert_int_equal(plan_set(&plan, "blocks", "3", &reason), 0);
	assert_int_equal(plan_set(&plan, "unit", "run", &reason), 0);
	assert_int_equal(plan_set(&plan, "primary", "x@pcomm:y", &reason), 0);
	assert_int_equal(plan.blocks, 3);
	assert_int_equal(plan.unit, PLAN_UNIT_RUN);
	assert_int_equal(plan.primaries.count, 4);
	assert_true(plan_has(&plan, "unit"));
}

#define ARMS "[arm A]\n[arm B]\nsysctl a.b=1\n"

static void test_refused_lines(void **state)
{
	(void)state;
	/* The record has the plan that was run. */
	assert_refused("[experiment]\nworkload = a\xff\n", "line 2: workload: it is no UTF-8");
	assert_refused("[arm A]\nwrite /a\xff = 1\n", "line 2: it is no UTF-8");
	assert_refused("x = y\n", "line 1: a line stands in [experiment] or in [arm NAME]");
	assert_refused("\n[experiment\n", "line 2: the name of a section ends with ]");
	assert_refused("[arms A]\n", "line 1: a section is [experiment] or [arm NAME]");
	assert_refused("[arm]\n", "line 1: the name of an arm is empty");
	assert_refused("[arm A]\n[arm A]\n", "line 2: the arm A has a section already");
	assert_refused("[experiment]\nx\n", "line 2: the form is: KEY = VALUE");
	assert_refused("[experiment]\nfoo = 1\n", "line 2: 'foo' is no key of an experiment");
	assert_refused("[experiment]\nblocks = 2\n# \nblocks = 3\n",
	               "line 4: blocks is there twice");
	assert_refused("[experiment]\nblocks = 1\n",
	               "line 2: blocks: '1' is not a number of blocks, from 2 to 1000");
	assert_refused("[experiment]\nunit = run 3\n",
	               "line 2: unit: 'run 3' is not a time such as 10s, and not 'run'");
	assert_refused("[experiment]\nunit = window 0\n",
	               "line 2: unit: '0' is not the length of a window");
	assert_refused("[experiment]\nunit = window 200h\n",
	               "line 2: unit: '200h' is longer than a week");
	assert_refused("[experiment]\nsettle = 25h\n",
	               "line 2: settle: '25h' is longer than a day");
	assert_refused("[experiment]\nseed = -1\n",
	               "line 2: seed: '-1' is not a seed: auto, or a number below 2^53");
	assert_refused("[experiment]\norder = aabb\n",
	               "line 2: order: 'aabb' is not an order: abba, sequential");
	assert_refused("[experiment]\nuntil = 2%\n",
	               "line 2: until: '2%' is not a detectable effect such as mde=2%");
	assert_refused("[experiment]\nuntil = mde=2\n",
	               "line 2: until: '2' is not a percentage such as 2%");
	assert_refused("[experiment]\nuntil = mde=2%\n[arm A]\n[arm B]\nsysctl a.b = 1\n",
	               "until needs a primary, or an outcome");
	assert_refused("[experiment]\nuntil = mde = 2%\nprimary = a@pcomm:b\norder = sequential\n"
	               "[arm A]\n[arm B]\nsysctl a.b = 1\n",
	               "until is for tossed blocks");
	assert_refused("[experiment]\nmargin = 2\n",
	               "line 2: margin: '2' is not a percentage such as 2%");
	assert_refused("[experiment]\nmargin = 0%\n",
	               "line 2: margin: '0%' is not a margin: nothing is that much the same");
	assert_refused("[experiment]\nguard = steal>2%\n",
	               "line 2: guard: 'steal>2%' is not a guard such as steal<2%, psi_cpu<50%, "
	               "psi_io<20%, psi_memory<5% or lost=0");
	assert_refused("[experiment]\nguard = lost<x\n",
	               "line 2: guard: 'x' is not a number of threads");
	assert_refused("[experiment]\nprimary = a@pcomm\n",
	               "line 2: primary: 'a@pcomm' is not a row: METRIC@KEY:GROUP, such as "
	               "wait_time_ns@pcomm:nginx, or an outcome");
	assert_refused("[experiment]\nprimary = a,b,c,d,e,f\n",
	               "line 2: primary: there are more than 5 rows");
	assert_refused("[experiment]\nprimary = a,a\n",
	               "line 2: primary: 'a' is not another row: it is there already");
	assert_refused("[experiment]\noutcome work = x\n",
	               "line 2: 'work' is not the name of an outcome");
	assert_refused(
	        "[experiment]\noutcome = \\\\(a*)\\1\n",
	        "line 2: outcome: '\\\\(a*)\\1' is not a regular expression: it refers back to a "
	        "group");
	assert_refused("[experiment]\noutcome = (\n",
	               "line 2: outcome: '(' is not a regular expression: Unmatched ( or \\(");
	assert_refused("[arm A]\nfoo\n",
	               "line 2: 'foo' is no setting: sysctl, write, cgroup, env, exec, daemon");
	assert_refused("[arm A]\nsysctl a.b\n", "line 2: the form is: sysctl NAME = VALUE");
	assert_refused("[arm A]\nexec a undoing b\n",
	               "line 2: the form is: exec COMMAND undo COMMAND");
	assert_refused("[arm A]\ncgroup a b/c = 1\n",
	               "line 2: the name of a cgroup's file has no slash");
	assert_refused("[arm A]\nsysctl a.b = 1\nwrite /proc/sys/a/b 2\n",
	               "line 3: the arm A has /proc/sys/a/b twice");
	assert_refused("[arm A]\nenv B = 1\nenv B = 2\n", "line 3: the arm A has B twice");
	assert_refused("[arm A]\ndaemon\n", "line 2: the form is: daemon COMMAND");
}

static void test_refused_plans(void **state)
{
	(void)state;
	assert_refused("[arm A]\n", "an experiment has two arms or more");
	assert_refused("[arm A]\n[arm B]\n", "line 2: the arms A and B are equal");
	assert_refused("[arm A]\nsysctl a.b=1\nenv X=1\n[arm B]\n env X = 1\nsysctl a/b = 1\n",
	               "line 4: the arms A and B are equal");
	assert_refused("[arm A]\nsysctl a.b=1\n[arm B]\nwrite /proc/sys/a/b=1\n",
	               "line 3: the arms A and B are equal");
	assert_refused("[experiment]\nunit = run\n" ARMS, "a unit that is a run needs a workload");
	assert_refused("[arm A]\nenv X=1\n[arm B]\n",
	               "env is for the environment of a workload, and there is none");
	assert_refused("[experiment]\noutcome = x\n" ARMS,
	               "an outcome is what a workload prints, and there is none");
}

static void test_nul(void **state)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	(void)state;
	assert_int_equal(plan_parse(&plan, "[arm A]\nenv A=\0b\n", 17, &reason), -EINVAL);
	assert_string_equal(strbuf_str(&reason), "line 2: there is a NUL in it");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_whole_file, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_text, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_until, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_defaults, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_options, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_refused_lines, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_refused_plans, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_nul, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
