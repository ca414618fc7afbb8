/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* sample - one thread at one instant: who it is, its values, and for each value whether it was seen. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ctprof/base/keyed-values.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/host.h"
#include "ctprof/metric/metric.h"

/* The part of a thread's life that a window has. */
enum window_part {
	WINDOW_PART_NONE,      /* a thread of a lifetime snapshot */
	WINDOW_PART_continued, /* in both readings */
	WINDOW_PART_born,      /* born inside, in the last reading */
	WINDOW_PART_exited,    /* in the first reading, with an exit record */
	WINDOW_PART_passed,    /* born and ended inside, with an exit record */
	WINDOW_PART_COUNT,
};
extern const char *const window_part_names[WINDOW_PART_COUNT]; /* [WINDOW_PART_NONE] is empty */

/* The longest names and paths that the kernel has, in bytes. A comm has 15 bytes (TASK_COMM_LEN in
 * include/linux/sched.h), and those of kernel threads have up to 63 (proc_task_name() in fs/proc/array.c). The kernel
 * writes paths into a page or PATH_MAX bytes, with " (deleted)" (proc_cgroup_show(), do_proc_readlink()). A longer one
 * is malformed, and no snapshot has it. */
#define SAMPLE_COMM_BYTES 64
#define SAMPLE_PATH_BYTES (4096 + 16)
/* Those of the name of a host, and of the identity of its boot. */
#define SAMPLE_HOST_BYTES 256
/* More of a title is not read. */
#define SAMPLE_TITLE_BYTES 128
/* A symbol of the kernel, KSYM_NAME_LEN. */
#define SAMPLE_WAIT_BYTES 512
/* A line for each hierarchy of version 1. */
#define SAMPLE_CGROUPS_V1_BYTES (16 * (SAMPLE_PATH_BYTES + 64))

struct thread_sample {
	uint32_t tid;
	uint32_t tgid;
	uint64_t start_time_clock_ticks; /* since boot; /proc/<tid>/stat field 22 */
	/* The same of the leader of its process; valid only with has_process_start. See sample_process_start(). */
	uint64_t process_start_clock_ticks;
	bool has_process_start;
	/* The number of later processes with the same tgid and the same start time in clock ticks; only windows have it. */
	uint32_t process_successors;
	uint64_t read_boottime_ns; /* CLOCK_BOOTTIME when reading the process began; 0: not known */
	/* CLOCK_BOOTTIME at which jemalloc's counters were read; 0: with all other values, or not at all. */
	uint64_t jemalloc_boottime_ns;
	uint64_t jemalloc_interval_ns; /* of a window: between their two readings; 0: interval_ns */
	/* On the leader, beside these counters: another number after the process has executed a program; 0: not known. Files of
	 * windows do not have it. */
	uint32_t jemalloc_program;
	/* Only in a window, see registry/identity.def; none of them is 0 or WINDOW_PART_NONE there. */
	enum window_part window_part;
	uint64_t interval_ns;
	uint64_t life_ns;
	/* The run time at the first reading; 0: not known. Only for a thread that ended inside without a record: it has neither of
	 * these two. */
	uint64_t run_time_before_ns;
	/* The number of threads whose values are folded in this row; 0: it is one thread's. The ids are
	 * those of one of them, and life_ns is the sum. Only sums beside recordings have such rows, see window/window-merged.h. */
	uint32_t merged_threads;
	/* The host of a row in a window of many hosts, raw bytes, and the identity of its boot. Empty in all other files, but for the boot of
	 * rows of a sum over several boots, if it is another one than that of the file's host. */
	struct strbuf host, boot_id;
	struct strbuf pcomm;  /* raw bytes, as the process chose them */
	struct strbuf comm;   /* raw bytes */
	struct strbuf cgroup; /* raw bytes; valid only with has_cgroup */
	bool has_cgroup;
	bool cgroup_is_v1; /* there is no cgroup2 path; cgroup is one of version 1 */
	/* Raw bytes: "cpu,cpuacct:/path" and a newline for each hierarchy of version 1 with a controller of
	 * registry/cgroup.def. Empty if there is none, or if it is not known. */
	struct strbuf cgroups_v1;
	/* Raw bytes, the process's executable; valid only with has_exe. */
	struct strbuf exe;
	bool has_exe;
	/* The same of its working directory. */
	struct strbuf cwd;
	bool has_cwd;
	/* The title that the process has given itself; valid only with has_title. */
	struct strbuf title;
	bool has_title;
	/* The function of the kernel and the system call in which the thread waits, of printable characters; empty if in none. */
	struct strbuf wchan, syscall;
	bool has_wchan, has_syscall;
	uint32_t uid; /* effective user id of the process; valid only with has_uid */
	bool has_uid;
	/* Process ids of the parent, the process group and the session; 0 for none in the pid namespace. On the leader only,
	 * and valid only with has_parent. */
	uint32_t ppid, pgrp, session;
	bool has_parent;

	/* The kernel's totals of the whole process, exited threads included, read before any of its threads; on the
	 * last sample of a process only. One bit for each enum process_total says that the total was seen, or that it is beyond
	 * its bound, as with metrics. has_process_totals says that one of these bits is set. */
	bool has_process_totals;
	uint32_t process_totals_seen;
	uint32_t process_totals_impossible;
	uint64_t process_totals[PROCESS_TOTAL_COUNT];

	/* The numbers of a record of an exit, by enum exit_fact, and a bit for each that the record has. Only windows have them. */
	uint32_t exit_facts_seen;
	uint64_t exit_facts[EXIT_FACT_COUNT];

	/* /proc/<tgid>/smaps_rollup in KiB by key, on the leader; valid only with has_smaps. */
	bool has_smaps;
	struct keyed_values smaps_rollup_kib;

	struct metric_set seen;
	struct metric_set malformed; /* the source was read, but this value was malformed */
	/* The thread was read by BPF, which does not carry the value; see NOT_BY_BPF in registry/bpf-places.def. */
	struct metric_set skipped;
	/* Values beyond the metric's bound. They are not seen, and the field keeps the kernel's number: the difference
	 * of two such numbers is valid. */
	struct metric_set impossible;
	enum source_outcome outcomes[SOURCE_COUNT]; /* why a source gave no values */

	/* One field for each metric, in its own type. The field is valid only with a bit in seen or impossible. */
#define METRIC(id_, type_, bound_, rule_, encoding_, source_, key_, section_, class_, gates_, \
               text_)                                                                         \
	struct type_ id_;
#include CTPROF_METRICS_DEF
#undef METRIC
};

/* Stores a value of the metric's own type and marks it seen. */
#define sample_set(sample_, id_, ...)                           \
	do {                                                    \
		(sample_)->id_ = (__VA_ARGS__);                 \
		metric_set_add(&(sample_)->seen, METRIC_##id_); \
	} while (0)

/* Copies a value of the metric's own type to *ret_ if it was seen. Returns whether it was. */
#define sample_get(sample_, id_, ret_) \
	(metric_set_has(&(sample_)->seen, METRIC_##id_) && ((*(ret_) = (sample_)->id_), true))

/* The longest times that a thread can have, with the error of the readings: see metric_longest_ns(). */
struct sample_bounds {
	uint64_t running_ns; /* BOUND_running, and of each CPU of BOUND_siblings */
	uint64_t life_ns;    /* BOUND_waiting and BOUND_event */
	uint64_t ticks_per_second;
	uint64_t more_ticks; /* the ticks by which a number of clock ticks may exceed its bound */
};

/* Returns the longest time that the kernel can have counted for a thread within @lived_ns: that, and 1 % and 1 s more
 * for clocks that differ and values that are read one after the other. */
uint64_t metric_longest_ns(uint64_t lived_ns);

/* Marks values beyond the bound of their metric as impossible, see registry/bounds.def. */
void sample_judge(struct thread_sample *sample, const struct sample_bounds *bounds);

/* Does so for a thread of a lifetime snapshot that was read at @read_boottime_ns at the latest; does nothing if it was
 * born later, or if that is 0. Totals of its process that are bounded are impossible beyond the age of the process on each
 * possible CPU. */
void sample_judge_at(struct thread_sample *sample, uint64_t read_boottime_ns,
                     struct host_bounds host);

/* Does so for the work of a thread in a window: no longer than it lived there (life_ns), and 1 % and 100 ms more, or
 * two clock ticks more. The time between the two readings may be off by that: a reading is noted a moment before it is
 * made. The margin is 1 % and 1 s if the time of the thread's reading is not known. Does nothing if life_ns is 0.
 * Totals of its process are bounded by interval_ns on each possible CPU. */
void sample_judge_inside(struct thread_sample *sample, struct host_bounds host);

/* Keeps a 64-bit value as impossible. */
void sample_set_impossible(struct thread_sample *sample, enum metric_id metric, uint64_t value);

/* Returns whether a value of a window's row is the time of waits (BOUND_waiting) of which one began before the window:
 * it ended inside, was added then as a whole, and is longer than the thread lived in the window (life_ns). False for a
 * thread that was born inside. */
bool sample_began_before(const struct thread_sample *sample, enum metric_id metric);

/* Returns the most of a counter's value that can lie in the window, for rates: no more than life_ns if a wait began
 * before it, else the value itself. The value must have been seen. */
uint64_t sample_inside(const struct thread_sample *sample, enum metric_id metric);

/* Returns the same for sums of states. A wait that began before the window is reduced by the time that the thread was
 * in its other states (on a CPU, waiting for one, in any delay), so that the times of the states are no more than
 * life_ns together. Several such waits have equal parts of what is left. */
uint64_t sample_state_inside(const struct thread_sample *sample, enum metric_id metric);

/* Returns the nanoseconds by which the thread's delays together exceed @lived_ns, or 0. The delays are those of
 * total_offcpu_delay_ns in registry/derived.def, each no more than sample_inside(); of swapin and thrashing, which overlap, only
 * @evicted counts. */
uint64_t sample_delays_beyond(const struct thread_sample *sample, enum metric_id evicted,
                              uint64_t lived_ns);

/* Returns the same of delays that are each no more than sample_state_inside(). */
uint64_t sample_state_delays_beyond(const struct thread_sample *sample, enum metric_id evicted,
                                    uint64_t lived_ns);

/* Returns whether the thread ended in the window. */
static inline bool sample_ended_inside(const struct thread_sample *sample)
{
	return sample->window_part == WINDOW_PART_exited ||
	       sample->window_part == WINDOW_PART_passed;
}

/* Returns whether the kernel gave a number, impossible or not; the field of the metric has it. */
static inline bool sample_has_said(const struct thread_sample *sample, enum metric_id metric)
{
	return metric_set_has(&sample->seen, metric) || metric_set_has(&sample->impossible, metric);
}

/* Returns whether the kernel gave a total of the process, impossible or not. */
static inline bool sample_has_said_total(const struct thread_sample *sample,
                                         enum process_total total)
{
	return (sample->process_totals_seen | sample->process_totals_impossible) >> total & 1;
}

/* Removes the totals of its process from the sample. */
static inline void sample_forget_totals(struct thread_sample *sample)
{
	sample->has_process_totals = false;
	sample->process_totals_seen = sample->process_totals_impossible = 0;
}

static inline void sample_set_exit_fact(struct thread_sample *sample, enum exit_fact fact,
                                        uint64_t value)
{
	sample->exit_facts_seen |= UINT32_C(1) << fact;
	sample->exit_facts[fact] = value;
}

/* Returns whether the sample has the fact. */
static inline bool sample_has_exit_fact(const struct thread_sample *sample, enum exit_fact fact)
{
	return sample->exit_facts_seen >> fact & 1;
}

/* Returns whether the fact is beyond its bound: a time on a CPU that is longer than the thread's life, by more than the error of readings.
 * False if the sample does not have the fact or the life. */
bool sample_exit_fact_is_impossible(const struct thread_sample *sample, enum exit_fact fact);

/* Returns whether the sample has the fact, and it is possible. */
static inline bool sample_shows_exit_fact(const struct thread_sample *sample, enum exit_fact fact)
{
	return sample_has_exit_fact(sample, fact) && !sample_exit_fact_is_impossible(sample, fact);
}

/* Keeps the run time of the thread as that before the interval, if it is seen. */
void sample_keep_run_time(struct thread_sample *sample);

/* Makes the sample empty: nothing seen, every source unneeded. Buffers keep their memory. */
void sample_reset(struct thread_sample *sample);

/* Frees what the sample owns. @sample may be zeroed. */
void sample_done(struct thread_sample *sample);

/* Returns the stored value of a metric, to be read as its type's structure. */
static inline const void *sample_value(const struct thread_sample *sample, enum metric_id metric)
{
	return (const char *)sample + metric_table[metric].offset;
}

/* Returns the number of a metric of 64 bits, as every counter, time, peak and floor is. */
static inline uint64_t sample_number(const struct thread_sample *sample, enum metric_id metric)
{
	uint64_t number;

	memcpy(&number, sample_value(sample, metric), sizeof(number));
	return number;
}

/* Replaces the number of such a metric. The metric stays seen or unseen. */
static inline void sample_replace_number(struct thread_sample *sample, enum metric_id metric,
                                         uint64_t number)
{
	memcpy((char *)sample + metric_table[metric].offset, &number, sizeof(number));
}

/* Parses the kernel's text for a metric, in the given encoding, and marks the metric seen, or malformed if the text is
 * not valid. Returns whether it was seen. @text is borrowed and needs no NUL. */
bool sample_set_text(struct thread_sample *sample, enum metric_id metric,
                     enum metric_encoding encoding, const char *text, size_t len);

/* Like sample_set_text() for DOTTED_MS_DIFFERENCE: the first minus the second. A negative difference is malformed. */
bool sample_set_difference(struct thread_sample *sample, enum metric_id metric, const char *from,
                           size_t from_len, const char *less, size_t less_len);

/* Stores a value of a metric whose representation is U64, I32, U32 or FLAG. Returns false, and stores
 * nothing if @value does not fit. */
must_check_ bool sample_set_integer(struct thread_sample *sample, enum metric_id metric,
                                    uint64_t value);
must_check_ bool sample_set_negative(struct thread_sample *sample, enum metric_id metric,
                                     int64_t value);
/* The same for a metric of representation TEXT, LETTER or FLAG. */
must_check_ bool sample_set_label(struct thread_sample *sample, enum metric_id metric,
                                  const char *text, size_t len);
must_check_ bool sample_set_flag(struct thread_sample *sample, enum metric_id metric, bool value);

/* Returns the reason why an unseen metric was not seen: its own, else that of its source, else off. */
enum source_outcome sample_reason(const struct thread_sample *sample, enum metric_id metric);

/* Stands for a start time that is not known. */
#define PROCESS_START_UNKNOWN UINT64_MAX

/* Returns the start time of the thread's process in clock ticks since boot, or PROCESS_START_UNKNOWN. A process is its
 * tgid and this time, for the kernel reuses ids. It is the start time of the leader. A thread that executes a program
 * in place of the leader is given the leader's (de_thread() in fs/exec.c), so a process keeps its start time for all
 * its life. */
static inline uint64_t sample_process_start(const struct thread_sample *sample)
{
	if (sample->tid == sample->tgid)
		return sample->start_time_clock_ticks;
	return sample->has_process_start ? sample->process_start_clock_ticks
	                                 : PROCESS_START_UNKNOWN;
}

/* The inverse; @clock_ticks may be PROCESS_START_UNKNOWN. */
static inline void sample_set_process_start(struct thread_sample *sample, uint64_t clock_ticks)
{
	sample->process_start_clock_ticks = clock_ticks;
	sample->has_process_start = clock_ticks != PROCESS_START_UNKNOWN;
}

/* Returns whether the thread is of the process with this tgid and start time, as far as both start times are known. No
 * thread is older than its process. */
bool sample_is_of_process(const struct thread_sample *sample, uint32_t tgid,
                          uint64_t process_start_clock_ticks);

/* Returns the number of threads that the row is of. */
static inline uint32_t sample_threads(const struct thread_sample *sample)
{
	return sample->merged_threads > 0 ? sample->merged_threads : 1;
}

/* Returns whether the thread has ended and is a zombie, or dead (state Z or X). */
bool sample_has_ended(const struct thread_sample *sample);

/* Appends the thread's state with its name, "S sleeping", as registry/states.def has them; a letter that is not there stands
 * alone. Returns false, and appends nothing, if the state is not known. */
bool sample_add_state(const struct thread_sample *sample, struct strbuf *out);

/* Returns whether a row of a window is of a thread that ended inside and of whose end there is no record. It has no values. */
bool sample_is_lost(const struct thread_sample *sample);

/* CPU sets. */
void cpu_mask_clear(struct cpu_mask *mask);
/* Adds a CPU. Returns false if the number is CPU_MASK_CPUS or more. */
must_check_ bool cpu_mask_add(struct cpu_mask *mask, uint64_t cpu);
unsigned cpu_mask_count(const struct cpu_mask *mask);
bool cpu_mask_has(const struct cpu_mask *mask, unsigned cpu);
bool cpu_mask_equal(const struct cpu_mask *a, const struct cpu_mask *b);
/* Returns the lowest CPU from @cpu on, or CPU_MASK_CPUS if there is none. */
unsigned cpu_mask_next(const struct cpu_mask *mask, unsigned cpu);
/* Parses "0-3,8". Returns false if it is not such a list or is empty. */
must_check_ bool cpu_mask_parse(struct cpu_mask *mask, const char *text, size_t len);
/* Appends "0-3,8". */
void cpu_mask_format(const struct cpu_mask *mask, struct strbuf *out);

/* Adds what the thread has of each total of its process to @sums, which saturate. */
void sample_add_to_totals(const struct thread_sample *sample, uint64_t sums[PROCESS_TOTAL_COUNT]);
