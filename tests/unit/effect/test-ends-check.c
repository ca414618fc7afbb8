// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <math.h>

#include "effect/ends-check.h"
#include "trials.h"

/* Compares the arms A and B of a trial whose windows know this of the ends of threads. Returns the failure, or NULL. */
static char *check(const struct unit_ends by_arm[2], double noise)
{
	struct trial trial = {0};
	struct comparison comparison = {.plan = {.trial = &trial, .a = 0, .b = 1}};
	struct unit_ends ends[TRIAL_UNITS];
	struct unit_table table = {.filled = TRIAL_UNITS, .ends = ends};
	struct effect_options options = {.trial = &trial, .tables = &table, .table_count = 1};
	char *failure = NULL;

	trial_make(&trial, trial_coins, TRIAL_BLOCKS);
	for (size_t i = 0; i < TRIAL_UNITS; i++) {
		ends[i] = by_arm[trial.units[i].arm];
		ends[i].unaccounted_percent += i % 4 < 2 ? noise : -noise;
	}
	ends_check(&comparison, &options);
	assert_true(comparison.failures.count <= 1);
	if (comparison.failures.count > 0)
		failure = strdup(comparison.failures.entries[0]);
	comparison_done(&comparison);
	trial_done(&trial);
	return failure;
}

static void test_check(void **state)
{
	static const struct {
		struct unit_ends ends[2];
		const char *failure; /* a part of it, or NULL */
		double noise;
	} cases[] = {
	        {{{WINDOW_EXITS_completed, 0, true, 1}, {WINDOW_EXITS_completed, 0, true, 3}},
	         NULL,
	         0},
	        {{{WINDOW_EXITS_completed, 0, true, NAN}, {WINDOW_EXITS_recorded, 0, true, NAN}},
	         "measured differently: A has records that BPF completed, B has records of the "
	         "kernel alone",
	         0},
	        {{{WINDOW_EXITS_denied, 0, false, NAN}, {WINDOW_EXITS_recorded, 0, true, NAN}},
	         "A has none, B has",
	         0},
	        /* A sum of windows that were recorded in two ways, and one of windows of one way. */
	        {{{WINDOW_EXITS_recorded, 1u << WINDOW_EXITS_completed, true, NAN},
	          {WINDOW_EXITS_recorded, 0, true, NAN}},
	         "A has records of the kernel alone and records that BPF completed, B has records "
	         "of "
	         "the kernel alone",
	         0},
	        /* No thread ended, or none of these ways knows one. */
	        {{{WINDOW_EXITS_completed, 0, false, 0}, {WINDOW_EXITS_recorded, 0, false, 0}},
	         NULL,
	         0},
	        {{{WINDOW_EXITS_denied, 0, true, NAN}, {WINDOW_EXITS_off, 0, true, NAN}}, NULL, 0},
	        {{{WINDOW_EXITS_denied, 0, false, 2}, {WINDOW_EXITS_denied, 0, false, 61}},
	         "unseen: 2 % of a CPU is in no row of A, and 61 % in none of B",
	         0},
	        {{{WINDOW_EXITS_denied, 0, false, 32}, {WINDOW_EXITS_denied, 0, false, 45}},
	         NULL,
	         30},
	        {{{WINDOW_EXITS_denied, 0, false, 32}, {WINDOW_EXITS_denied, 0, false, 45}},
	         "is in no row",
	         5},
	        {{{WINDOW_EXITS_denied, 0, false, 10}, {WINDOW_EXITS_denied, 0, false, 14.9}},
	         NULL,
	         0},
	        {{{WINDOW_EXITS_denied, 0, false, NAN}, {WINDOW_EXITS_denied, 0, false, 61}},
	         NULL,
	         0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *failure = check(cases[i].ends, cases[i].noise);

		assert_int_equal(failure != NULL, cases[i].failure != NULL);
		if (failure && !strstr(failure, cases[i].failure))
			fail_msg("%s", failure);
		free(failure);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_check)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
