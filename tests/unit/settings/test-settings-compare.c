// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings that differ. */
#include "check.h"

#include "settings/settings-compare.h"

static const char *const sides[2][6][2] = {
        {{"fs.nr_open", "1"},
         {"kernel.hostname", "a"},
         {"kernel.sched_rt_runtime_us", "950000"},
         {"net.core.somaxconn", "128"},
         {"only.here", "1"},
         {"vm.swappiness", "60"}},
        {{"fs.nr_open", "2"},
         {"kernel.hostname", "b"},
         {"kernel.sched_rt_runtime_us", "-1"},
         {"net.core.somaxconn", "128"},
         {"only.there", "1"},
         {"vm.swappiness", "10"}},
};

static void fill(struct settings settings[2])
{
	for (unsigned side = 0; side < 2; side++) {
		for (size_t i = 0; i < ARRAY_SIZE(sides[side]); i++)
			settings_add(&settings[side], sides[side][i][0], strlen(sides[side][i][0]),
			             sides[side][i][1], strlen(sides[side][i][1]));
		settings_sort(&settings[side]);
	}
}

/* The scheduler first; nothing of the host's name, and nothing that one side does not have. */
static void test_compare_order(void **state)
{
	struct settings settings[2] = {{0}};
	cleanup_(setting_pairs_done) struct setting_pairs pairs = {0};

	(void)state;
	fill(settings);
	settings_compare(&settings[0], &settings[1], false, &pairs);
	assert_int_equal(pairs.count, 3);
	assert_string_equal(pairs.entries[0].baseline->name, "kernel.sched_rt_runtime_us");
	assert_string_equal(pairs.entries[0].baseline->text, "950000");
	assert_string_equal(pairs.entries[0].candidate->text, "-1");
	assert_string_equal(pairs.entries[1].baseline->name, "vm.swappiness");
	assert_string_equal(pairs.entries[2].baseline->name, "fs.nr_open");
	settings_done(&settings[0]);
	settings_done(&settings[1]);
}

static void test_compare_all(void **state)
{
	struct settings settings[2] = {{0}};
	cleanup_(setting_pairs_done) struct setting_pairs pairs = {0};

	(void)state;
	fill(settings);
	settings_compare(&settings[0], &settings[1], true, &pairs);
	assert_int_equal(pairs.count, 4);
	assert_false(pairs.entries[3].differs);
	settings_done(&settings[0]);
	settings_done(&settings[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_compare_order),
	        cmocka_unit_test(test_compare_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
