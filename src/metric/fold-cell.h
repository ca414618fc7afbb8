/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fold-cell - the steps of folding that depend on the cell and on no metric. */
#include "metric/fold.h"

/* Flipping the sign bit makes signed numbers sort as unsigned ones. */
#define FOLD_SIGN_BIT (UINT32_C(1) << 31)

/* Adds a range of @seen threads. */
void fold_range(struct fold_cell *cell, uint32_t low, uint32_t high, uint32_t seen);

/* Adds so many threads with a label; the caller adds them to cell->seen. */
void fold_tally_add(struct fold_cell *cell, const char *label, uint32_t threads);

/* Adds the CPUs of @seen threads. */
void fold_affinity_merge(struct fold_cell *into, const struct fold_affinity *from, uint32_t seen);
