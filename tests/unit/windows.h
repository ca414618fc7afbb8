/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* windows - readings of a host that could be, and the window between two of them. */
#include "memory-stream.h"
#include "snapshots.h"
#include "window/exit-log.h"
#include "window/window-reading.h"
#include "window/window-sum.h"
#include "window/window.h"

/* A clock tick, and times and ticks that are easy to distinguish: seconds since boot. */
#define TICK_NS UINT64_C(10000000)
#define SECONDS(n_) (UINT64_C(1000000000) * (n_))
#define MILLISECONDS(n_) (UINT64_C(1000000) * (n_))
#define SECOND_TICKS(n_) (UINT64_C(100) * (n_))

struct reading {
	struct snapshot_info info;
	struct thread_sample *samples; /* owned */
	size_t count, capacity;
	struct cgroup_stats *cgroups; /* owned */
	size_t cgroup_count;
};

/* Makes a reading of one host, boot and pid namespace, with all of its threads. */
void reading_init(struct reading *reading, uint64_t boottime_ns);
/* For cleanup_(reading_done). */
void reading_done(struct reading *reading);

/* Adds a thread, read a second after the reading began; borrowed until the next one. Threads of one process must follow
 * one another. */
struct thread_sample *reading_add(struct reading *reading, uint32_t tgid, uint32_t tid,
                                  uint64_t start_time_clock_ticks);
struct cgroup_stats *reading_add_cgroup(struct reading *reading, const char *path);

/* The bytes of the snapshot. */
void reading_pack(const struct reading *reading, struct strbuf *out);
/* Reads these bytes; @reading is done with window_reading_done(). */
void reading_load(const struct reading *from, struct window_reading *reading);

/* Makes the window of two files and reads it back; the same readings without files must make the same bytes. copy->result is that of window_make(), and the sentence in copy->error. */
void window_between(const struct reading *first, const struct reading *last,
                    const struct exit_log *exits, struct snapshot_copy *ret_copy);
/* The same from bytes. */
void window_of_bytes(const struct strbuf *first, const struct strbuf *last,
                     const struct exit_log *exits, const struct snapshot_limits *limits,
                     struct snapshot_copy *ret_copy);

/* Makes the window of two readings as a file, behind what is in the sink. */
void window_pack(struct window_reading *first, struct window_reading *last,
                 const struct exit_log *exits, struct window_next *next, struct memory_sink *sink);
/* Adds such a file to a sum. Result as that of window_sum_read(). */
int window_add(struct window_sum *sum, const struct memory_sink *sink, struct strbuf *reason);

/* An end. A record that is not complete seems to be born later by @late_ns. */
struct end_spec {
	uint32_t tid, tgid; /* tgid 0: not known */
	uint64_t born_ns, exited_ns, late_ns;
	bool is_complete;
	uint64_t process_born_ns; /* 0: not known */
	uint64_t run_time_ns;
	uint64_t user_ns, system_ns;
	bool has_no_ticks;
	const char *comm;
	const char *pcomm;  /* NULL: not known */
	const char *cgroup; /* NULL: not known */
};
void add_end(struct exit_log *log, struct end_spec spec);

#define assert_window(info_, number_, expected_)                                        \
	do {                                                                            \
		assert_true((info_)->window.seen[WINDOW_##number_]);                    \
		assert_int_equal((info_)->window.numbers[WINDOW_##number_], expected_); \
	} while (0)

#define assert_seen(sample_, metric_, expected_)                                 \
	do {                                                                     \
		assert_true(metric_set_has(&(sample_)->seen, METRIC_##metric_)); \
		assert_int_equal((sample_)->metric_.v, expected_);               \
	} while (0)
#define assert_unseen(sample_, metric_) \
	assert_false(metric_set_has(&(sample_)->seen, METRIC_##metric_))
