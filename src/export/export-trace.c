// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/export-trace.h"

#include <errno.h>
#include <string.h>

#include "command/command.h"
#include "input/recording-operand.h"

/* The windows of a recording. */
struct tracing {
	struct recording_picker picker; /* must stay the first member */
	const struct export_plan *plan;
	struct window_writer *writer;
	struct window_sum *sum; /* the last window; owned */
	size_t windows;
	int error; /* of the window that was written last */
	struct strbuf reason;
};

static void tracing_done(struct tracing *tracing)
{
	window_sum_freep(&tracing->sum);
	strbuf_done(&tracing->reason);
}

struct reading {
	struct snapshot_visitor visitor; /* must stay the first member */
	const struct snapshot_writer *writer;
	struct fleet_groups groups;
};

static int add_thread(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct reading *reading = (struct reading *)self;

	fleet_groups_add(&reading->groups, snapshot_writer_info(reading->writer), sample);
	return 0;
}

static int add(struct window_writer *writer, const struct snapshot_info *info,
               const struct fleet_groups *groups, struct strbuf *reterr)
{
	const char *why = window_rates_add(&writer->rates, info, groups);

	if (!why)
		return writer->write(writer, reterr);
	strbuf_add_str(reterr, why);
	return -EINVAL;
}

static int trace_window(struct tracing *tracing)
{
	struct reading reading = {.visitor = {.thread = add_thread}};
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer =
	        snapshot_writer_new_visiting(&reading.visitor);
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	int r;

	reading.writer = writer;
	fleet_groups_init(&reading.groups, &tracing->plan->keys[0], &tracing->plan->wanted);
	r = window_sum_write(tracing->sum, writer, &info);
	if (r == 0) {
		fleet_groups_finish(&reading.groups, &info);
		r = add(tracing->writer, &info, &reading.groups, &tracing->reason);
		tracing->windows++;
	}
	fleet_groups_done(&reading.groups);
	return r;
}

static void end_window(struct tracing *tracing)
{
	if (tracing->sum && tracing->error == 0)
		tracing->error = trace_window(tracing);
	window_sum_freep(&tracing->sum);
}

static struct window_sum *pick_window(struct recording_picker *self, unused_ uint64_t ends_ns)
{
	struct tracing *tracing = (struct tracing *)self;

	end_window(tracing);
	if (tracing->error != 0)
		return NULL;
	tracing->sum = window_sum_new();
	window_sum_only_moved(tracing->sum);
	return tracing->sum;
}

static int trace_recording(struct tracing *tracing, const struct recording_operand *operand)
{
	int r = recording_pick(operand->fd, operand->is_directory, &operand->range,
	                       &tracing->plan->limits, &tracing->picker, &tracing->reason);

	if (r < 0)
		return r;
	end_window(tracing);
	if (tracing->error == 0 && tracing->windows == 0) {
		strbuf_add_str(&tracing->reason, "there is no window in it");
		return -ENOENT;
	}
	return tracing->error;
}

static int trace_file(struct tracing *tracing, const char *path)
{
	cleanup_(snapshot_file_done) struct snapshot_file file = SNAPSHOT_FILE_INIT;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	struct fleet_groups groups = {0};
	int r = snapshot_file_open(&file, path, &tracing->plan->limits);

	if (r == 0)
		r = export_group(tracing->plan, &file, &info, &groups);
	if (r < 0)
		strbuf_add_str(&tracing->reason, snapshot_file_reason(&file, r));
	else
		r = add(tracing->writer, &info, &groups, &tracing->reason);
	fleet_groups_done(&groups);
	return r;
}

int export_trace(const struct export_plan *plan, const char *path, struct window_writer *writer)
{
	cleanup_(recording_operand_done) struct recording_operand operand = RECORDING_OPERAND_INIT;
	cleanup_(tracing_done) struct tracing tracing = {
	        .picker = {.pick = pick_window}, .plan = plan, .writer = writer};
	int r = recording_operand_open(&operand, path, &tracing.reason);

	if (r == 0)
		r = trace_file(&tracing, path);
	else if (r > 0)
		r = trace_recording(&tracing, &operand);
	if (r < 0 && !ferror(stdout))
		cli_error("%s: %s", strcmp(path, "-") == 0 ? "standard input" : path,
		          tracing.reason.len > 0 ? strbuf_str(&tracing.reason) : strerror(-r));
	return r;
}

void export_say_missing(const struct window_rates *rates)
{
	if (rates->unseen > 0)
		cli_error("values that were not seen in a window and are left out: %zu",
		          rates->unseen);
	if (rates->partial > 0)
		cli_error("values of a window that lack some of the group's threads: %zu",
		          rates->partial);
}
