// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctors.h"

#include "check.h"

#include <errno.h>

/* A host on which everything is readable; each test removes a part. */
struct doctor_findings *doctor_healthy(void)
{
	struct doctor_findings *findings = calloc(1, sizeof(*findings));

	assert_non_null(findings);
	strbuf_add_str(&findings->executable, "/usr/bin/ctprof");
	strbuf_add_str(&findings->cgroup2_point, "/sys/fs/cgroup");
	findings->effective = findings->bounding = UINT64_MAX;
	host_set_text(&findings->host, HOST_kernel_release, "6.18.2-test", 11);
	host_map_set(&findings->host, HOST_kernel_config, "SCHEDSTATS", "y", 1);
	host_map_set(&findings->host, HOST_kernel_config, "TASKSTATS", "y", 1);
	findings->has_proc = findings->has_sys = findings->has_debugfs = true;
	host_set_text(&findings->host, HOST_sched_features, "X", 1);
	for (unsigned t = 0; t < DOCTOR_TOGGLE_COUNT; t++)
		findings->toggles[t] = DOCTOR_SWITCH_ON;
	findings->schedstats_at_boot = true;
	for (unsigned m = 0; m < METRIC_COUNT; m++)
		metric_set_add(&findings->own_seen, (enum metric_id)m);
	findings->has_cgroup = true;
	findings->others = findings->others_shown = 9;
	findings->io_own.read = findings->smaps_own.read = 1;
	findings->io_others.read = findings->smaps_others.read = 9;
	findings->memory_own.read = 1;
	findings->memory_others.read = 9;
	findings->sources_of_totals = UINT64_MAX;
	findings->taskstats_version = 17;
	findings->delays_on = findings->delays_since_boot = true;
	findings->psi_host = findings->has_cgroup2 = findings->has_cgroup1 = true;
	findings->psi_cgroups = 1;
	for (unsigned c = 0; c < DOCTOR_CONTROLLER_COUNT; c++) {
		findings->controllers[c].offered = findings->controllers[c].enabled = true;
		findings->controllers[c].read = 1;
	}
	findings->cgroup1_read = 1;
	findings->sched_ext = findings->btf = true;
	return findings;
}

/* Our own values of a family, as of a kernel that does not have them. */
void doctor_forget(struct doctor_findings *findings, enum doctor_family family)
{
	for (unsigned m = 0; m < METRIC_COUNT; m++)
		if (doctor_family_has(family, (enum metric_id)m))
			findings->own_seen.words[m / 64] &= ~(UINT64_C(1) << (m % 64));
}

/* Judges, checks one line, and frees. */
void doctor_check(struct doctor_findings *findings, enum doctor_family family,
                  enum doctor_state state, const char *reason, enum doctor_fix kind,
                  const char *fix)
{
	struct doctor_verdict verdict = {0};
	const struct doctor_line *line = &verdict.lines[family];

	doctor_judge(findings, &verdict);
	assert_string_equal(strbuf_str(&line->reason), reason);
	assert_string_equal(doctor_state_names[line->state], doctor_state_names[state]);
	assert_string_equal(doctor_fix_names[line->fix_kind], doctor_fix_names[kind]);
	assert_string_equal(strbuf_str(&line->fix), fix);
	doctor_verdict_done(&verdict);
	doctor_findings_done(findings);
	free(findings);
}

const char doctor_setcap_fix[] =
        "sudo setcap cap_net_admin,cap_sys_ptrace,cap_dac_read_search+ep /usr/bin/ctprof";

/* A user without capabilities, who was refused. */
struct doctor_findings *doctor_nobody(void)
{
	struct doctor_findings *findings = doctor_healthy();

	findings->effective = 0;
	findings->io_others = (struct doctor_tries){0, 9, 0};
	findings->smaps_others = (struct doctor_tries){0, 9, 0};
	findings->memory_others = (struct doctor_tries){0, 9, 0};
	findings->bpf_error = -EPERM;
	findings->taskstats_ask_error = -EPERM;
	for (enum doctor_family f = DOCTOR_delay_cpu; f <= DOCTOR_memory_peaks; f++)
		doctor_forget(findings, f);
	findings->sources_of_totals &= ~(UINT64_C(1) << SOURCE_process_taskstats);
	return findings;
}

/* In a pid namespace with the /proc of another one, taskstats is not requested, and no reading failed. */
struct doctor_findings *doctor_foreign(void)
{
	struct doctor_findings *findings = doctor_healthy();

	findings->proc_is_foreign = true;
	for (enum doctor_family f = DOCTOR_delay_cpu; f <= DOCTOR_memory_peaks; f++)
		doctor_forget(findings, f);
	findings->sources_of_totals &= ~(UINT64_C(1) << SOURCE_process_taskstats);
	return findings;
}
