// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>

#include "base/text.h"
#include "doctor/report-doctor.h"
#include "doctors.h"

static void test_healthy_host(void **state)
{
	struct doctor_findings *findings = doctor_healthy();
	struct doctor_verdict verdict = {0};

	(void)state;
	doctor_judge(findings, &verdict);
	for (unsigned f = 0; f < DOCTOR_FAMILY_COUNT; f++)
		if (f != DOCTOR_kernel_config)
			assert_int_equal(verdict.lines[f].state, DOCTOR_AVAILABLE);
	assert_true(doctor_is_well(&verdict));
	doctor_verdict_done(&verdict);
	doctor_findings_done(findings);
	free(findings);
}

/* Nothing at all: every family that counts is missing, and each says why. */
static void test_nothing_found(void **state)
{
	struct doctor_findings findings = {.taskstats_open_error = -ENOENT};
	struct doctor_verdict verdict = {0};

	(void)state;
	doctor_judge(&findings, &verdict);
	for (unsigned f = 0; f < DOCTOR_FAMILY_COUNT; f++) {
		assert_int_equal(verdict.lines[f].state, DOCTOR_NOT);
		assert_true(verdict.lines[f].reason.len > 0);
	}
	assert_false(doctor_is_well(&verdict));
	doctor_verdict_done(&verdict);
}

/* Every metric but those that nobody reads belongs to a family, and every family of metrics has one. */
static void test_families_have_all_metrics(void **state)
{
	unsigned counts[DOCTOR_FAMILY_COUNT + 1] = {0};

	(void)state;
	for (unsigned m = 0; m < METRIC_COUNT; m++)
		counts[doctor_family_of((enum metric_id)m)]++;
	assert_int_equal(counts[DOCTOR_FAMILY_COUNT], 3);
	assert_int_equal(doctor_family_of(METRIC_nr_iowait), DOCTOR_FAMILY_COUNT);
	assert_int_equal(doctor_family_of(METRIC_lived_ns), DOCTOR_FAMILY_COUNT);
	assert_int_equal(doctor_family_of(METRIC_thread_count), DOCTOR_FAMILY_COUNT);
	assert_int_equal(doctor_family_of(METRIC_core_forceidle_sum), DOCTOR_core_sched);
	assert_int_equal(doctor_family_of(METRIC_ext_enabled), DOCTOR_ext_thread);
	assert_int_equal(doctor_family_of(METRIC_hiwater_rss_bytes), DOCTOR_memory_peaks);
	assert_int_equal(counts[DOCTOR_delay_cpu], 3);
	assert_int_equal(counts[DOCTOR_delays], 12);
	assert_int_equal(counts[DOCTOR_delay_irq], 2);
	assert_int_equal(counts[DOCTOR_delay_extremes], 16);
	assert_int_equal(counts[DOCTOR_memory_peaks], 2);
	assert_int_equal(counts[DOCTOR_io_own], 7);
	assert_true(doctor_family_has(DOCTOR_io_others, METRIC_rchar));
}

static void test_kernel_reasons(void **state)
{
	struct doctor_findings *findings = doctor_healthy();

	(void)state;
	doctor_forget(findings, DOCTOR_schedstats);
	host_map_set(&findings->host, HOST_kernel_config, "SCHEDSTATS", "n", 1);
	doctor_check(findings, DOCTOR_schedstats, DOCTOR_NOT,
	             "the kernel was built without CONFIG_SCHEDSTATS", DOCTOR_FIX_KERNEL,
	             "another kernel, built with CONFIG_SCHEDSTATS=y");

	/* A file that was read is there, whatever the configuration says. */
	findings = doctor_healthy();
	host_map_set(&findings->host, HOST_kernel_config, "SCHEDSTATS", "n", 1);
	doctor_check(findings, DOCTOR_schedstats, DOCTOR_AVAILABLE, "", DOCTOR_FIX_NONE, "");

	findings = doctor_healthy();
	doctor_forget(findings, DOCTOR_delay_extremes);
	host_set_text(&findings->host, HOST_kernel_release, "6.1.0-49-amd64", 14);
	doctor_check(findings, DOCTOR_delay_extremes, DOCTOR_NOT, "needs Linux 6.14 or newer",
	             DOCTOR_FIX_KERNEL, "another kernel, 6.14 or newer");

	findings = doctor_healthy();
	findings->sched_ext = false;
	host_set_text(&findings->host, HOST_kernel_release, "5.10.0", 6);
	doctor_check(findings, DOCTOR_sched_ext, DOCTOR_NOT, "needs Linux 6.12 or newer",
	             DOCTOR_FIX_KERNEL, "another kernel, 6.12 or newer");

	/* A release that makes no sense is no old one. */
	findings = doctor_healthy();
	doctor_forget(findings, DOCTOR_ext_thread);
	host_set_text(&findings->host, HOST_kernel_release, "custom", 6);
	doctor_check(findings, DOCTOR_ext_thread, DOCTOR_NOT, "this kernel does not give it",
	             DOCTOR_FIX_NONE, "");

	findings = doctor_healthy();
	metric_set_add(&findings->own_seen, METRIC_voluntary_csw);
	findings->own_seen.words[METRIC_nr_migrations / 64] &=
	        ~(UINT64_C(1) << (METRIC_nr_migrations % 64));
	doctor_check(findings, DOCTOR_switches, DOCTOR_PARTLY,
	             "this kernel does not give nr_migrations", DOCTOR_FIX_NONE, "");
}

static void test_toggles(void **state)
{
	struct doctor_findings *findings = doctor_healthy();

	(void)state;
	doctor_forget(findings, DOCTOR_schedstats);
	findings->toggles[DOCTOR_TOGGLE_schedstats] = DOCTOR_SWITCH_OFF;
	doctor_check(findings, DOCTOR_schedstats, DOCTOR_NOT,
	             "the switch kernel.sched_schedstats is off", DOCTOR_FIX_COMMAND,
	             "sudo sysctl kernel.sched_schedstats=1");

	findings = doctor_healthy();
	findings->schedstats_at_boot = false;
	doctor_check(findings, DOCTOR_schedstats, DOCTOR_AVAILABLE,
	             "sums began when kernel.sched_schedstats was switched on", DOCTOR_FIX_NONE,
	             "");

	findings = doctor_healthy();
	doctor_forget(findings, DOCTOR_delays);
	findings->toggles[DOCTOR_TOGGLE_delayacct] = DOCTOR_SWITCH_OFF;
	findings->delays_on = findings->delays_since_boot = false;
	doctor_check(findings, DOCTOR_delays, DOCTOR_NOT, "the switch kernel.task_delayacct is off",
	             DOCTOR_FIX_COMMAND, "sudo sysctl kernel.task_delayacct=1");

	/* The cpu bucket needs no switch. */
	findings = doctor_healthy();
	findings->toggles[DOCTOR_TOGGLE_delayacct] = DOCTOR_SWITCH_OFF;
	doctor_check(findings, DOCTOR_delay_cpu, DOCTOR_AVAILABLE, "", DOCTOR_FIX_NONE, "");

	/* Switched on late: partly, even though our own thread has everything. */
	findings = doctor_healthy();
	findings->delays_since_boot = false;
	doctor_check(findings, DOCTOR_delays, DOCTOR_PARTLY,
	             "threads born before kernel.task_delayacct=1 stay empty", DOCTOR_FIX_BOOT,
	             "delayacct");

	/* Kernels before 5.14 have the boot parameter only. */
	findings = doctor_healthy();
	doctor_forget(findings, DOCTOR_delays);
	findings->toggles[DOCTOR_TOGGLE_delayacct] = DOCTOR_SWITCH_ABSENT;
	findings->delays_on = findings->delays_since_boot = false;
	doctor_check(findings, DOCTOR_delays, DOCTOR_NOT,
	             "delay accounting was switched off at boot", DOCTOR_FIX_BOOT, "delayacct");
}

/* A switch that cannot be read may be off: nothing is claimed of it, nor of the kernel. */
static void test_unknown_toggles(void **state)
{
	struct doctor_findings *findings = doctor_healthy();

	(void)state;
	doctor_forget(findings, DOCTOR_delays);
	findings->toggles[DOCTOR_TOGGLE_delayacct] = DOCTOR_SWITCH_ABSENT;
	findings->delays_since_boot = false;
	doctor_check(findings, DOCTOR_delays, DOCTOR_NOT,
	             "cannot tell whether kernel.task_delayacct is on", DOCTOR_FIX_ADVICE,
	             "run ctprof where /proc/sys/kernel/task_delayacct can be read");

	/* The buckets that need no switch are there. */
	findings = doctor_healthy();
	findings->toggles[DOCTOR_TOGGLE_delayacct] = DOCTOR_SWITCH_ABSENT;
	findings->delays_since_boot = false;
	doctor_check(findings, DOCTOR_delay_extremes, DOCTOR_PARTLY,
	             "cannot tell whether kernel.task_delayacct is on", DOCTOR_FIX_ADVICE,
	             "run ctprof where /proc/sys/kernel/task_delayacct can be read");

	/* A kernel that has no switch, and whose command line nobody knows. */
	findings = doctor_healthy();
	host_set_text(&findings->host, HOST_kernel_release, "5.10.0", 6);
	findings->toggles[DOCTOR_TOGGLE_delayacct] = DOCTOR_SWITCH_ABSENT;
	findings->delays_since_boot = false;
	doctor_check(findings, DOCTOR_delays, DOCTOR_PARTLY,
	             "cannot tell whether delay accounting was switched off at boot",
	             DOCTOR_FIX_ADVICE,
	             "make /proc/cmdline and the kernel's configuration readable");

	findings = doctor_healthy();
	doctor_forget(findings, DOCTOR_schedstats);
	findings->toggles[DOCTOR_TOGGLE_schedstats] = DOCTOR_SWITCH_ABSENT;
	doctor_check(findings, DOCTOR_schedstats, DOCTOR_NOT,
	             "cannot tell whether kernel.sched_schedstats is on", DOCTOR_FIX_ADVICE,
	             "run ctprof where /proc/sys/kernel/sched_schedstats can be read");
	findings = doctor_healthy();
	findings->toggles[DOCTOR_TOGGLE_schedstats] = DOCTOR_SWITCH_ABSENT;
	doctor_check(findings, DOCTOR_schedstats, DOCTOR_AVAILABLE, "", DOCTOR_FIX_NONE, "");
}

static void test_capabilities(void **state)
{
	struct doctor_findings *findings;

	(void)state;
	doctor_check(doctor_nobody(), DOCTOR_delay_cpu, DOCTOR_NOT, "needs CAP_NET_ADMIN",
	             DOCTOR_FIX_COMMAND, doctor_setcap_fix);
	doctor_check(doctor_nobody(), DOCTOR_memory_peaks, DOCTOR_NOT, "needs CAP_NET_ADMIN",
	             DOCTOR_FIX_COMMAND, doctor_setcap_fix);
	doctor_check(doctor_nobody(), DOCTOR_io_others, DOCTOR_NOT,
	             "needs CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH", DOCTOR_FIX_COMMAND,
	             doctor_setcap_fix);
	doctor_check(doctor_nobody(), DOCTOR_smaps, DOCTOR_PARTLY, "needs CAP_SYS_PTRACE (9 of 10)",
	             DOCTOR_FIX_COMMAND, doctor_setcap_fix);
	doctor_check(doctor_nobody(), DOCTOR_process_totals, DOCTOR_PARTLY,
	             "needs CAP_NET_ADMIN (for delays, run and wait time)", DOCTOR_FIX_COMMAND,
	             doctor_setcap_fix);
	doctor_check(doctor_nobody(), DOCTOR_bpf, DOCTOR_NOT, "needs CAP_BPF and CAP_PERFMON",
	             DOCTOR_FIX_NONE, "");

	/* setcap would not help, so it is not what is said. */
	findings = doctor_nobody();
	findings->bounding = 0;
	doctor_check(findings, DOCTOR_delay_cpu, DOCTOR_NOT,
	             "needs CAP_NET_ADMIN, which the bounding set lacks", DOCTOR_FIX_ADVICE,
	             "start ctprof from where the capability bounding set has CAP_NET_ADMIN");
	findings = doctor_nobody();
	findings->no_new_privileges = true;
	doctor_check(findings, DOCTOR_delay_cpu, DOCTOR_NOT,
	             "needs CAP_NET_ADMIN, and no_new_privs is set", DOCTOR_FIX_ADVICE,
	             "start ctprof as root, or from where no_new_privs is not set");
	findings = doctor_nobody();
	findings->executable_nosuid = true;
	doctor_check(findings, DOCTOR_delay_cpu, DOCTOR_NOT,
	             "needs CAP_NET_ADMIN, and ctprof lies on a nosuid mount", DOCTOR_FIX_ADVICE,
	             "run ctprof as root, or move it to a mount without nosuid and give it "
	             "CAP_NET_ADMIN");
	findings = doctor_nobody();
	findings->in_user_namespace = true;
	findings->effective = UINT64_MAX;
	doctor_check(findings, DOCTOR_delay_cpu, DOCTOR_NOT,
	             "in this user namespace; needs CAP_NET_ADMIN outside of it", DOCTOR_FIX_ADVICE,
	             "run ctprof in the initial user namespace, with the capabilities above");

	/* One process that is closed even to root. */
	findings = doctor_healthy();
	findings->io_others.denied = 1;
	doctor_check(findings, DOCTOR_io_others, DOCTOR_PARTLY,
	             "denied in spite of CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH (1 of 10)",
	             DOCTOR_FIX_NONE, "");
}

static void test_quoting(void **state)
{
	struct doctor_findings *findings = doctor_nobody();
	struct strbuf out = STRBUF_INIT;

	(void)state;
	strbuf_clear(&findings->executable);
	strbuf_add_str(&findings->executable, "/home/a b/it's");
	doctor_check(findings, DOCTOR_delay_cpu, DOCTOR_NOT, "needs CAP_NET_ADMIN",
	             DOCTOR_FIX_COMMAND,
	             "sudo setcap cap_net_admin,cap_sys_ptrace,cap_dac_read_search+ep '/home/a "
	             "b/it'\\''s'");
	text_add_shell_word(&out, "");
	text_add_shell_word(&out, "$(x)");
	assert_text(&out, "'''$(x)'");
	strbuf_done(&out);
}

static void test_hidepid(void **state)
{
	struct doctor_findings *findings = doctor_nobody();

	(void)state;
	findings->hidepid = DOCTOR_HIDEPID_INVISIBLE;
	findings->others = findings->others_shown = 0;
	findings->io_others = findings->smaps_others = (struct doctor_tries){0};
	doctor_check(findings, DOCTOR_processes, DOCTOR_NOT, "/proc is mounted with hidepid=2",
	             DOCTOR_FIX_COMMAND, doctor_setcap_fix);
	findings = doctor_nobody();
	findings->hidepid = DOCTOR_HIDEPID_NOACCESS;
	findings->others_shown = 0;
	doctor_check(findings, DOCTOR_io_others, DOCTOR_NOT, "/proc is mounted with hidepid=1",
	             DOCTOR_FIX_COMMAND, doctor_setcap_fix);

	/* root sees through it, and a host of one user has nothing to hide. */
	findings = doctor_healthy();
	findings->hidepid = DOCTOR_HIDEPID_INVISIBLE;
	doctor_check(findings, DOCTOR_processes, DOCTOR_AVAILABLE, "", DOCTOR_FIX_NONE, "");
	findings = doctor_nobody();
	findings->others = findings->others_shown = 0;
	findings->io_others = (struct doctor_tries){0};
	doctor_check(findings, DOCTOR_io_others, DOCTOR_AVAILABLE,
	             "there is no process but this user's", DOCTOR_FIX_NONE, "");
}

static void test_taskstats_reasons(void **state)
{
	struct doctor_findings *findings = doctor_nobody();

	(void)state;
	findings->taskstats_open_error = -ENOENT;
	doctor_check(findings, DOCTOR_delay_cpu, DOCTOR_NOT,
	             "taskstats is built in, but not in this network namespace", DOCTOR_FIX_COMMAND,
	             "sudo nsenter --net=/proc/1/ns/net /usr/bin/ctprof doctor");
	findings = doctor_nobody();
	findings->taskstats_open_error = -ENOENT;
	host_map_set(&findings->host, HOST_kernel_config, "TASKSTATS", "n", 1);
	doctor_check(findings, DOCTOR_delay_cpu, DOCTOR_NOT,
	             "the kernel was built without CONFIG_TASKSTATS", DOCTOR_FIX_KERNEL,
	             "another kernel, built with CONFIG_TASKSTATS=y");
	findings = doctor_nobody();
	findings->taskstats_open_error = -EPERM;
	doctor_check(findings, DOCTOR_memory_peaks, DOCTOR_NOT,
	             "no netlink socket: Operation not permitted", DOCTOR_FIX_ADVICE,
	             "run ctprof outside of the sandbox that refuses netlink sockets");
}

static void test_foreign_proc(void **state)
{
	static const char reason[] = "/proc is of another pid namespace";
	static const char fix[] = "run ctprof in the pid namespace of /proc, or, for this one's "
	                          "processes only, sudo unshare --mount-proc /usr/bin/ctprof";
	struct doctor_findings *findings;

	(void)state;
	for (enum doctor_family f = DOCTOR_delay_cpu; f <= DOCTOR_memory_peaks; f++)
		doctor_check(doctor_foreign(), f, DOCTOR_NOT, reason, DOCTOR_FIX_ADVICE, fix);
	doctor_check(doctor_foreign(), DOCTOR_process_totals, DOCTOR_PARTLY,
	             "/proc is of another pid namespace (for delays, run and wait time)",
	             DOCTOR_FIX_ADVICE, fix);

	/* status has the affinity as well. */
	doctor_check(doctor_foreign(), DOCTOR_affinity, DOCTOR_AVAILABLE, "", DOCTOR_FIX_NONE, "");

	/* A kernel that has none is no matter of namespaces. */
	findings = doctor_foreign();
	host_map_set(&findings->host, HOST_kernel_config, "TASKSTATS", "n", 1);
	doctor_check(findings, DOCTOR_delay_cpu, DOCTOR_NOT,
	             "the kernel was built without CONFIG_TASKSTATS", DOCTOR_FIX_KERNEL,
	             "another kernel, built with CONFIG_TASKSTATS=y");

	/* One in which our own thread cannot be seen is mounted all the same. */
	findings = doctor_foreign();
	findings->has_proc = false;
	doctor_forget(findings, DOCTOR_stat);
	doctor_check(findings, DOCTOR_stat, DOCTOR_NOT, reason, DOCTOR_FIX_ADVICE, fix);
}

static void test_pressure(void **state)
{
	struct doctor_findings *findings = doctor_healthy();

	(void)state;
	findings->psi_host = false;
	doctor_check(findings, DOCTOR_psi_host, DOCTOR_NOT,
	             "pressure stall information was not switched on at boot", DOCTOR_FIX_BOOT,
	             "psi=1");
	findings = doctor_healthy();
	findings->psi_host = false;
	host_map_set(&findings->host, HOST_kernel_config, "PSI", "n", 1);
	doctor_check(findings, DOCTOR_psi_host, DOCTOR_NOT,
	             "the kernel was built without CONFIG_PSI", DOCTOR_FIX_KERNEL,
	             "another kernel, built with CONFIG_PSI=y");
}

static void test_debugfs(void **state)
{
	struct doctor_findings *findings = doctor_healthy();

	(void)state;
	findings->host.seen[HOST_sched_features] = findings->has_debugfs = false;
	doctor_check(findings, DOCTOR_sched_features, DOCTOR_NOT, "debugfs is not mounted",
	             DOCTOR_FIX_COMMAND, "sudo mount -t debugfs debugfs /sys/kernel/debug");
	findings = doctor_nobody();
	findings->host.seen[HOST_sched_features] = false;
	findings->sched_features_error = -EACCES;
	doctor_check(findings, DOCTOR_sched_features, DOCTOR_NOT, "needs CAP_DAC_READ_SEARCH",
	             DOCTOR_FIX_COMMAND, doctor_setcap_fix);
	findings = doctor_healthy();
	findings->host.seen[HOST_sched_features] = false;
	doctor_check(findings, DOCTOR_sched_features, DOCTOR_NOT,
	             "debugfs has no sched/features that can be read", DOCTOR_FIX_NONE, "");
	findings = doctor_healthy();
	findings->host.seen[HOST_sched_features] = false;
	findings->sched_features_error = -EPERM;
	doctor_check(findings, DOCTOR_sched_features, DOCTOR_NOT, "the kernel is locked down",
	             DOCTOR_FIX_NONE, "");
}

static struct doctor_findings *without_controllers(void)
{
	struct doctor_findings *findings = doctor_healthy();

	memset(findings->controllers, 0, sizeof(findings->controllers));
	return findings;
}

static void test_cgroups(void **state)
{
	struct doctor_findings *findings = without_controllers();

	(void)state;
	findings->controllers[DOCTOR_CONTROLLER_memory].on_v1 = true;
	doctor_check(findings, DOCTOR_cgroup2_memory, DOCTOR_NOT,
	             "the controller is in a version 1 hierarchy", DOCTOR_FIX_BOOT,
	             "systemd.unified_cgroup_hierarchy=1 cgroup_no_v1=all");
	findings = without_controllers();
	findings->controllers[DOCTOR_CONTROLLER_memory].disabled = true;
	doctor_check(findings, DOCTOR_cgroup2_memory, DOCTOR_NOT,
	             "the controller was disabled at boot", DOCTOR_FIX_BOOT,
	             "no cgroup_disable=memory");
	findings = without_controllers();
	findings->controllers[DOCTOR_CONTROLLER_io].offered = true;
	doctor_check(findings, DOCTOR_cgroup2_io, DOCTOR_NOT,
	             "the controller is not enabled for any cgroup", DOCTOR_FIX_COMMAND,
	             "echo +io | sudo tee /sys/fs/cgroup/cgroup.subtree_control");
	doctor_check(without_controllers(), DOCTOR_cgroup2_pids, DOCTOR_NOT,
	             "pids is not in cgroup.controllers here", DOCTOR_FIX_ADVICE,
	             "enable the controller in the parent of this hierarchy's root");
	findings = without_controllers();
	findings->has_cgroup1 = findings->has_cgroup2 = false;
	doctor_check(findings, DOCTOR_cgroup2_cpu, DOCTOR_NOT,
	             "no cgroup2 hierarchy is mounted here", DOCTOR_FIX_COMMAND,
	             "sudo mount -t cgroup2 cgroup2 /sys/fs/cgroup");
	findings = doctor_healthy();
	findings->cgroup_is_v1 = true;
	doctor_check(findings, DOCTOR_cgroup_path, DOCTOR_PARTLY, "only the path of version 1",
	             DOCTOR_FIX_BOOT, "systemd.unified_cgroup_hierarchy=1 cgroup_no_v1=all");
}

/* The table fits a screen, names each fix once, and hostile bytes reach neither it nor the JSON. */
static void test_reports(void **state)
{
	struct doctor_findings *findings = doctor_nobody();
	struct doctor_verdict verdict = {0};
	const struct report_doctor report = {.findings = findings, .verdict = &verdict};
	char *text = NULL, *found;
	size_t size = 0, lines = 0;
	FILE *file;

	(void)state;
	strbuf_clear(&findings->executable);
	strbuf_add_str(&findings->executable, "/tmp/\033[31m\xff");
	doctor_judge(findings, &verdict);
	file = open_memstream(&text, &size);
	report_doctor(file, &report);
	report_doctor_json(file, &report);
	assert_int_equal(fclose(file), 0);
	assert_null(memchr(text, '\033', size));
	assert_null(memchr(text, '\xff', size));
	found = strchr(text, '{');
	assert_non_null(found);
	assert_contains(found, "{\"name\":\"delay-cpu\",\"state\":\"not\",\"counts\":true");
	*found = '\0';
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	assert_in_range(lines, DOCTOR_FAMILY_COUNT, 40);
	found = strstr(text, "setcap");
	assert_non_null(found);
	assert_null(strstr(found + 1, "setcap"));
	free(text);
	doctor_verdict_done(&verdict);
	doctor_findings_done(findings);
	free(findings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_healthy_host),
	        cmocka_unit_test(test_nothing_found),
	        cmocka_unit_test(test_families_have_all_metrics),
	        cmocka_unit_test(test_kernel_reasons),
	        cmocka_unit_test(test_toggles),
	        cmocka_unit_test(test_unknown_toggles),
	        cmocka_unit_test(test_capabilities),
	        cmocka_unit_test(test_quoting),
	        cmocka_unit_test(test_hidepid),
	        cmocka_unit_test(test_taskstats_reasons),
	        cmocka_unit_test(test_foreign_proc),
	        cmocka_unit_test(test_pressure),
	        cmocka_unit_test(test_debugfs),
	        cmocka_unit_test(test_cgroups),
	        cmocka_unit_test(test_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
