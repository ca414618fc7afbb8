/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* flips - the tosses of an experiment's coins that could have come instead of the observed one, each as the blocks whose
 * coin would have fallen the other way. If the arms do not differ, such a toss turns the sign of the contrasts of these
 * blocks, and nothing else. One list serves all rows of an experiment. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All tosses are listed up to so many blocks; above, so many are drawn. */
#define FLIPS_LISTED_BLOCKS 20
#define FLIPS_DRAWN 100000

struct flips {
	size_t blocks;
	size_t count; /* tosses in the list; the observed one, which flips nothing, is one of them unless they are drawn */
	bool is_drawn; /* a random sample of the tosses */
	bool is_every; /* all ways to flip: the second half of the list has the complements of the first */
	size_t stride;  /* bytes of a toss */
	uint8_t *bytes; /* owned: bit i % 8 of byte i / 8 is set if the toss flips block i */
};

/* All 2^@blocks tosses of independent coins, or FLIPS_DRAWN of them, drawn by @seed. */
struct flips flips_of_coins(size_t blocks, uint64_t seed);

/* FLIPS_DRAWN tosses of independent coins, drawn by @seed, for any number of blocks. */
struct flips flips_drawn(size_t blocks, uint64_t seed);

/* The p of @hits, the number of listed tosses that are as extreme as the observed one: hits / count, or (hits + 1) /
 * (count + 1) for a sample. */
double flips_p(const struct flips *flips, size_t hits);

/* The smallest p that these tosses can give a row: 2^(1-blocks), for a row and its mirror image are equally extreme, or
 * 1 / (count + 1) for a sample. */
double flips_smallest_p(const struct flips *flips);

/* Frees the list. For cleanup_(flips_done). */
void flips_done(struct flips *flips);
