// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU time of cgroups and of the host in percent. */
#include "check.h"

#include "facts/cgroup-rates.h"
#include "facts/fact-derive.h"
#include "groups.h"

/* A window of 10 s on 4 CPUs of 100 ticks a second: 4000 ticks. */
struct fixture {
	struct snapshot_info info;
	struct cgroup_stats stats;
};

static const enum host_field cpu_times[] = {
        HOST_user_clock_ticks,   HOST_system_clock_ticks, HOST_idle_clock_ticks,
        HOST_iowait_clock_ticks, HOST_irq_clock_ticks,    HOST_softirq_clock_ticks,
        HOST_steal_clock_ticks,
};
static const uint64_t spent[ARRAY_SIZE(cpu_times)] = {1200, 400, 2000, 200, 40, 60, 100};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fixture->info.kind = KIND_window;
	window_set(&fixture->info.window, WINDOW_length_ns, UINT64_C(10000000000));
	host_set_number(&fixture->info.host, HOST_clock_ticks_per_second, 100);
	host_set_number(&fixture->info.host, HOST_online_cpus, 4);
	host_set_number(&fixture->info.host, HOST_uptime_ns, UINT64_C(500000000000));
	host_set_number(&fixture->info.host, HOST_forks, 1500);
	for (size_t i = 0; i < ARRAY_SIZE(cpu_times); i++)
		host_set_number(&fixture->info.host, cpu_times[i], spent[i]);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	snapshot_info_done(&fixture->info);
	cgroup_stats_done(&fixture->stats);
	free(fixture);
	return 0;
}

static struct quantity docker(const struct fixture *fixture)
{
	return fact_derive(FACT_DERIVED_cpu_percent_docker, &fixture->info, &fixture->stats, NULL);
}

static struct quantity cadvisor(const struct fixture *fixture)
{
	return fact_derive(FACT_DERIVED_cpu_percent_cadvisor, &fixture->info, &fixture->stats,
	                   NULL);
}

static struct quantity of_host(const struct fixture *fixture, enum fact_derived_id derived)
{
	return fact_derive(derived, &fixture->info, NULL, NULL);
}

/* 25 s of 40 s of four CPUs, of which one was stolen, which docker leaves out; more than there are is not cut off. */
static void test_cgroup_version_2(void **state)
{
	struct fixture *fixture = *state;

	assert_none(docker(fixture));
	assert_none(cadvisor(fixture));
	fact_set_number(&fixture->stats.values[CGROUP_VALUE_cpu_usage_usec], 25000000);
	assert_real(docker(fixture), 250.0 * 4000 / 3900);
	assert_real(cadvisor(fixture), 250);
	/* The two differ by how much of the window the ticks of the CPUs are. */
	fixture->info.host.numbers[HOST_idle_clock_ticks] = 1000;
	assert_real(docker(fixture), 250.0 * 4000 / 2900);
	assert_real(cadvisor(fixture), 250);
	fact_set_number(&fixture->stats.values[CGROUP_VALUE_cpu_usage_usec], 90000000);
	assert_real(docker(fixture), 900.0 * 4000 / 2900);
	fact_set_number(&fixture->stats.values[CGROUP_VALUE_cpu_usage_usec], 0);
	assert_real(docker(fixture), 0);
	assert_real(cadvisor(fixture), 0);
}

static void test_cgroup_version_1(void **state)
{
	struct fixture *fixture = *state;

	fact_set_number(&fixture->stats.values[CGROUP_VALUE_cpuacct_usage_ns], 5000000000);
	assert_real(docker(fixture), 50.0 * 4000 / 3900);
	assert_real(cadvisor(fixture), 50);
}

/* The cgroup was read over 8 s of the window's 10, and the ticks over 5. */
static void test_own_intervals(void **state)
{
	struct fixture *fixture = *state;
	cleanup_(cgroup_stats_done) struct cgroup_stats rates = {.is_v1 = false};
	struct quantity docker, cadvisor;

	fixture->stats.interval_ns = UINT64_C(8000000000);
	fact_set_number(&fixture->stats.values[CGROUP_VALUE_cpu_usage_usec], 16000000);
	cgroup_rates_add(&rates, 0, &fixture->stats);
	host_set_number(&fixture->info.host, HOST_stat_interval_ns, UINT64_C(5000000000));
	docker = fact_derive(FACT_DERIVED_cpu_percent_docker, &fixture->info, &fixture->stats,
	                     &rates);
	cadvisor = fact_derive(FACT_DERIVED_cpu_percent_cadvisor, &fixture->info, &fixture->stats,
	                       &rates);
	assert_real(cadvisor, 200);
	assert_real(docker, 200.0 * 2000 / 3900);
	assert_real(of_host(fixture, FACT_DERIVED_forks_per_second), 300);
	fixture->info.kind = KIND_lifetime;
	host_set_number(&fixture->info.host, HOST_stat_interval_ns, UINT64_C(100000000000));
	assert_real(of_host(fixture, FACT_DERIVED_forks_per_second), 15);
}

/* Since a birth that nobody knows there is no percentage. */
static void test_cgroup_lifetime(void **state)
{
	struct fixture *fixture = *state;

	fact_set_number(&fixture->stats.values[CGROUP_VALUE_cpu_usage_usec], 25000000);
	fixture->info.kind = KIND_lifetime;
	assert_none(docker(fixture));
	assert_none(cadvisor(fixture));
}

/* Each input is needed by docker's formula, and none of the host's by cAdvisor's. */
static void test_cgroup_inputs(void **state)
{
	struct fixture *fixture = *state;
	const enum host_field others[] = {HOST_clock_ticks_per_second, HOST_online_cpus};

	fact_set_number(&fixture->stats.values[CGROUP_VALUE_cpu_usage_usec], 25000000);
	for (size_t i = 0; i < ARRAY_SIZE(cpu_times) + ARRAY_SIZE(others); i++) {
		size_t count = ARRAY_SIZE(cpu_times);
		enum host_field field = i < count ? cpu_times[i] : others[i - count];

		fixture->info.host.seen[field] = false;
		if (field == HOST_steal_clock_ticks)
			assert_int_not_equal(docker(fixture).kind, QUANTITY_NONE);
		else
			assert_none(docker(fixture));
		assert_real(cadvisor(fixture), 250);
		fixture->info.host.seen[field] = true;
		assert_real(docker(fixture), 250.0 * 4000 / 3900);
	}
	for (size_t i = 0; i < ARRAY_SIZE(cpu_times); i++)
		fixture->info.host.numbers[cpu_times[i]] = 0;
	assert_none(docker(fixture));
	window_set(&fixture->info.window, WINDOW_length_ns, 0);
	assert_none(cadvisor(fixture));
}

static void test_host(void **state)
{
	struct fixture *fixture = *state;
	double sum = 0;

	assert_real(of_host(fixture, FACT_DERIVED_busy_percent), 50);
	assert_real(of_host(fixture, FACT_DERIVED_user_percent), 30);
	assert_real(of_host(fixture, FACT_DERIVED_system_percent), 10);
	assert_real(of_host(fixture, FACT_DERIVED_iowait_percent), 5);
	assert_real(of_host(fixture, FACT_DERIVED_irq_percent), 1);
	assert_real(of_host(fixture, FACT_DERIVED_softirq_percent), 1.5);
	assert_real(of_host(fixture, FACT_DERIVED_steal_percent), 2.5);
	assert_real(of_host(fixture, FACT_DERIVED_idle_percent), 50);
	for (unsigned i = FACT_DERIVED_user_percent; i <= FACT_DERIVED_idle_percent; i++)
		sum += quantity_double(of_host(fixture, (enum fact_derived_id)i));
	assert_real(quantity_real(sum), 100);
	/* A lifetime snapshot has what was since boot, by the same formulas. */
	fixture->info.kind = KIND_lifetime;
	assert_real(of_host(fixture, FACT_DERIVED_busy_percent), 50);
}

static void test_forks(void **state)
{
	struct fixture *fixture = *state;

	assert_real(of_host(fixture, FACT_DERIVED_forks_per_second), 150);
	fixture->info.kind = KIND_lifetime;
	assert_real(of_host(fixture, FACT_DERIVED_forks_per_second), 3);
	fixture->info.host.seen[HOST_uptime_ns] = false;
	assert_none(of_host(fixture, FACT_DERIVED_forks_per_second));
	fixture->info.kind = KIND_window;
	fixture->info.host.seen[HOST_forks] = false;
	assert_none(of_host(fixture, FACT_DERIVED_forks_per_second));
}

/* A value that went back in a window has no difference, and no share of the whole. */
static void test_host_inputs(void **state)
{
	struct fixture *fixture = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cpu_times); i++) {
		fixture->info.host.seen[cpu_times[i]] = false;
		for (unsigned d = FACT_DERIVED_busy_percent; d <= FACT_DERIVED_idle_percent; d++)
			assert_none(of_host(fixture, (enum fact_derived_id)d));
		assert_real(of_host(fixture, FACT_DERIVED_forks_per_second), 150);
		fixture->info.host.seen[cpu_times[i]] = true;
	}
}

/* Values of cgroups are none of the host, and the other way round. */
static void test_subjects(void **state)
{
	struct fixture *fixture = *state;

	fact_set_number(&fixture->stats.values[CGROUP_VALUE_cpu_usage_usec], 25000000);
	for (unsigned i = 0; i < FACT_DERIVED_COUNT; i++) {
		enum section_subject subject = section_table[fact_derived_table[i].section].subject;

		assert_true(subject == SUBJECT_CGROUPS || subject == SUBJECT_HOST);
		assert_int_equal(of_host(fixture, (enum fact_derived_id)i).kind != QUANTITY_NONE,
		                 subject == SUBJECT_HOST);
		/* The cgroups above are not known here: see test-cgroup-path.c. */
		if (i >= FACT_DERIVED_throttled_by && i <= FACT_DERIVED_pids_limit_by)
			continue;
		assert_int_equal(
		        fact_derive((enum fact_derived_id)i, &fixture->info, &fixture->stats, NULL)
		                        .kind != QUANTITY_NONE,
		        subject == SUBJECT_CGROUPS);
	}
}

#define on_window(test_) cmocka_unit_test_setup_teardown(test_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_window(test_cgroup_version_2),
	        on_window(test_cgroup_version_1),
	        on_window(test_own_intervals),
	        on_window(test_cgroup_lifetime),
	        on_window(test_cgroup_inputs),
	        on_window(test_host),
	        on_window(test_forks),
	        on_window(test_host_inputs),
	        on_window(test_subjects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
