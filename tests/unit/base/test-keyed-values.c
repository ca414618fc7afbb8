// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <stdio.h>

#include "ctprof/base/keyed-values.h"

static void set(struct keyed_values *values, const char *key, uint64_t value)
{
	keyed_values_set(values, key, strlen(key), value);
}

static uint64_t get(const struct keyed_values *values, const char *key, size_t hint)
{
	const struct keyed_value *entry = keyed_values_find(values, key, strlen(key), hint);

	assert_non_null(entry);
	assert_string_equal(entry->key, key);
	return entry->value;
}

static void test_keyed_values_set(void **state)
{
	struct keyed_values values = {0};

	(void)state;
	assert_null(keyed_values_find(&values, "anon", 4, 0));
	set(&values, "anon", 1);
	set(&values, "anon_thp", 2);
	set(&values, "an", 3);
	set(&values, "", 4);
	set(&values, "anon", UINT64_MAX);
	assert_int_equal(values.count, 4);
	for (size_t hint = 0; hint < 6; hint++) {
		assert_true(get(&values, "anon", hint) == UINT64_MAX);
		assert_int_equal(get(&values, "anon_thp", hint), 2);
		assert_int_equal(get(&values, "an", hint), 3);
		assert_int_equal(get(&values, "", hint), 4);
		assert_null(keyed_values_find(&values, "anon_", 5, hint));
		assert_null(keyed_values_find(&values, "a", 1, hint));
	}
	keyed_values_done(&values);
}

/* A key need not end in NUL, and what was cleared is gone though its memory is kept. */
static void test_keyed_values_reuse(void **state)
{
	struct keyed_values values = {0};
	char key[16];

	(void)state;
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 100; i++) {
			int len = snprintf(key, sizeof(key), "%u-%0*u|", i, (int)round * 3, i);

			keyed_values_set(&values, key, (size_t)len - 1, i + round);
		}
		assert_int_equal(values.count, 100);
		snprintf(key, sizeof(key), "%u-%0*u", 42, (int)round * 3, 42);
		assert_int_equal(get(&values, key, 0), 42 + round);
		keyed_values_clear(&values);
		assert_null(keyed_values_find(&values, key, strlen(key), 42));
	}
	keyed_values_done(&values);
	assert_null(values.entries);
	keyed_values_done(&values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_keyed_values_set),
	        cmocka_unit_test(test_keyed_values_reuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
