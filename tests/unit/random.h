/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* random - numbers for property tests: the same ones each time, by seed and round, and both are named where a
 * property does not hold. */
#include <stdbool.h>

#include "check.h"

struct random {
	uint64_t seed;
	unsigned round;
	uint64_t state;
};

/* One step of splitmix64. */
static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Every round has numbers of its own, so that one that fails can be run alone. */
static inline struct random random_start(uint64_t seed, unsigned round)
{
	struct random random = {.seed = seed, .round = round, .state = seed};

	random.state = random_next(&random) ^ ((uint64_t)round << 32);
	return random;
}

static inline uint64_t random_below(struct random *random, uint64_t bound)
{
	return random_next(random) % bound;
}

static inline bool random_chance(struct random *random, unsigned percent)
{
	return random_below(random, 100) < percent;
}

/* Any number of bits, and often just where things overflow. */
static inline uint64_t random_number(struct random *random)
{
	static const uint64_t edges[] = {0,          1,
	                                 2,          INT32_MAX,
	                                 UINT32_MAX, UINT64_C(1) << 53,
	                                 INT64_MAX,  UINT64_MAX - 1,
	                                 UINT64_MAX};
	uint64_t number = random_next(random);

	if (random_chance(random, 20)) {
		/* Two statements: C leaves the order of operands to the compiler. */
		number = edges[random_below(random, ARRAY_SIZE(edges))];
		return number - random_below(random, 2);
	}
	return number >> random_below(random, 64);
}

static inline void random_shuffle(struct random *random, size_t *indexes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		indexes[i] = i;
	for (size_t i = count; i > 1; i--) {
		size_t j = random_below(random, i), kept = indexes[j];

		indexes[j] = indexes[i - 1];
		indexes[i - 1] = kept;
	}
}

#define check_random(random_, condition_)                                                         \
	do {                                                                                      \
		if (!(condition_))                                                                \
			fail_msg("seed %#llx, round %u: %s", (unsigned long long)(random_)->seed, \
			         (random_)->round, #condition_);                                  \
	} while (0)
