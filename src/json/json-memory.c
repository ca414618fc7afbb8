// SPDX-License-Identifier: GPL-2.0-or-later
#include "json/json-memory.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/mem.h"

static void *allocate(size_t size)
{
	return mem_realloc(NULL, size, 1);
}

void json_memory_init(void)
{
	json_set_alloc_funcs(allocate, free);
}
