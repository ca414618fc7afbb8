// SPDX-License-Identifier: GPL-2.0-or-later
#include "recorder/record-run.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/memory-stream.h"
#include "command/command.h"
#include "recorder/record-wait.h"
#include "recording/recording-survey.h"
#include "recording/recording-write.h"
#include "service-notify.h"

struct recorder {
	const struct record_options *options;
	int dir_fd, lock_fd;
	uint64_t began_unix_ns;
	struct recording_writer writer;
	struct capture_series *series;
	struct record_wait wait;
	struct serve *serve;     /* NULL: nobody is served */
	uint64_t lost;           /* windows in a row that could not be written */
	int lost_error;          /* of the last one */
	bool has_kept;           /* an old file stays, and that was said */
	uint64_t dense_until_ns; /* CLOCK_MONOTONIC */
	uint32_t dense_by;       /* bits of the triggers that fired since windows are dense */
};

/* Windows behind a trigger. */
#define DENSE_LENGTH_NS NS_PER_SECOND
#define DENSE_AFTER_NS (30 * NS_PER_SECOND)

static void recorder_done(struct recorder *recorder)
{
	capture_series_freep(&recorder->series);
	serve_freep(&recorder->serve);
	record_wait_done(&recorder->wait);
	recording_writer_done(&recorder->writer);
	fd_closep(&recorder->lock_fd);
	fd_closep(&recorder->dir_fd);
}

static int fail(const struct recorder *recorder, int r)
{
	cli_error("%s: %s", recorder->options->directory,
	          r == -EBUSY ? "another recorder writes there" : strerror(-r));
	return r;
}

static int open_recording(struct recorder *recorder)
{
	const struct record_options *options = recorder->options;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r;

	recorder->dir_fd = recording_directory_make(options->directory, &reason);
	if (recorder->dir_fd < 0) {
		cli_error("%s", strbuf_str(&reason));
		return recorder->dir_fd;
	}
	recorder->began_unix_ns = clock_now_ns(CLOCK_REALTIME);
	recorder->lock_fd = recording_lock(recorder->dir_fd, recorder->began_unix_ns);
	if (recorder->lock_fd < 0)
		return fail(recorder, recorder->lock_fd);
	r = recording_writer_open(&recorder->writer, recorder->dir_fd, &options->keep);
	if (r < 0)
		return fail(recorder, r);
	if (recorder->writer.damaged[0] != '\0')
		cli_error("%s: %s is damaged and stays as it is; the recording goes on in another "
		          "file",
		          options->directory, recorder->writer.damaged);
	return 0;
}

/* Says once that windows are lost, and once how many were; and once that old files stay. */
static void note_result(struct recorder *recorder, int r)
{
	const char *directory = recorder->options->directory;
	int kept = recorder->writer.keep_error;

	if (kept < 0 && !recorder->has_kept)
		cli_error("%s: an old file cannot be removed: %s", directory, strerror(-kept));
	recorder->has_kept = kept < 0;
	recorder->lost_error = r;
	if (r < 0 && recorder->lost++ == 0)
		cli_error("%s: %s: windows are missing from here on", directory, strerror(-r));
	if (r == 0 && recorder->lost > 0) {
		cli_error("%s: goes on after a gap of %llu %s", directory,
		          (unsigned long long)recorder->lost,
		          recorder->lost == 1 ? "window" : "windows");
		recorder->lost = 0;
	}
}

/* Appends the triggers, as many as a label has room for. */
static void add_triggers(const struct recorder *recorder, struct strbuf *out)
{
	for (size_t i = 0; i < recorder->options->trigger_count; i++) {
		const char *text = recorder->options->triggers[i].text;

		if ((recorder->dense_by & 1U << i) == 0 ||
		    out->len + strlen(text) + 2 > LABEL_VALUE_BYTES)
			continue;
		strbuf_addf(out, "%s%s", out->len > 0 ? ", " : "", text);
	}
}

/* The texts of triggers are checked where the options are parsed. */
static void add_label(struct labels *labels, const char *key, const char *text)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	if (text[0] != '\0' &&
	    labels_add(labels, key, strlen(key), text, strlen(text), &reason) < 0)
		cli_error("%s: %s", key, strbuf_str(&reason));
}

/* Adds what made the window dense, and why there is none before it. */
static void set_labels(const struct recorder *recorder, bool is_dense, struct labels *labels)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (is_dense)
		add_triggers(recorder, &text);
	add_label(labels, RECORDING_LABEL_TRIGGER, strbuf_str(&text));
	if (recorder->lost > 0)
		add_label(labels, RECORDING_LABEL_GAP, strerror(-recorder->lost_error));
}

static void serve_window(struct recorder *recorder, bool is_whole, const struct strbuf *frame)
{
	if (recorder->serve && serve_give(recorder->serve, is_whole, frame->data, frame->len) < 0)
		cli_error("%s: the process of --serve has ended; the recording goes on",
		          recorder->options->directory);
}

/* A lock without a name keeps no other recorder out. Returns 0; or -errno if there is no lock any more, as where another recorder has it. */
static int keep_lock(struct recorder *recorder)
{
	int fd;

	if (!fd_is_removed(recorder->lock_fd))
		return 0;
	fd = recording_lock(recorder->dir_fd, recorder->began_unix_ns);
	if (fd < 0)
		return fail(recorder, fd);
	fd_closep(&recorder->lock_fd);
	recorder->lock_fd = fd;
	return 0;
}

/* Makes the window up to now, and appends it. Returns -errno only if no further window can be made. */
static int record_window(struct recorder *recorder, bool is_dense, uint64_t length_ns)
{
	cleanup_(labels_done) struct labels labels = {0};
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(memory_stream_done) struct memory_stream frame = memory_stream_make();
	/* Done before its sink is. */
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer = NULL;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	uint64_t begin_s = capture_series_begin_unix_ns(recorder->series) / NS_PER_SECOND;
	bool is_whole = recording_writer_begins_file(&recorder->writer, begin_s);
	int r = keep_lock(recorder);

	if (r < 0)
		return r;
	if (recorder->serve && serve_wants_whole(recorder->serve))
		is_whole = true;
	set_labels(recorder, is_dense, &labels);
	capture_series_set_next(recorder->series, length_ns, &labels);
	writer = snapshot_writer_new(&frame.sink, SNAPSHOT_ZSTD_LEVEL);
	r = capture_series_next(recorder->series, is_whole, writer, &info, &reason);
	if (r < 0) {
		cli_error("%s", reason.len > 0 ? strbuf_str(&reason) : strerror(-r));
		return r;
	}
	note_result(recorder, recording_writer_append(&recorder->writer, begin_s, frame.bytes.data,
	                                              frame.bytes.len));
	serve_window(recorder, is_whole, &frame.bytes);
	return 0;
}

/* Windows are dense from a trigger on, until none has fired for a time. */
static void note_triggers(struct recorder *recorder, bool was_dense)
{
	struct record_wait *wait = &recorder->wait;

	for (unsigned i = 0; i < wait->trigger_count; i++)
		if ((wait->gone & 1U << i) != 0)
			cli_error("%s: '%s' ends, since its cgroup is gone; the recording goes on",
			          recorder->options->directory, wait->triggers[i].text);
	wait->gone = 0;
	if (wait->fired == 0)
		return;
	recorder->dense_by = (was_dense ? recorder->dense_by : 0) | wait->fired;
	recorder->dense_until_ns = clock_now_ns(CLOCK_MONOTONIC) + DENSE_AFTER_NS;
	wait->fired = 0;
}

static int record_until_stopped(struct recorder *recorder)
{
	uint64_t every_ns = recorder->options->series.length_ns;
	uint64_t until_ns = clock_now_ns(CLOCK_MONOTONIC);
	enum record_event event = RECORD_TIME;
	int r = 0;

	while (r == 0 && event != RECORD_STOP) {
		uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
		bool is_dense = now_ns < recorder->dense_until_ns;
		uint64_t length_ns =
		        is_dense && every_ns > DENSE_LENGTH_NS ? DENSE_LENGTH_NS : every_ns;

		/* Windows that come too late for their place are not made up for. */
		until_ns = until_ns + length_ns > now_ns ? until_ns + length_ns : now_ns;
		r = record_wait_next(&recorder->wait, until_ns, !is_dense, &event);
		if (r < 0)
			return fail(recorder, r);
		if (event == RECORD_STOP)
			service_notify("STOPPING=1");
		if (event == RECORD_HUP || event == RECORD_FIRED)
			until_ns = clock_now_ns(CLOCK_MONOTONIC);
		r = record_window(recorder, is_dense, length_ns);
		note_triggers(recorder, is_dense);
		if (event == RECORD_HUP)
			recording_writer_end_file(&recorder->writer);
	}
	return r;
}

static int open_triggers(struct recorder *recorder)
{
	const struct record_options *options = recorder->options;

	for (size_t i = 0; i < options->trigger_count; i++) {
		cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
		int r = trigger_open(&options->triggers[i], &reason);

		if (r < 0) {
			cli_error("--on '%s': %s", options->triggers[i].text, strbuf_str(&reason));
			return r;
		}
	}
	recorder->wait.triggers = options->triggers;
	recorder->wait.trigger_count = (unsigned)options->trigger_count;
	return 0;
}

/* The process has nothing of the recorder but its socket, so it comes before all sources. */
static int start_serving(struct recorder *recorder, struct strbuf *where)
{
	const struct record_options *options = recorder->options;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r;

	if (!options->serve)
		return 0;
	r = serve_start(options->serve, options->served, &recorder->serve, where, &reason);
	if (r < 0)
		cli_error("--serve: %s", reason.len > 0 ? strbuf_str(&reason) : strerror(-r));
	return r;
}

int record_run(const struct record_options *options)
{
	cleanup_(recorder_done) struct recorder recorder = {.options = options,
	                                                    .dir_fd = -1,
	                                                    .lock_fd = -1,
	                                                    .writer = RECORDING_WRITER_INIT,
	                                                    .wait = {.signal_fd = -1}};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf where = STRBUF_INIT;
	int r = start_serving(&recorder, &where);

	if (r < 0)
		return r;
	r = record_wait_init(&recorder.wait);
	if (r < 0)
		return fail(&recorder, r);
	r = open_triggers(&recorder);
	if (r < 0)
		return r;
	/* The directory is made last, so that a wrong option leaves none behind. */
	r = open_recording(&recorder);
	if (r < 0)
		return r;
	if (options->serve)
		cli_error("%s: the newest window is at http://%s/metrics", options->directory,
		          strbuf_str(&where));
	r = capture_series_new(&options->series, &recorder.series, &reason);
	if (r < 0) {
		cli_error("%s", reason.len > 0 ? strbuf_str(&reason) : strerror(-r));
		return r;
	}
	service_notify("READY=1");
	return record_until_stopped(&recorder);
}
