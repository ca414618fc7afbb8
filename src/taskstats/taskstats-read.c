// SPDX-License-Identifier: GPL-2.0-or-later
#include "taskstats/taskstats-read.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "metric/outcome.h"

/* Returns whether the socket is useless: another batch would only wait for its timeout again. */
static bool is_broken(int error)
{
	return error != 0 && error != -ESRCH && error != -EPERM && error != -EINVAL &&
	       error != -EBADMSG;
}

/* Closes the socket; from now on every thread has @rule. */
static void stop_asking(struct taskstats_reader *reader, enum source_outcome rule)
{
	taskstats_freep(&reader->client);
	reader->rule = rule;
}

void taskstats_reader_init(struct taskstats_reader *reader, bool live,
                           const struct taskstats_rules *rules)
{
	uint32_t own = (uint32_t)getpid();
	int error;

	*reader = (struct taskstats_reader){.rules = *rules, .rule = OUTCOME_skipped};
	if (!live)
		return;
	reader->rules.io = access("/proc/self/io", F_OK) == 0;
	reader->replies = mem_calloc(TASKSTATS_BATCH, sizeof(reader->replies[0]));
	error = taskstats_open(&reader->client);
	if (error == 0)
		error = taskstats_ask(reader->client, false, &own, 1, reader->replies);
	if (error == 0)
		error = reader->replies[0].error;
	/* A socket that a sandbox refuses is denied; any other error means that there is none. */
	reader->rule = outcome_of_error(ERROR_OF_KERNEL, error);
	if (reader->rule != OUTCOME_read)
		stop_asking(reader, reader->rule);
}

void taskstats_reader_done(struct taskstats_reader *reader)
{
	taskstats_freep(&reader->client);
	free(reader->replies);
	*reader = (struct taskstats_reader){.rule = OUTCOME_skipped};
}

static void ask_batch(struct taskstats_reader *reader, const uint32_t *ids, size_t index,
                      size_t count)
{
	reader->ids = ids;
	reader->first = index;
	reader->count = count - index < TASKSTATS_BATCH ? count - index : TASKSTATS_BATCH;
	reader->batch_error =
	        taskstats_ask(reader->client, false, ids + index, reader->count, reader->replies);
}

/* Values of schedstat are only used if the file was not read. */
static enum source_outcome parse_reply(const struct taskstats_reader *reader,
                                       const struct taskstats_reply *reply,
                                       struct thread_sample *sample)
{
	enum source_outcome outcome =
	        taskstats_parse(reply->payload, reply->len, &reader->rules, sample);

	if (outcome == OUTCOME_read && sample->outcomes[SOURCE_schedstat] == OUTCOME_unneeded)
		taskstats_parse_schedstat(reply->payload, reply->len, &reader->rules, sample);
	return outcome;
}

enum source_outcome taskstats_read_thread(struct taskstats_reader *reader, const uint32_t *ids,
                                          size_t index, size_t count, struct thread_sample *sample)
{
	enum source_outcome outcome = reader->rule;
	const struct taskstats_reply *reply;
	int error;

	if (reader->client) {
		if (index == 0 || ids != reader->ids || index < reader->first ||
		    index >= reader->first + reader->count)
			ask_batch(reader, ids, index, count);
		reply = &reader->replies[index - reader->first];
		error = reader->batch_error < 0 ? reader->batch_error : reply->error;
		outcome = outcome_of_error(ERROR_OF_FEATURE, error);
		if (outcome == OUTCOME_read)
			outcome = parse_reply(reader, reply, sample);
		else if (outcome == OUTCOME_denied)
			stop_asking(reader, outcome);
		else if (is_broken(error))
			stop_asking(reader, outcome = OUTCOME_off);
	}
	sample->outcomes[SOURCE_taskstats] = outcome;
	return outcome;
}

enum source_outcome taskstats_read_process(struct taskstats_reader *reader, uint32_t tgid,
                                           struct thread_sample *sample)
{
	struct taskstats_reply *reply = reader->replies;
	enum source_outcome outcome;
	int error;

	if (!reader->client)
		return reader->rule;
	/* The replies overwrite those of the current batch. */
	reader->count = 0;
	error = taskstats_ask(reader->client, true, &tgid, 1, reply);
	outcome = outcome_of_error(ERROR_OF_FEATURE, error < 0 ? error : reply->error);

	/* The kernel's answer for a thread group that is gone. */
	if (error == 0 && reply->error == -EINVAL)
		outcome = OUTCOME_gone;
	if (is_broken(error < 0 ? error : reply->error))
		stop_asking(reader, outcome = OUTCOME_off);
	if (outcome != OUTCOME_read)
		return outcome;
	outcome = taskstats_parse_process(reply->payload, reply->len, &reader->rules, sample);
	sample->has_process_totals = sample->process_totals_seen != 0;
	return outcome;
}
