// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "overview/overview-unlike.h"

static struct overview_value value_of(uint32_t seen, uint32_t expected, double amount)
{
	return (struct overview_value){
	        .seen = seen > 0, .coverage = {seen, expected}, .amount = amount};
}

static bool differ(unsigned aspect, struct overview_value a, struct overview_value b)
{
	struct overview_row row = {0};

	row.values[aspect][SIDE_BASELINE] = a;
	row.values[aspect][SIDE_CANDIDATE] = b;
	return overview_has_unlike_shares(&row, aspect);
}

static void test_shares(void **state)
{
	(void)state;
	assert_false(differ(ASPECT_cpu, value_of(4, 4, 80), value_of(8, 8, 10)));
	assert_false(differ(ASPECT_cpu, value_of(2, 4, 80), value_of(4, 8, 10)));
	assert_true(differ(ASPECT_read, value_of(2, 2, 80), value_of(1, 2, 40)));
	/* The thread without a value makes a hundredth of the difference. */
	assert_false(differ(ASPECT_read, value_of(100, 100, 80), value_of(99, 100, 800)));
	assert_true(differ(ASPECT_memory, value_of(100, 100, 80), value_of(99, 100, 800)));
	/* Without a value there is no difference. */
	assert_false(differ(ASPECT_read, value_of(2, 2, 80), value_of(0, 2, 0)));
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
	        cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
