// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void mem_exhausted(void)
{
	static const char message[] = "ctprof: out of memory\n";
	ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);

	(void)written;
	_exit(1);
}

void *mem_calloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		mem_exhausted();
	return p;
}

void *mem_realloc(void *old, size_t count, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(count, size, &bytes))
		mem_exhausted();
	p = realloc(old, bytes ? bytes : 1);
	if (!p)
		mem_exhausted();
	return p;
}

char *mem_copy(const void *bytes, size_t len)
{
	char *copy;

	if (len == SIZE_MAX)
		mem_exhausted();
	copy = mem_realloc(NULL, len + 1, 1);
	if (len > 0)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	return copy;
}

void mem_freep(void *pointer_to_pointer)
{
	void *p;

	memcpy(&p, pointer_to_pointer, sizeof(p));
	free(p);
}
