/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fuzz - what the fuzz targets share. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property of the target; says which one does not hold, and ends. */
static inline void require(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "failed: %s\n", what);
	abort();
}
