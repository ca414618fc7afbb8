// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/sha256.h"
#include "check.h"

struct vector {
	const char *text;
	unsigned times;
	const char *hex;
};

/* Examples of FIPS 180-4 and of NIST's CSRC, and lengths around the end of a block, by sha256sum(1). */
static const struct vector vectors[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
        {"a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {"a", 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {"a", 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {"a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
};

static void is_sha256(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		char hex[SHA256_HEX_BYTES];
		struct sha256 hash;

		sha256_init(&hash);
		for (unsigned n = 0; n < vectors[i].times; n++)
			sha256_add(&hash, vectors[i].text, strlen(vectors[i].text));
		sha256_finish(&hash, hex);
		assert_string_equal(hex, vectors[i].hex);
	}
}

/* The hash does not depend on the pieces in which the bytes come. */
static void pieces_do_not_matter(void **state)
{
	unsigned char bytes[300];
	char whole[SHA256_HEX_BYTES];
	struct sha256 hash;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(7 * i);
	sha256_init(&hash);
	sha256_add(&hash, bytes, sizeof(bytes));
	sha256_finish(&hash, whole);
	for (size_t piece = 1; piece < sizeof(bytes); piece++) {
		char hex[SHA256_HEX_BYTES];

		sha256_init(&hash);
		for (size_t at = 0; at < sizeof(bytes); at += piece)
			sha256_add(&hash, bytes + at,
			           sizeof(bytes) - at < piece ? sizeof(bytes) - at : piece);
		sha256_finish(&hash, hex);
		assert_string_equal(hex, whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(is_sha256),
	        cmocka_unit_test(pieces_do_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
