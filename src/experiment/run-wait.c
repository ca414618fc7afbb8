// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "run-state.h"

/* The rest of a block, and all blocks to come, at the speed so far. */
static uint64_t time_left(const struct run *run)
{
	const struct experiment *experiment = run->experiment;
	unsigned length = schedule_block_length(&experiment->schedule);
	uint64_t units, each = run->unit_ns;

	if (each == 0 && experiment->plan.unit == PLAN_UNIT_WINDOW)
		each = experiment->plan.window_ns;
	if (each == 0)
		return 0;
	units = (uint64_t)(experiment->plan.blocks - run->progress.blocks_done) * length;
	if (run->progress.block == 0)
		units += length;
	units -= run->progress.position > 0 ? run->progress.position - 1 : 0;
	return units * (each + experiment->plan.settle_ns);
}

void run_show(struct run *run, enum run_step step)
{
	struct run_observer *observer = run->options->observer;

	run->progress.step = step;
	run->progress.left_ns = time_left(run);
	run->shown_ns = clock_now_ns(CLOCK_MONOTONIC);
	observer->progress(observer, &run->progress);
}

/* Returns the mark that has not been followed yet. A unit that is a run has none. */
static enum work_mark next_mark(const struct run *run)
{
	if (run->experiment->plan.unit != PLAN_UNIT_WINDOW || run->measure.readings > 1)
		return WORK_MARK_COUNT;
	return run->measure.readings == 0 ? WORK_MARK_BEGIN : WORK_MARK_END;
}

/* Reads the available output in front of @next. Descendants of the workload may keep the pipe open, so the end of the workload itself
 * counts. */
static int read_output(struct run *run, enum work_mark next)
{
	char bytes[65536];
	ssize_t len = work_marks_read(run->measure.marks, next, run->workload.output_fd, bytes,
	                              sizeof(bytes));

	if (len < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	if (len == 0) {
		work_output_end(&run->output);
		close(run->workload.output_fd);
		run->workload.output_fd = -1;
		return 0;
	}
	work_output_add(&run->output, bytes, (size_t)len);
	return (int)len;
}

static int reap(struct run *run)
{
	int r = 1, left;

	workload_reap(&run->workload);
	/* All that it has printed is in the pipe now. Its descendants may print for ever, so that no more is read than a pipe
	 * holds. */
	left = run->workload.ended ? fcntl(run->workload.output_fd, F_GETPIPE_SZ) : 0;
	for (; left > 0 && run->workload.output_fd >= 0 && r > 0; left -= r)
		r = read_output(run, next_mark(run));
	if (run->workload.ended) {
		work_output_end(&run->output);
		work_output_freeze(&run->output);
	}
	return r < 0 ? r : 0;
}

/* In a unit that is a window, only what is printed between the begins of its two readings counts, and nothing while its file is
 * written. */
static int follow_window(struct run *run)
{
	enum work_mark mark = next_mark(run);
	unsigned before = run->measure.readings;
	int r = measure_read(&run->measure);

	if (r < 0 || run->measure.readings == before || mark == WORK_MARK_COUNT)
		return r;
	r = 1;
	while (r > 0 && run->workload.output_fd >= 0)
		r = read_output(run, mark);
	if (mark == WORK_MARK_BEGIN)
		work_output_clear(&run->output);
	else
		work_output_freeze(&run->output);
	return r < 0 ? r : 0;
}

enum { POLL_STOP, POLL_CHANGES, POLL_RESULT, POLL_PROCESS, POLL_OUTPUT, POLL_OUTLOOK, POLL_COUNT };

static int handle(struct run *run, const struct pollfd fds[POLL_COUNT], struct strbuf *reterr)
{
	int r = 0;

	if (fds[POLL_STOP].revents)
		return -EINTR;
	if (fds[POLL_CHANGES].revents)
		r = changes_check(run->changes, reterr);
	if (r < 0)
		return r;
	if (fds[POLL_RESULT].revents)
		r = follow_window(run);
	if (r < 0) {
		strbuf_addf(reterr, "the process that measures has ended: %s", strerror(-r));
		return r;
	}
	if (fds[POLL_OUTLOOK].revents)
		outlook_read(&run->outlook);
	/* Its end may have been read above. */
	if (fds[POLL_OUTPUT].revents && run->workload.output_fd >= 0)
		r = read_output(run, next_mark(run));
	if (r >= 0 && fds[POLL_PROCESS].revents)
		r = reap(run);
	if (r < 0)
		strbuf_addf(reterr, "what the workload prints: %s", strerror(-r));
	return r < 0 ? r : 0;
}

int run_wait(struct run *run, uint64_t until_ns, struct strbuf *reterr)
{
	const struct workload *workload = &run->workload;
	struct pollfd fds[POLL_COUNT] = {
	        [POLL_STOP] = {.fd = run->options->stop_fd, .events = POLLIN},
	        [POLL_CHANGES] = {.fd = changes_watch_fd(run->changes), .events = POLLIN},
	        [POLL_RESULT] = {.fd = run->measure.done ? -1 : run->measure.result_fd,
	                         .events = POLLIN},
	        [POLL_PROCESS] = {.fd = workload->ended ? -1 : workload->pid_fd, .events = POLLIN},
	        [POLL_OUTPUT] = {.fd = workload->output_fd, .events = POLLIN},
	        [POLL_OUTLOOK] = {.fd = run->outlook.done ? -1 : run->outlook.fd, .events = POLLIN},
	};
	uint64_t now = clock_now_ns(CLOCK_MONOTONIC), next = run->shown_ns + NS_PER_SECOND, wait;
	struct timespec timeout;

	if (next > until_ns)
		next = until_ns;
	wait = next > now ? next - now : 0;
	timeout = (struct timespec){.tv_sec = (time_t)(wait / NS_PER_SECOND),
	                            .tv_nsec = (long)(wait % NS_PER_SECOND)};
	if (ppoll(fds, POLL_COUNT, &timeout, NULL) < 0 && errno != EINTR) {
		int r = -errno;

		strbuf_addf(reterr, "poll: %s", strerror(-r));
		return r;
	}
	if (clock_now_ns(CLOCK_MONOTONIC) >= run->shown_ns + NS_PER_SECOND)
		run_show(run, run->progress.step);
	return handle(run, fds, reterr);
}
