// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"
#include "ctprof/base/hash.h"

struct vector {
	size_t len;
	uint64_t plain; /* with a seed of zeros */
	uint64_t keyed; /* with the seed below */
};

static const struct hash_seed zeros = {{0, 0}};
static const struct hash_seed keyed = {
        {UINT64_C(0xdc504fd368cd90af), UINT64_C(0xb920bb9ffe99e9c1)}};

/* Made with CPython 3.11, whose hash of bytes is SipHash-1-3: PYTHONHASHSEED=0 and PYTHONHASHSEED=42, which it expands
 * to the seed above; byte i of the input is 7 i + 1. */
static const struct vector vectors[] = {
        {1, UINT64_C(0x44bc103b1f8540ed), UINT64_C(0x89404b342d44cd29)},
        {7, UINT64_C(0xb41012aeee05c7d4), UINT64_C(0x974342723b427029)},
        {8, UINT64_C(0xd22d9341176d0728), UINT64_C(0x5403d4956c011be0)},
        {9, UINT64_C(0x4ec42971d570753b), UINT64_C(0xc6a346713cc4d6df)},
        {15, UINT64_C(0x566f711d32f59152), UINT64_C(0x18fb9e5793f74ebf)},
        {16, UINT64_C(0x7e6bfb8bf1d36ac4), UINT64_C(0x6ec5ccfda2701062)},
        {63, UINT64_C(0x5c34c6b66e3070ff), UINT64_C(0xd3248c9de1f634b8)},
        {64, UINT64_C(0x814eabd66a4299eb), UINT64_C(0x99d084a154428838)},
        {300, UINT64_C(0xcf5d9b6ec8561d64), UINT64_C(0xa0beb23754feb832)},
};

static void is_siphash(void **state)
{
	unsigned char bytes[300];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(7 * i + 1);
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		assert_true(hash_bytes(&zeros, bytes, vectors[i].len) == vectors[i].plain);
		assert_true(hash_bytes(&keyed, bytes, vectors[i].len) == vectors[i].keyed);
	}
	assert_true(hash_bytes(&zeros, NULL, 0) == hash_bytes(&zeros, "", 0));
}

/* Flipping the bits 31 and 63 of two neighbouring words cancels out in a chain of one multiplication a word, whatever
 * its seed: strings made of such pairs all collided once. */
static void has_no_known_collisions(void **state)
{
	struct hash_seed seed = hash_seed();
	enum { PAIRS = 8, STRINGS = 1 << PAIRS };
	uint64_t hashes[STRINGS];

	(void)state;
	for (unsigned n = 0; n < STRINGS; n++) {
		unsigned char bytes[PAIRS * 16];

		memset(bytes, 'a', sizeof(bytes));
		for (unsigned pair = 0; pair < PAIRS; pair++)
			for (unsigned at = 3; n >> pair & 1 && at < 16; at += 4)
				bytes[pair * 16 + at] ^= 0x80;
		hashes[n] = hash_bytes(&seed, bytes, sizeof(bytes));
		for (unsigned before = 0; before < n; before++)
			assert_true(hashes[before] != hashes[n]);
	}
}

static void seed_is_that_of_the_process(void **state)
{
	struct hash_seed first = hash_seed(), again = hash_seed();

	(void)state;
	assert_memory_equal(&first, &again, sizeof(first));
	assert_true(first.words[0] != 0 && first.words[1] != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(is_siphash),
	        cmocka_unit_test(has_no_known_collisions),
	        cmocka_unit_test(seed_is_that_of_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
