/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* source - turns the kernel's files into values of a sample. Parsers take the text of a file and know
 * nothing of descriptors; which keys they look for is the registry's to say. */
#include <stddef.h>
#include <stdint.h>

#include "ctprof/cgroup-mount.h"
#include "ctprof/cgroup-stats.h"
#include "ctprof/host.h"
#include "ctprof/macro.h"
#include "ctprof/psi.h"
#include "ctprof/sample.h"
#include "ctprof/strmap.h"
#include "ctprof/taskstats.h"

/* A metric that wants a key of a source. */
struct source_want {
	enum metric_id metric;
	enum metric_encoding encoding;
	unsigned part; /* DOTTED_MS_DIFFERENCE: 0 is taken from, 1 is taken away */
	int next;      /* index of another want for the same key, or -1 */
};

enum { SOURCE_NUMBERS = 64 }; /* stat has 52 fields */

/* The beginnings of the lines that a file of "key: value" lines had the last time, and what they mean: the next thread's
 * file mostly has the same lines. */
struct source_line {
	char key[64]; /* with blanks and the colon */
	size_t len;   /* 0: nothing is known */
	const struct source_want *want;
};
enum { SOURCE_LINES = 96 };

/* Everything the registry wants from one source, by the source's own keys. */
struct source_keys {
	struct strmap by_key;      /* to the first want */
	struct source_want *wants; /* owned */
	size_t count;
	int by_number[SOURCE_NUMBERS]; /* first want for a key that is a small number, or -1 */
	struct source_line *lines;     /* owned; SOURCE_LINES of them, by the number of the line */
};

/* Collects the rows of metrics and fallbacks for @source. */
void source_keys_init(struct source_keys *keys, enum metric_source source);
void source_keys_done(struct source_keys *keys);

/* The first want for a key, or NULL. */
const struct source_want *source_keys_find(const struct source_keys *keys, const char *key,
                                           size_t len);

/* The same for a field's number. */
const struct source_want *source_keys_find_number(const struct source_keys *keys, unsigned number);

/* The want after @want for the same key, or NULL. */
const struct source_want *source_want_next(const struct source_keys *keys,
                                           const struct source_want *want);

/* /proc/<tgid>/task/<tid>/stat: also fills comm and start_time_clock_ticks, and nr_threads only at the
 * leader. comm is whatever stands between the first '(' and the last ')'. Returns OUTCOME_read, or
 * OUTCOME_malformed where the line has no comm or no field 22; @sample is not touched then. */
must_check_ enum source_outcome stat_parse(const struct source_keys *keys, const char *text,
                                           size_t len, struct thread_sample *sample);

/* A field of a stat file from the fourth on, by its number in proc(5). False where it is not there or no number from 0
 * on. */
must_check_ bool stat_field(const char *text, size_t len, unsigned field, uint64_t *ret_value);

/* /proc/<tgid>/task/<tid>/schedstat: three numbers. Returns OUTCOME_read or OUTCOME_malformed. */
must_check_ enum source_outcome schedstat_parse(const struct source_keys *keys, const char *text,
                                                size_t len, struct thread_sample *sample);

/* Whether a thread's schedstat is all zero. Kernels before 5.14 without CONFIG_SCHEDSTATS print that for
 * every thread while delay accounting is off, so from a thread that has run it means "off". */
bool schedstat_is_zero(const char *text, size_t len);

/* /proc/<tgid>/task/<tid>/sched: "key : value" lines. Keys are matched in full, then by what stands
 * behind the last dot, so se.statistics.wait_max (up to 5.15) and wait_max (from 5.16) are the same. The
 * first line holds the thread's raw name, so nothing before the dashed line is believed. Returns
 * OUTCOME_read, or OUTCOME_malformed where there is no dashed line. */
must_check_ enum source_outcome sched_parse(const struct source_keys *keys, const char *text,
                                            size_t len, struct thread_sample *sample);

/* /proc/<tgid>/task/<tid>/status and io: "key: value" lines. Metrics that the sample has already are left
 * alone. Returns OUTCOME_read, or OUTCOME_malformed where no line is of that form. */
must_check_ enum source_outcome status_parse(const struct source_keys *keys, const char *text,
                                             size_t len, struct thread_sample *sample);
must_check_ enum source_outcome io_parse(const struct source_keys *keys, const char *text,
                                         size_t len, struct thread_sample *sample);

/* The effective user id in a status file: the second number of its line "Uid:". False where there is none. */
must_check_ bool status_uid(const char *text, size_t len, uint32_t *ret_uid);

/* /proc/<tgid>/task/<tid>/cgroup: the path of the line "0::", byte for byte; where the kernel has no cgroup2
 * hierarchy, that of the first version 1 controller of registry/cgroup.def, or of name=systemd, and
 * cgroup_is_v1 is set. cgroups_v1 has all of version 1 that there are. Returns OUTCOME_read; OUTCOME_off where there is none of these; or OUTCOME_malformed where a
 * line is none of the kernel's as well, or where cgroup_path_is_cut(). */
must_check_ enum source_outcome cgroup_parse(const char *text, size_t len,
                                             struct thread_sample *sample);

/* Whether a path in that text is as long as the kernel's longest, so that its end may have been cut off: then it names
 * another cgroup, if any. */
bool cgroup_path_is_cut(struct span path);

/* A line of the same text, one of is_v2, controllers and is_systemd set. */
struct cgroup_line {
	bool is_v2;
	bool is_systemd;      /* the hierarchy name=systemd */
	uint32_t controllers; /* of version 1, as cgroup_v1_controllers_find() has them */
	struct span path;     /* borrowed from the text */
};

/* Takes lines off the front of @rest until one says something; false at the end. */
bool cgroup_next_line(const struct cgroup_v1_controllers *controllers, struct span *rest,
                      struct cgroup_line *ret);

/* sched_getaffinity(2) of @sample->tid, in the caller's pid namespace. Returns OUTCOME_read, _gone,
 * _denied, _off (no such system call) or _malformed (an empty set). */
must_check_ enum source_outcome affinity_read(struct thread_sample *sample);

/* /proc/pressure/<resource> or a cgroup's <resource>.pressure: the lines "some" and "full". Lines and words that
 * it does not know are skipped; a line that makes no sense stays unseen. Returns OUTCOME_read, or
 * OUTCOME_malformed where no line was understood. */
must_check_ enum source_outcome psi_parse(const char *text, size_t len,
                                          struct psi_line lines[PSI_ROW_COUNT]);

/* Reads the host's pressure below @proc_fd; a resource that the kernel does not have stays unseen. */
void psi_read_host(int proc_fd, struct psi *psi);

/* Reads @sys_fd's kernel/sched_ext; present is false where the kernel has none, and single files may be missing.
 * @sys_fd may be -1. */
void sched_ext_read(int sys_fd, struct sched_ext *sched_ext);

/* /proc/<tgid>/smaps_rollup: its "Key: N kB" lines, into sample->smaps_rollup_kib. Returns OUTCOME_read, or
 * OUTCOME_malformed where there is no such line, as for a process without memory. */
must_check_ enum source_outcome smaps_parse(const char *text, size_t len,
                                            struct thread_sample *sample);

/* Fills sample->process_totals of @source (process_stat or process_io) from the text of /proc/<tgid>/stat or
 * /proc/<tgid>/io. Returns OUTCOME_read or OUTCOME_malformed. */
must_check_ enum source_outcome process_totals_parse(enum metric_source source, const char *text,
                                                     size_t len, struct thread_sample *sample);

/* One file of a cgroup into the values of @stats that registry/cgroup.def reads from it, for the hierarchy
 * stats->is_v1 says; a value that makes no sense stays unseen. */
void cgroup_file_parse(const char *file, const char *text, size_t len, struct cgroup_stats *stats);

/* memory.stat, memory.events (flat keyed) and io.stat (nested keyed) into a list. */
void cgroup_list_parse(enum cgroup_list_id list, const char *text, size_t len,
                       struct cgroup_stats *stats);

/* What a host's switches mean for its taskstats, from task_delayacct, kernel_release and kernel_config of @host and
 * from host->boot. What is not known counts as possible: the cpu bucket is kept, the others were switched on at
 * run time. Pure. */
struct taskstats_rules taskstats_rules_of(const struct host *host);

/* The options of the kernel's configuration that metrics, or the way to them, depend on. */
enum kernel_option {
#define KERNEL_OPTION(id_, absent_, text_) KERNEL_OPTION_##id_,
#include "kernel-options.def"
#undef KERNEL_OPTION
	KERNEL_OPTION_COUNT,
};

struct kernel_option_desc {
	const char *name;   /* without CONFIG_; the key in the host's kernel_config */
	bool absent_is_off; /* a configuration that does not mention it has it off */
	const char *description;
};
extern const struct kernel_option_desc kernel_option_table[KERNEL_OPTION_COUNT];

/* Takes the options out of a kernel's configuration into @host's kernel_config. Returns OUTCOME_read, or
 * OUTCOME_malformed where the text is not a whole configuration; @host is not touched then. */
must_check_ enum source_outcome kernel_config_parse(const char *text, size_t len,
                                                    struct host *host);

/* Fills the host's users: the names of those who own the processes of this system's /proc, by user id. Asks the name
 * service once for each user; ids that nobody has a name for have no entry. */
void host_read_users(int proc_fd, struct host *host);

/* The same for a gzip file, of which at most 16 MiB are unpacked. */
must_check_ enum source_outcome kernel_config_parse_gzip(const void *bytes, size_t len,
                                                         struct host *host);

/* Fills all host fields that the trees under @proc_fd and @sys_fd have; -1 means that there is no such
 * tree. @cgroup_fd is the root of the cgroup2 hierarchy or -1. @live says that @proc_fd is the /proc of
 * this process's own pid namespace. Clock ticks, the architecture and the uptime are those of the running
 * system. hostname and kernel_cmdline are left out where @anonymous. */
void host_read(int proc_fd, int sys_fd, int cgroup_fd, bool live, bool anonymous,
               struct host *host);

/* Fills what counts since boot, to be called right beside the reading of the threads: the fields of @host that come
 * from /proc/stat, and @psi as psi_read_host() does. stat_interval_ns and pressure_interval_ns become CLOCK_BOOTTIME in
 * the middle of each reading; where not @live, they become @host's uptime_ns, or stay unseen. */
void host_read_counters(int proc_fd, bool live, struct host *host, struct psi *psi);
