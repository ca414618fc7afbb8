/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* bpf-memory - the functions that libbpf allocates with; src/bpf/meson.build puts their names into its copy of libbpf.
 * They do as malloc(3) and strdup(3) do, but end the program instead of returning NULL. Results are freed with
 * free(). */
#include <stddef.h>

void *bpf_memory_malloc(size_t size);
void *bpf_memory_calloc(size_t count, size_t size);
void *bpf_memory_realloc(void *old, size_t size);
char *bpf_memory_strdup(const char *text);
