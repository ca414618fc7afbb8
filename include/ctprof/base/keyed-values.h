/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* keyed-values - numbers by name, in the order of arrival, for files of the kernel whose keys differ from version to
 * version (memory.stat, smaps_rollup). */
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/hash.h"

/* A list with more is not kept at all: io.stat has six for each of its devices. */
#define KEYED_VALUES_MAX 65536

struct keyed_value {
	char *key;       /* NUL-terminated, owned */
	size_t key_size; /* allocated size */
	uint64_t value;
};

struct keyed_values {
	struct keyed_value *entries; /* owned; those from count on keep their memory for reuse */
	size_t count;
	size_t capacity;
	uint32_t *slots; /* owned; index + 1 into entries, 0 for empty; of long lists only */
	size_t slot_count;
	struct hash_seed seed; /* of the slots, if there are any */
};

/* Stores a value, or replaces the value of that key. */
void keyed_values_set(struct keyed_values *values, const char *key, size_t key_len, uint64_t value);

/* Adds to the value of a key, which is 0 if it has none. A sum of more than 64 bits becomes the largest number. */
void keyed_values_add(struct keyed_values *values, const char *key, size_t key_len, uint64_t value);

/* Returns the value of a key, or NULL; borrowed until the next change. @hint is the place where the search begins. */
struct keyed_value *keyed_values_find(const struct keyed_values *values, const char *key,
                                      size_t key_len, size_t hint);

/* Empties the list and keeps its memory. */
void keyed_values_clear(struct keyed_values *values);
/* For cleanup_(keyed_values_done). */
void keyed_values_done(struct keyed_values *values);
