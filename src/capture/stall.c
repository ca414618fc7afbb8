// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/stall.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

static bool has_stalled(const struct stall_list *list, uint32_t tgid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->tgids[i] == tgid)
			return true;
	return false;
}

uint64_t stall_limit_ns(const struct stall_list *list, uint32_t tgid)
{
	if (list->threads >= STALL_PATIENT_THREADS || has_stalled(list, tgid))
		return STALL_SHORT_LIMIT_NS;
	return list->limit_ns > 0 ? list->limit_ns : STALL_LIMIT_NS;
}

void stall_add(struct stall_list *list, uint32_t tgid)
{
	list->threads++;
	if (!has_stalled(list, tgid))
		*array_add(list->tgids, list->count, list->capacity) = tgid;
}

void stall_list_done(struct stall_list *list)
{
	free(list->tgids);
	list->tgids = NULL;
	list->count = list->capacity = 0;
}
