// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/schedule.h"

#include <stdbool.h>

#include "statistics/generator.h"

/* A generator of its own for each purpose and number: a block can be computed without those before it. */
static struct generator stream_begin(uint64_t seed, uint64_t purpose, uint64_t number)
{
	struct generator stream = {seed};

	stream.state = generator_next(&stream) ^ purpose;
	stream.state = generator_next(&stream) ^ number;
	stream.state = generator_next(&stream);
	return stream;
}

static void shuffle(struct generator *stream, unsigned *items, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		items[i] = i;
	for (unsigned i = count; i > 1; i--) {
		unsigned j = (unsigned)generator_below(stream, i), item = items[i - 1];

		items[i - 1] = items[j];
		items[j] = item;
	}
}

unsigned schedule_block_length(const struct schedule *schedule)
{
	return 2 * schedule->arm_count;
}

unsigned schedule_square_blocks(const struct schedule *schedule)
{
	return schedule->arm_count % 2 == 0 ? schedule->arm_count / 2 : schedule->arm_count;
}

/* The row of the square: 0, 1, k-1, 2, k-2, ..., with @row added. */
static unsigned williams(unsigned arm_count, unsigned row, unsigned column)
{
	unsigned first = column % 2 == 1 ? (column + 1) / 2 : (arm_count - column / 2) % arm_count;

	return (first + row) % arm_count;
}

enum { STREAM_SQUARE = 1, STREAM_COIN = 2 };

static void toss_block(const struct schedule *schedule, unsigned block, unsigned *ret_arms)
{
	unsigned k = schedule->arm_count, rows = schedule_square_blocks(schedule);
	unsigned names[SCHEDULE_ARMS_MAX], order[SCHEDULE_ARMS_MAX];
	/* Block 0 is no part of a square. */
	unsigned square = block == 0 ? 0 : 1 + (block - 1) / rows;
	unsigned row = block == 0 ? 0 : (block - 1) % rows;
	struct generator stream = stream_begin(schedule->seed, STREAM_SQUARE, square);
	struct generator coin = stream_begin(schedule->seed, STREAM_COIN, block);
	bool backwards;

	shuffle(&stream, names, k);
	shuffle(&stream, order, rows);
	/* With two arms, a permutation of the names would only repeat the coin. */
	if (k == 2)
		names[0] = 0, names[1] = 1;
	backwards = generator_below(&coin, 2) == 1;
	for (unsigned i = 0; i < k; i++) {
		unsigned arm = names[williams(k, order[row], backwards ? k - 1 - i : i)];

		ret_arms[i] = arm;
		ret_arms[2 * k - 1 - i] = arm;
	}
}

void schedule_block(const struct schedule *schedule, unsigned block,
                    unsigned ret_arms[SCHEDULE_BLOCK_MAX])
{
	unsigned length = schedule_block_length(schedule);

	if (schedule->order == SCHEDULE_BLOCKS || block == 0) {
		toss_block(schedule, block, ret_arms);
		return;
	}
	for (unsigned i = 0; i < length; i++)
		ret_arms[i] = ((block - 1) * length + i) / (2 * schedule->blocks);
}
