/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* hash - the one hash function of all tables: SipHash-1-3, keyed with random bytes of this process, so that nobody who
 * chooses names, paths or numbers can choose which of them collide. The order of a table's slots therefore differs from
 * run to run; no output may depend on it. */
#include <stddef.h>
#include <stdint.h>

struct hash_seed {
	uint64_t words[2];
};

/* Returns the seed of this process: the 16 random bytes that the kernel gives to each (AT_RANDOM of getauxval(3)). */
struct hash_seed hash_seed(void);

/* Returns SipHash-1-3 of @len bytes, which may be 0. The result is the same on machines of either byte order. */
uint64_t hash_bytes(const struct hash_seed *seed, const void *bytes, size_t len);
