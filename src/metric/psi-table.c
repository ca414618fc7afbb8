// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/base/macro.h"
#include "ctprof/metric/psi.h"

/* clang-format off */
const char *const psi_resource_names[PSI_RESOURCE_COUNT] = {
#define PSI_RESOURCE(id_, text_) [PSI_##id_] = #id_,
#include "psi.def"
};

const char *const psi_row_names[PSI_ROW_COUNT] = {
#define PSI_ROW(id_, text_) [PSI_ROW_##id_] = #id_,
#include "psi.def"
};

const char *const psi_average_names[PSI_AVERAGE_COUNT] = {
#define PSI_AVERAGE(id_, text_) [PSI_AVERAGE_##id_] = #id_,
#include "psi.def"
};

const char *const psi_resource_descriptions[PSI_RESOURCE_COUNT] = {
#define PSI_RESOURCE(id_, text_) [PSI_##id_] = text_,
#include "psi.def"
};

const char *const psi_row_descriptions[PSI_ROW_COUNT] = {
#define PSI_ROW(id_, text_) [PSI_ROW_##id_] = text_,
#include "psi.def"
};

const char *const psi_average_descriptions[PSI_AVERAGE_COUNT] = {
#define PSI_AVERAGE(id_, text_) [PSI_AVERAGE_##id_] = text_,
#include "psi.def"
};
/* clang-format on */

bool psi_seen(const struct psi *psi)
{
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++)
			if (psi->lines[resource][row].seen)
				return true;
	return false;
}

static void merge_line(struct psi_line *into, const struct psi_line *from)
{
	if (!from->seen)
		return;
	into->seen = true;
	for (unsigned i = 0; i < PSI_AVERAGE_COUNT; i++)
		if (from->averages[i] > into->averages[i])
			into->averages[i] = from->averages[i];
	saturating_add_to(&into->total_usec, from->total_usec);
}

void psi_merge(struct psi *into, const struct psi *from)
{
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++)
			merge_line(&into->lines[resource][row], &from->lines[resource][row]);
}
