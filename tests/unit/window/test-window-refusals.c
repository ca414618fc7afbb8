// SPDX-License-Identifier: GPL-2.0-or-later
/* Pairs of snapshots that have no window, and the cgroups and pressure of a window. */
#include <errno.h>

#include "cgroups.h"
#include "check.h"
#include "memory-stream.h"
#include "samples.h"
#include "windows.h"

struct pair {
	struct reading a, b;
	struct snapshot_copy window;
};

static void pair_init(struct pair *pair)
{
	*pair = (struct pair){0};
	reading_init(&pair->a, SECONDS(100));
	reading_init(&pair->b, SECONDS(130));
}

static void pair_done(struct pair *pair)
{
	reading_done(&pair->a);
	reading_done(&pair->b);
	snapshot_copy_done(&pair->window);
}

typedef void change_function(struct pair *pair);

static void assert_refused(change_function *change, const char *sentence)
{
	cleanup_(pair_done) struct pair pair;

	pair_init(&pair);
	change(&pair);
	window_between(&pair.a, &pair.b, NULL, &pair.window);
	assert_int_equal(pair.window.result, -EINVAL);
	if (!strstr(strbuf_str(&pair.window.error), sentence))
		fail_msg("%s, not %s", strbuf_str(&pair.window.error), sentence);
}

static void make_window(struct pair *pair)
{
	pair->b.info.kind = KIND_window;
	window_set(&pair->b.info.window, WINDOW_length_ns, 5);
}

static void other_boot(struct pair *pair)
{
	host_set_text(&pair->b.info.host, HOST_boot_id, "other", 5);
}

static void other_host(struct pair *pair)
{
	other_boot(pair);
	host_set_text(&pair->b.info.host, HOST_hostname, "there", 5);
}

static void no_boot(struct pair *pair)
{
	host_forget(&pair->a.info.host, HOST_boot_id);
}

static void other_namespace(struct pair *pair)
{
	host_set_text(&pair->b.info.host, HOST_pid_namespace, "2", 1);
}

static void unknown_namespace(struct pair *pair)
{
	host_forget(&pair->b.info.host, HOST_pid_namespace);
}

static void reversed(struct pair *pair)
{
	pair->a.info.captured_boottime_ns = SECONDS(131);
}

static void same_moment(struct pair *pair)
{
	pair->a.info.captured_boottime_ns = SECONDS(130);
}

static void no_time(struct pair *pair)
{
	pair->b.info.captured_boottime_ns = 0;
}

static void refusals(void **state)
{
	(void)state;
	assert_refused(make_window, "b is a window already");
	assert_refused(other_boot, "a and b are of different boots");
	assert_refused(other_host, "a and b are of different hosts");
	assert_refused(no_boot, "a does not say of which boot it is");
	assert_refused(other_namespace, "a and b are of different pid namespaces");
	assert_refused(unknown_namespace, "a and b are of different pid namespaces");
	assert_refused(reversed, "swap them");
	assert_refused(same_moment, "at the same moment");
	assert_refused(no_time, "b does not say how long after boot");
}

/* A file that cannot be read, the first or the second one, is reported under its own name. */
static void unreadable_inputs(void **state)
{
	cleanup_(pair_done) struct pair pair;
	cleanup_(strbuf_done) struct strbuf good = STRBUF_INIT;
	struct strbuf bad = {.data = (char[]){"nothing"}, .len = 7};

	(void)state;
	pair_init(&pair);
	reading_pack(&pair.a, &good);
	window_of_bytes(&bad, &good, NULL, NULL, &pair.window);
	assert_int_equal(pair.window.result, -EBADMSG);
	assert_non_null(strstr(strbuf_str(&pair.window.error), "a: not a ctprof snapshot: "));
	snapshot_copy_done(&pair.window);
	window_of_bytes(&good, &bad, NULL, NULL, &pair.window);
	assert_int_equal(pair.window.result, -EBADMSG);
	assert_non_null(strstr(strbuf_str(&pair.window.error), "b: not a ctprof snapshot: "));
}

static void limits_hold_for_both(void **state)
{
	struct snapshot_limits limits = snapshot_default_limits;

	(void)state;
	limits.threads = 2;
	for (unsigned side = 0; side < 2; side++) {
		cleanup_(pair_done) struct pair pair;
		cleanup_(strbuf_done) struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;

		pair_init(&pair);
		for (uint32_t i = 1; i <= 3; i++)
			reading_add(side ? &pair.b : &pair.a, i, i, i);
		reading_pack(&pair.a, &a);
		reading_pack(&pair.b, &b);
		window_of_bytes(&a, &b, NULL, &limits, &pair.window);
		assert_int_equal(pair.window.result, -E2BIG);
		assert_int_equal(strbuf_str(&pair.window.error)[0], side ? 'b' : 'a');
	}
}

static void set(struct cgroup_stats *stats, enum cgroup_value_id value, int64_t number)
{
	fact_set_number(&stats->values[value], number);
}

static void add_key(struct cgroup_stats *stats, enum cgroup_list_id list, const char *key,
                    uint64_t value)
{
	stats->has_list[list] = true;
	keyed_values_set(&stats->lists[list], key, strlen(key), value);
}

static void assert_number(const struct cgroup_stats *stats, enum cgroup_value_id value,
                          int64_t number)
{
	assert_int_equal(stats->values[value].state, FACT_NUMBER);
	assert_int_equal(stats->values[value].number, number);
}

static uint64_t list_value(const struct cgroup_stats *stats, enum cgroup_list_id list,
                           const char *key)
{
	const struct keyed_value *value =
	        keyed_values_find(&stats->lists[list], key, strlen(key), 0);

	return value ? value->value : 12345;
}

static void fill(struct cgroup_stats *stats, bool later)
{
	set(stats, CGROUP_VALUE_cpu_usage_usec, later ? 170 : 100);
	set(stats, CGROUP_VALUE_nr_throttled, later ? 7 : 4);
	set(stats, CGROUP_VALUE_memory_current, later ? 50 : 90);
	set(stats, CGROUP_VALUE_memory_peak, later ? 100 : 99);
	set(stats, CGROUP_VALUE_pids_peak, 7);
	set(stats, CGROUP_VALUE_pids_current, later ? 2 : 5);
	fact_set_unlimited(&stats->values[CGROUP_VALUE_memory_max]);
	add_key(stats, CGROUP_LIST_memory_stat, "anon", later ? 10 : 20);
	add_key(stats, CGROUP_LIST_memory_stat, "pgfault", later ? 15 : 10);
	add_key(stats, CGROUP_LIST_memory_stat, "pgmajfault", later ? 1 : 2);
	add_key(stats, CGROUP_LIST_memory_stat, "of_tomorrow", later ? 9 : 4);
	add_key(stats, CGROUP_LIST_io_stat, "8:0 rbytes", later ? 4096 : 1024);
	if (later)
		add_key(stats, CGROUP_LIST_memory_events, "oom", 1);
	stats->psi.lines[PSI_cpu][PSI_ROW_some] =
	        (struct psi_line){.seen = true, .averages = {5}, .total_usec = later ? 9 : 4};
	stats->psi.lines[PSI_io][PSI_ROW_some] =
	        (struct psi_line){.seen = true, .total_usec = later ? 4 : 9};
}

static void cgroups_are_differences(void **state)
{
	cleanup_(pair_done) struct pair pair;
	const struct cgroup_stats *stats;

	(void)state;
	pair_init(&pair);
	fill(reading_add_cgroup(&pair.a, "/kept"), false);
	fill(reading_add_cgroup(&pair.a, "/gone"), false);
	fill(reading_add_cgroup(&pair.b, "/kept"), true);
	window_between(&pair.a, &pair.b, NULL, &pair.window);
	assert_int_equal(pair.window.cgroup_count, 2);
	assert_true(pair.window.cgroups[1].is_gone);
	assert_string_equal(strbuf_str(&pair.window.cgroups[1].path), "/gone");
	assert_int_equal(pair.window.cgroups[1].values[CGROUP_VALUE_cpu_usage_usec].state,
	                 FACT_UNSEEN);
	stats = &pair.window.cgroups[0];
	assert_false(stats->is_gone);
	assert_number(stats, CGROUP_VALUE_cpu_usage_usec, 70);
	assert_number(stats, CGROUP_VALUE_nr_throttled, 3);
	assert_number(stats, CGROUP_VALUE_memory_current, 50);
	assert_number(stats, CGROUP_VALUE_memory_peak, 100);
	assert_int_equal(stats->values[CGROUP_VALUE_pids_peak].state, FACT_UNSEEN);
	assert_number(stats, CGROUP_VALUE_pids_current, 2);
	assert_int_equal(stats->values[CGROUP_VALUE_memory_max].state, FACT_UNLIMITED);
	assert_int_equal(list_value(stats, CGROUP_LIST_memory_stat, "anon"), 10);
	assert_int_equal(list_value(stats, CGROUP_LIST_memory_stat, "pgfault"), 5);
	assert_int_equal(list_value(stats, CGROUP_LIST_memory_stat, "pgmajfault"), 12345);
	assert_int_equal(list_value(stats, CGROUP_LIST_memory_stat, "of_tomorrow"), 5);
	assert_int_equal(list_value(stats, CGROUP_LIST_io_stat, "8:0 rbytes"), 3072);
	assert_int_equal(list_value(stats, CGROUP_LIST_memory_events, "oom"), 12345);
	assert_int_equal(stats->psi.lines[PSI_cpu][PSI_ROW_some].total_usec, 5);
	assert_int_equal(stats->psi.lines[PSI_cpu][PSI_ROW_some].averages[0], 5);
	assert_false(stats->psi.lines[PSI_io][PSI_ROW_some].seen);
	assert_window(&pair.window.info, cgroups_lost, 1);
}

static void stamp(struct reading *reading, const char *path, uint64_t read_boottime_ns)
{
	reading_add_cgroup(reading, path)->read_boottime_ns = read_boottime_ns;
}

/* Each cgroup has the time between its own two readings, whatever the length of the window. */
static void cgroups_have_intervals_of_their_own(void **state)
{
	cleanup_(pair_done) struct pair pair;
	const struct cgroup_stats *cgroups;

	(void)state;
	pair_init(&pair);
	stamp(&pair.a, "/a", SECONDS(1001));
	stamp(&pair.b, "/a", SECONDS(1013));
	stamp(&pair.a, "/b", SECONDS(1002));
	stamp(&pair.b, "/b", SECONDS(1011));
	stamp(&pair.b, "/new", SECONDS(1011));
	stamp(&pair.a, "/old file", 0);
	stamp(&pair.b, "/old file", SECONDS(1011));
	stamp(&pair.a, "/wrong order", SECONDS(1011));
	stamp(&pair.b, "/wrong order", SECONDS(1011));
	window_between(&pair.a, &pair.b, NULL, &pair.window);
	cgroups = pair.window.cgroups;
	assert_int_equal(pair.window.cgroup_count, 5);
	assert_int_equal(cgroups[0].interval_ns, SECONDS(12));
	assert_int_equal(cgroups[0].read_boottime_ns, SECONDS(1013));
	assert_int_equal(cgroups[1].interval_ns, SECONDS(9));
	for (size_t i = 2; i < pair.window.cgroup_count; i++)
		assert_int_equal(cgroups[i].interval_ns, 0);
}

/* So has what is of the host as a whole. */
static void host_has_intervals_of_its_own(void **state)
{
	cleanup_(pair_done) struct pair pair;
	const struct host *host = &pair.window.info.host;

	(void)state;
	pair_init(&pair);
	host_set_number(&pair.a.info.host, HOST_stat_interval_ns, SECONDS(1001));
	host_set_number(&pair.b.info.host, HOST_stat_interval_ns, SECONDS(1013));
	host_set_number(&pair.b.info.host, HOST_pressure_interval_ns, SECONDS(1013));
	window_between(&pair.a, &pair.b, NULL, &pair.window);
	assert_true(host->seen[HOST_stat_interval_ns]);
	assert_int_equal(host->numbers[HOST_stat_interval_ns], SECONDS(12));
	assert_false(host->seen[HOST_pressure_interval_ns]);
}

/* It may have been there, without a thread, and so unread. */
static void new_cgroup_has_what_it_has_at_the_end(void **state)
{
	cleanup_(pair_done) struct pair pair;
	const struct cgroup_stats *stats;

	(void)state;
	pair_init(&pair);
	fill(reading_add_cgroup(&pair.b, "/new"), true);
	window_between(&pair.a, &pair.b, NULL, &pair.window);
	stats = &pair.window.cgroups[0];
	assert_int_equal(stats->values[CGROUP_VALUE_cpu_usage_usec].state, FACT_UNSEEN);
	assert_int_equal(stats->values[CGROUP_VALUE_memory_peak].state, FACT_UNSEEN);
	assert_number(stats, CGROUP_VALUE_memory_current, 50);
	assert_int_equal(list_value(stats, CGROUP_LIST_memory_stat, "anon"), 10);
	assert_int_equal(list_value(stats, CGROUP_LIST_memory_stat, "pgfault"), 12345);
	assert_false(stats->psi.lines[PSI_cpu][PSI_ROW_some].seen);
}

/* The same path means another cgroup in version 1. */
static void versions_are_distinguished(void **state)
{
	cleanup_(pair_done) struct pair pair;
	struct cgroup_stats *stats;

	(void)state;
	pair_init(&pair);
	fill(reading_add_cgroup(&pair.a, "/x"), false);
	stats = reading_add_cgroup(&pair.b, "/x");
	stats->is_v1 = true;
	set(stats, CGROUP_VALUE_cpuacct_usage_ns, 5);
	window_between(&pair.a, &pair.b, NULL, &pair.window);
	assert_int_equal(pair.window.result, 0);
	assert_int_equal(pair.window.cgroup_count, 2);
	assert_true(pair.window.cgroups[0].is_gone && !pair.window.cgroups[0].is_v1);
	assert_true(!pair.window.cgroups[1].is_gone && pair.window.cgroups[1].is_v1);
	assert_window(&pair.window.info, cgroups_lost, 1);
}

static void host_pressure_is_a_difference(void **state)
{
	cleanup_(pair_done) struct pair pair;

	(void)state;
	pair_init(&pair);
	pair.a.info.psi.lines[PSI_cpu][PSI_ROW_some] =
	        (struct psi_line){.seen = true, .total_usec = 10};
	pair.b.info.psi.lines[PSI_cpu][PSI_ROW_some] =
	        (struct psi_line){.seen = true, .averages = {1, 2, 3}, .total_usec = 25};
	pair.b.info.psi.lines[PSI_io][PSI_ROW_some] =
	        (struct psi_line){.seen = true, .total_usec = 25};
	window_between(&pair.a, &pair.b, NULL, &pair.window);
	assert_int_equal(pair.window.info.psi.lines[PSI_cpu][PSI_ROW_some].total_usec, 15);
	assert_int_equal(pair.window.info.psi.lines[PSI_cpu][PSI_ROW_some].averages[2], 3);
	assert_false(pair.window.info.psi.lines[PSI_io][PSI_ROW_some].seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(refusals),
	        cmocka_unit_test(unreadable_inputs),
	        cmocka_unit_test(limits_hold_for_both),
	        cmocka_unit_test(cgroups_are_differences),
	        cmocka_unit_test(cgroups_have_intervals_of_their_own),
	        cmocka_unit_test(host_has_intervals_of_its_own),
	        cmocka_unit_test(new_cgroup_has_what_it_has_at_the_end),
	        cmocka_unit_test(versions_are_distinguished),
	        cmocka_unit_test(host_pressure_is_a_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
