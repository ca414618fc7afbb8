// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "doctor/doctor.h"

/* clang-format off */
#define DOCTOR_NEEDED_NEEDED true
#define DOCTOR_NEEDED_NOTED false

const struct doctor_family_desc doctor_family_table[DOCTOR_FAMILY_COUNT] = {
#define DOCTOR_FAMILY(id_, name_, necessity_, options_, major_, minor_, text_) \
	[DOCTOR_##id_] = {name_, DOCTOR_NEEDED_##necessity_, options_, major_, minor_, text_},
#include "doctor.def"
};

const struct doctor_toggle_desc doctor_toggle_table[DOCTOR_TOGGLE_COUNT] = {
#define DOCTOR_TOGGLE(id_, sysctl_, file_, option_, text_) \
	[DOCTOR_TOGGLE_##id_] = {sysctl_, file_, option_, text_},
#include "doctor.def"
};

const struct doctor_controller_desc doctor_controller_table[DOCTOR_CONTROLLER_COUNT] = {
#define DOCTOR_CONTROLLER(id_, v1_) [DOCTOR_CONTROLLER_##id_] = {#id_, v1_},
#include "doctor.def"
};
/* clang-format on */

const char *const doctor_state_names[] = {
        [DOCTOR_AVAILABLE] = "available",
        [DOCTOR_PARTLY] = "partly",
        [DOCTOR_NOT] = "not",
};

const char *const doctor_fix_names[] = {
        [DOCTOR_FIX_NONE] = "none",     [DOCTOR_FIX_COMMAND] = "command",
        [DOCTOR_FIX_BOOT] = "boot",     [DOCTOR_FIX_KERNEL] = "kernel",
        [DOCTOR_FIX_ADVICE] = "advice",
};

static bool has_gate(const struct metric_desc *metric, enum metric_gate gate)
{
	return metric->gates[0] == gate || metric->gates[1] == gate;
}

static enum doctor_family family_in_sched(const struct metric_desc *metric)
{
	if (has_gate(metric, GATE_SCHED_CORE))
		return DOCTOR_core_sched;
	if (has_gate(metric, GATE_SCHED_CLASS_EXT))
		return DOCTOR_ext_thread;
	if (has_gate(metric, GATE_SCHEDSTATS))
		return DOCTOR_schedstats;
	return metric->sched_class == SCHED_CLASS_fair_policy ? DOCTOR_fair_slice : DOCTOR_switches;
}

static enum doctor_family family_in_taskstats(const struct metric_desc *metric)
{
	if (has_gate(metric, GATE_TASK_XACCT))
		return DOCTOR_memory_peaks;
	if (metric->rule != RULE_SUM)
		return DOCTOR_delay_extremes;
	if (strncmp(metric->key, "irq_", 4) == 0)
		return DOCTOR_delay_irq;
	return strncmp(metric->key, "cpu_", 4) == 0 ? DOCTOR_delay_cpu : DOCTOR_delays;
}

enum doctor_family doctor_family_of(enum metric_id id)
{
	const struct metric_desc *metric = &metric_table[id];

	switch (metric->source) {
	case SOURCE_stat:
		return DOCTOR_stat;
	case SOURCE_schedstat:
		return DOCTOR_schedstat;
	case SOURCE_sched:
		return family_in_sched(metric);
	case SOURCE_io:
		return DOCTOR_io_own;
	case SOURCE_affinity:
		return DOCTOR_affinity;
	case SOURCE_taskstats:
		return family_in_taskstats(metric);
	case SOURCE_jemalloc:
		return DOCTOR_jemalloc;
	/* Their metrics are judged with those of another source, or are always there. */
	case SOURCE_synthetic:
	case SOURCE_status:
	case SOURCE_cgroup:
	case SOURCE_exe:
	case SOURCE_cwd:
	case SOURCE_title:
	case SOURCE_task:
	case SOURCE_wchan:
	case SOURCE_syscall:
	case SOURCE_smaps_rollup:
	case SOURCE_process_stat:
	case SOURCE_process_io:
	case SOURCE_process_taskstats:
	case SOURCE_COUNT:
		break;
	}
	return DOCTOR_FAMILY_COUNT;
}

bool doctor_family_has(enum doctor_family family, enum metric_id metric)
{
	if (family == DOCTOR_io_others)
		family = DOCTOR_io_own;
	return doctor_family_of(metric) == family;
}

void doctor_findings_done(struct doctor_findings *findings)
{
	host_done(&findings->host);
	strbuf_done(&findings->executable);
	strbuf_done(&findings->cgroup2_point);
	*findings = (struct doctor_findings){0};
}

void doctor_verdict_done(struct doctor_verdict *verdict)
{
	for (unsigned f = 0; f < DOCTOR_FAMILY_COUNT; f++) {
		strbuf_done(&verdict->lines[f].reason);
		strbuf_done(&verdict->lines[f].fix);
	}
	*verdict = (struct doctor_verdict){0};
}

bool doctor_is_well(const struct doctor_verdict *verdict)
{
	for (unsigned f = 0; f < DOCTOR_FAMILY_COUNT; f++)
		if (doctor_family_table[f].needed && verdict->lines[f].state != DOCTOR_AVAILABLE)
			return false;
	return true;
}
