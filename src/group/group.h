/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* group - reduces the threads of a snapshot to one set of cells for each key. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scan.h"
#include "base/strmap.h"
#include "ctprof/base/hash.h"
#include "ctprof/base/macro.h"
#include "ctprof/metric/metric.h"
#include "ctprof/metric/sample.h"
#include "ctprof/snapshot/snapshot.h"
#include "group/group-by.h"
#include "group/process-ids.h"
#include "measure/measure.h"
#include "measure/rates.h"
#include "measure/spread.h"
#include "metric/fold.h"
#include "metric/row-host.h"

struct group_elders;
struct group_filter;
struct group_marks;

enum { GROUP_EXITED_RAN = 1 << PROCESS_SOURCE_COUNT };

struct group {
	uint32_t threads;
	uint32_t
	        leaders; /* threads that lead their process, of several that led one after the other the first */
	uint32_t leaders_read; /* those that did not end in the window */
	struct process_ids
	        process; /* of its only process; in a group of several, of the first one */
	bool several_processes;
	bool several_cpu_cgroups; /* its threads are in others than @cpu_cgroup as well */
	bool rates_unknown;       /* the time of observation of some thread is not known */
	/* In a window: threads that ended there, those of them that were born there as well, and all that were born there. */
	uint32_t ended, passed, born;
	/* Threads that ended there without a record, what they had run when they were read, and how long they had lived. */
	uint32_t lost;
	uint64_t lost_run_ns;
	fold_number lost_lived_ns;
	uint32_t continued;         /* threads that both readings of the window have */
	uint64_t continued_members; /* their fingerprint, as @members */
	/* The work of exited threads, by enum process_total; NULL if there is none. group_include_exited() adds it to
	 * the cells, and leaves the added part. Owned. */
	fold_number *exited;
	/* Indexed by enum process_total: the number of threads without a value of their own whose work is in the total of their
	 * process, and so in @exited; NULL if there are none. group_include_exited() counts them as seen. Owned. */
	uint32_t *covered;
	uint32_t
	        exited_left_out; /* a bit for each total of which something was not added, or that is impossible */
	/* A bit for each enum process_source that a process has no totals of although its exited threads have run, and
	 * GROUP_EXITED_RAN if those of any process have. */
	uint32_t exited_unseen;
	/* Fingerprints of the processes whose totals are not known, by source. */
	uint64_t unknown[PROCESS_SOURCE_COUNT];
	uint32_t known; /* a bit for each total that is known of any process */
	uint32_t
	        of_process; /* number of the process that listed it last, see struct group_process */
	uint64_t
	        members; /* fingerprint of its threads: tgid, tid and start time, in any order; valid in this process only */
	/* Births of those threads whose birth is known. */
	uint64_t births_clock_ticks; /* sum */
	uint32_t births;
	/* Indexed as struct group_table's spread_measures; NULL if there are none. Owned. */
	struct spread *spreads;
	/* Indexed by the places of struct group_table's list of rates; exited_rates has the work of exited threads by
	 * enum process_total, which group_include_exited() adds. NULL if there are none. Owned. */
	struct rate_sum *rates;
	struct rate_sum *exited_rates;
	/* The CPU time of exited threads that is in no run time, by the clock ticks of their processes. It is in no cell. */
	uint64_t exited_run_ns;
	struct rate_sum exited_run_rate;
	/* The most that run times with exited threads lack of these, where that is so little that they have no mark; UINT64_MAX: not known. */
	uint64_t exited_short_ns;
	unsigned rate_count;
	struct delays_beyond *delays_beyond; /* NULL if there is no such time. Owned. */
	/* The waits that began before the window, indexed by metric; NULL if there are none. Owned. */
	struct wait_before *before;
	/* The largest distance, in a window, between the readings of jemalloc's counters and the other readings of a
	 * thread, both ends added up, as a part of the time between the former. Infinite: not known. */
	double jemalloc_lag;
	/* The largest distance behind a window's end at which a thread was read last that was born in it, or at which one ended; the CPU
	 * time that all these threads may have used there; and the parts of their lives, added up. */
	uint64_t late_ns;
	uint64_t late_run_ns;
	double late_parts;
	/* Threads that ended, and the time of the last reading (CLOCK_BOOTTIME) that was the first one of such a thread. */
	uint32_t first_read;
	uint64_t first_read_ns;
	/* The cgroup of the cpu controller that its threads are in, as the tables of cgroups call it, "v1:" in front; NULL if it is
	 * not known, or not kept (see with_elders). Borrowed from the table. */
	const char *cpu_cgroup;
	struct group_marks *marks; /* see src/group/group-marks.h; NULL if there are none. Owned. */
	struct group_elders
	        *elders; /* see src/group/group-elders.h; NULL if there are none. Owned. */
	/* Indexed by metric; NULL if there are none, or if they are packed. Owned. */
	struct fold_cell *cells;
	/* The cells, rates and waits of a group of one thread, see src/group/group-pack.h; NULL if they are not packed. Owned. */
	unsigned char *packed;
};

/* Reads the cells of groups, one group after the other. Starts zeroed. */
struct group_reader {
	const struct group *of; /* the source of @copy; borrowed */
	struct group copy;      /* owns its cells; its rates and waits if they were packed */
};

/* Returns the group with cells, rates and waits that can be read: itself, or a copy that is good until the next call
 * for another group. The group must not change meanwhile. NULL for NULL. */
const struct group *group_read(struct group_reader *reader, const struct group *group);
void group_reader_done(struct group_reader *reader);

/* Returns the cell of a metric whose value is a number, without a reader. */
struct fold_cell group_number(const struct group *group, enum metric_id metric);

/* The knowledge about the exited threads of a name, as in struct group. */
struct exited_note {
	uint64_t unknown[PROCESS_SOURCE_COUNT];
	uint32_t known, exited_left_out, exited_unseen;
	uint32_t
	        of_process; /* number of the process that was noted last, see struct group_process */
};

/* A group of the process whose threads are being added, and the numbers of its names. */
struct group_place {
	struct group *group; /* borrowed */
	uint32_t names[GROUP_KEYS_MAX];
};

/* The process whose threads are being added: its totals, which come with one of them, and the sums over its threads so
 * far. */
struct group_process {
	bool open;
	uint32_t tgid;
	uint64_t start_time_clock_ticks; /* or PROCESS_START_UNKNOWN */
	uint32_t names[GROUP_KEYS_MAX];  /* numbers of its first thread's names */
	struct strbuf pcomm;
	struct row_host host;
	bool exited_unwanted; /* the filter excludes its exited threads */
	bool is_of_window;
	bool by_thread_names;  /* a key is one of threads */
	bool by_threads_alone; /* all keys are */
	/* Its threads have several names for a key that is not one of threads, or a filter without such keys has only some of them. Then
	 * the group of its exited threads is unknown. */
	bool is_divided;
	/* Each group of its threads once, only the first one if all keys are of threads. Owned. */
	struct group_place *groups;
	size_t group_count, group_size;
	uint32_t number;     /* of the process in its table */
	uint32_t successors; /* process_successors of its threads */
	uint32_t threads;
	uint32_t totals_seen; /* a bit for each enum process_total */
	uint32_t totals_impossible;
	uint64_t totals[PROCESS_TOTAL_COUNT];
	uint64_t sums[PROCESS_TOTAL_COUNT];
	uint32_t seen[PROCESS_TOTAL_COUNT]; /* threads that are in the sum, or need not be */
	/* Threads that are in the total alone: their value is not known, and not known to be wrong. */
	uint32_t covered[PROCESS_TOTAL_COUNT];
	uint32_t ended
	        [PROCESS_TOTAL_COUNT]; /* threads in @seen that have ended, and have no value */
	uint64_t tick_ns;
	bool is_exact;          /* its totals are of the same readings as its threads */
	bool rounding_is_exact; /* @rounded_ns is what they lack */
	uint64_t
	        rounded_ns; /* the most that the ticks of its threads can lack; UINT64_MAX: not known */
	/* Not all of its threads, exited ones included, are in one group. Then the group of the part of the total that
	 * no seen thread has is unknown. */
	bool is_apart;
	/* The interval that rates of the last thread are computed over. It is the time of the thread's observation in a window;
	 * in a lifetime snapshot it is the thread's age under a key of threads, and the age of the process otherwise. 0: not
	 * known. */
	uint64_t interval_ns;
	uint64_t
	        exited_interval_ns; /* the same for the work of exited threads: never a thread's own age */
};

/* The number of names that a table's groups have of processes and threads, and of those that were not read, see unread-name.h. */
struct group_names {
	uint64_t count, unread;
};

struct group_table {
	struct group_by by;
	struct group_names name_counts;
	struct hash_seed seed;   /* of the fingerprints */
	const struct host *host; /* of the threads; borrowed, may be NULL; set by the caller */
	/* The snapshot's, as far as it was read; borrowed, may be NULL; set by the caller. */
	const struct snapshot_info *info;
	struct key_names names[GROUP_KEYS_MAX];
	/* From numbers of the names, one uint32_t for each key, to struct group, owned. */
	struct strmap map;
	/* The group of the last thread and its numbers, since the next thread is mostly of the same group; NULL for
	 * none. */
	struct group *last;
	uint32_t last_numbers[GROUP_KEYS_MAX];
	/* From numbers of names to struct exited_note, owned; of names that only exited threads have, with or without
	 * work. */
	struct strmap exited;
	uint64_t last_birth_clock_ticks;
	/* Metrics that were seen of threads which are not grouped, since they were not chosen; set by the caller. */
	struct metric_set seen_elsewhere;
	/* Picks the threads to group, NULL for all; borrowed, set by the caller. */
	struct group_filter *filter;
	bool with_elders; /* keep them, and the cgroups of the cpu controller; set by the caller */
	struct strmap cpu_cgroups;
	/* Measures whose distribution is kept; borrowed, set by the caller. */
	const uint16_t *spread_measures;
	size_t spread_count;
	/* The divisor of those values that scale, or PER_COUNT for the snapshot's default; set by the caller. */
	enum measure_per spread_per;
	/* The metrics whose rates are kept for a snapshot of either kind, NULL for none; borrowed, set by the
	 * caller. */
	const struct rate_list *lifetime_rates;
	const struct rate_list *window_rates;
	const struct rate_list *rates; /* the one in use, once there is a thread */
	bool with_exited_rates; /* keep those of exited threads without a list of rates as well; set by the caller */
	struct group_process process;
	struct process_ids last_leader;   /* the threads of a process follow it */
	const struct group *leader_group; /* the group of that row */
	uint32_t leader_successors;       /* its process_successors */
};

void group_table_init(struct group_table *table, struct group_by by);
void group_table_done(struct group_table *table);

/* Folds a thread into its group and sets thread_count. Threads of one process must follow one another: if one of them
 * has totals of the process, the part of them beyond the sum over its threads is the work of exited threads. It is
 * noted in the group when the next process begins. */
void group_table_add(struct group_table *table, struct thread_sample *sample);

/* Finishes the last process; called behind the last thread. */
void group_table_finish(struct group_table *table);

/* Empties the cells of these metrics in every group: their values turned out to be none. */
void group_table_forget(struct group_table *table, const struct metric_set *metrics);

/* Adds groups of exited threads without work. If exited threads have names of their own, @table has no such groups;
 * this adds the groups of @other for processes that @table has as well, since the absence of work is known there. */
void group_table_complete(struct group_table *table, const struct group_table *other);

/* Adds the work of exited threads to the cells and to the rates of a group of the table, for the totals of these
 * sources; called once. It notes the sources in @left_out, whose part is left out. Both have a bit for each enum
 * process_source. */
void group_include_exited(const struct group_table *table, struct group *group, unsigned sources,
                          unsigned left_out);

/* Returns how much of the metric's value is of exited threads, and of those threads that group_covered() counts. */
fold_number group_exited_part(const struct group *group, enum metric_id metric);

/* Returns how many threads of the group are in the metric's value only by the total of their process. */
uint32_t group_covered(const struct group *group, enum metric_id metric);

/* Returns whether the metric lacks exited threads of the group's processes, although totals of the same processes show that there was
 * some work of theirs: their part was left out, see @exited_left_out; or the total of this metric is not known; or it has none, unless
 * the frame is of a window with the ends of threads. */
bool group_lacks_exited(const struct group *group, const struct derive_frame *frame,
                        enum metric_id metric);

/* Returns the inputs of a sum of parts that lack exited threads, if others have them. Empty for other derived metrics. The group has its
 * cells. */
struct metric_set group_parts_lack_exited(const struct group *group,
                                          const struct derive_frame *frame,
                                          enum derived_id derived);

/* Returns whether a metric that the measure has or is made of lacks exited threads. */
bool group_measure_lacks_exited(const struct group *group, const struct derive_frame *frame,
                                unsigned measure);

/* Returns the sources of which any total is known, a bit each. */
unsigned group_known_sources(const struct group *group);

/* Returns the sources whose totals are known for the same processes in both groups, a bit each. Only their share of
 * exited threads can be compared: one side more would look like work done or undone. */
unsigned group_comparable_sources(const struct group *a, const struct group *b);

/* Adds another group to @into, which is zeroed or the result of a merge; both have spreads of @spread_count measures,
 * or none. For groups whose exited threads are included. */
void group_merge(struct group *into, const struct group *from, size_t spread_count);
struct group *group_free(struct group *group, size_t spread_count);

/* Returns the group whose names have these patterns, one for each key, or NULL. */
struct group *group_table_find(const struct group_table *table, const struct span *patterns);

/* Returns the pattern of an entry's name for a key. */
struct span group_table_pattern(const struct group_table *table, const struct strmap_entry *entry,
                                unsigned key);

/* Adds the name of a cgroup that may have no thread, so that its label is the same everywhere. Returns the pattern of
 * its path, borrowed until the next call. */
struct span group_table_cgroup(struct group_table *table, const char *path, size_t len, bool is_v1);

/* Returns the host as one group of the table; free it with group_free(). */
struct group *group_table_total(const struct group_table *table);

/* Returns the properties of all groups of the table. */
struct derive_frame group_table_frame(const struct group_table *table);

/* Returns the inputs of derived metrics; @list and @frame are borrowed. */
struct derive_inputs group_inputs(const struct group *group, const struct rate_list *list,
                                  const struct derive_frame *frame);

/* Returns whether a thread counts among those that have the metric or could have it. A metric of processes is that of their leaders, and of
 * one that ended in the window only if it has a value. */
bool group_counts_thread(const struct thread_sample *sample, enum metric_id metric);

/* Returns how many threads of the group can have the metric at all: its leaders that
 * there were to read at the end, or all of them. */
uint32_t group_threads_for(const struct group *group, enum metric_id metric);

/* Threads whose value is in a group's value, and those whose value would be if all could be read. */
struct group_coverage {
	uint32_t seen, expected;
};

/* Returns the coverage of a metric. A window has a peak only of the threads where it rose there, and a floor only where it fell:
 * of the others nothing is missing, unless their value was not read, or is impossible. */
struct group_coverage group_covers(const struct group *group, const struct derive_frame *frame,
                                   enum metric_id metric);

/* Returns the coverage of a measure. A derived metric is as well covered as its worst input; one whose inputs can only add, as its best
 * one. With @own_only, threads that are in the totals of their processes alone are not covered. @has_value: the measure has one;
 * then inputs of which one is enough do not count. */
struct group_coverage group_covers_measure(const struct group *group,
                                           const struct derive_inputs *in, unsigned measure,
                                           bool own_only, bool has_value);

/* Returns whether two amounts are of unlike shares of their threads. */
bool group_shares_differ(struct group_coverage a, struct group_coverage b);

/* Returns the part of an amount by which the other one's share would change it, if threads without a value are like those with one. */
double group_shares_part(struct group_coverage of, struct group_coverage other);

/* Returns whether the shares make a tenth of the difference of the amounts at most. */
bool group_shares_are_small(struct group_coverage a, struct group_coverage b, double of_a,
                            double of_b);
