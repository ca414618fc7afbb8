/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* tosses - lists of tosses in the oracles: words such as "0110". */
#include "oracle.h"
#include "statistics/flips.h"

/* The ways to flip the observed toss into each of the allowed ones, or into all of @blocks coins if @allowed is null. */
static inline struct flips read_flips(json_t *allowed, json_t *observed, size_t blocks)
{
	struct flips flips = {.blocks = blocks, .count = json_array_size(allowed)};
	const char *seen = json_string_value(observed);
	json_t *word;
	size_t i;

	if (!json_is_array(allowed))
		return flips_of_coins(blocks, 0);
	assert_int_equal(json_string_length(observed), blocks);
	flips.stride = blocks / 8 + 1;
	flips.bytes = calloc(flips.count, flips.stride);
	assert_non_null(flips.bytes);
	json_array_foreach(allowed, i, word)
	{
		assert_int_equal(json_string_length(word), blocks);
		for (size_t k = 0; k < blocks; k++)
			if (json_string_value(word)[k] != seen[k])
				flips.bytes[i * flips.stride + k / 8] |= (uint8_t)(1u << k % 8);
	}
	return flips;
}
