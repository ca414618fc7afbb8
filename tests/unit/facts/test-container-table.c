// SPDX-License-Identifier: GPL-2.0-or-later
/* The numbers of docker stats and of cAdvisor, computed by hand beside the formulas that they publish. */
#include "check.h"

#include "facts/container-table.h"
#include "groups.h"

#define ID "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"
#define OTHER "b000000000000000000000000000000000000000000000000000000000000000"

struct fixture {
	struct snapshot_info info;
	struct container_table table;
	struct cgroup_stats stats;
};

/* A window of 10 s on 4 CPUs, of whose 4000 ticks a hypervisor took 100; 64 MiB of memory. */
static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct host *host;

	assert_non_null(fixture);
	host = &fixture->info.host;
	fixture->info.kind = KIND_window;
	window_set(&fixture->info.window, WINDOW_length_ns, UINT64_C(10000000000));
	host_set_number(host, HOST_clock_ticks_per_second, 100);
	host_set_number(host, HOST_online_cpus, 4);
	host_set_number(host, HOST_total_memory_kib, 65536);
	host_set_number(host, HOST_stat_interval_ns, UINT64_C(10000000000));
	host_set_number(host, HOST_user_clock_ticks, 1200);
	host_set_number(host, HOST_system_clock_ticks, 400);
	host_set_number(host, HOST_idle_clock_ticks, 2000);
	host_set_number(host, HOST_iowait_clock_ticks, 200);
	host_set_number(host, HOST_irq_clock_ticks, 40);
	host_set_number(host, HOST_softirq_clock_ticks, 60);
	host_set_number(host, HOST_steal_clock_ticks, 100);
	container_table_init(&fixture->table);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	snapshot_info_done(&fixture->info);
	container_table_done(&fixture->table);
	cgroup_stats_done(&fixture->stats);
	free(fixture);
	return 0;
}

static void begin(struct fixture *fixture, const char *path, bool is_v1)
{
	cgroup_stats_reset(&fixture->stats);
	fixture->stats.is_v1 = is_v1;
	strbuf_add_str(&fixture->stats.path, path);
	fixture->stats.interval_ns = UINT64_C(8000000000);
}

static void set(struct fixture *fixture, enum cgroup_value_id id, int64_t number)
{
	fact_set_number(&fixture->stats.values[id], number);
}

static void set_key(struct fixture *fixture, enum cgroup_list_id list, const char *key,
                    uint64_t number)
{
	fixture->stats.has_list[list] = true;
	keyed_values_set(&fixture->stats.lists[list], key, strlen(key), number);
}

static void add(struct fixture *fixture)
{
	container_table_add(&fixture->table, &fixture->stats);
}

static struct container_numbers numbers(const struct fixture *fixture, const char *id)
{
	const struct container *container = strmap_get(&fixture->table.map, id, strlen(id));

	assert_non_null(container);
	return container_numbers_of(container, &fixture->info);
}

static void assert_number(struct quantity quantity, double expected)
{
	assert_true(quantity.kind != QUANTITY_NONE);
	assert_true(quantity_double(quantity) > expected - 1e-6 &&
	            quantity_double(quantity) < expected + 1e-6);
}

/* 5.6 s in the 8 s between the two readings are 0.7 s a second. docker: (7 s / 39 s) * 4 * 100, of the 10 s. Memory is 6537216
 * of 67108864 bytes, as in the example of Docker's documentation of its API, less 1048576 of inactive file pages: 5488640,
 * which are 8.178711 %. */
static void test_version_2(void **state)
{
	struct fixture *fixture = *state;
	struct container_numbers got;

	begin(fixture, "/system.slice/docker-" ID ".scope", false);
	set(fixture, CGROUP_VALUE_cpu_usage_usec, 5600000);
	set(fixture, CGROUP_VALUE_memory_current, 6537216);
	set(fixture, CGROUP_VALUE_memory_max, 67108864);
	set(fixture, CGROUP_VALUE_pids_current, 3);
	set_key(fixture, CGROUP_LIST_memory_stat, "anon", 4096);
	set_key(fixture, CGROUP_LIST_memory_stat, "inactive_file", 1048576);
	set_key(fixture, CGROUP_LIST_io_stat, "8:0 rbytes", 205672448);
	set_key(fixture, CGROUP_LIST_io_stat, "8:0 wbytes", 97959936);
	set_key(fixture, CGROUP_LIST_io_stat, "8:0 rios", 77);
	set_key(fixture, CGROUP_LIST_io_stat, "253:1 rbytes", 1000);
	add(fixture);
	got = numbers(fixture, ID);
	assert_number(got.cpu_percent_docker, 71.794871794);
	assert_number(got.cpu_percent_cadvisor, 70);
	assert_number(got.memory_bytes, 5488640);
	assert_number(got.working_set_bytes, 5488640);
	assert_number(got.limit_bytes, 67108864);
	assert_number(got.memory_percent, 8.178710937);
	assert_number(got.read_bytes, 205673448);
	assert_number(got.write_bytes, 97959936);
	assert_number(got.pids, 3);
}

static void test_version_1(void **state)
{
	struct fixture *fixture = *state;
	struct container_numbers got;

	begin(fixture, "/docker/" ID, true);
	set(fixture, CGROUP_VALUE_cpuacct_usage_ns, INT64_C(5600000000));
	set(fixture, CGROUP_VALUE_memory_v1_usage, 6537216);
	set(fixture, CGROUP_VALUE_memory_v1_inactive_file, 1048576);
	fact_set_unlimited(&fixture->stats.values[CGROUP_VALUE_memory_v1_limit]);
	set(fixture, CGROUP_VALUE_pids_v1_current, 3);
	set(fixture, CGROUP_VALUE_blkio_read_bytes, 205672448);
	set(fixture, CGROUP_VALUE_blkio_write_bytes, 97959936);
	add(fixture);
	got = numbers(fixture, ID);
	assert_number(got.cpu_percent_docker, 71.794871794);
	assert_number(got.cpu_percent_cadvisor, 70);
	assert_number(got.memory_bytes, 5488640);
	assert_number(got.limit_bytes, 67108864);
	assert_number(got.memory_percent, 8.178710937);
	assert_number(got.read_bytes, 205672448);
	assert_number(got.write_bytes, 97959936);
	assert_number(got.pids, 3);
}

/* Each controller is in one of the hierarchies, and cpu.stat in both. */
static void test_hybrid(void **state)
{
	struct fixture *fixture = *state;
	struct container_numbers got;

	begin(fixture, "/docker/" ID, false);
	set(fixture, CGROUP_VALUE_cpu_usage_usec, 5600000);
	add(fixture);
	begin(fixture, "/docker/" ID, true);
	set(fixture, CGROUP_VALUE_cpuacct_usage_ns, INT64_C(5600000001));
	set(fixture, CGROUP_VALUE_memory_v1_usage, 4096);
	set(fixture, CGROUP_VALUE_memory_v1_inactive_file, 0);
	add(fixture);
	got = numbers(fixture, ID);
	assert_number(got.cpu_percent_cadvisor, 70);
	assert_number(got.memory_bytes, 4096);
	assert_none(got.limit_bytes);
	assert_none(got.memory_percent);
}

/* docker keeps the memory in use if the inactive pages are not below it; cAdvisor's working set ends at 0. A limit above
 * the host's memory is that memory. */
static void test_bounds(void **state)
{
	struct fixture *fixture = *state;
	struct container_numbers got;

	begin(fixture, "/docker/" ID, false);
	set(fixture, CGROUP_VALUE_memory_current, 1000);
	set(fixture, CGROUP_VALUE_memory_max, INT64_C(1) << 40);
	set_key(fixture, CGROUP_LIST_memory_stat, "inactive_file", 1000);
	fixture->stats.has_list[CGROUP_LIST_io_stat] = true;
	add(fixture);
	got = numbers(fixture, ID);
	assert_number(got.memory_bytes, 1000);
	assert_number(got.working_set_bytes, 0);
	assert_number(got.limit_bytes, 67108864);
	/* An io.stat without devices is 0, as docker has it. */
	assert_number(got.read_bytes, 0);
	begin(fixture, "/docker/" OTHER, false);
	set(fixture, CGROUP_VALUE_memory_current, 1000);
	set(fixture, CGROUP_VALUE_memory_max, 0);
	set_key(fixture, CGROUP_LIST_memory_stat, "inactive_file", 10);
	add(fixture);
	got = numbers(fixture, OTHER);
	assert_number(got.memory_bytes, 990);
	assert_number(got.limit_bytes, 0);
	assert_none(got.memory_percent);
}

/* Not seen is not zero. */
static void test_unseen(void **state)
{
	struct fixture *fixture = *state;
	struct container_numbers got;

	begin(fixture, "/docker/" ID, false);
	set(fixture, CGROUP_VALUE_memory_current, 1000);
	set(fixture, CGROUP_VALUE_pids_current, -3);
	add(fixture);
	got = numbers(fixture, ID);
	assert_none(got.cpu_percent_docker);
	assert_none(got.cpu_percent_cadvisor);
	assert_none(got.memory_bytes);
	assert_none(got.working_set_bytes);
	assert_none(got.limit_bytes);
	assert_none(got.read_bytes);
	assert_none(got.write_bytes);
	assert_none(got.pids);
	/* Since a birth in the window nobody knows how long a container used the CPU. */
	begin(fixture, "/docker/" OTHER, false);
	set(fixture, CGROUP_VALUE_cpu_usage_usec, 5600000);
	fixture->stats.interval_ns = 0;
	add(fixture);
	assert_none(numbers(fixture, OTHER).cpu_percent_docker);
}

/* A container is its outermost cgroup, in whatever order they come; others are none. */
static void test_outermost(void **state)
{
	static const char *const paths[] = {"/docker/" ID "/init.scope", "/docker/" ID,
	                                    "/docker/" ID "/system.slice/x.service", "/docker",
	                                    "/"};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		begin(fixture, paths[i], false);
		set(fixture, CGROUP_VALUE_pids_current, (int64_t)i + 1);
		add(fixture);
	}
	assert_int_equal(fixture->table.map.count, 1);
	assert_number(numbers(fixture, ID).pids, 2);
	begin(fixture, "/docker/" OTHER, false);
	fixture->stats.is_gone = true;
	add(fixture);
	assert_int_equal(fixture->table.map.count, 1);
}

#define on_window(test_) cmocka_unit_test_setup_teardown(test_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_window(test_version_2), on_window(test_version_1), on_window(test_hybrid),
	        on_window(test_bounds),    on_window(test_unseen),    on_window(test_outermost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
