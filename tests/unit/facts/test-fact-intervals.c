// SPDX-License-Identifier: GPL-2.0-or-later
/* Values that are read at times of their own, beside the threads, are divided by the time between their own two readings. */
#include "facts.h"
#include "facts/fact-derive.h"
#include "groups.h"

/* The growth of a cgroup that was read over this time. */
static void add_interval(struct cgroup_table *table, const char *path, uint64_t seconds,
                         int64_t usage_usec)
{
	struct cgroup_stats stats = {.interval_ns = seconds * 1000000000};

	strbuf_add_str(&stats.path, path);
	fact_set_number(&stats.values[CGROUP_VALUE_cpu_usage_usec], usage_usec);
	stats.has_list[CGROUP_LIST_memory_stat] = stats.has_list[CGROUP_LIST_io_stat] = true;
	keyed_values_set(&stats.lists[CGROUP_LIST_memory_stat], "pgfault", 7, 60);
	keyed_values_set(&stats.lists[CGROUP_LIST_io_stat], "8:0 rbytes", 10, 120);
	keyed_values_set(&stats.lists[CGROUP_LIST_io_stat], "8:1 rbytes", 10, 120);
	set_psi(&stats.psi, PSI_io, PSI_ROW_some, 5, 30);
	add_cgroup_stats(table, &stats);
	cgroup_stats_done(&stats);
}

/* Each cgroup is divided by the time between its own two readings, in a group of several before they are added up; so is the
 * host's pressure. The length of the window is used for one without such times. */
static void test_rates_by_own_interval(void **state)
{
	struct fact_fixture *fixture = *state;
	struct cgroup_table *table = &fixture->cgroups[0];
	const struct fact_row_set *set = &fixture->set;

	make_windows(fixture, (const uint64_t[]){10, 10});
	add_interval(table, "/a", 12, 36000000);
	add_interval(table, "/two", 12, 3600);
	add_interval(table, "/two", 6, 600);
	add_interval(table, "/old", 12, 3600);
	add_interval(table, "/old", 0, 400);
	set_psi(&fixture->infos[0].psi, PSI_io, PSI_ROW_some, 5, 30);
	host_set_number(&fixture->infos[0].host, HOST_pressure_interval_ns, UINT64_C(15000000000));
	memset(fixture->options.sections, 1, sizeof(fixture->options.sections));
	make_facts(fixture, 1);
	assert_real(find_fact(set, "/a", "cpu_usage_usec")->sides[0].number, 3000000);
	assert_real(find_fact(set, "/a", "pgfault")->sides[0].number, 5);
	assert_real(find_fact(set, "/a", "io_rbytes")->sides[0].number, 20);
	assert_real(find_fact(set, "/a", "io_some_total")->sides[0].number, 2.5);
	assert_real(find_fact(set, "/a", "cpu_percent_cadvisor")->sides[0].number, 300);
	assert_real(find_fact(set, "/two", "cpu_usage_usec")->sides[0].number, 400);
	assert_real(find_fact(set, "/two", "pgfault")->sides[0].number, 15);
	assert_real(find_fact(set, "/two", "io_rbytes")->sides[0].number, 60);
	assert_real(find_fact(set, "/two", "io_some_total")->sides[0].number, 7.5);
	assert_real(find_fact(set, "/old", "cpu_usage_usec")->sides[0].number, 400);
	assert_real(find_fact(set, "host", "io_some_total")->sides[0].number, 2);
	fixture->options.per = PER_total;
	make_facts(fixture, 1);
	assert_integer(find_fact(set, "/two", "cpu_usage_usec")->sides[0].number, 4200);
}

/* A cgroup that was made within the window has nothing that counts, and does not keep the others of its group from being
 * divided by their own intervals. */
static void test_rates_beside_a_new_cgroup(void **state)
{
	struct fact_fixture *fixture = *state;
	const struct fact_row_set *set = &fixture->set;

	make_windows(fixture, (const uint64_t[]){10, 10});
	add_cgroup(&fixture->cgroups[0], "/pods", CGROUP_VALUE_memory_current, 1000);
	add_interval(&fixture->cgroups[0], "/pods", 12, 36000000);
	add_cgroup(&fixture->cgroups[0], "/pods", CGROUP_VALUE_memory_current, 1000);
	memset(fixture->options.sections, 1, sizeof(fixture->options.sections));
	make_facts(fixture, 1);
	assert_real(find_fact(set, "/pods", "cpu_usage_usec")->sides[0].number, 3000000);
	assert_real(find_fact(set, "/pods", "cpu_percent_cadvisor")->sides[0].number, 300);
	assert_real(find_fact(set, "/pods", "pgfault")->sides[0].number, 5);
	assert_real(find_fact(set, "/pods", "io_some_total")->sides[0].number, 2.5);
	assert_integer(find_fact(set, "/pods", "memory_current")->sides[0].number, 1000);
}

static void add_throttled(struct cgroup_table *table, const char *path, uint64_t seconds)
{
	struct cgroup_stats stats = {.interval_ns = seconds * 1000000000};

	strbuf_add_str(&stats.path, path);
	fact_set_number(&stats.values[CGROUP_VALUE_nr_throttled], 60);
	fact_set_number(&stats.values[CGROUP_VALUE_throttled_usec], 6000000);
	add_cgroup_stats(table, &stats);
	cgroup_stats_done(&stats);
}

/* Everything that has readings of its own, on both sides. */
static void add_own_readings(struct fact_fixture *fixture, uint64_t factor)
{
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		struct cgroup_table *table = &fixture->cgroups[side];
		struct host *host = &fixture->infos[side].host;

		add_interval(table, "/a", 11 + side, 36000000 + side);
		add_throttled(table, "/p", 13 + side);
		add_throttled(table, "/p/c", 7 + side);
		set_psi(&fixture->infos[side].psi, PSI_io, PSI_ROW_some, 5, 30 * factor + side);
		for (unsigned i = HOST_user_clock_ticks; i <= HOST_forks; i++)
			host_set_number(host, (enum host_field)i, (i + side) * factor);
		host_set_number(host, HOST_clock_ticks_per_second, 100);
		host_set_number(host, HOST_online_cpus, 2);
		host_set_number(host, HOST_stat_interval_ns, (9 + side) * UINT64_C(1000000000));
		host_set_number(host, HOST_pressure_interval_ns, (8 + side) * UINT64_C(1000000000));
	}
	memset(fixture->options.sections, 1, sizeof(fixture->options.sections));
	fixture->options.unchanged = true;
	fixture->options.per = PER_second;
}

/* Both sides of each row, to the last bit. */
static void describe_numbers(const struct fact_row_set *set, struct strbuf *out)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct fact_row *row = &set->rows[i];

		strbuf_addf(out, "%s %s", row->group, row->metric);
		for (unsigned side = 0; side < SIDE_MAX; side++)
			if (row->sides[side].state == FACT_NUMBER)
				strbuf_addf(out, " %a", quantity_double(row->sides[side].number));
			else
				strbuf_addf(out, " state %d", row->sides[side].state);
		strbuf_add_str(out, "; ");
	}
}

static void describe_rows(struct fact_fixture *fixture, struct strbuf *text)
{
	strbuf_clear(text);
	make_facts(fixture, SIDE_MAX);
	describe_numbers(&fixture->set, text);
}

/* The length of a window is that of the threads' readings: no row of what has readings of its own depends on it. */
static void test_length_of_window_is_the_threads(void **state)
{
	struct fact_fixture *fixture = *state;
	cleanup_(strbuf_done) struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;

	add_own_readings(fixture, 1);
	make_windows(fixture, (const uint64_t[]){10, 10});
	describe_rows(fixture, &before);
	assert_real(find_fact(&fixture->set, "/p/c", "throttled_by_usec")->sides[0].number,
	            6000000.0 / 13);
	make_windows(fixture, (const uint64_t[]){40, 3});
	describe_rows(fixture, &after);
	assert_text(&after, strbuf_str(&before));
}

/* Two snapshots of one boot: what is compared has counted until its own readings, and the times of the snapshots themselves
 * divide nothing. */
static void test_times_of_snapshots_divide_nothing(void **state)
{
	struct fact_fixture *fixture = *state;
	cleanup_(strbuf_done) struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;

	add_own_readings(fixture, 5);
	describe_rows(fixture, &before);
	assert_non_null(find_fact(&fixture->set, "host", "forks_per_second"));
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		fixture->infos[side].captured_boottime_ns = (5 + side) * UINT64_C(1000000000);
		host_set_number(&fixture->infos[side].host, HOST_uptime_ns,
		                (50 + side) * UINT64_C(1000000000));
	}
	describe_rows(fixture, &after);
	assert_text(&after, strbuf_str(&before));
}

#define on_facts(test_) \
	cmocka_unit_test_setup_teardown(test_, fact_fixture_setup, fact_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_facts(test_rates_by_own_interval),
	        on_facts(test_rates_beside_a_new_cgroup),
	        on_facts(test_length_of_window_is_the_threads),
	        on_facts(test_times_of_snapshots_divide_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
