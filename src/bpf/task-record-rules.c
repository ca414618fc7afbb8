// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "metric/outcome.h"
#include "procfs/procfs.h"
#include "task-record-store.h"

enum { RULE_FILE_BYTES = 1 << 16 };

typedef enum source_outcome parse_function(const struct source_keys *keys, const char *text,
                                           size_t len, struct thread_sample *sample);

struct printed_file {
	enum metric_source source;
	parse_function *parse;
	/* Ours first, then those of threads that are always there: the printed lines can depend on the policy. */
	const char *paths[3];
};

static enum source_outcome read_printed(const struct printed_file *file, const char *path,
                                        int proc_fd, struct strbuf *text,
                                        struct metric_set *printed)
{
	cleanup_(sample_done) struct thread_sample sample = {0};
	cleanup_(source_keys_done) struct source_keys keys = {0};
	enum source_outcome outcome = outcome_of_error(
	        ERROR_OF_KERNEL, fd_read_all_at(proc_fd, path, text, RULE_FILE_BYTES));

	if (outcome != OUTCOME_read)
		return outcome;
	/* Kernels before 5.14 print zeros while the counters are off. We have run, and so has the first process. */
	if (file->source == SOURCE_schedstat && schedstat_is_zero(strbuf_str(text), text->len))
		return OUTCOME_off;
	source_keys_init(&keys, file->source);
	outcome = file->parse(&keys, strbuf_str(text), text->len, &sample);
	/* A value that is malformed here may be valid elsewhere. */
	for (size_t i = 0; outcome == OUTCOME_read && i < METRIC_SET_WORDS; i++)
		printed->words[i] |= sample.seen.words[i] | sample.malformed.words[i];
	return outcome;
}

static bool is_file(const struct printed_file *files, size_t count, enum metric_source source)
{
	for (size_t i = 0; i < count; i++)
		if (files[i].source == source)
			return true;
	return false;
}

static void find_printed(struct task_record_rules *rules, int proc_fd)
{
	static const struct printed_file files[] = {
	        {SOURCE_schedstat, schedstat_parse, {"self/schedstat", "1/schedstat"}},
	        {SOURCE_sched, sched_parse, {"self/sched", "1/sched", "2/sched"}},
	        {SOURCE_io, io_parse, {"self/io"}},
	        {SOURCE_status, status_parse, {"self/status"}},
	};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	/* Every kernel has all metrics of the other sources. */
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (!is_file(files, ARRAY_SIZE(files), metric_table[i].source))
			metric_set_add(&rules->printed, (enum metric_id)i);

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		enum source_outcome *outcome = &rules->outcomes[files[i].source];

		*outcome = OUTCOME_off;
		for (size_t path = 0; path < ARRAY_SIZE(files[i].paths); path++) {
			const char *name = files[i].paths[path];
			enum source_outcome found;

			if (!name)
				break;
			found = read_printed(&files[i], name, proc_fd, &text, &rules->printed);
			if (path == 0 || found == OUTCOME_read)
				*outcome = found;
		}
	}
}

void task_record_rules_init(struct task_record_rules *rules,
                            const struct task_record_reader *reader, int proc_fd,
                            const struct taskstats_rules *taskstats)
{
	long ticks = sysconf(_SC_CLK_TCK), page = sysconf(_SC_PAGESIZE);

	memset(rules, 0, sizeof(*rules));
	rules->kept = task_record_kept(reader);
	rules->taskstats = *taskstats;
	rules->ticks_per_second = ticks > 0 ? (uint64_t)ticks : 100;
	rules->page_bytes = page > 0 ? (uint64_t)page : 4096;
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		rules->outcomes[s] = OUTCOME_skipped;
	rules->outcomes[SOURCE_stat] = OUTCOME_read;
	rules->outcomes[SOURCE_task] = OUTCOME_read;
	rules->outcomes[SOURCE_affinity] = OUTCOME_read;
	rules->outcomes[SOURCE_taskstats] = rules->kept & (TASK_RECORD_DELAYS | TASK_RECORD_HIWATER)
	                                            ? OUTCOME_read
	                                            : OUTCOME_off;
	rules->outcomes[SOURCE_process_taskstats] = rules->kept & TASK_RECORD_EXITED_STATS
	                                                    ? rules->outcomes[SOURCE_taskstats]
	                                                    : OUTCOME_off;
	rules->outcomes[SOURCE_process_stat] = OUTCOME_read;
	find_printed(rules, proc_fd);
	/* These are read for no thread. */
	rules->outcomes[SOURCE_status] = OUTCOME_skipped;
	rules->outcomes[SOURCE_process_io] = rules->outcomes[SOURCE_io];
}
