// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <stdio.h>

#include "procfs/procfs.h"

static const struct source_want *find(const struct source_keys *keys, const char *key)
{
	return source_keys_find(keys, key, strlen(key));
}

static bool wants(const struct source_keys *keys, const struct source_want *want,
                  enum metric_id metric)
{
	for (; want; want = source_want_next(keys, want))
		if (want->metric == metric)
			return true;
	return false;
}

/* Every row of the registry is found by its source and key, and by no other source. */
static void test_keys_every_metric(void **state)
{
	(void)state;
	for (unsigned s = 0; s < SOURCE_COUNT; s++) {
		struct source_keys keys;

		source_keys_init(&keys, (enum metric_source)s);
		for (unsigned i = 0; i < METRIC_COUNT; i++) {
			enum metric_id metric = (enum metric_id)i;
			const char *key = metric_table[i].key;

			if (metric_table[i].encoding == ENCODING_DOTTED_MS_DIFFERENCE)
				continue;
			assert_int_equal(wants(&keys, find(&keys, key), metric),
			                 metric_table[i].source == s);
		}
		for (size_t i = 0; i < metric_fallback_count; i++)
			assert_int_equal(wants(&keys, find(&keys, metric_fallback_table[i].key),
			                       metric_fallback_table[i].metric),
			                 metric_fallback_table[i].source == s);
		source_keys_done(&keys);
	}
}

/* Both operands of a difference are wanted, each as what it is; one of them is a metric as well. */
static void test_keys_of_difference(void **state)
{
	const struct source_want *sleep, *block;
	struct source_keys keys;

	(void)state;
	source_keys_init(&keys, SOURCE_sched);
	sleep = find(&keys, "sum_sleep_runtime");
	assert_non_null(sleep);
	assert_int_equal(sleep->metric, METRIC_voluntary_sleep_ns);
	assert_int_equal(sleep->part, 0);
	assert_null(source_want_next(&keys, sleep));
	block = find(&keys, "sum_block_runtime");
	assert_true(wants(&keys, block, METRIC_voluntary_sleep_ns));
	assert_true(wants(&keys, block, METRIC_block_sum));
	for (; block; block = source_want_next(&keys, block))
		assert_int_equal(block->part, block->metric == METRIC_voluntary_sleep_ns);
	assert_null(find(&keys, "sum_sleep_runtime - sum_block_runtime"));
	source_keys_done(&keys);
}

static void test_keys_by_number(void **state)
{
	struct source_keys keys;
	char text[16];

	(void)state;
	source_keys_init(&keys, SOURCE_stat);
	for (unsigned number = 0; number < 2 * SOURCE_NUMBERS; number++) {
		snprintf(text, sizeof(text), "%u", number);
		assert_ptr_equal(source_keys_find_number(&keys, number), find(&keys, text));
	}
	assert_true(wants(&keys, source_keys_find_number(&keys, 41), METRIC_policy));
	assert_null(source_keys_find_number(&keys, 0));
	assert_null(source_keys_find_number(&keys, SOURCE_NUMBERS));
	assert_null(source_keys_find_number(&keys, UINT32_MAX));
	source_keys_done(&keys);

	source_keys_init(&keys, SOURCE_io);
	for (unsigned number = 0; number < SOURCE_NUMBERS; number++)
		assert_null(source_keys_find_number(&keys, number));
	source_keys_done(&keys);
}

static void test_keys_unknown(void **state)
{
	struct source_keys keys;

	(void)state;
	source_keys_init(&keys, SOURCE_io);
	assert_null(find(&keys, ""));
	assert_null(find(&keys, "rcha"));
	assert_null(find(&keys, "rchar "));
	assert_null(source_keys_find(&keys, "rchar\0", 6));
	assert_non_null(source_keys_find(&keys, "rchar: 5", 5));
	source_keys_done(&keys);
	assert_null(find(&keys, "rchar"));
	source_keys_done(&keys);
}

/* A source that the registry asks nothing of. */
static void test_keys_none(void **state)
{
	struct source_keys keys;

	(void)state;
	source_keys_init(&keys, SOURCE_cgroup);
	assert_int_equal(keys.count, 0);
	assert_null(find(&keys, "0"));
	assert_null(source_keys_find_number(&keys, 1));
	source_keys_done(&keys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_keys_every_metric), cmocka_unit_test(test_keys_of_difference),
	        cmocka_unit_test(test_keys_by_number),    cmocka_unit_test(test_keys_unknown),
	        cmocka_unit_test(test_keys_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
