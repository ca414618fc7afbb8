// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "overview/overview-unlike.h"

/* An amount of some of a group's threads. */
struct amount {
	uint32_t seen, threads;
	double amount;
};

static struct amount of(uint32_t seen, uint32_t threads, double amount)
{
	return (struct amount){seen, threads, amount};
}

/* The part that unlike shares make of two amounts; negative: they are no unlike shares. */
static double part_of(unsigned aspect, struct amount a, struct amount b)
{
	const struct amount amounts[SIDE_MAX] = {a, b};
	struct group sides[SIDE_MAX];
	struct row_group group = {.label = NULL};
	struct overview_row row = {.group = &group};

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		sides[side] = (struct group){.threads = amounts[side].threads};
		group.sides[side] = &sides[side];
		row.values[aspect][side] = (struct overview_value){
		        .seen = amounts[side].seen > 0,
		        .lacking = amounts[side].threads - amounts[side].seen,
		        .amount = amounts[side].amount};
	}
	return overview_has_unlike_shares(&row, aspect, false) ? overview_unlike_part(&row, aspect)
	                                                       : -1;
}

static bool differ(unsigned aspect, struct amount a, struct amount b)
{
	return part_of(aspect, a, b) >= 0;
}

static void test_shares(void **state)
{
	(void)state;
	assert_false(differ(ASPECT_cpu, of(4, 4, 80), of(8, 8, 10)));
	assert_false(differ(ASPECT_cpu, of(2, 4, 80), of(4, 8, 10)));
	assert_true(differ(ASPECT_read, of(2, 2, 80), of(1, 2, 40)));
	/* The thread without a value makes a hundredth of the difference. */
	assert_false(differ(ASPECT_read, of(100, 100, 80), of(99, 100, 800)));
	assert_true(differ(ASPECT_memory, of(100, 100, 80), of(99, 100, 800)));
	/* Without a value there is no difference. */
	assert_false(differ(ASPECT_read, of(2, 2, 80), of(0, 2, 0)));
}

static void test_part(void **state)
{
	(void)state;
	assert_float_equal(part_of(ASPECT_cpu, of(4, 4, 80), of(1, 4, 30)), 90, 1e-9);
	assert_float_equal(part_of(ASPECT_cpu, of(2, 4, 80), of(4, 4, 90)), 80, 1e-9);
}

static void test_order(void **state)
{
	static const double amounts[] = {3, 9, 1};
	struct row_group groups[3];
	struct overview overview = {0};

	(void)state;
	overview.unlike = mem_calloc(ARRAY_SIZE(amounts), sizeof(overview.unlike[0]));
	overview_unlike_sort(&overview);
	for (size_t i = 0; i < ARRAY_SIZE(amounts); i++) {
		groups[i] = (struct row_group){.label = (char[]){"a"}};
		overview.unlike[overview.unlike_count++] =
		        (struct overview_unlike){&groups[i], amounts[i]};
	}
	overview_unlike_sort(&overview);
	assert_ptr_equal(overview.unlike[0].group, &groups[1]);
	assert_ptr_equal(overview.unlike[1].group, &groups[0]);
	assert_ptr_equal(overview.unlike[2].group, &groups[2]);
	free(overview.unlike);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_shares),
	        cmocka_unit_test(test_part),
	        cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
