// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "doctor-reason.h"

static const char cap_ptrace[] = "CAP_SYS_PTRACE", cap_net_admin[] = "CAP_NET_ADMIN",
                  cap_read_search[] = "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH";

/* A thread may lack metrics of another scheduling class, which is no fault. */
static bool is_expected(enum metric_id metric)
{
	return metric_table[metric].sched_class == SCHED_CLASS_any;
}

struct coverage {
	unsigned seen, missing;
	struct strbuf names; /* names of the first missing ones */
};

static void coverage_done(struct coverage *coverage)
{
	strbuf_done(&coverage->names);
}

static void cover(const struct doctor_findings *findings, enum doctor_family family,
                  struct coverage *ret)
{
	enum { NAMES_MAX = 2 };
	unsigned named;

	*ret = (struct coverage){0};
	for (unsigned m = 0; m < METRIC_COUNT; m++) {
		enum metric_id metric = (enum metric_id)m;

		if (!doctor_family_has(family, metric))
			continue;
		if (metric_set_has(&findings->own_seen, metric))
			ret->seen++;
		else if (is_expected(metric) && ++ret->missing <= NAMES_MAX)
			strbuf_addf(&ret->names, "%s%s", ret->missing > 1 ? ", " : "",
			            metric_table[metric].name);
	}
	named = ret->missing < NAMES_MAX ? ret->missing : NAMES_MAX;
	if (ret->missing > named)
		strbuf_addf(&ret->names, " and %u more", ret->missing - named);
}

/* Judges a family that was read in full or in part, or that is missing for an unknown reason. */
static void judge_coverage(const struct doctor_findings *findings, enum doctor_family family,
                           struct doctor_line *line)
{
	cleanup_(coverage_done) struct coverage coverage;

	cover(findings, family, &coverage);
	if (coverage.seen == 0)
		reason_set(line, DOCTOR_NOT, "this kernel does not give it");
	else if (coverage.missing > 0)
		reason_set(line, DOCTOR_PARTLY, "this kernel does not give %s",
		           strbuf_str(&coverage.names));
}

static bool any_seen(const struct doctor_findings *findings, enum doctor_family family)
{
	cleanup_(coverage_done) struct coverage coverage;

	cover(findings, family, &coverage);
	return coverage.seen > 0;
}

static void judge_thread(const struct doctor_findings *findings, enum doctor_family family,
                         struct doctor_line *line)
{
	/* A metric that was read refutes the configuration. */
	if (!any_seen(findings, family) &&
	    (reason_no_proc(findings, line) || reason_kernel(findings, family, line)))
		return;
	if ((family == DOCTOR_schedstats || family == DOCTOR_core_sched) &&
	    reason_toggle_off(findings, DOCTOR_TOGGLE_schedstats, line))
		return;
	if ((family == DOCTOR_schedstats || family == DOCTOR_core_sched) &&
	    !any_seen(findings, family) && reason_option_is_on(findings, "SCHEDSTATS") &&
	    reason_toggle_unknown(findings, DOCTOR_TOGGLE_schedstats, DOCTOR_NOT, line))
		return;
	judge_coverage(findings, family, line);
	if (family == DOCTOR_schedstats && line->state == DOCTOR_AVAILABLE &&
	    !findings->schedstats_at_boot)
		reason_set(line, DOCTOR_AVAILABLE,
		           "sums began when kernel.sched_schedstats was switched on");
}

static void judge_cgroup_path(const struct doctor_findings *findings, struct doctor_line *line)
{
	if (findings->has_cgroup && !findings->cgroup_is_v1)
		return;
	if (reason_no_proc(findings, line) || reason_kernel(findings, DOCTOR_cgroup_path, line))
		return;
	if (findings->has_cgroup)
		reason_set(line, DOCTOR_PARTLY, "only the path of version 1");
	else
		reason_set(line, DOCTOR_NOT, "threads have no cgroup2 path");
	reason_fix(line, DOCTOR_FIX_BOOT, "systemd.unified_cgroup_hierarchy=1 cgroup_no_v1=all");
}

/* Returns whether hidepid hides other users' processes. */
static bool reason_hidepid(const struct doctor_findings *findings, struct doctor_line *line)
{
	if (findings->others_shown > 0 || findings->hidepid == DOCTOR_HIDEPID_OFF)
		return false;
	reason_denied(findings, DOCTOR_NOT, DOCTOR_CAP_SYS_PTRACE, cap_ptrace, line);
	reason_set(line, DOCTOR_NOT, "/proc is mounted with hidepid=%u", findings->hidepid);
	return true;
}

static void judge_processes(const struct doctor_findings *findings, struct doctor_line *line)
{
	if (reason_no_proc(findings, line) || reason_hidepid(findings, line))
		return;
	if (findings->stalled > 0)
		reason_set(line, DOCTOR_PARTLY, "%u process%s held up the reading",
		           findings->stalled, findings->stalled == 1 ? "" : "es");
	else if (findings->others == 0)
		reason_set(line, DOCTOR_AVAILABLE, "there is none but this user's");
	else if (findings->others_shown == 0)
		reason_denied(findings, DOCTOR_NOT, DOCTOR_CAP_SYS_PTRACE, cap_ptrace, line);
}

static void judge_io_own(const struct doctor_findings *findings, struct doctor_line *line)
{
	if (findings->io_own.denied > 0)
		reason_denied(findings, DOCTOR_NOT, DOCTOR_CAP_DAC_READ_SEARCH, cap_read_search,
		              line);
	else
		judge_thread(findings, DOCTOR_io_own, line);
}

/* Notes single processes that are closed to everybody. The user cannot change that, so the family is not partial for
 * it. */
static void judge_tries(const struct doctor_findings *findings, const struct doctor_tries *tries,
                        unsigned capability, const char *name, struct doctor_line *line)
{
	if (tries->denied == 0)
		return;
	reason_denied(findings, tries->read > 0 ? DOCTOR_PARTLY : DOCTOR_NOT, capability, name,
	              line);
	if (tries->read > 0)
		strbuf_addf(&line->reason, " (%u of %u)", tries->denied,
		            tries->denied + tries->read);
}

static void judge_io_others(const struct doctor_findings *findings, struct doctor_line *line)
{
	const struct doctor_tries *tries = &findings->io_others;

	if (reason_no_proc(findings, line) || reason_hidepid(findings, line))
		return;
	if (tries->read + tries->denied == 0 && reason_kernel(findings, DOCTOR_io_others, line))
		return;
	if (findings->others == 0)
		reason_set(line, DOCTOR_AVAILABLE, "there is no process but this user's");
	else if (tries->read + tries->denied == 0)
		reason_set(line, DOCTOR_NOT, "this kernel does not give it");
	else
		judge_tries(findings, tries,
		            reason_has_capability(findings, DOCTOR_CAP_SYS_PTRACE)
		                    ? DOCTOR_CAP_DAC_READ_SEARCH
		                    : DOCTOR_CAP_SYS_PTRACE,
		            cap_read_search, line);
}

static void judge_smaps(const struct doctor_findings *findings, struct doctor_line *line)
{
	const struct doctor_tries *others = &findings->smaps_others;
	struct doctor_tries all = {findings->smaps_own.read + others->read,
	                           findings->smaps_own.denied + others->denied, 0};

	if (all.read + all.denied == 0 &&
	    (reason_no_proc(findings, line) || reason_kernel(findings, DOCTOR_smaps, line)))
		return;
	if (all.read + all.denied == 0)
		reason_set(line, DOCTOR_NOT, "this kernel does not give it");
	else if (all.read > 0 && others->read + others->denied == 0 &&
	         reason_hidepid(findings, line))
		line->state = DOCTOR_PARTLY;
	else
		judge_tries(findings, &all, DOCTOR_CAP_SYS_PTRACE, cap_ptrace, line);
}

/* Returns whether all replies of taskstats fail for one reason. */
static bool reason_taskstats(const struct doctor_findings *findings, enum doctor_state state,
                             struct doctor_line *line)
{
	if (findings->taskstats_open_error == 0 && findings->taskstats_ask_error == 0)
		return false;
	if (findings->taskstats_open_error == -ENOENT &&
	    reason_option_is_on(findings, "TASKSTATS")) {
		cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

		reason_add_program(findings, &path);
		reason_set(line, state, "taskstats is built in, but not in this network namespace");
		reason_fix(line, DOCTOR_FIX_COMMAND, "sudo nsenter --net=/proc/1/ns/net %s doctor",
		           strbuf_str(&path));
	} else if (findings->taskstats_open_error == -ENOENT) {
		reason_set(line, state, "the kernel or this network namespace has no taskstats");
	} else if (findings->taskstats_open_error < 0) {
		reason_set(line, state, "no netlink socket: %s",
		           strerror(-findings->taskstats_open_error));
		reason_fix(line, DOCTOR_FIX_ADVICE,
		           "run ctprof outside of the sandbox that refuses netlink sockets");
	} else if (findings->taskstats_ask_error == -EPERM) {
		reason_denied(findings, state, DOCTOR_CAP_NET_ADMIN, cap_net_admin, line);
	} else {
		reason_set(line, state, "taskstats: %s", strerror(-findings->taskstats_ask_error));
	}
	return true;
}

/* Judges families that are kept only for threads born while delay accounting is on. */
static void judge_delays(const struct doctor_findings *findings, enum doctor_family family,
                         struct doctor_line *line)
{
	const struct doctor_toggle_desc *toggle = &doctor_toggle_table[DOCTOR_TOGGLE_delayacct];
	bool seen = any_seen(findings, family);

	if (reason_no_proc(findings, line)) {
		reason_set(line, DOCTOR_PARTLY, "%s cannot be read without /proc", toggle->sysctl);
	} else if (reason_toggle_off(findings, DOCTOR_TOGGLE_delayacct, line)) {
		/* The buckets that need no switch are there all the same. */
		line->state = seen ? DOCTOR_PARTLY : DOCTOR_NOT;
	} else if (!findings->delays_on) {
		reason_set(line, seen ? DOCTOR_PARTLY : DOCTOR_NOT,
		           "delay accounting was switched off at boot");
		reason_fix(line, DOCTOR_FIX_BOOT, "delayacct");
	} else if (!findings->delays_since_boot && !reason_is_older(findings, 5, 14) &&
	           reason_toggle_unknown(findings, DOCTOR_TOGGLE_delayacct,
	                                 seen ? DOCTOR_PARTLY : DOCTOR_NOT, line)) {
		return;
	} else if (!findings->delays_since_boot &&
	           findings->toggles[DOCTOR_TOGGLE_delayacct] == DOCTOR_SWITCH_ABSENT) {
		/* Those kernels have no switch but nodelayacct. */
		reason_set(line, seen ? DOCTOR_PARTLY : DOCTOR_NOT,
		           "cannot tell whether delay accounting was switched off at boot");
		reason_fix(line, DOCTOR_FIX_ADVICE,
		           "make /proc/cmdline and the kernel's configuration readable");
	} else if (!findings->delays_since_boot) {
		reason_set(line, DOCTOR_PARTLY, "threads born before %s=1 stay empty",
		           toggle->sysctl);
		reason_fix(line, DOCTOR_FIX_BOOT, "delayacct");
	} else {
		judge_coverage(findings, family, line);
	}
}

static void judge_taskstats(const struct doctor_findings *findings, enum doctor_family family,
                            struct doctor_line *line)
{
	if (!any_seen(findings, family) && reason_kernel(findings, family, line))
		return;
	if (reason_foreign_proc(findings, DOCTOR_NOT, line) ||
	    reason_taskstats(findings, DOCTOR_NOT, line))
		return;
	if (family == DOCTOR_delay_extremes && !any_seen(findings, family))
		reason_set(line, DOCTOR_NOT,
		           "taskstats version %u has none; Linux 6.14 or newer does",
		           findings->taskstats_version);
	else if (family == DOCTOR_delay_cpu || family == DOCTOR_memory_peaks)
		judge_coverage(findings, family, line);
	else
		judge_delays(findings, family, line);
}

static void judge_process_totals(const struct doctor_findings *findings, struct doctor_line *line)
{
	uint64_t seen = findings->sources_of_totals;
	bool stat = (seen >> SOURCE_process_stat) & 1, io = (seen >> SOURCE_process_io) & 1,
	     taskstats = (seen >> SOURCE_process_taskstats) & 1;

	if (seen == 0 && !reason_no_proc(findings, line))
		reason_set(line, DOCTOR_NOT, "nothing of our own process could be read");
	if (seen == 0 || (stat && io && taskstats))
		return;
	if (!taskstats && reason_option_is_off(findings, "TASKSTATS"))
		reason_set(line, DOCTOR_PARTLY,
		           "no delays, run and wait time: the kernel lacks CONFIG_TASKSTATS");
	else if (!taskstats && (reason_foreign_proc(findings, DOCTOR_PARTLY, line) ||
	                        reason_taskstats(findings, DOCTOR_PARTLY, line)))
		strbuf_add_str(&line->reason, " (for delays, run and wait time)");
	else
		reason_set(line, DOCTOR_PARTLY, "this kernel does not give %s",
		           !stat ? "those of stat"
		           : !io ? "those of io"
		                 : "those of taskstats");
}

static void judge_psi_host(const struct doctor_findings *findings, struct doctor_line *line)
{
	if (findings->psi_host || reason_no_proc(findings, line) ||
	    reason_kernel(findings, DOCTOR_psi_host, line))
		return;
	reason_set(line, DOCTOR_NOT, "pressure stall information was not switched on at boot");
	reason_fix(line, DOCTOR_FIX_BOOT, "psi=1");
}

static void fix_no_cgroup2(struct doctor_line *line, const struct doctor_findings *findings)
{
	reason_set(line, DOCTOR_NOT, "no cgroup2 hierarchy is mounted here");
	if (findings->has_cgroup1)
		reason_fix(line, DOCTOR_FIX_BOOT,
		           "systemd.unified_cgroup_hierarchy=1 cgroup_no_v1=all");
	else
		reason_fix(line, DOCTOR_FIX_COMMAND,
		           "sudo mount -t cgroup2 cgroup2 /sys/fs/cgroup");
}

static void judge_psi_cgroups(const struct doctor_findings *findings, struct doctor_line *line)
{
	if (findings->psi_cgroups > 0 || reason_no_proc(findings, line) ||
	    reason_kernel(findings, DOCTOR_psi_cgroups, line))
		return;
	if (!findings->psi_host) {
		judge_psi_host(findings, line);
		return;
	}
	if (!findings->has_cgroup2 && !reason_no_sys(findings, line))
		fix_no_cgroup2(line, findings);
	else if (findings->has_cgroup2)
		reason_set(line, DOCTOR_NOT, "no cgroup has pressure files that can be read");
}

static void judge_controller(const struct doctor_findings *findings,
                             enum doctor_controller controller, enum doctor_family family,
                             struct doctor_line *line)
{
	const struct doctor_controller_desc *desc = &doctor_controller_table[controller];
	cleanup_(strbuf_done) struct strbuf file = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf quoted = STRBUF_INIT;

	if (findings->controllers[controller].read > 0 || reason_no_proc(findings, line) ||
	    reason_kernel(findings, family, line))
		return;
	if (findings->controllers[controller].disabled) {
		reason_set(line, DOCTOR_NOT, "the controller was disabled at boot");
		reason_fix(line, DOCTOR_FIX_BOOT, "no cgroup_disable=%s", desc->v1_name);
	} else if (findings->controllers[controller].on_v1) {
		reason_set(line, DOCTOR_NOT, "the controller is in a version 1 hierarchy");
		reason_fix(line, DOCTOR_FIX_BOOT,
		           "systemd.unified_cgroup_hierarchy=1 cgroup_no_v1=all");
	} else if (!findings->has_cgroup2) {
		if (!reason_no_sys(findings, line))
			fix_no_cgroup2(line, findings);
	} else if (!findings->controllers[controller].offered) {
		reason_set(line, DOCTOR_NOT, "%s is not in cgroup.controllers here", desc->name);
		reason_fix(line, DOCTOR_FIX_ADVICE,
		           "enable the controller in the parent of this hierarchy's root");
	} else if (!findings->controllers[controller].enabled) {
		reason_set(line, DOCTOR_NOT, "the controller is not enabled for any cgroup");
		strbuf_addf(&file, "%s/cgroup.subtree_control",
		            strbuf_str(&findings->cgroup2_point));
		text_add_shell_word(&quoted, strbuf_str(&file));
		reason_fix(line, DOCTOR_FIX_COMMAND, "echo +%s | sudo tee %s", desc->name,
		           strbuf_str(&quoted));
	} else {
		reason_set(line, DOCTOR_NOT, "enabled, but no cgroup below the root to read");
	}
}

static void judge_cgroup1(const struct doctor_findings *findings, struct doctor_line *line)
{
	if (findings->cgroup1_read > 0)
		return;
	if (findings->has_cgroup1)
		reason_set(line, DOCTOR_NOT, "mounted, but nothing that ctprof reads");
	else if (!reason_no_proc(findings, line))
		reason_set(line, DOCTOR_NOT, "no version 1 hierarchy is mounted here");
}

static void judge_sched_ext(const struct doctor_findings *findings, struct doctor_line *line)
{
	if (findings->sched_ext || reason_kernel(findings, DOCTOR_sched_ext, line) ||
	    reason_no_sys(findings, line))
		return;
	reason_set(line, DOCTOR_NOT, "this kernel has no /sys/kernel/sched_ext");
}

static void judge_kernel_config(const struct doctor_findings *findings, struct doctor_line *line)
{
	const char *release = host_text(&findings->host, HOST_kernel_release);

	if (findings->host.seen[HOST_kernel_config] || reason_no_proc(findings, line))
		return;
	reason_set(line, DOCTOR_NOT, "neither /proc/config.gz nor /boot/config-%s can be read",
	           release ? release : "<release>");
	reason_fix(line, DOCTOR_FIX_ADVICE,
	           "put the kernel's configuration at /boot/config-%s, readable for all",
	           release ? release : "<release>");
}

static void judge_sched_features(const struct doctor_findings *findings, struct doctor_line *line)
{
	if (findings->host.seen[HOST_sched_features] || reason_no_sys(findings, line) ||
	    reason_kernel(findings, DOCTOR_sched_features, line))
		return;
	if (!findings->has_debugfs) {
		reason_set(line, DOCTOR_NOT, "debugfs is not mounted");
		reason_fix(line, DOCTOR_FIX_COMMAND,
		           "sudo mount -t debugfs debugfs /sys/kernel/debug");
	} else if (findings->sched_features_error == -EPERM) {
		/* A missing permission would be EACCES. */
		reason_set(line, DOCTOR_NOT, "the kernel is locked down");
	} else if (findings->sched_features_error != -EACCES) {
		reason_set(line, DOCTOR_NOT, "debugfs has no sched/features that can be read");
	} else {
		reason_denied(findings, DOCTOR_NOT, DOCTOR_CAP_DAC_READ_SEARCH,
		              "CAP_DAC_READ_SEARCH", line);
	}
}

static void judge_bpf(const struct doctor_findings *findings, struct doctor_line *line)
{
	bool may = reason_has_capability(findings, DOCTOR_CAP_SYS_ADMIN) ||
	           (reason_has_capability(findings, DOCTOR_CAP_BPF) &&
	            reason_has_capability(findings, DOCTOR_CAP_PERFMON));

	if (!findings->btf) {
		if (!reason_kernel(findings, DOCTOR_bpf, line) && !reason_no_sys(findings, line))
			reason_set(line, DOCTOR_NOT, "no /sys/kernel/btf/vmlinux");
	} else if (findings->bpf_error == -EOPNOTSUPP) {
		reason_set(line, DOCTOR_NOT, "this ctprof was built without BPF");
	} else if (!may) {
		reason_set(line, DOCTOR_NOT, "needs CAP_BPF and CAP_PERFMON");
	} else if (findings->bpf_error < 0) {
		reason_set(line, DOCTOR_NOT, "no program can be loaded: %s",
		           strerror(-findings->bpf_error));
	}
}

/* Returns whether Yama refuses ptrace in spite of the user's rights. */
static bool reason_yama(const struct doctor_findings *findings, unsigned denied, unsigned read,
                        struct doctor_line *line)
{
	enum doctor_state state = read > 0 ? DOCTOR_PARTLY : DOCTOR_NOT;
	bool own_only = findings->memory_others.denied == 0;

	if (findings->ptrace_scope >= 3) {
		reason_set(line, state,
		           "kernel.yama.ptrace_scope is 3: nobody may trace "
		           "processes until the next boot");
		reason_fix(line, DOCTOR_FIX_ADVICE,
		           "set kernel.yama.ptrace_scope below 3 in /etc/sysctl.d, and boot again");
		return true;
	}
	if (findings->ptrace_scope == 0 || findings->memory_own.denied == 0 ||
	    reason_has_capability(findings, DOCTOR_CAP_SYS_PTRACE))
		return false;
	/* The capability would help with other users' processes as well, if it can be gained. */
	reason_denied(findings, state, DOCTOR_CAP_SYS_PTRACE, cap_ptrace, line);
	if (own_only)
		reason_set(line, state, "kernel.yama.ptrace_scope is %u", findings->ptrace_scope);
	else
		strbuf_addf(&line->reason, " (%u of %u), as kernel.yama.ptrace_scope is %u", denied,
		            denied + read, findings->ptrace_scope);
	if (own_only || line->fix_kind != DOCTOR_FIX_COMMAND)
		reason_fix(line, DOCTOR_FIX_COMMAND, "sudo sysctl kernel.yama.ptrace_scope=0");
	return true;
}

static void judge_jemalloc(const struct doctor_findings *findings, struct doctor_line *line)
{
	const struct doctor_tries *own = &findings->memory_own, *others = &findings->memory_others;
	struct doctor_tries all = {own->read + others->read, own->denied + others->denied, 0};

	if (findings->no_jemalloc) {
		reason_set(line, DOCTOR_NOT, "this ctprof was built without jemalloc");
		return;
	}
	if (reason_no_proc(findings, line) || reason_foreign_proc(findings, DOCTOR_NOT, line))
		return;
	if (all.read + all.denied == 0 && own->failed + others->failed > 0) {
		reason_set(line, DOCTOR_NOT, "no process may read another one's memory here");
		reason_fix(line, DOCTOR_FIX_KERNEL,
		           "another kernel, built with CONFIG_CROSS_MEMORY_ATTACH=y");
		return;
	}
	if (all.denied > 0) {
		if (!reason_yama(findings, all.denied, all.read, line))
			judge_tries(findings, &all, DOCTOR_CAP_SYS_PTRACE, cap_ptrace, line);
		return;
	}
	if (others->read == 0 && reason_hidepid(findings, line)) {
		line->state = own->read > 0 ? DOCTOR_PARTLY : DOCTOR_NOT;
		return;
	}
	reason_set(line, DOCTOR_AVAILABLE,
	           findings->bpf_error == 0 ? "by BPF: no thread is stopped for it"
	                                    : "each thread is stopped for it, for some 0.1 ms");
}

static void judge_family(const struct doctor_findings *findings, enum doctor_family family,
                         struct doctor_line *line)
{
	switch (family) {
	case DOCTOR_stat:
	case DOCTOR_schedstat:
	case DOCTOR_switches:
	case DOCTOR_fair_slice:
	case DOCTOR_schedstats:
	case DOCTOR_core_sched:
	case DOCTOR_ext_thread:
	case DOCTOR_affinity:
		judge_thread(findings, family, line);
		return;
	case DOCTOR_delay_cpu:
	case DOCTOR_delays:
	case DOCTOR_delay_irq:
	case DOCTOR_delay_extremes:
	case DOCTOR_memory_peaks:
		judge_taskstats(findings, family, line);
		return;
	case DOCTOR_cgroup_path:
		judge_cgroup_path(findings, line);
		return;
	case DOCTOR_processes:
		judge_processes(findings, line);
		return;
	case DOCTOR_io_own:
		judge_io_own(findings, line);
		return;
	case DOCTOR_io_others:
		judge_io_others(findings, line);
		return;
	case DOCTOR_smaps:
		judge_smaps(findings, line);
		return;
	case DOCTOR_process_totals:
		judge_process_totals(findings, line);
		return;
	case DOCTOR_psi_host:
		judge_psi_host(findings, line);
		return;
	case DOCTOR_psi_cgroups:
		judge_psi_cgroups(findings, line);
		return;
	case DOCTOR_cgroup2_cpu:
		judge_controller(findings, DOCTOR_CONTROLLER_cpu, family, line);
		return;
	case DOCTOR_cgroup2_memory:
		judge_controller(findings, DOCTOR_CONTROLLER_memory, family, line);
		return;
	case DOCTOR_cgroup2_io:
		judge_controller(findings, DOCTOR_CONTROLLER_io, family, line);
		return;
	case DOCTOR_cgroup2_pids:
		judge_controller(findings, DOCTOR_CONTROLLER_pids, family, line);
		return;
	case DOCTOR_sched_ext:
		judge_sched_ext(findings, line);
		return;
	case DOCTOR_cgroup1:
		judge_cgroup1(findings, line);
		return;
	case DOCTOR_kernel_config:
		judge_kernel_config(findings, line);
		return;
	case DOCTOR_sched_features:
		judge_sched_features(findings, line);
		return;
	case DOCTOR_bpf:
		judge_bpf(findings, line);
		return;
	case DOCTOR_jemalloc:
		judge_jemalloc(findings, line);
		return;
	case DOCTOR_FAMILY_COUNT:
		return;
	}
}

void doctor_judge(const struct doctor_findings *findings, struct doctor_verdict *ret_verdict)
{
	doctor_verdict_done(ret_verdict);
	for (unsigned f = 0; f < DOCTOR_FAMILY_COUNT; f++)
		judge_family(findings, (enum doctor_family)f, &ret_verdict->lines[f]);
}
