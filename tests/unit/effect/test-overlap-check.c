// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "effect/overlap-check.h"

enum { UNITS = 4 };

struct unit {
	const char *path;
	unsigned arm, boot;
	bool has_span;
	int begin, end; /* of the span, or else of the day */
	int inode, gaps;
};

/* Compares the arms A and B of windows that were taken elsewhere. Returns the failure, or NULL. */
static char *check(const struct unit *units, enum trial_order order)
{
	static char boots[2][2] = {"x", "y"}, host[] = "h";
	struct trial trial = {.order = order};
	struct trial_session sessions[] = {
	        {boots[0], host, 0}, {boots[1], host, 1}, {NULL, NULL, 2}};
	struct comparison comparison = {.plan = {.trial = &trial, .a = 0, .b = 1}};
	char *failure = NULL;
	bool found;

	trial.sessions = sessions;
	trial.session_count = ARRAY_SIZE(sessions);
	for (size_t i = 0; i < UNITS; i++) {
		struct trial_unit *unit = trial_add_unit(&trial, units[i].path, units[i].arm);

		unit->boot = units[i].boot;
		unit->time.has_span = units[i].has_span;
		unit->time.span = (struct window_span){units[i].begin, units[i].end};
		unit->time.begin_unix_ns = (uint64_t)units[i].begin;
		unit->time.end_unix_ns = (uint64_t)units[i].end;
		unit->time.inode = (uint64_t)units[i].inode;
		unit->time.gaps = (uint64_t)units[i].gaps;
	}
	found = overlap_check(&comparison);
	assert_int_equal(comparison.failures.count, found);
	if (comparison.failures.count > 0)
		failure = strdup(comparison.failures.entries[0]);
	comparison_done(&comparison);
	trial.sessions = NULL;
	trial.session_count = 0;
	trial_done(&trial);
	return failure;
}

static void test_check(void **state)
{
	static const struct {
		struct unit units[UNITS];
		const char *names; /* of those that overlap; NULL: none do */
	} cases[] = {
	        {{{"1", 0, 0, true, 10, 20, 0, 0},
	          {"2", 1, 0, true, 20, 30, 0, 0},
	          {"3", 1, 0, true, 30, 40, 0, 0},
	          {"4\x1b", 0, 0, true, 39, 50, 0, 0}},
	         "once: 3 and 4\\x1b"},
	        /* Windows that follow one another. */
	        {{{"1", 0, 0, true, 10, 20, 0, 0},
	          {"2", 1, 0, true, 20, 30, 0, 0},
	          {"3", 1, 0, true, 30, 40, 0, 0},
	          {"4", 0, 0, true, 40, 50, 0, 0}},
	         NULL},
	        /* Those of other boots, and of an arm that is not compared. */
	        {{{"1", 0, 0, true, 10, 20, 0, 0},
	          {"2", 1, 0, true, 20, 30, 0, 0},
	          {"3", 1, 1, true, 10, 20, 0, 0},
	          {"4", 2, 0, true, 10, 20, 0, 0}},
	         NULL},
	        /* Two boots are not known to be one. A name stands for the same window each time. */
	        {{{"1", 0, 2, true, 10, 20, 0, 0},
	          {"2", 1, 2, true, 10, 20, 0, 0},
	          {"3", 1, 2, true, 10, 20, 0, 0},
	          {"1", 1, 2, true, 10, 20, 0, 0}},
	         "once: 1 and 1"},
	        {{{"1", 0, 2, true, 10, 20, 0, 0},
	          {"2", 1, 2, true, 10, 20, 0, 0},
	          {"3", 1, 2, true, 10, 20, 0, 0},
	          {"4", 0, 2, true, 10, 20, 0, 0}},
	         NULL},
	        /* One file by two names. */
	        {{{"1", 0, 2, true, 10, 20, 7, 0},
	          {"2", 1, 2, true, 10, 20, 8, 0},
	          {"3", 1, 2, true, 10, 20, 9, 0},
	          {"./1", 1, 2, true, 10, 20, 7, 0}},
	         "once: 1 and ./1"},
	        {{{"1", 0, 0, true, 10, 50, 0, 1},
	          {"2", 1, 0, true, 20, 30, 0, 0},
	          {"3", 1, 1, true, 30, 40, 0, 0},
	          {"4", 0, 1, true, 40, 50, 0, 0}},
	         "or one lies in a gap of the other, so that what was done then counts more than "
	         "once: 1 and 2"},
	        /* A sum over several boots has the time of the day. */
	        {{{"1", 0, 0, true, 10, 20, 0, 0},
	          {"2", 1, 0, true, 20, 30, 0, 0},
	          {"3", 1, 1, false, 29, 40, 0, 0},
	          {"4", 0, 1, true, 40, 50, 0, 0}},
	         "once: 2 and 3"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *failure = check(cases[i].units, TRIAL_ORDER_FOUND);

		assert_int_equal(failure != NULL, cases[i].names != NULL);
		if (failure)
			assert_non_null(strstr(failure, cases[i].names));
		free(failure);
		assert_null(check(cases[i].units, TRIAL_ORDER_TOSSED));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
