// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "check.h"
#include "compare/row-unread.h"

/* A process more or less is no other way to read names; several are, if they are twice as many, or a tenth of all more. */
static void test_differs(void **state)
{
	static const struct {
		struct group_names names[SIDE_MAX];
		bool differs;
	} cases[] = {
	        {{{0, 0}, {0, 0}}, false},         {{{100, 0}, {100, 0}}, false},
	        {{{100, 0}, {100, 2}}, false},     {{{100, 0}, {100, 3}}, true},
	        {{{100, 3}, {100, 6}}, true},      {{{100, 60}, {100, 69}}, false},
	        {{{100, 60}, {100, 70}}, true},    {{{100, 60}, {200, 119}}, false},
	        {{{100, 100}, {100, 0}}, true},    {{{0, 0}, {100, 3}}, true},
	        {{{1000, 60}, {1000, 80}}, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct row_set set = {.sides = SIDE_MAX};

		memcpy(set.names, cases[i].names, sizeof(set.names));
		assert_int_equal(row_unread_differs(&set), cases[i].differs);
		set.names[SIDE_BASELINE] = cases[i].names[SIDE_CANDIDATE];
		set.names[SIDE_CANDIDATE] = cases[i].names[SIDE_BASELINE];
		assert_int_equal(row_unread_differs(&set), cases[i].differs);
		set.sides = 1;
		assert_false(row_unread_differs(&set));
	}
}

static struct group with_run_time(struct fold_cell cells[METRIC_COUNT], uint64_t run_ns)
{
	cells[METRIC_run_time_ns] = (struct fold_cell){.number = run_ns, .seen = 1};
	cells[METRIC_nice].seen = 1;
	return (struct group){.threads = 2, .cells = cells};
}

/* A tenth of the group's larger value by the second matters, of what is no sum anything. */
static void test_may_have(void **state)
{
	static const struct {
		uint64_t unread_ns;
		bool may_have;
	} cases[] = {{0, false}, {99, false}, {100, true}, {5000, true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		static struct fold_cell cells[3][METRIC_COUNT];
		struct group before = with_run_time(cells[0], 500),
		             after = with_run_time(cells[1], 2000);
		struct group unread = with_run_time(cells[2], cases[i].unread_ns);
		struct row_set set = {.sides = SIDE_MAX};
		struct row_group group = {.sides = {&before, &after}};

		set.frames[SIDE_BASELINE].length_ns = 1;
		set.frames[SIDE_CANDIDATE].length_ns = 2;
		assert_false(row_unread_may_have(&set, &group, METRIC_run_time_ns));
		set.unreads = &(struct row_unread){{&unread, NULL}};
		group.unread = 1;
		assert_int_equal(row_unread_may_have(&set, &group, METRIC_run_time_ns),
		                 cases[i].may_have);
		assert_true(row_unread_may_have(&set, &group, METRIC_nice));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_differs),
	        cmocka_unit_test(test_may_have),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
