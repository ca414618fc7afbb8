// SPDX-License-Identifier: GPL-2.0-or-later
#include "flip-sums.h"

#include <stdlib.h>

struct flip_sums flip_sums_new(const double *contrasts, size_t blocks, size_t stride)
{
	struct flip_sums sums = {.stride = stride};

	sums.table = mem_calloc(stride, sizeof(sums.table[0]));
	for (size_t k = 0; k < stride; k++)
		for (unsigned flips = 0; flips < 256; flips++)
			for (size_t bit = 0; bit < 8 && k * 8 + bit < blocks; bit++)
				sums.table[k][flips] += (flips >> bit & 1) != 0
				                                ? -contrasts[k * 8 + bit]
				                                : contrasts[k * 8 + bit];
	return sums;
}

void flip_sums_done(struct flip_sums *sums)
{
	free(sums->table);
	*sums = (struct flip_sums){0};
}
