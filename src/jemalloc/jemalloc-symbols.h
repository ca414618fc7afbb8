/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* jemalloc-symbols - what the names in a file say of jemalloc. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf-file.h"

enum {
	JEMALLOC_PREFIXES_MAX = 8,
	JEMALLOC_PREFIX_LEN_MAX = 31,
	JEMALLOC_VARIABLES_MAX = 16,
	JEMALLOC_FUNCTIONS_MAX = 4,
};

struct jemalloc_prefixes {
	size_t count;
	char text[JEMALLOC_PREFIXES_MAX][JEMALLOC_PREFIX_LEN_MAX + 1];
};

/* A thread-local variable whose name ends like that of jemalloc's. */
struct jemalloc_variable {
	char prefix[JEMALLOC_PREFIX_LEN_MAX + 1];
	uint64_t offset; /* in the file's thread-local storage */
	uint64_t size;   /* 0: not known */
};

struct jemalloc_functions {
	size_t count;
	uint64_t addresses[JEMALLOC_FUNCTIONS_MAX];
};

struct jemalloc_symbols {
	bool has_table;                   /* all names, not only those for other files */
	struct jemalloc_prefixes by_name; /* of mallctl() */
	struct jemalloc_prefixes by_mib;  /* of mallctlbymib() */
	size_t variable_count;
	struct jemalloc_variable variables[JEMALLOC_VARIABLES_MAX];
	/* Functions of the control tree; these names are local to the file, and most files lack them. */
	struct jemalloc_functions allocatedp;
	struct jemalloc_functions deallocatedp;
};

/* Adds the symbols of a file to those already there: a file's own, and those of its debugging information. */
void jemalloc_symbols_add(struct jemalloc_symbols *symbols, const struct elf_file *file);

/* Both functions that every jemalloc offers, with the same prefix; or what it has inside. */
bool jemalloc_symbols_are_found(const struct jemalloc_symbols *symbols);

/* Returns whether its name is one of those that jemalloc's configuration makes. */
bool jemalloc_variable_is_private(const struct jemalloc_variable *variable);

/* The variable that has a thread's data; NULL where there is none, or several and nothing to choose by. */
const struct jemalloc_variable *jemalloc_symbols_variable(const struct jemalloc_symbols *symbols);
