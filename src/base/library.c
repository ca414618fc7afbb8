// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

/* ISO C converts no pointer to an object into one to a function, so the bytes are copied, as dlsym(3) advises. */
bool library_find(void *library, const char *name, void *ret_function)
{
	void *function = dlsym(library, name);

	memcpy(ret_function, &function, sizeof(function));
	return function != NULL;
}
