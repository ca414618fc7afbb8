/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshot - the file that capture writes and show and compare read: one zstd frame of one JSON object, as
 * ctprof-snapshot(5) describes. Both directions stream; memory does not grow with the number of threads. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/base/stream.h"
#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/metric/host.h"
#include "ctprof/metric/probe.h"
#include "ctprof/metric/psi.h"
#include "ctprof/metric/sample.h"
#include "ctprof/settings/settings.h"
#include "ctprof/snapshot/labels.h"

enum {
	SNAPSHOT_VERSION = 1,
	/* A window in a recording that has only what changed since the windows before it in its file. */
	SNAPSHOT_VERSION_CHANGES = 2,
	/* A window of many hosts, whose rows say which one they are of. */
	SNAPSHOT_VERSION_HOSTS = 3,
};

/* Counts of the parts that were read, and of those that were not. */
struct snapshot_tally {
	uint64_t processes;                /* with at least one thread in the snapshot */
	uint64_t processes_gone;           /* exited before one of their threads was read */
	uint64_t processes_denied;         /* whose threads this user may not list (hidepid) */
	uint64_t processes_stalled;        /* of which a reading did not end: values are missing */
	uint64_t threads;                  /* rows */
	uint64_t threads_gone;             /* exited during their read, and left out whole */
	uint64_t threads_unreadable;       /* left out: their stat is denied or malformed */
	uint64_t malformed_values;         /* single values that were malformed */
	uint64_t impossible[METRIC_COUNT]; /* values beyond the bound of their metric, by metric */
	uint64_t impossible_totals[PROCESS_TOTAL_COUNT]; /* the same of totals of processes */
	uint64_t sources[SOURCE_COUNT][OUTCOME_COUNT];   /* threads by the outcome of each source */
	uint64_t cgroups;          /* distinct ones with threads, which were read */
	uint64_t cgroup_ancestors; /* ancestors of those, read without a thread of their own */
	uint64_t cgroups_gone;     /* removed before they were read */
	uint64_t cgroups_denied;   /* that deny this user some or all of their files */
	uint64_t cgroups_outside;  /* outside of what is mounted here, as seen from a namespace */
};

/* Adds the sample's impossible values, by metric, and its impossible totals. */
void snapshot_tally_add_impossible(struct snapshot_tally *tally,
                                   const struct thread_sample *sample);
/* Returns how many values, and how many totals, there are of all metrics. */
uint64_t snapshot_tally_impossible(const struct snapshot_tally *tally);
uint64_t snapshot_tally_impossible_totals(const struct snapshot_tally *tally);

/* The cost of the capture itself; registry/capture-cost.def declares the fields. */
enum capture_cost {
#define COST(id_, unit_, text_) COST_##id_,
#include "capture-cost.def"
#undef COST
	COST_COUNT,
};
struct capture_cost_desc {
	const char *name;
	enum metric_unit unit;
	const char *description;
};
extern const struct capture_cost_desc capture_cost_table[COST_COUNT];

/* The tool that wrote a snapshot. */
enum snapshot_origin {
	ORIGIN_ctprof,
	ORIGIN_ktstr, /* ktstr ctprof, whose files have no "format"; see src/snapshot/reference.h */
};

/* The begin of counting: the birth of a thread, or the begin of a window. */
enum snapshot_kind { KIND_lifetime, KIND_window, KIND_COUNT };
extern const char *const snapshot_kind_names[KIND_COUNT];

enum window_number {
#define WINDOW_NUMBER(id_, unit_, text_) WINDOW_##id_,
#include "window.def"
#undef WINDOW_NUMBER
	WINDOW_NUMBER_COUNT,
};
struct window_number_desc {
	const char *name;
	enum metric_unit unit;
	const char *description;
};
extern const struct window_number_desc window_number_table[WINDOW_NUMBER_COUNT];

/* The source of a window's threads that exited in it. If there is none, the value is a source_outcome: off, denied, or
 * skipped (by option, or it was made from two snapshots). */
enum window_exits {
	WINDOW_EXITS_UNKNOWN,
	WINDOW_EXITS_recorded, /* exit records of taskstats, which end before the thread's last steps */
	WINDOW_EXITS_completed, /* the same, with the counters at its last switch from BPF */
	WINDOW_EXITS_off,       /* the kernel has none */
	WINDOW_EXITS_denied,    /* they are for CAP_NET_ADMIN in the initial namespaces */
	WINDOW_EXITS_skipped,   /* there was no listener */
	WINDOW_EXITS_COUNT,
};
extern const char
        *const window_exits_names[WINDOW_EXITS_COUNT]; /* [WINDOW_EXITS_UNKNOWN] is empty */

/* Returns whether the window has records of threads that exited: recorded or completed. */
bool window_exits_are_known(enum window_exits exits);

/* The ways to have the ends of threads. Reasons why there are no records make no difference. */
enum window_ends {
	WINDOW_ENDS_NONE,
	WINDOW_ENDS_RECORDED,
	WINDOW_ENDS_COMPLETED,
	WINDOW_ENDS_COUNT
};

/* Returns a bit for each way that a window, or a sum of windows with other exits as well (a bit for each), has. */
unsigned window_ends_of(enum window_exits exits, unsigned exits_also);

struct snapshot_window {
	enum window_exits exits;
	/* A bit for each other enum window_exits that windows or hosts have of which this one is the sum. */
	unsigned exits_also;
	bool seen[WINDOW_NUMBER_COUNT];
	uint64_t numbers[WINDOW_NUMBER_COUNT];
	/* WINDOW_unaccounted_clock_ticks of all rows, where a reader has chosen some of them. Files do not have it. */
	bool has_unchosen;
	uint64_t unchosen_clock_ticks;
};
/* Adds the sources of @from to those of @into, of which @exits, that of one of them, becomes the main one. */
void window_join_exits(struct snapshot_window *into, const struct snapshot_window *from,
                       enum window_exits exits);
void window_set(struct snapshot_window *window, enum window_number number, uint64_t value);

/* Returns whether the window is more than 5 % longer than requested. */
bool window_is_longer_than_asked(const struct snapshot_window *window);

/* Times of CLOCK_BOOTTIME. */
struct window_span {
	__int128 begin_ns, end_ns;
};

/* The rows that a window of changes leaves out, since nothing moved in them. */
struct snapshot_unchanged {
	bool seen;
	uint64_t threads, cgroups;
};

struct snapshot_info {
	enum snapshot_origin origin;
	enum snapshot_kind kind;
	bool is_of_hosts;              /* a window of many hosts: each row has its host */
	struct snapshot_window window; /* KIND_window */
	struct snapshot_unchanged unchanged;
	/* ORIGIN_ktstr, sets of enum reference_family: those that are zero in every thread and were not read, which the
	 * caller has to forget; and those of which single zeros may be values that were not read. */
	uint32_t forgotten;
	uint32_t ambiguous;
	uint64_t captured_at_unix_ns;
	uint64_t captured_boottime_ns; /* CLOCK_BOOTTIME; 0 if it is not known */
	struct labels labels;
	struct host host;
	/* The outcome of a source unless a thread has another: OUTCOME_read, or the reason why the whole host has
	 * nothing from it. */
	enum source_outcome rules[SOURCE_COUNT];
	struct snapshot_tally tally;
	struct probe_summary probe;
	struct psi psi; /* the host's */
	struct sched_ext sched_ext;
	struct settings settings;
	bool cost_seen[COST_COUNT];
	uint64_t cost[COST_COUNT];
};

void snapshot_info_done(struct snapshot_info *info);

/* Finds when a window was, the gaps of a sum included. Returns false, storing nothing, if that is not known. */
bool window_find_span(const struct snapshot_info *info, struct window_span *ret);

/* Returns how long two spans of one boot overlap, or 0. */
uint64_t window_spans_overlap_ns(const struct window_span *a, const struct window_span *b);

/* Returns the CPU time that at least is in no row of the window, where 100 is a busy CPU; NaN if it is not known. */
double window_unaccounted_percent(const struct snapshot_info *info);

/* Returns whether the snapshot has all threads of its host. Only then do the host's totals show the work of exited
 * threads: not in another pid namespace, not behind hidepid, not of one process. */
bool snapshot_has_all_threads(const struct snapshot_info *info);

/* The windows before in a file of a recording: see src/snapshot/frame-base.h. */
struct frame_base;

/* A visitor gets each row and each cgroup of a snapshot, from snapshot_read() or from a writer, cgroups perhaps first. The
 * sample and the stats are borrowed, and are reused. A result other than 0 ends the reading and becomes its result, or that
 * of the writer. cgroup may be NULL. If thread is NULL, the rows of a file are not looked at.
 *
 * Only a visitor with a base (borrowed) can read a window that has what changed since the windows before, which were read
 * with the same base. It gets the rows that are there, whole; those that are left out are in the base, and the base no longer has
 * what ended without a row. */
struct snapshot_visitor {
	int (*thread)(struct snapshot_visitor *self, struct thread_sample *sample);
	int (*cgroup)(struct snapshot_visitor *self, const struct cgroup_stats *stats);
	struct frame_base *base;
};

/* Writing. The four calls come in this order, thread as often as there are threads and cgroup as often as there
 * are cgroups; threads of one process follow one another, and version 2 cgroups precede those of version 1. All
 * return 0, -EINVAL for another order, or the sink's -errno; a failure sticks. Cgroups may also come before begin, in
 * any order: the writer keeps them as text, some 2 KB each. */
struct snapshot_writer;

/* zstd compression level of the files; see bench/ for the measurement behind it. */
enum { SNAPSHOT_ZSTD_LEVEL = 1 };

/* @sink is borrowed. Never NULL; free with snapshot_writer_freep(). */
struct snapshot_writer *snapshot_writer_new(struct byte_sink *sink, int zstd_level);
/* A writer without a file: the visitor gets each row and each cgroup as snapshot_read() would give it from the file.
 * @visitor is borrowed, and so is the info of snapshot_write_begin(), until the writer is freed. */
struct snapshot_writer *snapshot_writer_new_visiting(struct snapshot_visitor *visitor);
/* Makes the snapshots of writers with this base (borrowed) follow one another in a file of a recording: a window leaves out what did not
 * change since the one before, unless @whole. If the frame is not written in the end, the base has to be made empty. */
void snapshot_writer_follow(struct snapshot_writer *writer, struct frame_base *base, bool whole);
/* Returns the info of snapshot_write_begin(), for the visitor; NULL before it. */
const struct snapshot_info *snapshot_writer_info(const struct snapshot_writer *writer);
void snapshot_writer_freep(struct snapshot_writer **writer);

/* Writes the head: kind, times, labels and host of @info. Its rules hold for the rows that follow. */
must_check_ int snapshot_write_begin(struct snapshot_writer *writer,
                                     const struct snapshot_info *info);
must_check_ int snapshot_write_thread(struct snapshot_writer *writer,
                                      const struct thread_sample *sample);
/* Returns whether a thread of which nothing moved needs no row, since it had none in the window before either. Only for a writer
 * that follows a base; else, and if it returns false, the row is written as others are. */
struct thread_key;
bool snapshot_leave_out_thread(struct snapshot_writer *writer, const struct thread_key *key);
must_check_ int snapshot_write_cgroup(struct snapshot_writer *writer,
                                      const struct cgroup_stats *stats);
/* Returns the bytes of JSON so far. */
uint64_t snapshot_writer_json_bytes(const struct snapshot_writer *writer);
/* Writes the tail: pressure, sched_ext, settings, rules, tally, window and cost, and the end of the frame. */
must_check_ int snapshot_write_end(struct snapshot_writer *writer,
                                   const struct snapshot_info *info);

/* Reading. */
struct snapshot_limits {
	uint64_t bytes;      /* decompressed */
	uint64_t threads;    /* rows, and as many cgroups */
	uint64_t values;     /* in the lists of all cgroups together */
	unsigned depth;      /* containers inside one another */
	size_t string_bytes; /* of one string */
	uint64_t memory;     /* the memory for a command's data; mem_limit() enforces it */
	/* NULL, or where snapshot_read() adds the decompressed bytes that it has read; borrowed. */
	uint64_t *read_bytes;
	/* NULL, or where a decompressor is kept for the next reading (compression/zstd-stream.h); borrowed. */
	struct zstd_decompressor **spare;
};
extern const struct snapshot_limits snapshot_default_limits;

/* Reads a snapshot from @source, the compressed bytes; also one of ktstr ctprof. Returns 0; -EBADMSG if they are not a
 * snapshot that this version reads, or -E2BIG if they exceed a limit, with one sentence appended to @reterr; or the
 * source's or the visitor's own result. @ret_info is filled up to the end of the reading; snapshot_info_done() it in
 * any case. */
must_check_ int snapshot_read(struct byte_source *source, const struct snapshot_limits *limits,
                              struct snapshot_visitor *visitor, struct snapshot_info *ret_info,
                              struct strbuf *reterr);
