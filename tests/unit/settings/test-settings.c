// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of settings. */
#include "check.h"

#include "ctprof/settings/settings.h"

static void add(struct settings *settings, const char *name, const char *text)
{
	settings_add(settings, name, strlen(name), text, strlen(text));
	settings->seen = true;
}

static void test_settings_order(void **state)
{
	cleanup_(settings_done) struct settings settings = {0};

	(void)state;
	assert_null(settings_find(&settings, "vm.swappiness"));
	add(&settings, "vm.swappiness", "60");
	add(&settings, "fs.nr_open", "1024");
	add(&settings, "vm.swappiness", "60");
	settings_add_denied(&settings, "z", 1);
	settings_add_denied(&settings, "a", 1);
	settings_sort(&settings);
	assert_int_equal(settings.count, 2);
	assert_string_equal(settings.entries[0].name, "fs.nr_open");
	assert_string_equal(settings_find(&settings, "vm.swappiness")->text, "60");
	assert_null(settings_find(&settings, "vm"));
	assert_string_equal(settings.denied[0], "a");
}

/* A window has the value at its end, and the one at its begin where that is another one. */
static void test_settings_changes(void **state)
{
	cleanup_(settings_done) struct settings first = {0}, last = {0};

	(void)state;
	add(&first, "gone", "1");
	add(&first, "same", "2");
	add(&first, "set", "3");
	add(&last, "came", "1");
	add(&last, "same", "2");
	add(&last, "set", "4");
	settings_sort(&first);
	settings_sort(&last);
	settings_note_changes(&last, &first);
	assert_null(settings_find(&last, "came")->before);
	assert_null(settings_find(&last, "same")->before);
	assert_string_equal(settings_find(&last, "set")->before, "3");
	assert_string_equal(settings_find(&last, "set")->text, "4");
	settings_done(&first);
	settings_note_changes(&last, &first);
	assert_string_equal(settings_find(&last, "set")->before, "3");
}

static void test_settings_copy(void **state)
{
	cleanup_(settings_done) struct settings first = {0}, copy = {0};

	(void)state;
	first.seen = true;
	first.left_out = 7;
	add(&first, "set", "4");
	add(&first, "same", "2");
	settings_add_denied(&first, "secret", 6);
	settings_sort(&first);
	setting_set_before(settings_find(&first, "set"), "3");
	settings_copy(&copy, &first);
	settings_done(&first);
	assert_true(copy.seen);
	assert_int_equal(copy.left_out, 7);
	assert_int_equal(copy.count, 2);
	assert_string_equal(settings_find(&copy, "set")->text, "4");
	assert_string_equal(settings_find(&copy, "set")->before, "3");
	assert_null(settings_find(&copy, "same")->before);
	assert_int_equal(copy.denied_count, 1);
	assert_string_equal(copy.denied[0], "secret");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_settings_order),
	        cmocka_unit_test(test_settings_changes),
	        cmocka_unit_test(test_settings_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
