/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* schedule - the order of the arms, a pure function of the seed: the same seed gives the same order on every machine and in every
 * later version.
 *
 * A block has two units of each arm: a row of a Williams square (Williams 1949: each arm follows each other one equally often), and the
 * same row backwards. With two arms that is ABBA, or BAAB, by the toss of a coin. Within a block each arm has the same mean
 * position, so a linear drift cancels in every difference between arms. With k > 2 arms a square takes k blocks if k is odd,
 * and k / 2 if it is even; for each square the names of the arms are permuted, its rows are shuffled, and for each row a coin says
 * whether it comes forwards or backwards first. The distribution of a statistic under random order comes from other seeds. */
#include <stdint.h>

#include "ctprof/base/macro.h"

enum schedule_order { SCHEDULE_BLOCKS, SCHEDULE_SEQUENTIAL };

enum { SCHEDULE_ARMS_MAX = 8, SCHEDULE_BLOCK_MAX = 2 * SCHEDULE_ARMS_MAX };

struct schedule {
	enum schedule_order order;
	unsigned arm_count; /* 2 to SCHEDULE_ARMS_MAX */
	unsigned blocks;    /* besides block 0, which does not count */
	uint64_t seed;
};

/* Returns the number of units in a block. */
unsigned schedule_block_length(const struct schedule *schedule);

/* Returns after how many blocks each arm has followed each other one equally often. */
unsigned schedule_square_blocks(const struct schedule *schedule);

/* Stores the arms of a block, 0 to @blocks, in their order. Block 0 is tossed like the others, also in sequential order; there
 * the other blocks are equal parts of AAAA...BBBB. */
void schedule_block(const struct schedule *schedule, unsigned block,
                    unsigned ret_arms[SCHEDULE_BLOCK_MAX]);
