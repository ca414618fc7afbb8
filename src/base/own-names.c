// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/own-names.h"

#include <string.h>

#define OWN_NAME_BYTES 16 /* TASK_COMM_LEN */
#define OWN_NAME_CHECK(id_, name_) \
	_Static_assert(sizeof(name_) <= OWN_NAME_BYTES, "the kernel cuts off this name: " name_);
OWN_NAMES(OWN_NAME_CHECK)

#define OWN_NAME_TEXT(id_, name_) [OWN_NAME_##id_] = name_,
const char *const own_names[OWN_NAME_COUNT] = {OWN_NAMES(OWN_NAME_TEXT)};

bool own_name_is(const char *name)
{
	for (unsigned i = 0; i < OWN_NAME_COUNT; i++)
		if (strcmp(name, own_names[i]) == 0)
			return true;
	return strncmp(name, OWN_WALK_PREFIX, strlen(OWN_WALK_PREFIX)) == 0;
}
