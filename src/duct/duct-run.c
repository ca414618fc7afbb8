// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "duct/duct-copy.h"
#include "duct/duct-pty.h"
#include "duct/duct-recorder.h"

/* con-duct's Ctrl-C: the first one of these kills the command, and later ones end ctprof. */
enum { KILLING_INTERRUPT = 3, EXIT_AT_ONCE = 1 };

struct run {
	struct job_watcher watcher; /* must stay the first member */
	const struct duct_options *options;
	struct duct_outcome *outcome;
	struct duct_recorder recorder;
	unsigned interrupts;
	pid_t pid;
	int null_fd;
};

static void sample(struct job_watcher *self, const struct job_moment *moment,
                   struct job_memory *ret)
{
	struct run *run = (struct run *)self;

	duct_recorder_sample(&run->recorder, moment, ret);
}

static void started(struct job_watcher *self, pid_t pid, uint64_t start_ns)
{
	struct run *run = (struct run *)self;

	(void)start_ns;
	run->pid = pid;
	if (run->outcome->pty)
		duct_pty_close_slave(run->outcome->pty);
	if (run->options->started)
		run->options->started(run->options->context);
}

/* The kernel tells nobody, since the terminal is nobody's controlling one. */
static void resize(const struct run *run)
{
	if (!run->outcome->pty)
		return;
	duct_pty_resize(run->outcome->pty);
	(void)kill(run->options->new_session ? -run->pid : run->pid, SIGWINCH);
}

/* It can take long to end in the kernel, and a process of another user can be none that we may kill. */
static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid != 0;
}

static enum duct_reaction react(struct run *run, int number)
{
	if (number != SIGINT || ++run->interrupts < KILLING_INTERRUPT)
		return DUCT_PASSES;
	if (run->interrupts == KILLING_INTERRUPT || has_ended(run->pid))
		return DUCT_KILLS;
	return DUCT_LEAVES;
}

static void signalled(struct job_watcher *self, int number, bool passed)
{
	struct run *run = (struct run *)self;
	enum duct_reaction reaction;

	if (number == SIGWINCH && !passed) {
		resize(run);
		return;
	}
	reaction = react(run, number);
	if (reaction == DUCT_KILLS)
		(void)kill(run->pid, SIGKILL);
	if (run->options->signalled)
		run->options->signalled(run->options->context, number, reaction);
	if (reaction == DUCT_LEAVES)
		_exit(EXIT_AT_ONCE);
}

/* A stream of the command goes into its file, or where ours goes, or nowhere. */
static int choose_stream(const struct run *run, enum duct_file_id id, bool shows, int ours)
{
	const struct duct_file *file = &run->options->files->files[id];

	return file->fd >= 0 ? file->fd : shows ? ours : run->null_fd;
}

/* A file that is where we would show it is not copied into itself. */
static bool is_same(int one, int other)
{
	struct stat first, second;

	return fstat(one, &first) == 0 && fstat(other, &second) == 0 &&
	       first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static int open_copy(const struct run *run, enum duct_file_id id, bool shows, int ours, int *ret)
{
	const struct duct_file *file = &run->options->files->files[id];
	int fd;

	*ret = -1;
	if (!shows || file->fd < 0 || is_same(file->fd, ours))
		return 0;
	fd = duct_file_open_reader(file);
	if (fd < 0)
		return fd;
	*ret = fd;
	return 0;
}

static int start_copies(struct run *run)
{
	const struct duct_options *options = run->options;
	const int to[DUCT_COPIES] = {STDOUT_FILENO, STDERR_FILENO};
	int from[DUCT_COPIES] = {-1, -1};
	int r = open_copy(run, DUCT_STDOUT, options->shows_stdout, to[0], &from[0]);

	if (r == 0)
		r = open_copy(run, DUCT_STDERR, options->shows_stderr, to[1], &from[1]);
	if (r < 0) {
		fd_closep(&from[0]);
		return r;
	}
	if (from[0] < 0 && from[1] < 0)
		return 0;
	return duct_copies_start(from, to, &run->outcome->copies);
}

static int start_pty(struct run *run)
{
	const struct duct_options *options = run->options;
	int file_fd = options->files->files[DUCT_STDOUT].fd,
	    shown_fd = options->shows_stdout ? STDOUT_FILENO : -1;

	if (file_fd >= 0 && shown_fd >= 0 && is_same(file_fd, shown_fd))
		shown_fd = -1;
	return duct_pty_start(file_fd, shown_fd, &run->outcome->pty);
}

/* Sets the streams of the command, and shows what it writes. */
static int start_streams(struct run *run, struct job_launch *launch)
{
	const struct duct_options *options = run->options;
	int r = options->pty ? start_pty(run) : start_copies(run);

	if (r < 0)
		return r;
	launch->has_streams = true;
	if (options->pty) {
		launch->stdout_fd = launch->stderr_fd = duct_pty_slave(run->outcome->pty);
		return 0;
	}
	launch->stdout_fd = choose_stream(run, DUCT_STDOUT, options->shows_stdout, STDOUT_FILENO);
	launch->stderr_fd = choose_stream(run, DUCT_STDERR, options->shows_stderr, STDERR_FILENO);
	return 0;
}

static void run_done(struct run *run)
{
	duct_recorder_done(&run->recorder);
	fd_closep(&run->null_fd);
}

int duct_run(const struct duct_options *options, struct duct_outcome *ret, struct strbuf *reterr)
{
	cleanup_(run_done) struct run run = {
	        .watcher = {.started = started, .sample = sample, .signalled = signalled},
	        .options = options,
	        .outcome = ret,
	        .null_fd = open("/dev/null", O_RDWR | O_CLOEXEC),
	};
	struct job_options job = {
	        .launch = {.argv = options->argv,
	                   .inherited = options->inherited,
	                   .new_session = options->new_session},
	        .watcher = &run.watcher,
	        .smaps = options->smaps,
	        .sample_ns = options->sample_ns,
	        .report_ns = options->report_ns,
	};
	int r = run.null_fd < 0 ? -errno : 0;

	*ret = (struct duct_outcome){0};
	duct_recorder_init(&run.recorder,
	                   options->has_records ? &options->files->files[DUCT_USAGE] : NULL,
	                   options->report_ns);
	if (r == 0)
		r = start_streams(&run, &job.launch);
	if (r < 0) {
		strbuf_addf(reterr, "the output of the command cannot be followed: %s",
		            strerror(-r));
		return r;
	}
	r = job_run(&job, &ret->job, reterr);
	ret->recorded = run.recorder.recorded;
	return r;
}

void duct_outcome_show(struct duct_outcome *outcome)
{
	int r = duct_pty_stop(outcome->pty);

	if (r < 0)
		outcome->output_error = r;
	outcome->pty = NULL;
	duct_copies_stop(outcome->copies);
	outcome->copies = NULL;
}

void duct_outcome_done(struct duct_outcome *outcome)
{
	duct_outcome_show(outcome);
	job_result_done(&outcome->job);
	*outcome = (struct duct_outcome){0};
}
