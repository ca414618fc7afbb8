// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <stdio.h>

#include "base/strmap.h"
#include "random.h"

static int marks[8];

static void put(struct strmap *map, const char *key, size_t len, void *value)
{
	strmap_add(map, key, len)->value = value;
}

static void test_strmap_empty(void **state)
{
	struct strmap map = STRMAP_INIT;

	(void)state;
	assert_null(strmap_get(&map, "a", 1));
	assert_null(strmap_get(&map, "", 0));
	strmap_done(&map);
	strmap_done(&map);
}

static void test_strmap_add_is_get(void **state)
{
	struct strmap map = STRMAP_INIT;
	struct strmap_entry *entry = strmap_add(&map, "key", 3);

	(void)state;
	assert_null(entry->value);
	assert_string_equal(entry->key, "key");
	assert_int_equal(entry->key_len, 3);
	assert_null(strmap_get(&map, "key", 3));
	entry->value = &marks[0];
	assert_ptr_equal(strmap_get(&map, "key", 3), &marks[0]);
	assert_ptr_equal(strmap_add(&map, "key", 3)->value, &marks[0]);
	assert_int_equal(map.count, 1);
	strmap_done(&map);
	assert_null(strmap_get(&map, "key", 3));
}

/* Keys that differ only in where they end, or in bytes that strings do not see. */
static void test_strmap_keys_nearly_alike(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} keys[] = {
	        {"", 0},
	        {"\0", 1},
	        {"\0\0", 2},
	        {"a", 1},
	        {"a\0", 2},
	        {"a\0\0", 3},
	        {"a\0b", 3},
	        {"a\0c", 3},
	        {"abcdefg", 7},
	        {"abcdefgh", 8},
	        {"abcdefgh\0", 9},
	        {"abcdefghi", 9},
	        {"\xff\xff", 2},
	        {"\xff\xff\xff", 3},
	        {"worker-1", 8},
	        {"worker-10", 9},
	        {"worker-100", 10},
	        {"worker-", 7},
	        {"0123456789abcdef", 16},
	        {"0123456789abcdeg", 16},
	        {"1123456789abcdef", 16},
	};
	struct strmap map = STRMAP_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		put(&map, keys[i].bytes, keys[i].len, (void *)(uintptr_t)(i + 1));
	assert_int_equal(map.count, ARRAY_SIZE(keys));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		assert_int_equal((uintptr_t)strmap_get(&map, keys[i].bytes, keys[i].len), i + 1);
		assert_int_equal(map.entries[i].key_len, keys[i].len);
		assert_memory_equal(map.entries[i].key, keys[i].bytes, keys[i].len);
		assert_int_equal(map.entries[i].key[keys[i].len], '\0');
	}
	assert_null(strmap_get(&map, "b", 1));
	assert_null(strmap_get(&map, "\0\0\0", 3));
	strmap_done(&map);
}

static void test_strmap_copies_keys(void **state)
{
	struct strmap map = STRMAP_INIT;
	char key[] = "changes";

	(void)state;
	put(&map, key, strlen(key), &marks[1]);
	key[0] = 'C';
	assert_ptr_equal(strmap_get(&map, "changes", 7), &marks[1]);
	assert_null(strmap_get(&map, key, 7));
	strmap_done(&map);
}

/* Growth keeps every key, its value and the order of insertion. */
static void test_strmap_many_keys(void **state)
{
	enum { KEYS = 100000 };
	struct strmap map = STRMAP_INIT;
	char key[32];

	(void)state;
	for (unsigned i = 0; i < KEYS; i++) {
		int len = snprintf(key, sizeof(key), "tokio-worker-%u", i);

		put(&map, key, (size_t)len, (void *)(uintptr_t)(i + 1));
		assert_int_equal(map.count, i + 1);
	}
	for (unsigned i = 0; i < KEYS; i++) {
		int len = snprintf(key, sizeof(key), "tokio-worker-%u", i);

		assert_int_equal((uintptr_t)strmap_get(&map, key, (size_t)len), i + 1);
		assert_string_equal(map.entries[i].key, key);
		key[0] = 'T';
		assert_null(strmap_get(&map, key, (size_t)len));
	}
	strmap_done(&map);
}

struct known_key {
	char bytes[12];
	size_t len;
	uintptr_t value; /* 0: not added yet */
};

static size_t find_known(const struct known_key *known, size_t count, const struct known_key *key)
{
	size_t i = 0;

	while (i < count &&
	       (known[i].len != key->len || memcmp(known[i].bytes, key->bytes, key->len) != 0))
		i++;
	return i;
}

/* Against a list that is searched from the front. Few different bytes, so that keys come again. */
static void test_strmap_random_keys(void **state)
{
	enum { SEED = 3, ROUNDS = 30, STEPS = 600 };
	static struct known_key known[STEPS];

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		struct strmap map = STRMAP_INIT;
		size_t count = 0;

		for (uintptr_t step = 1; step <= STEPS; step++) {
			struct known_key key = {.len = random_below(&random, sizeof(key.bytes))};
			size_t at;

			for (size_t i = 0; i < key.len; i++)
				key.bytes[i] = (char)random_below(&random, 2);
			at = find_known(known, count, &key);
			check_random(&random, (uintptr_t)strmap_get(&map, key.bytes, key.len) ==
			                              (at < count ? known[at].value : 0));
			if (at == count)
				known[count++] = key;
			known[at].value = step;
			put(&map, key.bytes, key.len, (void *)step);
			check_random(&random, map.count == count);
		}
		strmap_done(&map);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_strmap_empty),
	        cmocka_unit_test(test_strmap_add_is_get),
	        cmocka_unit_test(test_strmap_keys_nearly_alike),
	        cmocka_unit_test(test_strmap_copies_keys),
	        cmocka_unit_test(test_strmap_many_keys),
	        cmocka_unit_test(test_strmap_random_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
