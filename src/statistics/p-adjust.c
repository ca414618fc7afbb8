// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/p-adjust.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

struct place {
	double p;
	size_t index;
};

static int place_compare(const void *a_ptr, const void *b_ptr)
{
	const struct place *a = a_ptr, *b = b_ptr;

	return (a->p > b->p) - (a->p < b->p);
}

/* The factor of the @rank-th smallest p, from 1, of @m. */
static double factor_of(enum p_adjustment how, size_t rank, size_t m, double harmonic)
{
	switch (how) {
	case P_ADJUST_BONFERRONI:
		return (double)m;
	case P_ADJUST_HOLM:
		return (double)(m - rank + 1);
	case P_ADJUST_BH:
		return (double)m / (double)rank;
	case P_ADJUST_BY:
		break;
	}
	return harmonic * (double)m / (double)rank;
}

static void adjust_sorted(enum p_adjustment how, struct place *places, size_t m)
{
	bool is_from_largest = how == P_ADJUST_BH || how == P_ADJUST_BY;
	double harmonic = 0, so_far = is_from_largest ? 1 : 0;

	for (size_t i = 1; i <= m; i++)
		harmonic += 1 / (double)i;
	for (size_t i = 0; i < m; i++) {
		size_t rank = is_from_largest ? m - i : i + 1;
		struct place *place = &places[rank - 1];
		double p = fmin(1, factor_of(how, rank, m, harmonic) * place->p);

		/* An adjusted p rises with the p. */
		so_far = is_from_largest ? fmin(so_far, p) : fmax(so_far, p);
		place->p = so_far;
	}
}

void p_adjust(enum p_adjustment how, const struct p_value *p, size_t count, struct p_value *ret)
{
	struct place *places = mem_calloc(count + 1, sizeof(places[0]));
	size_t m = 0;

	for (size_t i = 0; i < count; i++)
		if (p[i].is_defined)
			places[m++] = (struct place){p[i].p, i};
	qsort(places, m, sizeof(places[0]), place_compare);
	adjust_sorted(how, places, m);
	for (size_t i = 0; i < count; i++)
		ret[i] = (struct p_value){.is_defined = p[i].is_defined};
	for (size_t i = 0; i < m; i++)
		ret[places[i].index].p = places[i].p;
	free(places);
}
