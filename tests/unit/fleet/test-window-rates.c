// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/window-rates.h"

#include "base/clock.h"
#include "base/strmap.h"
#include "check.h"
#include "samples.h"

static const struct metric_set run_time = {
        {[METRIC_run_time_ns / 64] = UINT64_C(1) << METRIC_run_time_ns % 64}};

enum { NAMES_MAX = 3 };

/* Adds the window of the number, with a thread of each name that has run for a quarter of it. */
static void add_window(struct window_rates *rates, unsigned number, const char *const *names)
{
	cleanup_(fleet_groups_done) struct fleet_groups groups;
	struct snapshot_info info = {.kind = KIND_window};
	const struct group_by by = group_by_key(GROUP_KEY_pcomm, true);

	info.window.numbers[WINDOW_begin_unix_ns] = number * NS_PER_SECOND;
	info.window.numbers[WINDOW_length_ns] = NS_PER_SECOND;
	info.window.seen[WINDOW_begin_unix_ns] = info.window.seen[WINDOW_length_ns] = true;
	fleet_groups_init(&groups, &by, &run_time);
	for (unsigned i = 0; i < NAMES_MAX && names[i]; i++) {
		cleanup_(sample_done) struct thread_sample sample = {.tid = i + 1, .tgid = i + 1};

		sample_name(&sample.pcomm, names[i]);
		sample_name(&sample.comm, names[i]);
		assert_true(sample_set_integer(&sample, METRIC_run_time_ns, NS_PER_SECOND / 4));
		fleet_groups_add(&groups, &info, &sample);
	}
	fleet_groups_finish(&groups, &info);
	assert_null(window_rates_add(rates, &info, &groups));
}

static double now(const struct window_rates *rates, const char *name)
{
	const struct rate_group *group = strmap_get(&rates->groups, name, strlen(name));

	assert_non_null(group);
	return group->now[METRIC_run_time_ns];
}

/* A writer looks at the groups of this window and of the one before, and at no others, or a recording would take time for each pair
 * of a window and a name. A group that left has 0, in this window and in all to come. */
static void test_changing(void **state)
{
	static const struct {
		const char *names[NAMES_MAX];
		size_t changing;
		double a, b; /* work of a second; below 0: no window has had the group yet */
	} windows[] = {
	        {{"a"}, 1, .25, -1},
	        {{"a", "b"}, 2, .25, .25},
	        {{"b", "c", "d"}, 4, 0, .25},
	        {{"b"}, 3, 0, .25},
	        {{NULL}, 1, 0, 0},
	        {{NULL}, 0, 0, 0},
	        {{"a", "e", "f"}, 3, .25, 0},
	        {{"a"}, 3, .25, 0},
	        {{NULL}, 1, 0, 0},
	};
	cleanup_(window_rates_done) struct window_rates rates = {.groups = STRMAP_INIT};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(windows); i++) {
		add_window(&rates, i, windows[i].names);
		assert_int_equal(rates.changing_count, windows[i].changing);
		for (size_t k = 0; k < rates.changing_count; k++)
			for (size_t j = 0; j < k; j++)
				assert_int_not_equal(rates.changing[k], rates.changing[j]);
		assert_true(now(&rates, "a") == windows[i].a * NS_PER_SECOND);
		if (windows[i].b >= 0)
			assert_true(now(&rates, "b") == windows[i].b * NS_PER_SECOND);
	}
}

static void add_partial(struct window_rates *rates)
{
	cleanup_(fleet_groups_done) struct fleet_groups groups;
	struct snapshot_info info = {.kind = KIND_window};
	const struct group_by by = group_by_key(GROUP_KEY_pcomm, true);

	info.window.numbers[WINDOW_begin_unix_ns] = NS_PER_SECOND;
	info.window.numbers[WINDOW_length_ns] = NS_PER_SECOND;
	info.window.seen[WINDOW_begin_unix_ns] = info.window.seen[WINDOW_length_ns] = true;
	fleet_groups_init(&groups, &by, &run_time);
	for (unsigned i = 0; i < 2; i++) {
		cleanup_(sample_done) struct thread_sample sample = {.tid = i + 1, .tgid = i + 1};

		sample_name(&sample.pcomm, "a");
		sample_name(&sample.comm, "a");
		if (i == 0)
			assert_true(sample_set_integer(&sample, METRIC_run_time_ns, 5));
		fleet_groups_add(&groups, &info, &sample);
	}
	fleet_groups_finish(&groups, &info);
	assert_null(window_rates_add(rates, &info, &groups));
}

/* A sum of some of the threads counts as such, one of none as unseen, and the next window begins anew. */
static void test_counts(void **state)
{
	cleanup_(window_rates_done) struct window_rates rates = {.groups = STRMAP_INIT};
	const struct rate_group *group;

	(void)state;
	add_partial(&rates);
	group = strmap_get(&rates.groups, "a", 1);
	assert_true(window_rates_count(&rates, group, METRIC_run_time_ns));
	assert_false(window_rates_count(&rates, group, METRIC_wait_time_ns));
	assert_int_equal(rates.partial, 1);
	assert_int_equal(rates.unseen, 1);
	add_window(&rates, 2, (const char *[]){"a", NULL, NULL});
	assert_true(window_rates_count(&rates, group, METRIC_run_time_ns));
	assert_int_equal(rates.partial, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_changing),
	        cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
