/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* taskstats-read - the taskstats of the threads being walked, asked for in batches. Nothing that goes wrong with the
 * socket fails a capture. */
#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"
#include "taskstats/taskstats.h"

struct taskstats_reader {
	struct taskstats_client
	        *client; /* owned; NULL where taskstats is not asked for (any more) */
	struct taskstats_rules rules;
	enum source_outcome rule; /* what holds for all threads while there is no client */
	const uint32_t *ids;      /* of the batch; borrowed */
	size_t first,
	        count;   /* where the batch begins in the list of threads, and how many it has */
	int batch_error; /* -errno where the whole batch failed */
	struct taskstats_reply *replies; /* owned; TASKSTATS_BATCH of them */
};

/* Opens the socket and asks for this process itself, to learn what holds for the host: OUTCOME_read, _denied without
 * CAP_NET_ADMIN, _off where the kernel has no taskstats, or the socket fails. @live as for thread_reader_init():
 * without it the threads are others than those the socket would answer for, and the rule is OUTCOME_skipped. */
void taskstats_reader_init(struct taskstats_reader *reader, bool live,
                           const struct taskstats_rules *rules);
void taskstats_reader_done(struct taskstats_reader *reader);

/* Fills the taskstats metrics of the thread at @index of @ids, which has @count threads; the list must stay as it is
 * while its threads are read in order. Returns what became of it; sample->outcomes has it as well. */
enum source_outcome taskstats_read_thread(struct taskstats_reader *reader, const uint32_t *ids,
                                          size_t index, size_t count, struct thread_sample *sample);

/* Fills the totals of a process that come from taskstats. */
enum source_outcome taskstats_read_process(struct taskstats_reader *reader, uint32_t tgid,
                                           struct thread_sample *sample);
