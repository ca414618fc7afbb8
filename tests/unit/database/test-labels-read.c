// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "check.h"
#include "database/labels-read.h"

static void reads_all(void **state)
{
	cleanup_(labels_done) struct labels labels = {0};

	(void)state;
	assert_int_equal(labels_read(&labels, "{\"arm\":\"A\",\"block\":\"\"}"), 0);
	assert_int_equal(labels.count, 2);
	assert_string_equal(labels_find(&labels, "arm"), "A");
	assert_string_equal(labels_find(&labels, "block"), "");
	assert_int_equal(labels_read(&labels, "{}"), 0);
	assert_int_equal(labels.count, 2);
}

static void refuses_others(void **state)
{
	static const char *const texts[] = {"",           "[",
	                                    "[]",         "{\"a\":1}",
	                                    "{\"a\":{}}", "{\"a\":\"b\"",
	                                    "{} {}",      "{\"a\":\"b\",\"a\":\"c\"}",
	                                    "\"arm\"",    "{\"\":\"b\"}"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		cleanup_(labels_done) struct labels labels = {0};

		assert_int_equal(labels_read(&labels, texts[i]), -EBADMSG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(reads_all),
	                                   cmocka_unit_test(refuses_others)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
