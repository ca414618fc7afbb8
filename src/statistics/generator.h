/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* generator - random numbers by seed: the same seed gives the same numbers on every machine and in every version, so
 * that a result can be computed again. Not for secrets. */
#include <stdint.h>

struct generator {
	uint64_t state; /* the seed, at first */
};

/* 64 random bits: one step of splitmix64. */
uint64_t generator_next(struct generator *generator);

/* A number from 0 to @bound - 1, all equally likely; bound > 0. */
uint64_t generator_below(struct generator *generator, uint64_t bound);

/* A real number, 0 < x < 1. */
double generator_unit(struct generator *generator);

/* A number of the standard normal distribution. */
double generator_normal(struct generator *generator);
