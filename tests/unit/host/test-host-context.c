// SPDX-License-Identifier: GPL-2.0-or-later
/* The hardware of a host and the configuration of its kernel. */
#include "check.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "host/host-read.h"
#include "snapshot/snapshot-meta.h"
#include "temp-tree.h"

#define VULNERABILITIES "sys/devices/system/cpu/vulnerabilities/"
#define THP "sys/kernel/mm/transparent_hugepage/"

static const char *const files[][2] = {
        {"proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 2\n"
                         "model name\t: Some CPU @ 2.00GHz: fast\n\n"
                         "processor\t: 1\nvendor_id\t: Other\nmodel name\t: Other\n\n"},
        {"proc/meminfo", "MemTotal:       4030456 kB\nMemFree:            12 kB\n"
                         "HugePages_Total:       8\nHugePages_Free:        3\n"
                         "Hugepagesize:       2048 kB\nHugetlb:           16384 kB\n"},
        {"proc/sys/kernel/osrelease", "6.1.0-test\n"},
        {"proc/sys/kernel/sched_schedstats", "0\n"},
        {"proc/sys/kernel/sched_rt_runtime_us", "950000\n"},
        {"proc/sys/kernel/sched_many", " 1\t2\n3 \n\n"},
        {"proc/sys/kernel/sched_energy_aware", "\n"},
        {"proc/sys/kernel/sched_domain/cpu0", "not a file of the directory"},
        {"proc/sys/kernel/task_delayacct", "1\n"},
        {"sys/devices/system/node/node0/meminfo", ""},
        {"sys/devices/system/node/node12/meminfo", ""},
        {"sys/devices/system/node/node03/meminfo", ""},
        {"sys/devices/system/node/node/meminfo", ""},
        {"sys/devices/system/node/node1x/meminfo", ""},
        {"sys/devices/system/node/possible", "0"},
        {"sys/devices/system/node/node99", "no directory"},
        {THP "enabled", "always [madvise] never\n"},
        {THP "defrag", "always defer defer+madvise [madvise] never\n"},
        {VULNERABILITIES "meltdown", "Mitigation: PTI\n"},
        {VULNERABILITIES "spectre_v2", "Vulnerable: eIBRS\t\xff\x1b[31m\n"},
        {"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"},
        {"sys/devices/system/cpu/cpu10/cpufreq/scaling_governor", "powersave\n"},
        {"sys/devices/system/cpu/cpu2/online", "0\n"},
        {"sys/devices/system/cpu/cpu07/cpufreq/scaling_governor", "x\n"},
        {"sys/devices/system/cpu/cpufreq/cpufreq/scaling_governor", "x\n"},
        {"sys/kernel/debug/sched/features", "PLACE_LAG NO_HRTICK \n"},
};

static int setup(void **state)
{
	int r = temp_tree_setup(state);

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		temp_tree_write_text(*state, files[i][0], files[i][1]);
	return r;
}

static struct host read_tree_anonymous(const struct temp_tree *tree, bool anonymous)
{
	int proc = fd_open_path_at(tree->fd, "proc"), sys = fd_open_path_at(tree->fd, "sys");
	struct host host = {0};

	host_read(proc, sys, -1, false, anonymous, &host);
	fd_closep(&proc);
	fd_closep(&sys);
	return host;
}

static struct host read_tree(const struct temp_tree *tree)
{
	return read_tree_anonymous(tree, false);
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

static void assert_entry(const struct host *host, enum host_field field, size_t place,
                         const char *name, const char *text)
{
	assert_true(host->seen[field]);
	assert_true(place < host->maps[field].count);
	assert_string_equal(host->maps[field].entries[place].name, name);
	assert_string_equal(host->maps[field].entries[place].text, text);
}

static void test_context_hardware(void **state)
{
	struct host host = read_tree(*state);

	assert_host(&host, HOST_cpu_model, "Some CPU @ 2.00GHz: fast");
	assert_host(&host, HOST_cpu_vendor, "GenuineIntel");
	assert_number(&host, HOST_total_memory_kib, 4030456);
	assert_number(&host, HOST_hugepages_total, 8);
	assert_number(&host, HOST_hugepages_free, 3);
	assert_number(&host, HOST_hugepages_size_kib, 2048);
	assert_number(&host, HOST_numa_nodes, 2);
	assert_host(&host, HOST_thp_enabled, "always [madvise] never");
	assert_host(&host, HOST_thp_defrag, "always defer defer+madvise [madvise] never");
	assert_host(&host, HOST_sched_features, "PLACE_LAG NO_HRTICK");
	host_done(&host);
}

static void test_context_maps(void **state)
{
	struct host host = read_tree(*state);

	assert_int_equal(host.maps[HOST_sched_tunables].count, 3);
	assert_entry(&host, HOST_sched_tunables, 0, "sched_many", "1 2 3");
	assert_entry(&host, HOST_sched_tunables, 1, "sched_rt_runtime_us", "950000");
	assert_entry(&host, HOST_sched_tunables, 2, "sched_schedstats", "0");
	assert_int_equal(host.maps[HOST_mitigations].count, 2);
	assert_entry(&host, HOST_mitigations, 0, "meltdown", "Mitigation: PTI");
	assert_entry(&host, HOST_mitigations, 1, "spectre_v2", "Vulnerable: eIBRS \xff\x1b[31m");
	assert_int_equal(host.maps[HOST_cpufreq_governor].count, 2);
	assert_entry(&host, HOST_cpufreq_governor, 0, "0", "performance");
	assert_entry(&host, HOST_cpufreq_governor, 1, "10", "powersave");
	assert_false(host.seen[HOST_kernel_config]);
	host_done(&host);
}

/* Only what is a file itself is read: a link may lead anywhere, and a pipe may keep us waiting. */
static void test_context_irregular_files(void **state)
{
	const struct temp_tree *tree = *state;
	struct host host;

	temp_tree_write_text(tree, "secret", "secret\n");
	assert_int_equal(symlinkat("../../../secret", tree->fd, "proc/sys/kernel/sched_a_link"), 0);
	assert_int_equal(mkfifoat(tree->fd, VULNERABILITIES "a_pipe", 0600), 0);
	host = read_tree(tree);
	assert_int_equal(host.maps[HOST_sched_tunables].count, 3);
	assert_int_equal(host.maps[HOST_mitigations].count, 2);
	host_done(&host);
}

static void test_context_nothing(void **state)
{
	const struct temp_tree *tree = *state;
	struct host host = {0};
	unsigned seen = 0;

	temp_tree_remove(tree, "proc");
	temp_tree_remove(tree, "sys");
	temp_tree_make_dir(tree, "proc");
	temp_tree_make_dir(tree, "sys/devices/system/node");
	host = read_tree(tree);
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		seen += host.seen[i];
	assert_int_equal(seen, 1); /* clock ticks */
	assert_false(host.boot.known);
	host_done(&host);
}

static void test_context_meminfo(void **state)
{
	static const char *const bad[] = {"MemTotal: 1\n",
	                                  "MemTotal: 1 MB\n",
	                                  "MemTotal: -1 kB\n",
	                                  "MemTotal: 1 kB 2\n",
	                                  "MemTotal 1 kB\n",
	                                  "HugePages_Total: 1 kB\n",
	                                  "MemTotal: x kB\n",
	                                  "MemTotal:\n",
	                                  "MemTotal: 18446744073709551616 kB\n",
	                                  "Mem Total: 1 kB\n",
	                                  ""};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct host host;

		temp_tree_write_text(*state, "proc/meminfo", bad[i]);
		host = read_tree(*state);
		assert_false(host.seen[HOST_total_memory_kib]);
		assert_false(host.seen[HOST_hugepages_total]);
		host_done(&host);
	}
}

/* Only the first processor is looked at, and machines whose kernels name none have no name. */
static void test_context_cpuinfo(void **state)
{
	const struct temp_tree *tree = *state;
	struct strbuf text = STRBUF_INIT;
	struct host host;

	temp_tree_write_text(tree, "proc/cpuinfo",
	                     "processor\t: 0\nvendor_id\t:\nmodel name\t: \n\n"
	                     "processor\t: 1\nmodel name\t: late\n");
	host = read_tree(tree);
	assert_false(host.seen[HOST_cpu_model] || host.seen[HOST_cpu_vendor]);
	host_done(&host);

	strbuf_add_str(&text, "model name\t: first\nflags\t\t:");
	for (int i = 0; i < 100000; i++)
		strbuf_add_str(&text, " flag");
	strbuf_add_str(&text, "\nvendor_id : late\n");
	temp_tree_write(tree, "proc/cpuinfo", text.data, text.len);
	host = read_tree(tree);
	assert_host(&host, HOST_cpu_model, "first");
	assert_false(host.seen[HOST_cpu_vendor]);
	host_done(&host);
	strbuf_done(&text);
}

static void test_context_old_features(void **state)
{
	const struct temp_tree *tree = *state;
	struct host host;

	temp_tree_remove(tree, "sys/kernel/debug/sched");
	temp_tree_write_text(tree, "sys/kernel/debug/sched_features", "GENTLE_FAIR_SLEEPERS\n");
	host = read_tree(tree);
	assert_host(&host, HOST_sched_features, "GENTLE_FAIR_SLEEPERS");
	host_done(&host);
}

/* A value may be long, a file of values may not. */
static void test_context_long_file(void **state)
{
	const struct temp_tree *tree = *state;
	struct strbuf text = STRBUF_INIT;
	struct host host;

	for (int i = 0; i < 5000; i++)
		strbuf_add_char(&text, 'x');
	temp_tree_write(tree, "proc/sys/kernel/sched_many", text.data, text.len);
	host = read_tree(tree);
	assert_int_equal(host.maps[HOST_sched_tunables].count, 2);
	host_done(&host);
	strbuf_done(&text);
}

static void test_context_nul(void **state)
{
	static const char text[] = "always\0 [madvise]\n";
	const struct temp_tree *tree = *state;
	struct host host;

	temp_tree_write(tree, THP "enabled", text, sizeof(text) - 1);
	temp_tree_write(tree, "proc/sys/kernel/sched_many", text, sizeof(text) - 1);
	temp_tree_write(tree, "proc/cpuinfo", "model name: a\0b\n", 16);
	host = read_tree(tree);
	assert_false(host.seen[HOST_thp_enabled] || host.seen[HOST_cpu_model]);
	assert_int_equal(host.maps[HOST_sched_tunables].count, 2);
	host_done(&host);
}

/* The worst that a tree can have: every text as long as it may be, and of bytes that JSON spells longest. */
static void write_large(const struct temp_tree *tree, const char *name, char byte, size_t len)
{
	struct strbuf text = STRBUF_INIT;

	memset(strbuf_reserve(&text, len), byte, len);
	temp_tree_write(tree, name, text.data, len);
	strbuf_done(&text);
}

/* A reader takes a host of 1 MiB; what is written is far below. */
static void test_context_bounds(void **state)
{
	const struct temp_tree *tree = *state;
	struct snapshot_info info = {0};
	struct strbuf json = STRBUF_INIT;
	char name[128];

	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "proc/sys/kernel/sched_%04d", i);
		write_large(tree, name, i % 2 == 0 ? '\1' : 'x', 600);
		snprintf(name, sizeof(name), VULNERABILITIES "%04d", i);
		write_large(tree, name, '\xff', 600);
		snprintf(name, sizeof(name),
		         "sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", i);
		write_large(tree, name, '"', 600);
	}
	write_large(tree, "proc/cmdline", '\1', 10000);
	write_large(tree, "proc/sys/kernel/hostname", 'x', 1000000);
	write_large(tree, "proc/sys/kernel/version", 'x', 4000);
	write_large(tree, "sys/kernel/debug/sched/features", 'x', 60000);
	info.host = read_tree(tree);
	assert_false(info.host.seen[HOST_hostname]);
	assert_true(info.host.seen[HOST_kernel_version]);
	assert_true(info.host.seen[HOST_kernel_cmdline]);
	assert_true(info.host.seen[HOST_sched_features]);
	assert_true(info.host.maps[HOST_sched_tunables].count > 40);
	snapshot_meta_add_host(&info, &json);
	assert_true(json.len > 500000 && json.len < 900000);
	strbuf_done(&json);
	snapshot_info_done(&info);

	write_large(tree, "proc/cmdline", 'x', 70000);
	info.host = read_tree(tree);
	assert_false(info.host.seen[HOST_kernel_cmdline]);
	snapshot_info_done(&info);
}

/* A value that the format has no number for is left out, and an empty boot id of others is no boot. */
static void test_context_meta(void **state)
{
	struct snapshot_info info = {0};
	struct strbuf json = STRBUF_INIT, error = STRBUF_INIT;

	(void)state;
	host_set_number(&info.host, HOST_hugepages_free, UINT64_MAX);
	host_set_number(&info.host, HOST_hugepages_total, INT64_MAX);
	snapshot_meta_add_host(&info, &json);
	assert_string_equal(json.data, "{\"hugepages_total\":9223372036854775807}");
	strbuf_clear(&json);
	strbuf_add_str(&json, "{\"boot_id\":\"\",\"hostname\":\"\"}");
	assert_int_equal(snapshot_meta_read_host(&json, &info, &error), 0);
	assert_false(info.host.seen[HOST_boot_id]);
	assert_true(info.host.seen[HOST_hostname]);
	strbuf_done(&json);
	strbuf_done(&error);
	snapshot_info_done(&info);
}

/* The kernel's release, the file, the configuration, the command line, and what follows. NULL: not there. */
struct switch_case {
	const char *release, *file, *config, *cmdline;
	const char *state; /* NULL: unseen */
	bool cpu_delay;
	enum taskstats_delays delays;
};

static void write_or_remove(const struct temp_tree *tree, const char *name, const char *text)
{
	temp_tree_write_text(tree, name, text ? text : "");
	if (!text)
		temp_tree_remove(tree, name);
}

static const char delay_on[] = "CONFIG_TASK_DELAY_ACCT=y\nCONFIG_SCHEDSTATS=y\n";
static const char delay_off[] = "# CONFIG_TASK_DELAY_ACCT is not set\n";

#define OFF TASKSTATS_DELAYS_OFF
#define LATER TASKSTATS_DELAYS_LATER
#define BOOT TASKSTATS_DELAYS_BOOT

static const struct switch_case switch_cases[] = {
        /* The toggle says what is now; the command line, since when. */
        {"6.18.1", "1\n", delay_on, "quiet delayacct\n", "on", true, BOOT},
        {"6.18.1", "1\n", NULL, "delayacct", "on", true, BOOT},
        {"6.18.1", "1\n", delay_on, "quiet\n", "on", true, LATER},
        {"6.18.1", "1\n", delay_on, NULL, "on", true, LATER},
        {"6.18.1", "0\n", delay_on, "delayacct\n", "runtime_off", true, OFF},
        {"6.18.1", "0\n", NULL, "\n", "runtime_off", true, OFF},
        {"6.18.1", "1\n", delay_on, "nodelayacct\n", "on", true, LATER},
        {"6.18.1", "1\n", delay_on, "quiet -- delayacct\n", "on", true, LATER},
        {"6.18.1", "1\n", delay_on, "xdelayacct delayacctx\n", "on", true, LATER},
        {"5.14.0-1", "1\n", NULL, "delayacct\n", "on", true, BOOT},
        /* A file that makes no sense. */
        {"6.18.1", "2\n", delay_on, "delayacct\n", NULL, true, LATER},
        {"6.18.1", "\n", delay_on, "delayacct\n", NULL, true, LATER},
        /* From 5.14 on a missing file says that it was left out, unless the configuration has it. */
        {"6.18.1", NULL, delay_off, "delayacct\n", "config_off", false, OFF},
        {"6.18.1", NULL, NULL, "delayacct\n", "config_off", false, OFF},
        {"5.14", NULL, NULL, "\n", "config_off", false, OFF},
        {"6.18.1", NULL, delay_on, "delayacct\n", NULL, true, LATER},
        {NULL, NULL, NULL, "delayacct\n", NULL, true, LATER},
        {"x.y", NULL, NULL, "delayacct\n", NULL, true, LATER},
        /* Before, only the configuration and the command line say something. */
        {"5.10.0-32", NULL, delay_on, "quiet\n", "on", true, BOOT},
        {"5.13.19", NULL, delay_on, "quiet\n", "on", true, BOOT},
        {"5.10.0-32", NULL, delay_on, "quiet nodelayacct\n", "runtime_off", false, OFF},
        {"5.10.0-32", NULL, delay_on, NULL, NULL, true, LATER},
        {"5.10.0-32", NULL, delay_off, "quiet\n", "config_off", false, OFF},
        {"5.10.0-32", NULL, NULL, "quiet\n", NULL, true, LATER},
        {"5.10.0-32", NULL, NULL, "nodelayacct\n", NULL, false, LATER},
};

static void test_context_delayacct(void **state)
{
	const struct temp_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(switch_cases); i++) {
		const struct switch_case *c = &switch_cases[i];

		write_or_remove(tree, "proc/sys/kernel/osrelease", c->release);
		write_or_remove(tree, "proc/sys/kernel/task_delayacct", c->file);
		write_or_remove(tree, "proc/config", c->config);
		write_or_remove(tree, "proc/cmdline", c->cmdline);
		for (int anonymous = 0; anonymous < 2; anonymous++) {
			struct host host = read_tree_anonymous(tree, anonymous);
			struct taskstats_rules rules = taskstats_rules_of(&host);

			if (c->state)
				assert_host(&host, HOST_task_delayacct, c->state);
			else
				assert_false(host.seen[HOST_task_delayacct]);
			assert_int_equal(host.boot.known, c->cmdline != NULL);
			assert_int_equal(rules.cpu_delay, c->cpu_delay);
			assert_int_equal(rules.delays, c->delays);
			assert_int_equal(host.seen[HOST_kernel_cmdline], c->cmdline && !anonymous);
			host_done(&host);
		}
	}
}

static void test_context_schedstats(void **state)
{
	static const struct switch_case cases[] = {
	        {"6.1.0", "1\n", NULL, NULL, "on", true, LATER},
	        {"6.1.0", "0\n", NULL, NULL, "runtime_off", true, LATER},
	        {"6.1.0", NULL, NULL, NULL, "config_off", true, LATER},
	        {"6.1.0", NULL, "CONFIG_SCHEDSTATS=n\n", NULL, "config_off", true, LATER},
	        {"6.1.0", NULL, "CONFIG_SCHEDSTATS=y\n", NULL, NULL, true, LATER},
	        {"4.5.0", NULL, NULL, NULL, NULL, true, LATER},
	        {"6.1.0", "x\n", NULL, NULL, NULL, true, LATER},
	};
	const struct temp_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct host host;

		write_or_remove(tree, "proc/sys/kernel/osrelease", cases[i].release);
		write_or_remove(tree, "proc/sys/kernel/sched_schedstats", cases[i].file);
		write_or_remove(tree, "proc/config", cases[i].config);
		host = read_tree(tree);
		if (cases[i].state)
			assert_host(&host, HOST_sched_schedstats, cases[i].state);
		else
			assert_false(host.seen[HOST_sched_schedstats]);
		host_done(&host);
	}
}

static void test_context_irq_rule(void **state)
{
	static const struct {
		const char *config;
		bool irq;
	} cases[] = {{NULL, false},
	             {"CONFIG_IRQ_TIME_ACCOUNTING=y\n", true},
	             {"# CONFIG_IRQ_TIME_ACCOUNTING is not set\n", false},
	             {"CONFIG_PSI=y\n", false}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct host host;

		write_or_remove(*state, "proc/config", cases[i].config);
		host = read_tree(*state);
		assert_int_equal(taskstats_rules_of(&host).irq, cases[i].irq);
		host_done(&host);
	}
}

/* Nothing is ruled out for a host of which nothing is known. */
static void test_context_rules_of_nothing(void **state)
{
	struct host host = {0};
	struct taskstats_rules rules = taskstats_rules_of(&host);

	(void)state;
	assert_true(rules.cpu_delay);
	assert_int_equal(rules.delays, TASKSTATS_DELAYS_LATER);
	assert_false(rules.irq);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_context_hardware),
	        in_tree(test_context_maps),
	        in_tree(test_context_irregular_files),
	        in_tree(test_context_nothing),
	        in_tree(test_context_meminfo),
	        in_tree(test_context_cpuinfo),
	        in_tree(test_context_old_features),
	        in_tree(test_context_long_file),
	        in_tree(test_context_nul),
	        cmocka_unit_test(test_context_meta),
	        in_tree(test_context_bounds),
	        in_tree(test_context_delayacct),
	        in_tree(test_context_schedstats),
	        in_tree(test_context_irq_rule),
	        cmocka_unit_test(test_context_rules_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
