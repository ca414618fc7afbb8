// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"

void *library_open(const char *name)
{
	void *library;

	errno = 0;
	library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!library && errno == ENOMEM)
		mem_exhausted();
	return library;
}

/* ISO C converts no pointer to an object into one to a function, so the bytes are copied, as dlsym(3) advises. */
bool library_find(void *library, const char *name, void *ret_function)
{
	void *function = dlsym(library, name);

	memcpy(ret_function, &function, sizeof(function));
	return function != NULL;
}

void library_add_reason(struct strbuf *out, const char *name)
{
	const char *reason = dlerror();
	size_t len = strlen(name);

	strbuf_addf(out, "%s is missing or cannot be loaded", name);
	if (!reason)
		return;
	if (strncmp(reason, name, len) == 0 && strncmp(reason + len, ": ", 2) == 0)
		reason += len + 2;
	strbuf_addf(out, " (%s)", reason);
}
