/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* flip-sums - the sums of a row's contrasts under flipped signs, eight blocks at a time. */
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct flip_sums {
	size_t stride;
	double (*table)[256]; /* owned: for each eight blocks the sum under each way to flip them */
};

/* @contrasts are @blocks numbers. */
struct flip_sums flip_sums_new(const double *contrasts, size_t blocks, size_t stride);

/* The sum if the blocks of @bytes are flipped. */
static inline double flip_sum(const struct flip_sums *sums, const uint8_t *bytes)
{
	double sum = sums->table[0][bytes[0]];

	for (size_t k = 1; k < sums->stride; k++)
		sum += sums->table[k][bytes[k]];
	return sum;
}

/* Frees the tables. For cleanup_(flip_sums_done). */
void flip_sums_done(struct flip_sums *sums);
