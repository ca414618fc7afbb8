/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* keyed-values - numbers by name, in the order they came, for the kernel's files whose keys differ from
 * version to version (memory.stat, smaps_rollup). */
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/hash.h"

/* A list that would have more is not kept at all: io.stat has six for each of its devices. */
#define KEYED_VALUES_MAX 65536

struct keyed_value {
	char *key;       /* NUL-terminated, owned */
	size_t key_size; /* allocated for it */
	uint64_t value;
};

struct keyed_values {
	struct keyed_value *entries; /* owned; those from count on keep their memory for reuse */
	size_t count;
	size_t capacity;
	uint32_t *slots; /* owned; index + 1 into entries, 0 for empty; of long lists only */
	size_t slot_count;
	struct hash_seed seed; /* of the slots, once there are any */
};

/* Stores a value, in place of an older one of that key. */
void keyed_values_set(struct keyed_values *values, const char *key, size_t key_len, uint64_t value);

/* Returns the value of a key, or NULL; borrowed until the next change. @hint is where it is looked for first. */
struct keyed_value *keyed_values_find(const struct keyed_values *values, const char *key,
                                      size_t key_len, size_t hint);

/* Empties without giving back memory. */
void keyed_values_clear(struct keyed_values *values);
/* For cleanup_(keyed_values_done). */
void keyed_values_done(struct keyed_values *values);
