/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* mem - allocation that does not return NULL. Running out of memory ends the program with status 1
 * and one line on stderr: a profiler that cannot allocate has nothing useful left to do, and output
 * files are only ever linked into place once they are whole. */
#include <stddef.h>

#include "ctprof/macro.h"

/* Zeroed memory for @count objects of @size bytes; the caller frees it with free(). */
must_check_ void *mem_calloc(size_t count, size_t size);

/* Resizes @old (may be NULL) to @count objects of @size bytes; new bytes are not initialised. */
must_check_ void *mem_realloc(void *old, size_t count, size_t size);

/* A copy of @len bytes with a NUL behind them. @bytes is borrowed. */
must_check_ char *mem_copy(const void *bytes, size_t len);

/* Ends the program: "ctprof: out of memory", status 1. */
noreturn_ void mem_exhausted(void);

/* For cleanup_(mem_freep): frees the object that the variable points to. */
void mem_freep(void *pointer_to_pointer);
