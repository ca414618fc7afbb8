/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-reading - a whole snapshot in memory, with its threads by tid and its processes by tgid. It is filled by its visitor:
 * from a file, or by a capture whose writer has the visitor. */
#include "base/strmap.h"
#include "ctprof/base/macro.h"
#include "ctprof/snapshot/snapshot.h"
#include "snapshot/thread-store.h"
#include "window/window.h"

/* A row that has the totals of its process. */
struct window_totals_row {
	uint32_t tgid;
	uint32_t row;
	uint64_t process_start; /* or PROCESS_START_UNKNOWN */
};

/* CPU time of a thread by mode. It may be negative in between. */
struct window_modes {
	int64_t user_ns, system_ns;
};

/* The time of a thread since its birth, as far as its rows up to a reading have it. */
struct window_carry {
	struct window_modes read;    /* up to the reading */
	struct window_modes counted; /* in their clock ticks */
	bool is_known;
	bool is_born; /* in one of the windows up to the reading: else they begin with a reading of it */
};

/* Has no padding, since its bytes are a key. */
struct window_process {
	uint64_t tgid, start; /* in clock ticks, or PROCESS_START_UNKNOWN */
};

struct window_reading {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct snapshot_info info;       /* set by the code that fills the reading */
	struct thread_store threads;
	struct window_carry *carries;     /* by row; owned; NULL: no window was before */
	struct window_totals_row *totals; /* by tgid, start time and row; owned, as is the next */
	size_t totals_count, totals_capacity;
	struct cgroup_stats *cgroups;
	size_t cgroup_count, cgroup_capacity;
	/* Processes whose threads are in several cgroups of version 1, by struct window_process. */
	struct strmap divided;
	struct window_process before; /* of the thread before */
	struct strbuf before_v1;      /* its cgroups of version 1 */
	struct strmap cgroup_places; /* version and path to the place among the cgroups, plus one */
};

/* Sets the visitor; everything else is zeroed. */
void window_reading_init(struct window_reading *ret_reading);

/* Fills an initialised reading from a file. Returns 0, or -errno with a sentence that begins with the input's name. */
must_check_ int window_reading_load(const struct window_input *input,
                                    const struct snapshot_limits *limits,
                                    struct window_reading *reading, struct strbuf *reterr);
/* For cleanup_(window_reading_done). */
void window_reading_done(struct window_reading *reading);

/* Sorts the rows. Called once, before any search. */
void window_reading_sort(struct window_reading *reading);

/* Returns the row of a thread, or THREAD_STORE_NONE. */
uint32_t window_reading_find(const struct window_reading *reading, const struct thread_key *key);

/* Returns the row with the totals of the process of this tgid and start time, or THREAD_STORE_NONE. */
uint32_t window_reading_totals(const struct window_reading *reading, uint32_t tgid,
                               uint64_t process_start);

/* Stores the sums over the rows of the process of @row, for each of its totals. Values that are not seen count as 0.
 * Overwrites @scratch. */
void window_reading_sums(const struct window_reading *reading, uint32_t row,
                         struct thread_sample *scratch, uint64_t ret_sums[PROCESS_TOTAL_COUNT]);

/* Returns whether threads of the process are in several cgroups of version 1 of one hierarchy. */
bool window_reading_is_divided(const struct window_reading *reading, uint32_t tgid,
                               uint64_t process_start);

/* Returns the cgroup of that path and version, or NULL. */
const struct cgroup_stats *window_reading_cgroup(const struct window_reading *reading,
                                                 const struct cgroup_stats *like);

/* Makes @to, which is zeroed, a copy. */
void window_copy_cgroup(struct cgroup_stats *to, const struct cgroup_stats *from);

/* Returns the time at which a row was read; the begin of the reading, as the earliest possible time, if the row does
 * not have it. */
uint64_t window_read_time(const struct window_reading *reading, uint64_t read_boottime_ns);
