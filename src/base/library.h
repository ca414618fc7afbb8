/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* library - functions of shared libraries that are loaded when they are needed. */
#include <stdbool.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Opens a library with all its symbols for itself; see dlopen(3). Returns NULL, with a reason for library_add_reason(), if it cannot be
 * used. Ends the program if there is no memory for it. */
must_check_ void *library_open(const char *name);

/* Stores the function @name of a library that library_open() has opened in the pointer to a function at @ret_function. Returns false, with NULL
 * stored, if the library has none. */
must_check_ bool library_find(void *library, const char *name, void *ret_function);

/* Appends a sentence of why the library @name could not be used, with the reason of the last library_open() or library_find(). */
void library_add_reason(struct strbuf *out, const char *name);
