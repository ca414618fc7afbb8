// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/base/hash.h"

#include <endian.h>
#include <string.h>
#include <sys/auxv.h>

struct sip_state {
	uint64_t v0, v1, v2, v3;
};

struct hash_seed hash_seed(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	struct hash_seed seed = {{0}};

	if (random)
		memcpy(&seed, random, sizeof(seed));
	return seed;
}

static inline uint64_t rotate(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static inline void sip_round(struct sip_state *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = rotate(s->v1, 13) ^ s->v0;
	s->v3 = rotate(s->v3, 16) ^ s->v2;
	s->v0 = rotate(s->v0, 32);
	s->v2 += s->v1;
	s->v0 += s->v3;
	s->v1 = rotate(s->v1, 17) ^ s->v2;
	s->v3 = rotate(s->v3, 21) ^ s->v0;
	s->v2 = rotate(s->v2, 32);
}

static inline void sip_word(struct sip_state *s, uint64_t word)
{
	s->v3 ^= word;
	sip_round(s);
	s->v0 ^= word;
}

uint64_t hash_bytes(const struct hash_seed *seed, const void *bytes, size_t len)
{
	struct sip_state s = {
	        .v0 = seed->words[0] ^ UINT64_C(0x736f6d6570736575),
	        .v1 = seed->words[1] ^ UINT64_C(0x646f72616e646f6d),
	        .v2 = seed->words[0] ^ UINT64_C(0x6c7967656e657261),
	        .v3 = seed->words[1] ^ UINT64_C(0x7465646279746573),
	};
	const char *at = bytes;
	uint64_t word = 0;
	size_t left = len;

	for (; left >= sizeof(word); left -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sip_word(&s, le64toh(word));
	}
	word = 0;
	if (left > 0)
		memcpy(&word, at, left);
	sip_word(&s, le64toh(word) | (uint64_t)len << 56);

	s.v2 ^= 0xff;
	sip_round(&s);
	sip_round(&s);
	sip_round(&s);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
