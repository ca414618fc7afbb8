/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-stats - the values of one cgroup in a snapshot; registry/cgroup.def and registry/cgroup-lists.def declare
 * them. The state of sched_ext, registry/sched-ext.def, consists of the same values. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/keyed-values.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/metric.h"
#include "ctprof/metric/psi.h"

#ifndef CTPROF_CGROUP_DEF
#define CTPROF_CGROUP_DEF "cgroup.def"
#endif
#ifndef CTPROF_SCHED_EXT_DEF
#define CTPROF_SCHED_EXT_DEF "sched-ext.def"
#endif
#ifndef CTPROF_CGROUP_LISTS_DEF
#define CTPROF_CGROUP_LISTS_DEF "cgroup-lists.def"
#endif

enum fact_state {
	FACT_UNSEEN,
	FACT_NUMBER,
	FACT_UNLIMITED, /* "max"; null in a snapshot */
	FACT_TEXT,
};

/* A value that is not about threads. All zero is unseen. */
struct fact_value {
	enum fact_state state;
	int64_t number;
	char *text; /* FACT_TEXT; owned */
};

void fact_set_number(struct fact_value *value, int64_t number);
void fact_set_unlimited(struct fact_value *value);
void fact_set_text(struct fact_value *value, const char *text, size_t len);
/* Makes it unseen and frees the text. */
void fact_clear(struct fact_value *value);

/* The form of a value in its file. */
enum fact_form {
	FORM_NUMBER,      /* the whole file is one integer */
	FORM_PLACE,       /* the same, a place on a scale: no part of another one */
	FORM_LIMIT,       /* the same, or "max" */
	FORM_FIELD_LIMIT, /* the first word of the file, an integer or "max" */
	FORM_FIELD,       /* the second word of the file */
	FORM_FLAT,        /* the integer behind a key */
	FORM_CPUS,        /* a list of CPUs */
	FORM_DEVICES,     /* the sum of the integers behind a device and a key */
	FORM_TEXT,        /* the whole file, without its newline */
};

/* The rule by which the values of cgroups in one group become one. */
enum fact_rule {
	FACT_RULE_SUM,
	FACT_RULE_MAX,
	FACT_RULE_MAX_LIMIT, /* unlimited if one is; unseen if one is */
	FACT_RULE_MIN_LIMIT, /* unlimited is the largest; unseen if one is unseen */
	FACT_RULE_SAME,      /* unseen unless all agree */
	FACT_RULE_OWN_SUM,   /* a sum; the kernel's value does not include the cgroups below */
};

/* The value that a window has. */
enum fact_window {
	FACT_WINDOW_END,        /* the value at the end */
	FACT_WINDOW_DIFFERENCE, /* the difference; the value only rises */
	FACT_WINDOW_RISEN,      /* the value at the end, if it rose */
};

enum { FORM_COUNT = FORM_TEXT + 1, FACT_RULE_COUNT = FACT_RULE_OWN_SUM + 1 };

/* Names in machine formats, and their meaning. */
extern const struct named_desc fact_form_table[FORM_COUNT];
extern const struct named_desc fact_rule_table[FACT_RULE_COUNT];

/* clang-format off */
enum cgroup_value_id {
#define CGROUP_VALUE(id_, version_, object_, key_, file_, file_key_, form_, rule_, window_, unit_, section_, column_, text_) \
	CGROUP_VALUE_##id_,
#include CTPROF_CGROUP_DEF
#undef CGROUP_VALUE
	CGROUP_VALUE_COUNT,
};

enum cgroup_list_id {
#define CGROUP_LIST(id_, file_, object_, key_, section_, text_) CGROUP_LIST_##id_,
#define CGROUP_KEY(list_, key_, rule_, unit_)
#include CTPROF_CGROUP_LISTS_DEF
#undef CGROUP_LIST
#undef CGROUP_KEY
	CGROUP_LIST_COUNT,
};

enum sched_ext_id {
#define SCHED_EXT(id_, form_, kind_, text_) SCHED_EXT_##id_,
#include CTPROF_SCHED_EXT_DEF
#undef SCHED_EXT
	SCHED_EXT_COUNT,
};
/* clang-format on */

struct cgroup_value_desc {
	const char *name;
	unsigned version; /* of the hierarchy: 1 or 2 */
	const char *object;
	const char *key;
	const char *file;
	const char *file_key; /* FORM_FLAT */
	enum fact_form form;
	enum fact_rule rule;
	enum fact_window window;
	enum metric_unit unit;
	enum metric_section section;
	const char *column; /* "" if no table has a column for it */
	const char *description;
};
extern const struct cgroup_value_desc cgroup_value_table[CGROUP_VALUE_COUNT];

struct cgroup_list_desc {
	const char *name;
	const char *file;
	const char *object;
	const char *key;
	enum metric_section section;
	const char *description;
};
extern const struct cgroup_list_desc cgroup_list_table[CGROUP_LIST_COUNT];

/* A key of a list that the registry has. */
struct cgroup_key_desc {
	enum cgroup_list_id list;
	const char *key;
	enum fact_rule rule; /* SUM or MAX */
	enum metric_unit unit;
};
extern const struct cgroup_key_desc cgroup_key_table[]; /* cgroup_key_count rows */
extern const size_t cgroup_key_count;

/* Returns the row of a key; for io_stat, of the key behind the device. A key that is not in the registry is a sum
 * without a unit. Never NULL. */
const struct cgroup_key_desc *cgroup_key_find(enum cgroup_list_id list, const char *key);

/* Returns whether a key that the file lacks has the value 0: io.stat has the devices that the cgroup did I/O to. */
bool cgroup_list_omits_zeros(enum cgroup_list_id list);

struct named_fact_desc {
	const char *name;
	enum fact_form form;
	bool counts; /* it only rises, unless it is counted anew */
	const char *description;
};
extern const struct named_fact_desc sched_ext_table[SCHED_EXT_COUNT];

/* The "file" of values that no file has. */
#define CGROUP_VALUE_BY_TASKSTATS "CGROUPSTATS_CMD_GET"

struct sched_ext {
	bool present; /* the kernel has the directory */
	struct fact_value values[SCHED_EXT_COUNT];
};
/* For cleanup_(sched_ext_done). */
void sched_ext_done(struct sched_ext *sched_ext);

#define CGROUP_ID_UNIFIED "unified"

struct cgroup_stats {
	struct strbuf path; /* as /proc/<pid>/cgroup shows it; raw bytes */
	bool is_v1;         /* of hierarchies of version 1, whose controllers have separate paths */
	bool is_gone;       /* of a window of changes: it was there before, and has no values */
	uint64_t
	        read_boottime_ns; /* CLOCK_BOOTTIME of the reading, in a window of the last one; 0: not known */
	uint64_t interval_ns; /* of a window: the time between its two readings; 0: not known */
	/* The kernel's number of the cgroup in each hierarchy, which no later cgroup has: of version 2 under
	 * CGROUP_ID_UNIFIED, of version 1 by the name of the controller. A group has none. */
	struct keyed_values ids;
	/* The number of counters that were there at one end of the window only, by their object. A group has none. */
	struct keyed_values unjoined;
	struct fact_value values[CGROUP_VALUE_COUNT];
	/* The file was there; it may be empty. In a window the counters are known, or there are other keys. */
	bool has_list[CGROUP_LIST_COUNT];
	struct keyed_values lists[CGROUP_LIST_COUNT];
	struct psi psi;
};

enum cgroup_place {
	CGROUP_PLACE_UNKNOWN, /* it is perhaps not in the hierarchy */
	CGROUP_PLACE_ROOT,
	CGROUP_PLACE_BELOW, /* another cgroup, which may be outside of the cgroup namespace */
};

/* Returns where the cgroup is in the hierarchy that has the object (of cgroup_value_table). The root has the number 1 there
 * (fs/kernfs/dir.c, kernfs_create_root()), and in version 2 no limits. */
enum cgroup_place cgroup_stats_place(const struct cgroup_stats *stats, const char *object);

/* Returns whether two readings of one path are of different cgroups in the hierarchy that has the object (of
 * cgroup_value_table), as far as that is known. */
bool cgroup_stats_are_others(const struct cgroup_stats *a, const struct cgroup_stats *b,
                             const char *object);

/* Empties, keeping memory for reuse. */
void cgroup_stats_reset(struct cgroup_stats *stats);
/* For cleanup_(cgroup_stats_done). */
void cgroup_stats_done(struct cgroup_stats *stats);

/* Adds another cgroup to one group, each value by its rule. @into holds @members cgroups so far; if that is 0, it
 * becomes a copy. The path stays as it is. */
void cgroup_stats_merge(struct cgroup_stats *into, uint32_t members,
                        const struct cgroup_stats *from);

/* Returns a bit for each value, list and kind of pressure that the cgroup has and that includes the cgroups below it. */
uint64_t cgroup_stats_covered(const struct cgroup_stats *stats);

/* Adds a cgroup that lies in one of the group's, with @covered of those above it there: what the kernel counts of each cgroup alone, and
 * what none of these has. */
void cgroup_stats_merge_nested(struct cgroup_stats *into, uint64_t covered,
                               const struct cgroup_stats *from);
