// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/generator.h"

#include "statistics/distribution.h"

uint64_t generator_next(struct generator *generator)
{
	uint64_t z = generator->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint64_t generator_below(struct generator *generator, uint64_t bound)
{
	/* 2^64 modulo the bound: numbers below it would make small results more likely. */
	uint64_t surplus = (UINT64_MAX - bound + 1) % bound, number;

	do
		number = generator_next(generator);
	while (number < surplus);
	return number % bound;
}

double generator_unit(struct generator *generator)
{
	return ((double)(generator_next(generator) >> 11) + 0.5) * 0x1p-53;
}

double generator_normal(struct generator *generator)
{
	return normal_quantile(generator_unit(generator));
}
