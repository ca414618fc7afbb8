/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* p-adjust - the p of many tests, adjusted for their number. */
#include <stddef.h>

#include "statistics/p-value.h"

enum p_adjustment {
	/* At most alpha of experiments without any effect have an adjusted p <= alpha, however rows depend on each
	 * other. Holm's is never larger than Bonferroni's. */
	P_ADJUST_BONFERRONI,
	P_ADJUST_HOLM,
	/* At most alpha of the rows with an adjusted p <= alpha have no effect, on average: Benjamini and Hochberg's
	 * for rows that are independent or rise together, Benjamini and Yekutieli's for all. */
	P_ADJUST_BH,
	P_ADJUST_BY,
};

/* Adjusts @count p-values. One that is not defined stays so, and does not count. @ret may be @p. */
void p_adjust(enum p_adjustment how, const struct p_value *p, size_t count, struct p_value *ret);
