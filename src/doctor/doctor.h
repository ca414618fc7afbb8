/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* doctor - judges which families of metrics can be read here and now, from the findings of doctor-probe.h, with the
 * reason and the fix of each that cannot; registry/doctor.def declares the families. Pure. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/host.h"
#include "ctprof/metric/metric.h"
#include "ctprof/metric/psi.h"

/* clang-format off */
enum doctor_family {
#define DOCTOR_FAMILY(id_, name_, necessity_, options_, major_, minor_, text_) DOCTOR_##id_,
#include "doctor.def"
	DOCTOR_FAMILY_COUNT,
};

enum doctor_toggle {
#define DOCTOR_TOGGLE(id_, sysctl_, file_, option_, text_) DOCTOR_TOGGLE_##id_,
#include "doctor.def"
	DOCTOR_TOGGLE_COUNT,
};

enum doctor_controller {
#define DOCTOR_CONTROLLER(id_, v1_) DOCTOR_CONTROLLER_##id_,
#include "doctor.def"
	DOCTOR_CONTROLLER_COUNT,
};
/* clang-format on */

struct doctor_family_desc {
	const char *name;
	bool needed;
	const char *options; /* of the kernel's configuration, separated by blanks */
	unsigned since_major, since_minor;
	const char *description;
};
extern const struct doctor_family_desc doctor_family_table[DOCTOR_FAMILY_COUNT];

struct doctor_toggle_desc {
	const char *sysctl;
	const char *file; /* below /proc */
	const char *option;
	const char *description;
};
extern const struct doctor_toggle_desc doctor_toggle_table[DOCTOR_TOGGLE_COUNT];

struct doctor_controller_desc {
	const char *name;
	const char *v1_name;
};
extern const struct doctor_controller_desc doctor_controller_table[DOCTOR_CONTROLLER_COUNT];

/* Returns the family of a metric; DOCTOR_FAMILY_COUNT for one that the walk itself makes. The metrics of io are those
 * of io_own and of io_others. */
enum doctor_family doctor_family_of(enum metric_id metric);

/* Returns whether a metric belongs to the family. */
bool doctor_family_has(enum doctor_family family, enum metric_id metric);

/* Readings of one file at several processes. */
struct doctor_tries {
	unsigned read;
	unsigned denied;
	unsigned failed; /* for any other reason */
};

enum doctor_switch { DOCTOR_SWITCH_ABSENT, DOCTOR_SWITCH_OFF, DOCTOR_SWITCH_ON };

/* hidepid of the mounted /proc. */
enum doctor_hidepid {
	DOCTOR_HIDEPID_OFF = 0,
	DOCTOR_HIDEPID_NOACCESS = 1,
	DOCTOR_HIDEPID_INVISIBLE = 2,
	DOCTOR_HIDEPID_PTRACEABLE = 4,
};

/* Numbers of capabilities, as in capabilities(7). */
enum {
	DOCTOR_CAP_DAC_READ_SEARCH = 2,
	DOCTOR_CAP_NET_ADMIN = 12,
	DOCTOR_CAP_SYS_PTRACE = 19,
	DOCTOR_CAP_SYS_ADMIN = 21,
	DOCTOR_CAP_PERFMON = 38,
	DOCTOR_CAP_BPF = 39,
};

/* The findings. All zero is a host without any source. */
struct doctor_findings {
	/* The user. */
	struct strbuf executable; /* path of this program, raw bytes; empty if unknown */
	bool executable_nosuid;   /* file capabilities have no effect in its file system */
	bool in_user_namespace;   /* not the initial one */
	uint64_t effective;       /* sets of capabilities, one bit each */
	uint64_t bounding;
	bool no_new_privileges;

	/* The host. */
	struct host host;
	bool has_proc; /* one that has our own thread */
	bool has_sys;
	bool proc_is_foreign; /* /proc is there, but of another pid namespace */
	enum doctor_hidepid hidepid;
	enum doctor_switch toggles[DOCTOR_TOGGLE_COUNT];
	char toggle_texts[DOCTOR_TOGGLE_COUNT][24]; /* the text that was read */
	bool schedstats_at_boot;                    /* by the kernel's command line */
	bool no_jemalloc;                           /* this ctprof was built without it */
	unsigned ptrace_scope; /* kernel.yama.ptrace_scope; also 0 without Yama */

	/* Threads. */
	struct metric_set own_seen; /* of our own thread */
	bool has_cgroup, cgroup_is_v1;
	unsigned others; /* processes of other users that were tried; for root, all but our own */
	unsigned others_shown; /* those whose stat was readable */
	unsigned stalled;      /* processes that held up their reader */
	struct doctor_tries io_own, io_others, smaps_own, smaps_others;
	/* The memory of other processes than ours: of this user's, and of others'. */
	struct doctor_tries memory_own, memory_others;
	uint64_t
	        sources_of_totals; /* one bit for each enum metric_source that gave process totals */

	/* taskstats. */
	int taskstats_open_error; /* 0 or -errno */
	int taskstats_ask_error;  /* for our own thread */
	unsigned taskstats_version;
	bool delays_on, delays_since_boot;

	/* Everything else. */
	bool psi_host;
	unsigned psi_cgroups; /* cgroups whose pressure was read */
	bool has_cgroup2;
	struct strbuf cgroup2_point; /* its mount point; raw bytes */
	struct {
		bool offered;  /* by cgroup.controllers */
		bool enabled;  /* by cgroup.subtree_control */
		bool on_v1;    /* it is in a hierarchy of version 1 */
		bool disabled; /* at boot */
		unsigned read; /* cgroups with a readable value of it */
	} controllers[DOCTOR_CONTROLLER_COUNT];
	bool has_cgroup1;
	unsigned cgroup1_read; /* values */
	bool sched_ext;
	bool has_debugfs;
	int sched_features_error; /* 0 or -errno of opening them in debugfs */
	bool btf;
	int bpf_error; /* 0 or -errno of loading a program */
};

/* For cleanup_(doctor_findings_done). */
void doctor_findings_done(struct doctor_findings *findings);

enum doctor_state { DOCTOR_AVAILABLE, DOCTOR_PARTLY, DOCTOR_NOT };
extern const char *const doctor_state_names[];

/* The kind of a fix. */
enum doctor_fix {
	DOCTOR_FIX_NONE,
	DOCTOR_FIX_COMMAND, /* for a shell */
	DOCTOR_FIX_BOOT,    /* parameters for the kernel's command line */
	DOCTOR_FIX_KERNEL,  /* another kernel */
	DOCTOR_FIX_ADVICE,  /* words */
};
extern const char *const doctor_fix_names[];

struct doctor_line {
	enum doctor_state state;
	struct strbuf reason; /* a phrase; may be empty if the family is available */
	enum doctor_fix fix_kind;
	struct strbuf fix; /* empty with DOCTOR_FIX_NONE */
};

struct doctor_verdict {
	struct doctor_line lines[DOCTOR_FAMILY_COUNT];
};

/* Judges every family. @ret_verdict is zeroed or done. */
void doctor_judge(const struct doctor_findings *findings, struct doctor_verdict *ret_verdict);

/* Returns whether every needed family is available. */
bool doctor_is_well(const struct doctor_verdict *verdict);

/* For cleanup_(doctor_verdict_done). */
void doctor_verdict_done(struct doctor_verdict *verdict);
