// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers of experiments with made values; trials.h has the numbers' origin. */
#include "check.h"

#include <math.h>

#include "effect/gate.h"
#include "trials.h"

static struct trial trial;
static struct comparison comparison;

static int teardown(void **state)
{
	(void)state;
	comparison_done(&comparison);
	trial_done(&trial);
	return 0;
}

static void compare_arm(const char *primary, const char *control, unsigned b)
{
	struct row_pick picks[2] = {{0}};
	struct strbuf error = STRBUF_INIT;
	struct effect_options options = {.trial = &trial,
	                                 .primaries = &picks[0],
	                                 .primary_count = primary != NULL,
	                                 .controls = &picks[1],
	                                 .control_count = control != NULL};

	if (primary)
		assert_int_equal(row_pick_parse(&picks[0], primary, &error), 0);
	if (control)
		assert_int_equal(row_pick_parse(&picks[1], control, &error), 0);
	comparison_done(&comparison);
	comparison_init(&comparison, &options, b);
	row_pick_done(&picks[0]);
	row_pick_done(&picks[1]);
}

static void compare(const char *primary, const char *control)
{
	compare_arm(primary, control, 1);
}

static const struct effect *find(const char *metric)
{
	for (size_t i = 0; i < comparison.count; i++)
		if (strcmp(comparison.effects[i].metric, metric) == 0)
			return &comparison.effects[i];
	fail_msg("no row %s", metric);
	return NULL;
}

static enum effect_answer answer_of(const char *metric)
{
	return find(metric)->answer;
}

/* All numbers by R. */
static void test_numbers(void **state)
{
	static const double contrasts[TRIAL_BLOCKS] = {.061, .056, .0355, .0575,
	                                               .043, .056, .05,   .055};
	const struct effect *effect;

	(void)state;
	trial_make(&trial, trial_coins, TRIAL_BLOCKS);
	trial_add_effect(&trial, "time", .05, 1);
	compare("declared-another", NULL);
	effect = find("time");
	assert_int_equal(effect->role, ROLE_OUTCOME);
	assert_true(effect->scale.is_log);
	for (size_t i = 0; i < TRIAL_BLOCKS; i++)
		assert_near(effect->contrasts[i], contrasts[i], 1e-12);
	assert_near(effect->test.mean, .05175, 1e-12);
	assert_near(effect->test.sd, .00852726718909908, 1e-12);
	assert_near(effect->test.p, 5.59145154865376e-07, 1e-15);
	assert_near(effect->ci95.low, .0446210262255866, 1e-12);
	assert_near(effect->ci95.high, .0588789737744134, 1e-12);
	/* All 2^8 tosses: only the own one and its mirror image are as extreme. */
	assert_near(effect->flip_p.p, 2. / 256, 1e-12);
	assert_near(effect->p.p, 2. / 256, 1e-12);
	assert_near(effect->null_p.p, .322526374449033, 1e-9);
	assert_near(effect->carry, .0015, 1e-12);
	assert_near(effect->carry_p.p, .777976608794473, 1e-9);
	assert_near(effect->drift, .000529761904761905, 1e-12);
	assert_near(effect->drift_p.p, .610001792705289, 1e-9);
	/* The median of the 36 means of two contrasts; 95 % goes from the fourth to the fourth last one (qsignrank). */
	assert_near(effect->robust, 0.053, 1e-12);
	assert_true(effect->has_robust_interval);
	assert_near(effect->robust_ci95.low, 0.043, 1e-12);
	assert_near(effect->robust_ci95.high, 0.0585, 1e-12);
	assert_near(effect_percent(effect, effect->test.mean), 100 * expm1(.05175), 1e-9);
	assert_int_equal(effect->answer, ANSWER_MOVED);
}

/* Without primaries the outcomes are these: Holm's correction among them, and not that of all rows. */
static void test_outcomes(void **state)
{
	(void)state;
	trial_make(&trial, trial_coins, TRIAL_BLOCKS);
	trial_add_effect(&trial, "time", .05, 1);
	trial_add_effect(&trial, "work", .05, 1.5);
	trial_add_effect(&trial, "control", 0, 1);
	compare(NULL, "control");
	assert_int_equal(find("time")->role, ROLE_PRIMARY);
	assert_int_equal(find("work")->role, ROLE_PRIMARY);
	assert_int_equal(find("control")->role, ROLE_CONTROL);
	assert_near(find("time")->p.p, 2 * 5.59145154865376e-07, 1e-15);
	assert_near(find("work")->p.p, find("work")->test.p, 1e-15);
	assert_int_equal(comparison.family.rows, 0);
	compare("work", NULL);
	assert_int_equal(find("time")->role, ROLE_OUTCOME);
	assert_int_equal(comparison.family.rows, 2);
	/* The first rows: what was declared, and the outcomes. */
	compare("work", "control");
	assert_string_equal(comparison.effects[0].metric, "work");
	assert_string_equal(comparison.effects[1].metric, "time");
	assert_string_equal(comparison.effects[2].metric, "control");
}

static void test_answers(void **state)
{
	(void)state;
	trial_make(&trial, trial_coins, TRIAL_BLOCKS);
	trial_add_effect(&trial, "moved", .05, 1);
	trial_add_effect(&trial, "same", 0, .1);
	trial_add_effect(&trial, "unknown", 0, 50);
	/* It moved for certain, and by less than the least effect: the same, then. */
	trial_add_effect(&trial, "tiny", .005, .01);
	trial_add_effect(&trial, "inside", .015, .01);
	trial_add_effect(&trial, "equal", 0, 0);
	compare(NULL, NULL);
	assert_int_equal(answer_of("moved"), ANSWER_MOVED);
	assert_false(find("moved")->is_inside_margin);
	assert_int_equal(answer_of("same"), ANSWER_SAME);
	assert_int_equal(answer_of("unknown"), ANSWER_UNKNOWN);
	assert_int_equal(answer_of("tiny"), ANSWER_SAME);
	assert_int_equal(answer_of("inside"), ANSWER_MOVED);
	assert_true(find("inside")->is_inside_margin);
	assert_int_equal(answer_of("equal"), ANSWER_SAME);
	assert_int_equal(comparison.count, 6);
	/* An unknown row has the number of blocks for an answer: far more blocks, and an effect larger than its noise. */
	assert_true(find("unknown")->blocks_needed > 100 * TRIAL_BLOCKS);
	assert_true(find("unknown")->detectable > find("unknown")->test.sd);
	assert_true(isfinite(find("unknown")->detectable));
}

static struct gate gate_of(const char *text, bool is_condition)
{
	struct gate gate;
	struct strbuf error = STRBUF_INIT;

	assert_int_equal(is_condition ? gate_parse_condition(&gate, text, &error)
	                              : gate_parse_rows(&gate, text, &error),
	                 0);
	return gate;
}

static void check_gate(const char *text, bool is_condition, enum gate_result expected)
{
	struct gate gate = gate_of(text, is_condition);
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	if (gate_check(&gate, &comparison, &reason) != expected)
		fail_msg("%s: %s", text, strbuf_str(&reason));
	gate_done(&gate);
}

/* Values of both arms, with a little noise that does not fall below 0. */
static void add_values(const char *name, double a, double b)
{
	for (size_t i = 0; i < trial.unit_count; i++)
		trial_unit_add_outcome(&trial.units[i], name,
		                       trial.units[i].arm == 1 ? b + trial_noise[i]
		                                               : a + fabs(trial_noise[i]));
}

static void check_change(const char *metric, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	effect_add_change(find(metric), find(metric)->test.mean, &text);
	assert_text(&text, expected);
}

/* A row with a zero has no logarithms. Its change is printed in percent of arm A, or else as it is. */
static void test_raw_scale(void **state)
{
	const struct effect *effect;
	double sum = 0;

	(void)state;
	trial_make(&trial, trial_coins, TRIAL_BLOCKS);
	add_values("tripled", 10, 30);
	trial.units[0].outcomes[0].value = 0;
	add_values("below_ns", -3e6, 2e6);
	for (size_t i = 0; i < TRIAL_UNITS; i++)
		trial_unit_add_outcome(&trial.units[i], "from_zero", 10 * trial.units[i].arm);
	/* Only one of 16 units of arm A has any: its mean hangs on that one. */
	for (size_t i = 0; i < TRIAL_UNITS; i++)
		trial_unit_add_outcome(&trial.units[i], "few",
		                       i == 0 ? .5 : 100 * trial.units[i].arm);
	compare(NULL, NULL);
	effect = find("tripled");
	assert_string_equal(effect_scale_name(effect), "share-of-a");
	assert_near(effect_percent(effect, effect->test.mean),
	            100 * (effect->means[1] / effect->means[0] - 1), 1e-9);
	assert_near(effect_difference(effect, effect->test.mean),
	            effect->means[1] - effect->means[0], 1e-9);
	/* y is the share of the mean of all units, on which no coin has an influence. */
	for (size_t i = 0; i < TRIAL_UNITS; i++)
		sum += effect->values[i];
	assert_near(effect->scale.one, sum / TRIAL_UNITS, 1e-9);
	check_change("tripled", "+220%");
	assert_string_equal(effect_scale_name(find("below_ns")), "absolute");
	check_change("below_ns", "+5.000ms");
	check_change("from_zero", "+10.00");
	assert_string_equal(effect_scale_name(find("few")), "absolute");
	assert_int_equal(answer_of("few"), ANSWER_MOVED);
	/* Without a percentage a change is beyond any limit in its direction. */
	assert_true(isinf(effect_percent(find("few"), find("few")->test.mean)));
	check_gate("moved(few) > +500%", true, GATE_FAILED);
	check_gate("moved(few) < -5%", true, GATE_PASSED);
	check_gate("moved(tripled) > +219%", true, GATE_FAILED);
	check_gate("moved(tripled) > +221%", true, GATE_PASSED);
}

/* Sums of numbers near the largest one are infinite, and so a change is none that can be printed. */
static void test_vast(void **state)
{
	static const double bases[] = {1, 1e308, INFINITY};
	static const double ones[] = {1e308, INFINITY};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bases); i++)
		for (size_t k = 0; k < ARRAY_SIZE(ones); k++) {
			cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
			const struct effect effect = {.base = bases[i], .scale = {.one = ones[k]}};

			effect_add_change(&effect, -10, &text);
			assert_text(&text, "-");
		}
}

/* Without any difference there is no test: an exit status of 0 costs the other outcomes nothing. */
static void test_constant(void **state)
{
	struct p_value alone;

	(void)state;
	trial_make(&trial, trial_coins, 6);
	trial_add_effect(&trial, "time", .05, 1);
	compare(NULL, NULL);
	alone = find("time")->p;
	for (size_t i = 0; i < trial.unit_count; i++) {
		struct trial_unit *unit = &trial.units[i];

		trial_unit_add_outcome(unit, "status", 0);
		trial_unit_add_outcome(unit, "work", 100);
		/* It changes, and each block of either arm has the same. */
		trial_unit_add_outcome(unit, "turns", i % 4 == 0 || i % 4 == 1 ? 3 : 4);
		/* Constant contrasts: the coins are all that speaks. */
		trial_unit_add_outcome(unit, "exact", unit->arm == 1 ? 200 : 100);
	}
	compare(NULL, NULL);
	for (size_t i = 0; i < 3; i++) {
		static const char *const still[] = {"status", "work", "turns"};

		assert_int_equal(find(still[i])->role, ROLE_PRIMARY);
		assert_int_equal(answer_of(still[i]), ANSWER_SAME);
		assert_false(find(still[i])->p.is_defined);
		assert_false(find(still[i])->flip_p.is_defined);
		assert_false(find(still[i])->has_interval);
		check_gate(still[i], false, GATE_PASSED);
		check_change(still[i], i == 0 ? "+0.00" : "+0.0%");
	}
	/* Holm's correction is that of two rows: 2 * p, and the larger one as it is. */
	assert_true(alone.p < 2. / 64);
	assert_near(find("time")->p.p, 2 * alone.p, 1e-15);
	assert_near(find("exact")->p.p, 2. / 64, 1e-15);
	assert_int_equal(answer_of("exact"), ANSWER_MOVED);
	teardown(NULL);
	trial_make(&trial, trial_coins, 5);
	trial_add_effect(&trial, "equal", 0, 0);
	compare(NULL, NULL);
	assert_int_equal(answer_of("equal"), ANSWER_UNKNOWN);
}

static void test_few_blocks(void **state)
{
	(void)state;
	trial_make(&trial, trial_coins, 5);
	trial_add_effect(&trial, "time", 1, .01);
	compare(NULL, NULL);
	assert_int_equal(answer_of("time"), ANSWER_UNKNOWN);
	assert_true(isinf(find("time")->detectable));
	assert_int_equal(find("time")->blocks_needed, 6);
	teardown(NULL);
	trial_make(&trial, trial_coins, 6);
	trial_add_effect(&trial, "time", 1, .01);
	compare(NULL, NULL);
	assert_int_equal(answer_of("time"), ANSWER_MOVED);
}

static void check_failure(const char *sentence)
{
	assert_int_equal(comparison.failures.count, 1);
	assert_string_equal(comparison.failures.entries[0], sentence);
	assert_int_equal(comparison.by_answer[ANSWER_MOVED], 0);
	assert_int_equal(comparison.by_answer[ANSWER_SAME], 0);
}

static void test_control(void **state)
{
	(void)state;
	trial_make(&trial, trial_coins, TRIAL_BLOCKS);
	trial_add_effect(&trial, "time", .05, 1);
	trial_add_effect(&trial, "other", .1, 1);
	compare(NULL, "other");
	check_failure("control other moved by +10.7%");
	compare(NULL, "nothing");
	assert_int_equal(comparison.failures.count, 0);
}

static void test_order(void **state)
{
	static const char *const fixed[6] = {"AB", "AB", "AB", "AB", "AB", "AB"};
	static const char *const mixed[6] = {"AB", "AB", "BA", "AB", "BA", "AB"};

	(void)state;
	trial_make(&trial, fixed, 6);
	trial_add_effect(&trial, "time", 1, .01);
	compare(NULL, NULL);
	check_failure("one arm came first in each block: a drift looks like an effect");
	teardown(NULL);
	trial_make(&trial, mixed, 6);
	trial_add_effect(&trial, "time", 1, .01);
	compare(NULL, NULL);
	assert_int_equal(comparison.failures.count, 0);
	assert_int_equal(answer_of("time"), ANSWER_MOVED);
	trial.order = TRIAL_ORDER_SEQUENTIAL;
	compare(NULL, NULL);
	check_failure("the arms ran one after the other: a drift looks like an effect");
	trial.order = TRIAL_ORDER_TOSSED;
	trial.voided = 1;
	trial.planned_blocks = 7;
	compare(NULL, NULL);
	check_failure("guards voided blocks, and only 6 of 7 were completed");
}

/* Rows of a Williams square and the same backwards: each arm against the first one, without checks that need chains of two arms. */
static void test_three_arms(void **state)
{
	static const char *const squares[6] = {"ABCCBA", "BCAACB", "CABBAC",
	                                       "CBAABC", "ACBBCA", "BACCAB"};

	(void)state;
	trial_make(&trial, squares, 6);
	/* The coins have the arms in the order in which they came first: A, B, C. */
	assert_int_equal(trial.arm_count, 3);
	assert_int_equal(trial.block_count, 6);
	for (size_t i = 0; i < trial.unit_count; i++) {
		double effect = trial.units[i].arm == 2 ? .1 : 0;

		trial_unit_add_outcome(&trial.units[i], "time",
		                       exp(effect + .1 * trial_noise[i % TRIAL_UNITS]));
	}
	compare(NULL, NULL);
	assert_int_equal(answer_of("time"), ANSWER_SAME);
	assert_false(find("time")->null_p.is_defined);
	assert_false(find("time")->carry_p.is_defined);
	compare_arm(NULL, NULL, 2);
	assert_int_equal(comparison.failures.count, 0);
	assert_int_equal(answer_of("time"), ANSWER_MOVED);
	/* Units with B are in neither mean. */
	assert_near(find("time")->test.mean, .1, .001);
	assert_near(find("time")->means[1] / find("time")->means[0], exp(.1), .001);
}

/* A bend within all blocks, which no coin can explain: the first unit behind the middle is always a little more. The
 * arms differ by nothing but noise, and a gate must not pass for that. */
static void test_doubt(void **state)
{
	(void)state;
	trial_make(&trial, trial_coins, TRIAL_BLOCKS);
	trial_add_effect(&trial, "time", 0, .1);
	compare(NULL, NULL);
	assert_int_equal(comparison.nulls.rows, 1);
	assert_int_equal(comparison.doubts.count, 0);
	for (size_t row = 0; row < 10; row++) {
		char name[] = {'r', (char)('0' + row), '\0'};

		for (size_t i = 0; i < TRIAL_UNITS; i++)
			trial_unit_add_outcome(
			        &trial.units[i], name,
			        exp((i % 4 == 2 ? .05 : 0) +
			            .1 * trial_noise[(7 * row + 5 * i) % TRIAL_UNITS]));
	}
	compare(NULL, NULL);
	assert_int_equal(comparison.failures.count, 0);
	assert_int_equal(comparison.doubts.count, 1);
	assert_contains(comparison.doubts.entries[0],
	                "10 of 11 rows differ in a contrast whose truth is zero");
	check_gate("moved(time)", true, GATE_INVALID);
	check_gate("time", false, GATE_INVALID);
}

/* The unit behind the other arm lacks two fifths of the effect. */
static void test_carry_over(void **state)
{
	(void)state;
	trial_make(&trial, trial_coins, TRIAL_BLOCKS);
	for (size_t i = 0; i < TRIAL_UNITS; i++) {
		bool is_b = trial.units[i].arm == 1, changed = i % 4 == 1 || i % 4 == 3;
		double effect = is_b ? (changed ? .06 : .1) : (changed ? .04 : 0);

		trial_unit_add_outcome(&trial.units[i], "time", exp(effect + .2 * trial_noise[i]));
	}
	compare("time", NULL);
	assert_int_equal(comparison.failures.count, 1);
	assert_contains(comparison.failures.entries[0],
	                "time is carried over from arm to arm: settle was too short");
	/* (.1 + .06) / 2 - (0 + .04) / 2 = .06 is left of .1, and the estimate .06 + 5 / 4 * .04 = .11. */
	assert_contains(comparison.failures.entries[0], "too small by about 4");
	compare("declared-another", NULL);
	assert_int_equal(comparison.failures.count, 0);
}

static void make_sessions(unsigned sessions)
{
	trial_make(&trial, trial_coins, TRIAL_BLOCKS);
	for (size_t i = 0; i < trial.block_count; i++)
		trial.blocks[i].session = (unsigned)(i * sessions / TRIAL_BLOCKS);
	trial_add_effect(&trial, "time", .05, .1);
}

static void test_sessions(void **state)
{
	(void)state;
	make_sessions(2);
	compare("time", NULL);
	check_failure("two sessions show no spread between boots: a third one is needed");
	teardown(NULL);
	make_sessions(4);
	compare("time", NULL);
	assert_int_equal(comparison.n, 4);
	assert_int_equal(comparison.sessions, 4);
	assert_int_equal(answer_of("time"), ANSWER_MOVED);
	/* Its sessions have these contrasts: (d1 + d2) / 2 and so on; .05 and a tenth of the noise in d. */
	assert_near(find("time")->test.mean, .05 + .1 * (.05175 - .05), 1e-12);
}

static void test_gates(void **state)
{
	(void)state;
	trial_make(&trial, trial_coins, TRIAL_BLOCKS);
	trial_add_effect(&trial, "time", .05, 1);
	trial_add_effect(&trial, "same", 0, .1);
	compare(NULL, NULL);
	check_gate("moved(time)", true, GATE_FAILED);
	check_gate("moved(time) > +5%", true, GATE_FAILED);
	check_gate("moved(time)>5.5%", true, GATE_PASSED);
	check_gate("moved(time) < -5 %", true, GATE_PASSED);
	check_gate("moved(same)", true, GATE_PASSED);
	check_gate("moved(*)", true, GATE_FAILED);
	check_gate("same", false, GATE_PASSED);
	check_gate("*", false, GATE_FAILED);
	check_gate("moved(nothing)", true, GATE_INVALID);
	check_gate("nothing", false, GATE_INVALID);
	trial.order = TRIAL_ORDER_SEQUENTIAL;
	compare(NULL, NULL);
	check_gate("same", false, GATE_INVALID);
	check_gate("moved(time)", true, GATE_INVALID);
}

static void assert_number(enum metric_unit unit, double value, bool sign, const char *expected)
{
	const struct effect effect = {.unit = unit};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	effect_add_number(&effect, value, sign, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void small_numbers_keep_their_digits(void **state)
{
	(void)state;
	assert_number(UNIT_count, 0, false, "0.00");
	assert_number(UNIT_count, 0.0012345, false, "0.00123");
	assert_number(UNIT_count, -0.0012345, true, "-0.00123");
	assert_number(UNIT_ns, 1e-7, false, "1e-07ns");
	assert_number(UNIT_count, 0.05, false, "0.05");
	assert_number(UNIT_count, 12.345, true, "+12.35");
	assert_number(UNIT_count, 1234.5, false, "1.234K");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(small_numbers_keep_their_digits),
	        cmocka_unit_test_teardown(test_numbers, teardown),
	        cmocka_unit_test_teardown(test_outcomes, teardown),
	        cmocka_unit_test_teardown(test_answers, teardown),
	        cmocka_unit_test_teardown(test_raw_scale, teardown),
	        cmocka_unit_test_teardown(test_constant, teardown),
	        cmocka_unit_test(test_vast),
	        cmocka_unit_test_teardown(test_few_blocks, teardown),
	        cmocka_unit_test_teardown(test_control, teardown),
	        cmocka_unit_test_teardown(test_order, teardown),
	        cmocka_unit_test_teardown(test_three_arms, teardown),
	        cmocka_unit_test_teardown(test_doubt, teardown),
	        cmocka_unit_test_teardown(test_carry_over, teardown),
	        cmocka_unit_test_teardown(test_sessions, teardown),
	        cmocka_unit_test_teardown(test_gates, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
