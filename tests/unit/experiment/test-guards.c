// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "experiment/guards.h"

static struct plan plan;
static struct snapshot_info info;

static void set_host(enum host_field field, uint64_t number)
{
	info.host.seen[field] = true;
	info.host.numbers[field] = number;
}

static int setup(void **state)
{
	(void)state;
	experiment_plan_init(&plan, NULL);
	info = (struct snapshot_info){0};
	set_host(HOST_user_clock_ticks, 300);
	set_host(HOST_idle_clock_ticks, 690);
	set_host(HOST_steal_clock_ticks, 10);
	set_host(HOST_pressure_interval_ns, 10 * UINT64_C(1000000000));
	info.psi.lines[PSI_io][PSI_ROW_some] =
	        (struct psi_line){.seen = true, .total_usec = 2500000};
	info.window.exits = WINDOW_EXITS_recorded;
	window_set(&info.window, WINDOW_threads_lost, 2);
	window_set(&info.window, WINDOW_threads_missed, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	experiment_plan_done(&plan);
	return 0;
}

static void assert_answer(const char *guard, enum guard_answer answer, const char *phrase)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct guard_values values;

	memset(plan.guards, 0, sizeof(plan.guards));
	assert_int_equal(plan_set(&plan, "guard", guard, &reason), 0);
	guard_values_of(&info, &values);
	assert_int_equal(guard_judge(&plan, &values, &reason), answer);
	assert_string_equal(strbuf_str(&reason), phrase);
}

static void test_limits(void **state)
{
	(void)state;
	assert_answer("steal<1.1%", GUARD_HOLDS, "");
	assert_answer("steal<=1%", GUARD_HOLDS, "");
	assert_answer("steal<1%", GUARD_BROKEN, "the guard steal<1% does not hold: 1%");
	assert_answer("psi_io<26%", GUARD_HOLDS, "");
	assert_answer("psi_io<25%", GUARD_BROKEN, "the guard psi_io<25% does not hold: 25%");
	assert_answer("lost=0", GUARD_BROKEN, "the guard lost<=0 does not hold: 3");
	assert_answer("lost<4", GUARD_HOLDS, "");
	assert_answer("steal<50%, lost=3", GUARD_HOLDS, "");
	assert_answer("steal<50%, lost=2", GUARD_BROKEN, "the guard lost<=2 does not hold: 3");
}

/* A value that is not known does not hold, and is no disturbance either. */
static void test_unknown(void **state)
{
	(void)state;
	assert_answer("psi_memory<5%", GUARD_UNKNOWN,
	              "the guard psi_memory has no value on this host");
	info.window.exits = WINDOW_EXITS_denied;
	assert_answer("lost=0", GUARD_UNKNOWN, "the guard lost has no value on this host");
	info.host.seen[HOST_steal_clock_ticks] = false;
	assert_answer("steal<5%", GUARD_UNKNOWN, "the guard steal has no value on this host");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
