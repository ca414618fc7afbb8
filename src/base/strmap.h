/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* strmap - a hash map from byte strings to pointers. Keys are copied and may hold any bytes. Each process has its own
 * hash seed, so nobody who chooses thread names can choose collisions. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/hash.h"

struct strmap_entry {
	char *key; /* NUL-terminated copy, owned by the map */
	size_t key_len;
	uint64_t hash;
	void *value; /* the caller's */
};

struct strmap {
	struct strmap_entry *entries; /* in order of insertion; moves when the map grows */
	size_t count;
	size_t capacity;
	uint32_t *slots; /* index + 1 into entries, 0 for empty */
	size_t slot_count;
	struct hash_seed seed;
};

#define STRMAP_INIT ((struct strmap){0})

/* Returns the value of @key, or NULL. */
void *strmap_get(const struct strmap *map, const char *key, size_t key_len);

/* Stores the place of @key among the entries. Returns false if it is not in the map. */
bool strmap_find(const struct strmap *map, const char *key, size_t key_len, uint32_t *ret_place);

/* Returns the entry of @key, and adds it with value NULL if it is missing; borrowed until the next addition. */
struct strmap_entry *strmap_add(struct strmap *map, const char *key, size_t key_len);

/* Frees the keys and the table, not the values. For cleanup_(strmap_done). */
void strmap_done(struct strmap *map);
