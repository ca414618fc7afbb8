// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "host/host-read.h"
#include "temp-tree.h"

static const char *const files[][2] = {
        {"proc/sys/kernel/ostype", "Linux\n"},
        {"proc/sys/kernel/osrelease", "6.1.0-test\n"},
        {"proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.0\n"},
        {"proc/sys/kernel/hostname", "host\xff name\n"},
        {"proc/sys/kernel/random/boot_id", "01234567-89ab-cdef-0123-456789abcdef\n"},
        {"proc/cmdline", "BOOT_IMAGE=/vmlinuz quiet \n\n"},
        {"proc/loadavg", "0.42 0.31 0.27 2/345 6789\n"},
        {"proc/stat", "cpu  100 20 3000 4 5 6 7 8 9 10\ncpu0 1 2 3 4\nintr 5 6\nprocesses "
                      "77\nprocs_running 3\n"},
        {"sys/devices/system/cpu/online", "0-3,8\n"},
        {"cg/cgroup.controllers", "cpuset cpu io memory\n"},
};

static int setup(void **state)
{
	int r = temp_tree_setup(state);
	const struct temp_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		temp_tree_write_text(tree, files[i][0], files[i][1]);
	temp_tree_make_dir(tree, "proc/self/ns");
	assert_int_equal(symlinkat("pid:[4026531836]", tree->fd, "proc/self/ns/pid"), 0);
	return r;
}

static struct host read_tree(const struct temp_tree *tree, bool live, bool anonymous)
{
	int proc = fd_open_path_at(tree->fd, "proc"), sys = fd_open_path_at(tree->fd, "sys");
	int cgroup = fd_open_path_at(tree->fd, "cg");
	struct host host = {0};
	struct psi psi;

	host_read(proc, sys, cgroup, live, anonymous, &host);
	host_read_counters(proc, live, &host, &psi);
	fd_closep(&proc);
	fd_closep(&sys);
	fd_closep(&cgroup);
	return host;
}

static void assert_host(const struct host *host, enum host_field field, const char *expected)
{
	assert_true(host->seen[field]);
	assert_string_equal(host_text(host, field), expected);
}

static void assert_number(const struct host *host, enum host_field field, uint64_t expected)
{
	assert_true(host->seen[field]);
	assert_int_equal(host->numbers[field], expected);
}

/* One newline at the end belongs to the file and not to the text. */
static void test_host_all_fields(void **state)
{
	struct host host = read_tree(*state, true, false);
	struct utsname names;

	assert_int_equal(uname(&names), 0);
	assert_host(&host, HOST_kernel_name, "Linux");
	assert_host(&host, HOST_kernel_release, "6.1.0-test");
	assert_host(&host, HOST_kernel_version, "#1 SMP PREEMPT_DYNAMIC Debian 6.1.0");
	assert_host(&host, HOST_hostname, "host\xff name");
	assert_host(&host, HOST_boot_id, "01234567-89ab-cdef-0123-456789abcdef");
	assert_host(&host, HOST_kernel_cmdline, "BOOT_IMAGE=/vmlinuz quiet \n");
	assert_host(&host, HOST_pid_namespace, "pid:[4026531836]");
	assert_host(&host, HOST_cgroup2_controllers, "cpuset cpu io memory");
	assert_host(&host, HOST_arch, names.machine);
	assert_number(&host, HOST_clock_ticks_per_second, (uint64_t)sysconf(_SC_CLK_TCK));
	assert_number(&host, HOST_online_cpus, 5);
	assert_number(&host, HOST_total_threads, 345);
	assert_number(&host, HOST_user_clock_ticks, 120);
	assert_number(&host, HOST_system_clock_ticks, 3000);
	assert_number(&host, HOST_idle_clock_ticks, 4);
	assert_number(&host, HOST_iowait_clock_ticks, 5);
	assert_number(&host, HOST_irq_clock_ticks, 6);
	assert_number(&host, HOST_softirq_clock_ticks, 7);
	assert_number(&host, HOST_steal_clock_ticks, 8);
	assert_number(&host, HOST_forks, 77);
	assert_true(host.seen[HOST_uptime_ns] && host.numbers[HOST_uptime_ns] > 0);
	host_done(&host);
}

/* The pid namespace is the capturing process's, and says nothing about another system's tree. */
static void test_host_other_system(void **state)
{
	struct host host = read_tree(*state, false, false);

	assert_false(host.seen[HOST_pid_namespace]);
	assert_false(host.seen[HOST_arch]);
	assert_host(&host, HOST_kernel_release, "6.1.0-test");
	host_done(&host);
}

/* The clock of another system is what its tree says. */
static void test_host_other_uptime(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns; /* 0: senseless */
	} cases[] = {{"1234.56 2345.67\n", 1234560000000},
	             {"0.01 0.00\n", 10000000},
	             {"18446744073.70", 18446744073700000000u},
	             {"18446744073.71 0.00\n", 0},
	             {"1234 2345\n", 0},
	             {"-1.00 2.00\n", 0},
	             {"x 1.00\n", 0},
	             {"", 0}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct host host;

		temp_tree_write_text(*state, "proc/uptime", cases[i].text);
		host = read_tree(*state, false, false);
		assert_int_equal(host.seen[HOST_uptime_ns], cases[i].ns > 0);
		assert_int_equal(host.numbers[HOST_uptime_ns], cases[i].ns);
		host_done(&host);
		host = read_tree(*state, true, false);
		assert_true(host.seen[HOST_uptime_ns]);
		assert_int_not_equal(host.numbers[HOST_uptime_ns], cases[i].ns);
		host_done(&host);
	}
}

/* An empty file is no value, but where nothing can be there. */
static void test_host_empty_texts(void **state)
{
	static const char nul[] = "a\0b\n";
	struct host host;

	temp_tree_write_text(*state, "proc/sys/kernel/random/boot_id", "\n");
	temp_tree_write_text(*state, "proc/sys/kernel/ostype", "");
	temp_tree_write_text(*state, "proc/sys/kernel/version", " \t\n\n");
	temp_tree_write(*state, "proc/sys/kernel/hostname", nul, sizeof(nul) - 1);
	temp_tree_write_text(*state, "cg/cgroup.controllers", "\n");
	host = read_tree(*state, true, false);
	assert_false(host.seen[HOST_boot_id] || host.seen[HOST_kernel_name]);
	assert_false(host.seen[HOST_kernel_version] || host.seen[HOST_hostname]);
	assert_host(&host, HOST_cgroup2_controllers, "");
	host_done(&host);
}

static void test_host_anonymous(void **state)
{
	struct host host = read_tree(*state, true, true), named = read_tree(*state, true, false);

	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		assert_int_equal(host.seen[i],
		                 named.seen[i] && i != HOST_hostname && i != HOST_kernel_cmdline);
	assert_null(host_text(&host, HOST_hostname));
	assert_null(host_text(&host, HOST_kernel_cmdline));
	host_done(&host);
	host_done(&named);
}

/* Each file that is missing costs its own fields only. */
static void test_host_missing_files(void **state)
{
	static const enum host_field fields[] = {HOST_kernel_name,    HOST_kernel_release,
	                                         HOST_kernel_version, HOST_hostname,
	                                         HOST_boot_id,        HOST_kernel_cmdline,
	                                         HOST_total_threads,  HOST_user_clock_ticks,
	                                         HOST_online_cpus,    HOST_cgroup2_controllers};

	assert_int_equal(ARRAY_SIZE(fields), ARRAY_SIZE(files));
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct host host;

		temp_tree_remove(*state, files[i][0]);
		host = read_tree(*state, false, false);
		for (size_t j = 0; j < ARRAY_SIZE(files); j++)
			assert_int_equal(host.seen[fields[j]], j > i);
		host_done(&host);
	}
}

static void test_host_no_trees(void **state)
{
	struct host host = {0};
	unsigned seen = 0;

	(void)state;
	host_read(-1, -1, -1, true, false, &host);
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		seen += host.seen[i];
	assert_int_equal(seen, 3); /* what the running system says: architecture, ticks, uptime */
	host_done(&host);
}

static void check_cpu_time(const struct temp_tree *tree, const char *stat, bool seen, uint64_t user,
                           uint64_t system)
{
	struct host host;

	temp_tree_write_text(tree, "proc/stat", stat);
	host = read_tree(tree, false, false);
	assert_int_equal(host.seen[HOST_user_clock_ticks], seen);
	assert_int_equal(host.seen[HOST_system_clock_ticks], seen);
	if (seen) {
		assert_number(&host, HOST_user_clock_ticks, user);
		assert_number(&host, HOST_system_clock_ticks, system);
	}
	host_done(&host);
}

/* The valid numbers of the line behind the first three, and whether the forks are there. */
static void check_counters(const struct temp_tree *tree, const char *stat, unsigned count,
                           bool has_forks)
{
	static const enum host_field fields[] = {
	        HOST_idle_clock_ticks,    HOST_iowait_clock_ticks, HOST_irq_clock_ticks,
	        HOST_softirq_clock_ticks, HOST_steal_clock_ticks,
	};
	struct host host;

	temp_tree_write_text(tree, "proc/stat", stat);
	host = read_tree(tree, false, false);
	for (unsigned i = 0; i < ARRAY_SIZE(fields); i++) {
		assert_int_equal(host.seen[fields[i]], i < count);
		if (i < count)
			assert_number(&host, fields[i], i + 4);
	}
	assert_int_equal(host.seen[HOST_forks], has_forks);
	host_done(&host);
}

static void test_host_counters(void **state)
{
	check_counters(*state, "cpu 1 2 3", 0, false);
	check_counters(*state, "cpu 1 2 3 4 5\nprocesses 5", 2, true);
	check_counters(*state, "cpu 1 2 3 4 5 x 7 8\nprocesses x\n", 2, false);
	check_counters(*state, "cpu 1 2 3 4 5 6 7 8 9 10 11\nprocesses_of 5\n", 5, false);
	check_counters(*state,
	               "cpu 1 2 3 4 5 6 7 8\nctxt 1\nbtime 2\nprocesses 18446744073709551615\n", 5,
	               true);
	check_counters(*state, "cpu 1 2 x 4 5 6 7 8\nprocesses 5\n", 0, false);
}

/* Numbers are stamped where they were read: by our clock, or by the uptime of another system's tree. */
static void test_host_times(void **state)
{
	const struct temp_tree *tree = *state;
	uint64_t before_ns = clock_now_ns(CLOCK_BOOTTIME);
	struct host host;

	temp_tree_write_text(tree, "proc/stat", "cpu 1 2 3\n");
	temp_tree_write_text(tree, "proc/pressure/io",
	                     "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n");
	temp_tree_write_text(tree, "proc/uptime", "12.50 3.00\n");
	host = read_tree(tree, true, false);
	for (enum host_field field = HOST_stat_interval_ns; field <= HOST_pressure_interval_ns;
	     field++) {
		assert_true(host.seen[field]);
		assert_in_range(host.numbers[field], before_ns, clock_now_ns(CLOCK_BOOTTIME));
	}
	host_done(&host);
	host = read_tree(tree, false, false);
	assert_number(&host, HOST_stat_interval_ns, UINT64_C(12500000000));
	assert_number(&host, HOST_pressure_interval_ns, UINT64_C(12500000000));
	host_done(&host);
	temp_tree_write_text(tree, "proc/stat", "nonsense\n");
	temp_tree_write_text(tree, "proc/uptime", "nonsense\n");
	host = read_tree(tree, false, false);
	assert_false(host.seen[HOST_stat_interval_ns]);
	assert_false(host.seen[HOST_pressure_interval_ns]);
	host_done(&host);
}

static void test_host_cpu_time(void **state)
{
	check_cpu_time(*state, "cpu 1 2 3", true, 3, 3);
	check_cpu_time(*state, "cpu  18446744073709551614 1 18446744073709551615 0\n", true,
	               UINT64_MAX, UINT64_MAX);
	check_cpu_time(*state, "cpu  18446744073709551615 1 3 0\n", false, 0, 0);
	check_cpu_time(*state, "", false, 0, 0);
	check_cpu_time(*state, "\ncpu 1 2 3\n", false, 0, 0);
	check_cpu_time(*state, "cpu0 1 2 3\n", false, 0, 0);
	check_cpu_time(*state, "intr 1\ncpu 1 2 3\n", false, 0, 0);
	check_cpu_time(*state, "cpu 1 2\n3\n", false, 0, 0);
	check_cpu_time(*state, "cpu 1 2\n", false, 0, 0);
	check_cpu_time(*state, "cpu 1 -2 3\n", false, 0, 0);
	check_cpu_time(*state, "cpu 1 2 x\n", false, 0, 0);
}

static void test_host_total_threads(void **state)
{
	static const struct {
		const char *text;
		uint64_t threads; /* 0: senseless */
	} cases[] = {
	        {"0.42 0.31 0.27 2/345 6789\n", 345}, {"0 0 0 1/18446744073709551615", UINT64_MAX},
	        {"0.42 0.31 0.27 2/x 6789\n", 0},     {"0.42 0.31 0.27 2/ 6789\n", 0},
	        {"0.42 0.31 0.27 345 6789\n", 0},     {"0.42 0.31 2/345\n", 0},
	        {"0 0 0 1/18446744073709551616", 0},  {"", 0}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct host host;

		temp_tree_write_text(*state, "proc/loadavg", cases[i].text);
		host = read_tree(*state, false, false);
		assert_int_equal(host.seen[HOST_total_threads], cases[i].threads > 0);
		assert_int_equal(host.numbers[HOST_total_threads], cases[i].threads);
		host_done(&host);
	}
}

static void test_host_cpu_counts(void **state)
{
	static const struct {
		const char *path;
		enum host_field field;
	} lists[] = {{"sys/devices/system/cpu/online", HOST_online_cpus},
	             {"sys/devices/system/cpu/possible", HOST_possible_cpus}};
	static const struct {
		const char *text;
		uint64_t cpus; /* 0: senseless */
	} cases[] = {{"0", 1},  {"0-8191\n", 8192}, {"0,2-3\n", 3}, {"", 0},
	             {"\n", 0}, {"0-8192\n", 0},    {"x", 0},       {"0-3\n\n", 0}};

	for (size_t list = 0; list < ARRAY_SIZE(lists); list++)
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			struct host host;

			temp_tree_write_text(*state, lists[list].path, cases[i].text);
			host = read_tree(*state, false, false);
			assert_int_equal(host.seen[lists[list].field], cases[i].cpus > 0);
			assert_int_equal(host.numbers[lists[list].field], cases[i].cpus);
			assert_int_equal(host_bounds_of(&host).possible_cpus,
			                 host.numbers[HOST_possible_cpus]);
			host_done(&host);
		}
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_host_all_fields),
	        in_tree(test_host_other_system),
	        in_tree(test_host_other_uptime),
	        in_tree(test_host_anonymous),
	        cmocka_unit_test_setup_teardown(test_host_empty_texts, setup, temp_tree_teardown),
	        in_tree(test_host_missing_files),
	        cmocka_unit_test(test_host_no_trees),
	        in_tree(test_host_cpu_time),
	        in_tree(test_host_counters),
	        in_tree(test_host_times),
	        in_tree(test_host_total_threads),
	        in_tree(test_host_cpu_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
