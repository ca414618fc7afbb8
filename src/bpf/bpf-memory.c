// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf-memory.h"

/* The allocator of libbpf. Some of libbpf's functions do not check the result of malloc(3) and crash if it is NULL
 * (seen in version 1.1 while a program was loaded). The build links a copy of libbpf in which these functions replace
 * those of the C library: running out of memory ends the program with a message, as everywhere else. */

#include <string.h>

#include "base/mem.h"

void *bpf_memory_malloc(size_t size)
{
	return mem_realloc(NULL, size, 1);
}

void *bpf_memory_calloc(size_t count, size_t size)
{
	return mem_calloc(count, size);
}

void *bpf_memory_realloc(void *old, size_t size)
{
	return mem_realloc(old, size, 1);
}

char *bpf_memory_strdup(const char *text)
{
	return mem_copy_text(text);
}
