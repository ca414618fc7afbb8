// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/boot-clock.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/helper.h"
#include "base/output.h"
#include "capture/capture.h"
#include "child.h"

/* A window without a length ends earlier. */
#define LENGTH_MAX_NS (7 * 24 * 3600 * NS_PER_SECOND)

/* The descriptors of the child. */
enum { CHILD_RESULT = CHILD_FIRST, CHILD_CONTROL, CHILD_DIRECTORY, CHILD_OUTPUT };

/* The messages of the child: the window begins, and ends; its first reading is complete; the result follows. */
static const char reading_byte = 'B', ready_byte = 'R', result_byte = 'E';

/* The signal that ends the child, which ignores those that are for the runner. */
static int end_signal(void)
{
	return SIGRTMIN;
}

struct wait {
	struct capture_wait base; /* must stay the first member */
	struct work_marks *marks;
	int output_fd;
	enum work_mark next;
};

/* A runner that has ended reads nothing, and this process ends with it. */
static void begin_reading(struct capture_wait *self)
{
	struct wait *wait = (struct wait *)self;

	work_marks_set(wait->marks, wait->next, wait->output_fd);
	wait->next = WORK_MARK_END;
	(void)!fd_write_all(CHILD_RESULT, &reading_byte, 1);
}

/* Waits between the readings: until the end, or until the runner stops the window or ends itself. */
static int until(struct capture_wait *self, uint64_t begin_ns, uint64_t end_ns)
{
	struct pollfd control = {.fd = CHILD_CONTROL, .events = POLLIN};
	uint64_t now;
	int r = fd_write_all(CHILD_RESULT, &ready_byte, 1);

	(void)self;
	(void)begin_ns;
	while (r == 0 && (now = boot_clock_now_ns()) < end_ns) {
		uint64_t left = end_ns - now;
		struct timespec timeout = {.tv_sec = (time_t)(left / NS_PER_SECOND),
		                           .tv_nsec = (long)(left % NS_PER_SECOND)};

		r = ppoll(&control, 1, &timeout, NULL);
		if (r < 0 && errno == EINTR)
			r = 0;
	}
	return r < 0 ? r : 0;
}

static void capture(const char *name, uint64_t length_ns, const struct labels *labels,
                    struct wait *wait, struct measure_result *result)
{
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(output_done) struct output output = OUTPUT_INIT;
	/* Done before its sink is. */
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer = NULL;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct capture_window_options options = {
	        .capture = {.labels = labels},
	        .length_ns = length_ns > 0 ? length_ns : LENGTH_MAX_NS,
	        .wait = &wait->base,
	};
	int r = output_open_at(&output, CHILD_DIRECTORY, name, OUTPUT_PRIVATE);

	result->start_unix_ns = clock_now_ns(CLOCK_REALTIME);
	if (r == 0) {
		writer = snapshot_writer_new(&output.sink, SNAPSHOT_ZSTD_LEVEL);
		r = capture_window(&options, writer, &info, &reason);
	}
	if (r == 0)
		r = output_commit(&output);
	result->error = r;
	if (r < 0) {
		if (reason.len == 0)
			strbuf_addf(&reason, "%s: %s", name, output_reason(&output, r));
		snprintf(result->reason, sizeof(result->reason), "%s", strbuf_str(&reason));
		return;
	}
	result->length_ns = info.window.numbers[WINDOW_length_ns];
	guard_values_of(&info, &result->guards);
}

noreturn_ static void run_child(pid_t parent, const int result_pipe[2], const int control_pipe[2],
                                const struct measure_place *place, uint64_t length_ns,
                                const struct labels *labels, struct work_marks *marks)
{
	const int fds[] = {result_pipe[1], control_pipe[0], place->dir_fd, place->output_fd};
	const bool has_output = place->output_fd >= 0;
	struct wait wait = {
	        {until, begin_reading}, marks, has_output ? CHILD_OUTPUT : -1, WORK_MARK_BEGIN};
	struct measure_result result = {0};

	helper_ignore_signals();
	/* Unlike SIGKILL it lets the child remove an unfinished file. */
	(void)signal(end_signal(), SIG_DFL);
	helper_end_with_by(parent, end_signal());
	if (!child_keep(fds, ARRAY_SIZE(fds) - !has_output))
		_exit(1);
	capture(place->name, length_ns, labels, &wait, &result);
	if (fd_write_all(CHILD_RESULT, &result_byte, 1) < 0 ||
	    fd_write_all(CHILD_RESULT, &result, sizeof(result)) < 0)
		_exit(1);
	_exit(0);
}

int measure_begin(struct measure *measure, const struct measure_place *place, uint64_t length_ns,
                  const struct labels *labels)
{
	int result_pipe[2] = {-1, -1}, control_pipe[2] = {-1, -1};
	pid_t parent = getpid();
	int r = 0;

	*measure = MEASURE_INIT;
	measure->marks = work_marks_new();
	if (!measure->marks)
		r = -ENOMEM;
	else if (pipe2(result_pipe, O_CLOEXEC) < 0 || pipe2(control_pipe, O_CLOEXEC) < 0)
		r = -errno;
	if (r == 0) {
		/* Else the child would print the buffered text of the runner again. */
		fflush(NULL);
		measure->pid = fork();
		if (measure->pid == 0)
			run_child(parent, result_pipe, control_pipe, place, length_ns, labels,
			          measure->marks);
		r = measure->pid < 0 ? -errno : 0;
	}
	if (r == 0) {
		measure->result_fd = result_pipe[0];
		measure->control_fd = control_pipe[1];
		result_pipe[0] = control_pipe[1] = -1;
	} else {
		measure->pid = 0;
	}
	for (unsigned i = 0; i < 2; i++) {
		fd_closep(&result_pipe[i]);
		fd_closep(&control_pipe[i]);
	}
	return r;
}

static int read_some(struct measure *measure, void *bytes, size_t size)
{
	ssize_t len = read(measure->result_fd, bytes, size);

	if (len < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	return len == 0 ? -EPIPE : (int)len;
}

int measure_read(struct measure *measure)
{
	char byte;
	int r;

	if (!measure->ended) {
		r = read_some(measure, &byte, 1);
		if (r > 0 && byte == reading_byte && measure->readings++ > 0)
			measure->end_ns = clock_now_ns(CLOCK_MONOTONIC);
		else if (r > 0 && byte == ready_byte)
			measure->ready = true;
		else if (r > 0 && byte == result_byte)
			measure->ended = true;
		return r < 0 ? r : 0;
	}
	r = read_some(measure, (char *)&measure->result + measure->got,
	              sizeof(measure->result) - measure->got);
	if (r < 0)
		return r;
	measure->got += (size_t)r;
	measure->done = measure->got == sizeof(measure->result);
	return 0;
}

/* A byte, since another process may hold the pipe open for a moment. */
void measure_stop(struct measure *measure)
{
	if (measure->control_fd >= 0)
		(void)!write(measure->control_fd, &ready_byte, 1);
	fd_closep(&measure->control_fd);
}

static void end_child(const struct measure *measure)
{
	enum { PATIENCE_MS = 2000 };

	if (!measure->done) {
		kill(measure->pid, end_signal());
		if (helper_reap(measure->pid, PATIENCE_MS))
			return;
		kill(measure->pid, SIGKILL);
	}
	while (waitpid(measure->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void measure_done(struct measure *measure)
{
	fd_closep(&measure->control_fd);
	fd_closep(&measure->result_fd);
	if (measure->pid > 0)
		end_child(measure);
	measure->pid = 0;
	work_marks_freep(&measure->marks);
}
