/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* probe - the results of the search for jemalloc's counters, and their summary. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/metric.h"

enum probe_kind { PROBE_READ, PROBE_EXPECTED, PROBE_DENIED, PROBE_FAILED };

enum probe_tag {
#define PROBE_TAG(id_, name_, kind_, outcome_, text_, hint_) PROBE_TAG_##id_,
#include "probe-tags.def"
#undef PROBE_TAG
	PROBE_TAG_COUNT,
};

struct probe_tag_desc {
	const char *name;
	enum probe_kind kind;
	enum source_outcome outcome; /* of SOURCE_jemalloc in the thread's sample */
	const char *description;
	const char *hint; /* advice; empty if there is none */
};
extern const struct probe_tag_desc probe_tag_table[PROBE_TAG_COUNT];

/* Finds a tag by its name, which need not end in NUL. */
bool probe_tag_find(const char *name, size_t len, enum probe_tag *ret_tag);
/* Returns whether the tag is DENIED or FAILED. */
bool probe_tag_is_failure(enum probe_tag tag);

/* Every process has one tag, and so has every thread of a process with jemalloc. A process of which a thread was read
 * is ok; any other has the most frequent tag of its threads. */
struct probe_summary {
	bool seen; /* jemalloc was looked for */
	uint64_t tgids_walked;
	uint64_t jemalloc_detected; /* processes with jemalloc, whatever their tag */
	uint64_t probed_ok;
	uint64_t failed; /* processes whose tag is DENIED or FAILED */
	uint64_t processes[PROBE_TAG_COUNT];
	uint64_t threads[PROBE_TAG_COUNT];
	/* From a file that does not count by tag, as those of ktstr ctprof: its most frequent failure, or ok, and
	 * whether failures are those of rights. */
	enum probe_tag said_dominant;
	bool said_about_rights;
};

/* Counts a process; its @tag is not ok while none of its threads was read. */
void probe_summary_add_process(struct probe_summary *summary, enum probe_tag tag,
                               bool has_jemalloc);
void probe_summary_add_thread(struct probe_summary *summary, enum probe_tag tag);
/* Adds what @other has counted. */
void probe_summary_add_counts(struct probe_summary *summary, const struct probe_summary *other);

/* Returns the tag of the most failed processes, the first by name among equals; PROBE_TAG_ok if none has failed or
 * nothing is known. */
enum probe_tag probe_summary_dominant(const struct probe_summary *summary);
/* Returns whether at least half of the failures are those of rights. */
bool probe_summary_is_about_rights(const struct probe_summary *summary);
