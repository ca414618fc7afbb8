// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/flips.h"

#include <stdlib.h>

#include "base/mem.h"
#include "statistics/generator.h"

static struct flips flips_new(size_t blocks, size_t count, bool is_drawn)
{
	struct flips flips = {.blocks = blocks, .count = count, .is_drawn = is_drawn};

	/* One byte at least, so that an experiment without blocks is no special case. */
	flips.stride = (blocks + 7) / 8 + (blocks == 0);
	flips.bytes = mem_calloc(count > 0 ? count : 1, flips.stride);
	return flips;
}

struct flips flips_drawn(size_t blocks, uint64_t seed)
{
	struct generator generator = {seed};
	struct flips flips = flips_new(blocks, FLIPS_DRAWN, true);

	for (size_t i = 0; i < flips.count; i++) {
		uint64_t bits = 0;

		for (size_t k = 0; k < flips.stride; k++, bits >>= 8) {
			if (k % 8 == 0)
				bits = generator_next(&generator);
			flips.bytes[i * flips.stride + k] = (uint8_t)bits;
		}
	}
	return flips;
}

struct flips flips_of_coins(size_t blocks, uint64_t seed)
{
	struct flips flips;

	if (blocks > FLIPS_LISTED_BLOCKS)
		return flips_drawn(blocks, seed);
	flips = flips_new(blocks, (size_t)1 << blocks, false);
	/* Block blocks - 1 is flipped in the second half. */
	flips.is_every = blocks > 0;
	for (size_t i = 0; i < flips.count; i++)
		for (size_t k = 0; k < flips.stride; k++)
			flips.bytes[i * flips.stride + k] = (uint8_t)(i >> 8 * k);
	return flips;
}

double flips_p(const struct flips *flips, size_t hits)
{
	return flips->is_drawn ? ((double)hits + 1) / ((double)flips->count + 1)
	                       : (double)hits / (double)flips->count;
}

double flips_smallest_p(const struct flips *flips)
{
	if (flips->is_drawn)
		return flips_p(flips, 0);
	return flips_p(flips, flips->is_every ? 2 : 1);
}

void flips_done(struct flips *flips)
{
	free(flips->bytes);
	*flips = (struct flips){0};
}
