/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* taskstats-read - reads the taskstats of the threads being walked, in batches. No error of the socket fails a
 * capture. */
#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"
#include "taskstats/taskstats.h"

struct taskstats_reader {
	struct taskstats_client
	        *client; /* owned; NULL if taskstats is not requested, or no longer */
	struct taskstats_rules rules;
	enum source_outcome rule; /* the outcome for all threads without a client */
	const uint32_t *ids;      /* of the batch; borrowed */
	size_t first, count;      /* the place of the batch in the list of threads, and its size */
	int batch_error;          /* -errno if the whole batch failed */
	struct taskstats_reply *replies; /* owned; TASKSTATS_BATCH of them */
};

/* Opens the socket and requests this process itself, which shows the rule of the host: OUTCOME_read, _denied without
 * CAP_NET_ADMIN, _off if the kernel has no taskstats, or the socket fails. @live as for thread_reader_init(): without
 * it the threads are not those that the socket would answer for, and the rule is OUTCOME_skipped. */
void taskstats_reader_init(struct taskstats_reader *reader, bool live,
                           const struct taskstats_rules *rules);
void taskstats_reader_done(struct taskstats_reader *reader);

/* Fills the taskstats metrics of the thread at @index of @ids, which has @count threads; the list must not change while
 * its threads are read in order. Returns the outcome, which is also in sample->outcomes. */
enum source_outcome taskstats_read_thread(struct taskstats_reader *reader, const uint32_t *ids,
                                          size_t index, size_t count, struct thread_sample *sample);

/* Fills the totals of a process that come from taskstats. */
enum source_outcome taskstats_read_process(struct taskstats_reader *reader, uint32_t tgid,
                                           struct thread_sample *sample);
