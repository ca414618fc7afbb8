/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* host - the fields of a snapshot that describe the machine; registry/host.def declares them. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum host_field {
#define HOST_TEXT(id_, compared_, text_) HOST_##id_,
#define HOST_NUMBER(id_, compared_, text_) HOST_##id_,
#define HOST_MAP(id_, compared_, text_) HOST_##id_,
#define HOST_COUNTER(id_, text_) HOST_##id_,
#include "host.def"
	HOST_FIELD_COUNT,
};

/* The states of task_delayacct and sched_schedstats. */
enum host_toggle {
	HOST_TOGGLE_on,
	HOST_TOGGLE_runtime_off,
	HOST_TOGGLE_config_off,
	HOST_TOGGLE_COUNT,
};
extern const char *const host_toggle_names[HOST_TOGGLE_COUNT];

/* The values of an option of kernel_config: y, m, n. */
enum { HOST_OPTION_VALUES = 3 };
extern const char *const host_option_values[HOST_OPTION_VALUES];

enum host_kind { HOST_KIND_TEXT, HOST_KIND_NUMBER, HOST_KIND_MAP };

struct host_field_desc {
	const char *name;
	const char *description;
	enum host_kind kind;
	bool compared; /* a comparison prints it if it differs */
	bool counts;   /* a number that only rises while the host is up */
};
extern const struct host_field_desc host_field_table[HOST_FIELD_COUNT];

struct host_map_entry {
	char *name; /* owned, as is the text; raw bytes without NUL */
	char *text;
};

/* Texts by name, in the order of the names. */
struct host_map {
	struct host_map_entry *entries; /* owned */
	size_t count, capacity;
};

/* The switches on the kernel's command line. They are no part of a snapshot, and are known even if the command line
 * itself is left out. */
struct host_boot {
	bool known;       /* the command line was read */
	bool delayacct;   /* delay accounting from boot on; Linux 5.14 and newer */
	bool nodelayacct; /* no delay accounting; before Linux 5.14 */
};

struct host {
	bool seen[HOST_FIELD_COUNT];
	struct host_map maps[HOST_FIELD_COUNT];
	char *texts[HOST_FIELD_COUNT]; /* owned; raw bytes */
	uint64_t numbers[HOST_FIELD_COUNT];
	struct host_boot boot;
};

/* The value of pid_namespace outside of all containers; the kernel has fixed its number. */
#define HOST_INITIAL_PID_NAMESPACE "pid:[4026531836]"

/* The values of source. */
#define HOST_SOURCE_PROCFS "procfs"
#define HOST_SOURCE_BPF "bpf"

/* Stores a field; a text is copied. */
void host_set_text(struct host *host, enum host_field field, const char *text, size_t len);
void host_set_number(struct host *host, enum host_field field, uint64_t number);

/* Stores one entry of a map field; both are copied, and an entry of that name is replaced. */
void host_map_set(struct host *host, enum host_field field, const char *name, const char *text,
                  size_t len);

/* Empties a map field and makes it unseen. */
void host_map_clear(struct host *host, enum host_field field);

/* The maps of numbers that a window has of its end, and of its begin. */
struct host_pair {
	enum host_field now, before;
};
enum { HOST_PAIRS = 3 };
extern const struct host_pair host_pairs[HOST_PAIRS];

/* Empties these maps. */
void host_forget_pairs(struct host *host);

/* Returns an entry's text, or NULL; borrowed. */
const char *host_map_get(const struct host *host, enum host_field field, const char *name);

/* Returns a text field, or NULL if it was not read; borrowed. */
const char *host_text(const struct host *host, enum host_field field);

/* Returns whether all threads were read by BPF: the totals of a process are of the same readings as its threads. */
bool host_is_read_by_bpf(const struct host *host);

/* Keeps the source of both ends of a window, or of two windows, in @host: BPF only if both were read by it. */
void host_join_source(struct host *host, const struct host *before);

/* Returns the clock ticks (USER_HZ) per second. That is 100, as on every architecture that ctprof is built for, if the
 * snapshot has no valid number. */
uint64_t host_ticks_per_second(const struct host *host);

/* Returns by how many clock ticks the user and system time of a window may be wrong: a hundredth, a tick of each mode for each CPU, and
 * three standard deviations of the samples. Most kernels look at each timer interrupt (CONFIG_HZ) what the CPU does, and count the
 * time since the last one as that: account_process_tick() in kernel/sched/cputime.c. */
uint64_t host_ticks_error(const struct host *host);

/* Returns the most clock ticks that threads can have had in a window, by the times of /proc/stat: that of all CPUs without idle, iowait,
 * irq, softirq and steal. Kernels with CONFIG_NO_HZ_COMMON measure the idle time, get_idle_time() in fs/proc/stat.c; others sample it.
 * UINT64_MAX if it is not known. */
uint64_t host_busy_ticks(const struct host *host);

/* The bounds for the times of a host's threads and processes. An unknown number is 0, and no value is judged by it. */
struct host_bounds {
	uint64_t ticks_per_second;
	uint64_t possible_cpus;
};
struct host_bounds host_bounds_of(const struct host *host);

/* Makes a field unseen again. */
void host_forget(struct host *host, enum host_field field);

/* Makes @to, which is zeroed, a copy. */
void host_copy(struct host *to, const struct host *from);

/* For cleanup_(host_done). @host may be zeroed. */
void host_done(struct host *host);
