// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "statistics/flips.h"

static bool is_flipped(const struct flips *flips, size_t toss, size_t block)
{
	return flips->bytes[toss * flips->stride + block / 8] & 1u << block % 8;
}

/* Each toss once, and the observed one first. */
static void test_all(void **state)
{
	(void)state;
	for (size_t blocks = 0; blocks <= 12; blocks++) {
		cleanup_(flips_done) struct flips flips = flips_of_coins(blocks, 0);
		bool seen[1 << 12] = {false};

		assert_int_equal(flips.blocks, blocks);
		assert_int_equal(flips.count, 1u << blocks);
		assert_int_equal(flips.is_every, blocks > 0);
		/* The second half has the complements of the first. */
		for (size_t i = 0; i < flips.count / 2; i++)
			for (size_t k = 0; k + 1 < blocks; k++)
				assert_true(is_flipped(&flips, i, blocks - 1) == 0);
		for (size_t i = 0; i < flips.count; i++) {
			size_t number = 0;

			for (size_t k = 0; k < blocks; k++)
				number |= (size_t)is_flipped(&flips, i, k) << k;
			assert_false(seen[number]);
			seen[number] = true;
		}
		assert_true(flips_smallest_p(&flips) ==
		            (blocks == 0 ? 1 : 2.0 / (double)flips.count));
	}
}

/* The coin of each of 70 blocks is fair, is not that of another block, and follows the seed. */
static void test_drawn(void **state)
{
	cleanup_(flips_done) struct flips a = flips_of_coins(70, 1), b = flips_of_coins(70, 1),
	                                  c = flips_of_coins(70, 2);

	(void)state;
	assert_true(a.is_drawn && a.stride == 9);
	assert_memory_equal(a.bytes, b.bytes, a.count * a.stride);
	assert_memory_not_equal(a.bytes, c.bytes, a.count * a.stride);
	for (size_t k = 0; k < 70; k++) {
		size_t heads = 0, equal = 0;

		for (size_t i = 0; i < a.count; i++) {
			heads += is_flipped(&a, i, k);
			equal += is_flipped(&a, i, k) == is_flipped(&a, i, (k + 1) % 70);
		}
		/* Five standard deviations of 100,000 coins are 791. */
		assert_in_range(heads, 49209, 50791);
		assert_in_range(equal, 49209, 50791);
	}
	assert_true(flips_smallest_p(&a) == 1 / (FLIPS_DRAWN + 1.0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_all),
	        cmocka_unit_test(test_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
