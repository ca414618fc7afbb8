// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <math.h>

#include "effect/gate.h"
#include "trials.h"

static void check_condition(const char *text, enum gate_sign sign, double percent)
{
	cleanup_(gate_done) struct gate gate = {0};
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;

	assert_int_equal(gate_parse_condition(&gate, text, &error), 0);
	assert_int_equal(gate.sign, sign);
	assert_near(gate.percent, percent, 1e-12);
}

static void check_refused(const char *text, const char *sentence)
{
	cleanup_(gate_done) struct gate gate = {0};
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;

	assert_int_equal(gate_parse_condition(&gate, text, &error), -EINVAL);
	assert_text(&error, sentence);
}

static void test_conditions(void **state)
{
	(void)state;
	check_condition("moved(wait_time_ns@pcomm:nginx) > +5%", GATE_ABOVE, 5);
	check_condition("moved(wait_time_ns@pcomm:a)b)<-2.5 %", GATE_BELOW, -2.5);
	check_condition("moved(work)", GATE_ANY, 0);
	check_condition("moved(work) ", GATE_ANY, 0);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
	        "",
	        "moved",
	        "moved(work",
	        "same(work)",
	        "moved(work) >",
	        "moved(work) > 5",
	        "moved(work) = 5%",
	        "moved(work) > 5% more",
	        "moved(work) > inf%",
	        "moved(work) > nan%",
	        "moved(work) > 1e999%",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cleanup_(strbuf_done) struct strbuf sentence = STRBUF_INIT;

		strbuf_addf(&sentence, "'%s' is no condition like 'moved(METRIC@KEY:GROUP) > +5%%'",
		            bad[i]);
		check_refused(bad[i], strbuf_str(&sentence));
	}
	check_refused("moved(a@b:c)",
	              "'a@b:c' names no key of groups behind '@': rows are METRIC@KEY:GROUP, such "
	              "as wait_time_ns@pcomm:nginx");
	check_refused("moved()", "'' names no metric: rows are METRIC@KEY:GROUP");
}

/* A row that was left out is no answer. */
static void test_without_row(void **state)
{
	cleanup_(gate_done) struct gate gate = {0};
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT, reason = STRBUF_INIT;
	struct comparison comparison = {0};

	(void)state;
	assert_int_equal(gate_parse_condition(&gate, "moved(work)", &error), 0);
	assert_int_equal(gate_check(&gate, &comparison, &reason), GATE_INVALID);
	assert_text(&reason, "no row of this name is in all units");
	comparison.unlike = 1;
	strbuf_clear(&reason);
	assert_int_equal(gate_check(&gate, &comparison, &reason), GATE_INVALID);
	assert_text(&reason, "no row of this name is in all units, of a like share of its threads "
	                     "in both arms");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_conditions),
	        cmocka_unit_test(test_refused),
	        cmocka_unit_test(test_without_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
