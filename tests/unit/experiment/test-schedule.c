// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "experiment/schedule.h"

/* Pairs of arms that follow each other: within blocks of the same Williams square, in one direction only. */
struct counts {
	unsigned follows[SCHEDULE_ARMS_MAX][SCHEDULE_ARMS_MAX];
};

static struct schedule make(unsigned arms, unsigned blocks, uint64_t seed)
{
	return (struct schedule){
	        .order = SCHEDULE_BLOCKS, .arm_count = arms, .blocks = blocks, .seed = seed};
}

/* Each block has each arm twice, and is the same backwards: so each arm has the same mean position. */
static void test_balanced_blocks(void **state)
{
	(void)state;
	for (unsigned k = 2; k <= SCHEDULE_ARMS_MAX; k++)
		for (uint64_t seed = 0; seed < 50; seed++) {
			struct schedule schedule = make(k, 20, seed);
			unsigned length = schedule_block_length(&schedule);

			assert_int_equal(length, 2 * k);
			for (unsigned block = 0; block <= 20; block++) {
				unsigned arms[SCHEDULE_BLOCK_MAX], count[SCHEDULE_ARMS_MAX] = {0};

				schedule_block(&schedule, block, arms);
				for (unsigned i = 0; i < length; i++) {
					assert_true(arms[i] < k);
					assert_int_equal(arms[i], arms[length - 1 - i]);
					count[arms[i]]++;
				}
				for (unsigned arm = 0; arm < k; arm++)
					assert_int_equal(count[arm], 2);
			}
		}
}

/* Within a square each arm follows each other one equally often. */
static void test_williams(void **state)
{
	(void)state;
	for (unsigned k = 2; k <= SCHEDULE_ARMS_MAX; k++)
		for (uint64_t seed = 0; seed < 20; seed++) {
			struct schedule schedule = make(k, 100, seed);
			unsigned rows = schedule_square_blocks(&schedule);

			for (unsigned square = 0; square < 3; square++) {
				struct counts counts = {0};

				for (unsigned row = 0; row < rows; row++) {
					unsigned arms[SCHEDULE_BLOCK_MAX];

					schedule_block(&schedule, 1 + square * rows + row, arms);
					for (unsigned i = 1; i < 2 * k; i++)
						counts.follows[arms[i - 1]][arms[i]]++;
				}
				for (unsigned a = 0; a < k; a++)
					for (unsigned b = 0; b < k; b++)
						if (a != b)
							assert_int_equal(counts.follows[a][b],
							                 counts.follows[0][1]);
				assert_true(counts.follows[0][1] > 0);
			}
		}
}

/* Two arms: ABBA or BAAB, by a fair coin. 2000 tosses of a fair one are outside of 1000 +- 120 once in 10^7. */
static void test_coin(void **state)
{
	unsigned first[2] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct schedule schedule = make(2, 20, seed);

		for (unsigned block = 1; block <= 20; block++) {
			unsigned arms[SCHEDULE_BLOCK_MAX];

			schedule_block(&schedule, block, arms);
			assert_int_equal(arms[0], arms[3]);
			assert_int_equal(arms[1], arms[2]);
			assert_int_equal(arms[0] + arms[1], 1);
			first[arms[0]]++;
		}
	}
	assert_in_range(first[0], 880, 1120);
	assert_int_equal(first[0] + first[1], 2000);
}

/* Each arm is the first of a block equally often: of 8 arms and 8000 blocks, 1000 times +- 5 standard deviations. */
static void test_names_are_permuted(void **state)
{
	unsigned first[SCHEDULE_ARMS_MAX] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct schedule schedule = make(SCHEDULE_ARMS_MAX, 20, seed);

		for (unsigned block = 1; block <= 20; block++) {
			unsigned arms[SCHEDULE_BLOCK_MAX];

			schedule_block(&schedule, block, arms);
			first[arms[0]]++;
		}
	}
	for (unsigned arm = 0; arm < SCHEDULE_ARMS_MAX; arm++)
		assert_in_range(first[arm], 850, 1150);
}

/* The order of a seed is for good: an experiment is resumed by another version. */
static void test_seed(void **state)
{
	static const unsigned two[4][4] = {{0, 1, 1, 0}, {1, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}};
	static const unsigned three[2][6] = {{0, 2, 1, 1, 2, 0}, {0, 2, 1, 1, 2, 0}};
	struct schedule schedule = make(2, 12, 7), other = make(3, 12, 7);
	unsigned arms[SCHEDULE_BLOCK_MAX];

	(void)state;
	for (unsigned block = 0; block < 4; block++) {
		schedule_block(&schedule, block, arms);
		assert_memory_equal(arms, two[block], sizeof(two[block]));
	}
	for (unsigned block = 0; block < 2; block++) {
		schedule_block(&other, block, arms);
		assert_memory_equal(arms, three[block], sizeof(three[block]));
	}
}

/* All units of an arm follow one another, whatever the number of arms; block 0 has all of them. */
static void test_sequential(void **state)
{
	(void)state;
	for (unsigned k = 2; k <= SCHEDULE_ARMS_MAX; k++)
		for (unsigned blocks = 2; blocks < 10; blocks++) {
			struct schedule schedule = {.order = SCHEDULE_SEQUENTIAL,
			                            .arm_count = k,
			                            .blocks = blocks,
			                            .seed = 1};
			unsigned count[SCHEDULE_ARMS_MAX] = {0}, last = 0;
			unsigned arms[SCHEDULE_BLOCK_MAX];

			for (unsigned block = 1; block <= blocks; block++) {
				schedule_block(&schedule, block, arms);
				for (unsigned i = 0; i < 2 * k; i++) {
					assert_true(arms[i] >= last && arms[i] < k);
					last = arms[i];
					count[last]++;
				}
			}
			for (unsigned arm = 0; arm < k; arm++)
				assert_int_equal(count[arm], 2 * blocks);
			schedule_block(&schedule, 0, arms);
			assert_int_not_equal(arms[0], arms[1]);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_balanced_blocks),
	        cmocka_unit_test(test_williams),
	        cmocka_unit_test(test_coin),
	        cmocka_unit_test(test_names_are_permuted),
	        cmocka_unit_test(test_seed),
	        cmocka_unit_test(test_sequential),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
