// SPDX-License-Identifier: GPL-2.0-or-later

#include <string.h>

#include "base/scan.h"
#include "procfs/procfs.h"

enum { FIELD_STATE = 3, FIELD_PPID, FIELD_PGRP, FIELD_SESSION, FIELD_START_TIME = 22 };

static void set_wanted(const struct source_keys *keys, const struct source_want *want,
                       struct span word, struct thread_sample *sample)
{
	while (want) {
		bool leader_only = metric_is_leader_only(want->metric);

		if (!leader_only || sample->tid == sample->tgid)
			sample_set_text(sample, want->metric, want->encoding, word.text, word.len);
		want = source_want_next(keys, want);
	}
}

/* Reads the words behind the comm; the first is field 3. Returns false if there is no field 22. */
static bool find_start_time(struct span rest, uint64_t *ret_ticks)
{
	struct span word;
	unsigned field = FIELD_STATE;

	while (scan_word(&rest, &word))
		if (field++ == FIELD_START_TIME)
			return scan_u64(word.text, word.len, ret_ticks);
	return false;
}

/* Sets those of the process. The kernel prints -1 for the group and the session of a process that has been released. */
static void set_parent(struct span rest, struct thread_sample *sample)
{
	uint32_t *const fields[] = {
	        [FIELD_PPID] = &sample->ppid,
	        [FIELD_PGRP] = &sample->pgrp,
	        [FIELD_SESSION] = &sample->session,
	};
	struct span word;
	uint64_t value;

	for (unsigned field = FIELD_STATE; field <= FIELD_SESSION; field++) {
		if (!scan_word(&rest, &word))
			return;
		if (field == FIELD_STATE)
			continue;
		if (!scan_u64(word.text, word.len, &value) || value > UINT32_MAX)
			return;
		*fields[field] = (uint32_t)value;
	}
	sample->has_parent = true;
}

/* A leader that has exited has no memory any more, while its process may go on, whose memory is not known then. Threads of the kernel
 * and processes that have ended have none: 0 is their size. */
static void forget_left_memory(struct thread_sample *sample)
{
	struct level_bytes size;
	struct gauge_count threads;

	if (!sample_get(sample, vsize_bytes, &size) || size.v > 0 ||
	    !sample_get(sample, nr_threads, &threads) || threads.v < 2)
		return;
	metric_set_remove(&sample->seen, METRIC_vsize_bytes);
	metric_set_remove(&sample->seen, METRIC_rss_bytes);
}

enum source_outcome stat_parse(const struct source_keys *keys, const char *text, size_t len,
                               struct thread_sample *sample)
{
	const char *open = memchr(text, '(', len);
	const char *close = memrchr(text, ')', len);
	unsigned field = FIELD_STATE;
	struct span rest, word;
	uint64_t start_time;

	if (!open || !close || close < open || (size_t)(close - open) - 1 > SAMPLE_COMM_BYTES)
		return OUTCOME_malformed;
	rest = (struct span){close + 1, len - (size_t)(close - text) - 1};
	if (!find_start_time(rest, &start_time))
		return OUTCOME_malformed;

	strbuf_clear(&sample->comm);
	strbuf_add(&sample->comm, open + 1, (size_t)(close - open) - 1);
	sample->start_time_clock_ticks = start_time;
	if (sample->tid == sample->tgid)
		set_parent(rest, sample);
	for (; scan_word(&rest, &word); field++)
		set_wanted(keys, source_keys_find_number(keys, field), word, sample);
	forget_left_memory(sample);
	return OUTCOME_read;
}

bool stat_field(const char *text, size_t len, unsigned field, uint64_t *ret_value)
{
	enum { FIRST_FIELD = 3 };
	const char *close = memrchr(text, ')', len);
	struct span rest, word;

	if (!close)
		return false;
	rest = (struct span){close + 1, len - (size_t)(close + 1 - text)};
	for (unsigned number = FIRST_FIELD; scan_word(&rest, &word); number++)
		if (number == field)
			return scan_u64(word.text, word.len, ret_value);
	return false;
}
