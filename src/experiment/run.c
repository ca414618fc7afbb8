// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/text.h"
#include "run-state.h"

/* The run is given up after so many failures in a row. */
enum { FAILURES_MAX = 3, SETTING_BYTES = 4096, DESCRIPTORS_LEAST = 48 };

static bool names_path(const struct knob_list *arm, const char *path)
{
	for (size_t i = 0; i < arm->count; i++)
		if (arm->entries[i].path && strcmp(arm->entries[i].path, path) == 0)
			return true;
	return false;
}

void run_add_common(struct plan *plan)
{
	static const struct {
		const char *name, *path;
	} switches[] = {
	        {"kernel.sched_schedstats", "/proc/sys/kernel/sched_schedstats"},
	        {"kernel.task_delayacct", "/proc/sys/kernel/task_delayacct"},
	};

	for (size_t s = 0; s < ARRAY_SIZE(switches); s++) {
		bool named = false;

		for (size_t i = 0; i < plan->arm_count; i++)
			named = named || names_path(&plan->arms[i].knobs, switches[s].path);
		if (named || access(switches[s].path, R_OK | W_OK) < 0)
			continue;
		for (size_t i = 0; i < plan->arm_count; i++) {
			cleanup_(strbuf_done) struct strbuf unused = STRBUF_INIT;

			/* The name is good, and new. */
			(void)!knob_add(&plan->arms[i].knobs, KNOB_SYSCTL, switches[s].name, "1",
			                NULL, &unused);
		}
	}
}

/* One line of a small file. */
static char *read_line(const char *path)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest, line;

	if (fd_read_all_at(AT_FDCWD, path, &text, SETTING_BYTES) < 0)
		return NULL;
	rest = (struct span){strbuf_str(&text), text.len};
	return scan_line(&rest, &line) ? mem_copy(line.text, line.len) : NULL;
}

/* Keeps the old values for the record. */
static void record_before(struct experiment *experiment)
{
	for (size_t i = 0; i < experiment->plan.arm_count; i++) {
		const struct knob_list *arm = &experiment->plan.arms[i].knobs;

		for (size_t k = 0; k < arm->count; k++) {
			const char *path = arm->entries[k].path;
			bool known = path == NULL;

			for (size_t b = 0; b < experiment->before_count && !known; b++)
				known = strcmp(experiment->before[b].path, path) == 0;
			if (!known)
				*array_add(experiment->before, experiment->before_count,
				           experiment->before_capacity) = (struct setting_before){
				        mem_copy_text(path), read_line(path)};
		}
	}
}

static bool text_equal(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

/* One boot of one host is one session, whenever it is resumed. */
static void begin_session(struct experiment *experiment)
{
	char *boot_id = read_line("/proc/sys/kernel/random/boot_id");
	struct utsname names = {0};
	struct session *session;

	if (experiment->session_count > 0 &&
	    text_equal(experiment->sessions[experiment->session_count - 1].boot_id, boot_id)) {
		mem_freep(&boot_id);
		return;
	}
	(void)uname(&names);
	session = array_add(experiment->sessions, experiment->session_count,
	                    experiment->session_capacity);
	*session = (struct session){
	        .boot_id = boot_id,
	        .host = mem_copy_text(names.nodename),
	        .start_unix_ns = clock_now_ns(CLOCK_REALTIME),
	};
}

/* Gives up the blocks that a killed run left. */
static void void_remains(struct experiment *experiment)
{
	for (unsigned block = 1; block <= experiment->plan.blocks; block++)
		if (!experiment_has_block(experiment, block))
			experiment_void_block(experiment, block, "the experiment was interrupted");
}

static int add_unit(struct run *run, unsigned block, unsigned position, unsigned arm,
                    struct strbuf *reterr)
{
	struct experiment *experiment = run->experiment;
	unsigned number = (unsigned)experiment->unit_count + 1;
	struct unit unit = {
	        .arm = arm,
	        .block = block,
	        .position = position,
	        .session = (unsigned)experiment->session_count,
	        .state = block == 0 ? UNIT_DISCARDED : UNIT_DONE,
	};
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	int r;

	run->progress.block = block;
	run->progress.position = position;
	run->progress.arm = arm;
	run->progress.blocks_done = experiment_blocks_done(experiment);
	r = run_unit(run, &unit, number, &phrase);
	strbuf_add(reterr, strbuf_str(&phrase), phrase.len);
	if (r > 0 && block > 0) {
		unit.state = UNIT_VOID;
		unit.reason = mem_copy(strbuf_str(&phrase), phrase.len);
	}
	/* A unit that was not measured to its end has no file; an interrupted one is not recorded at all. */
	if (r < 0 || !run->measure.result.length_ns) {
		mem_freep(&unit.file);
		unit.file = NULL;
	}
	if (r < 0) {
		for (size_t i = 0; i < unit.outcome_count; i++)
			mem_freep(&unit.outcomes[i].name);
		return r;
	}
	*array_add(experiment->units, experiment->unit_count, experiment->unit_capacity) = unit;
	return r;
}

/* Returns what run_unit() returns. */
static int run_block(struct run *run, unsigned block, struct strbuf *reterr)
{
	struct experiment *experiment = run->experiment;
	unsigned arms[SCHEDULE_BLOCK_MAX];
	unsigned length = schedule_block_length(&experiment->schedule);
	int r = 0;

	schedule_block(&experiment->schedule, block, arms);
	for (unsigned i = 0; i < length && r == 0; i++) {
		int written;

		r = add_unit(run, block, i + 1, arms[i], reterr);
		if (r < 0)
			return r;
		if (r > 0 && block > 0)
			experiment_void_block(experiment, block, strbuf_str(reterr));
		written = experiment_write(experiment, reterr);
		if (written < 0)
			return written;
	}
	return r;
}

static void note_void(struct run *run, unsigned block, const char *reason)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (block == 0)
		strbuf_addf(&text, "the first block, which does not count: %s", reason);
	else
		strbuf_addf(&text, "block %u is void and will be run again: %s", block, reason);
	run->options->observer->note(run->options->observer, strbuf_str(&text));
}

/* Blocks that are void may take as long as the experiment. Then the host is not quiet enough for these guards. */
static int check_voids(const struct run *run, unsigned failures, unsigned voids, const char *reason,
                       struct strbuf *reterr)
{
	if (failures >= FAILURES_MAX)
		strbuf_addf(reterr, "the command of %u blocks in a row failed, the last time: %s",
		            failures, reason);
	else if (voids > run->experiment->plan.blocks)
		strbuf_addf(reterr, "%u blocks were void, the last one: %s", voids, reason);
	else
		return 0;
	return -ECANCELED;
}

static int run_blocks(struct run *run, struct strbuf *reterr)
{
	struct experiment *experiment = run->experiment;
	unsigned block = 0, in_row = 0, voids = 0;
	int r;

	do {
		cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

		r = run_block(run, block, &reason);
		if (r < 0) {
			strbuf_add(reterr, strbuf_str(&reason), reason.len);
			break;
		}
		in_row = r == RUN_FAILED ? in_row + 1 : 0;
		voids += r > 0;
		if (r > 0) {
			note_void(run, block, strbuf_str(&reason));
			r = check_voids(run, in_row, voids, strbuf_str(&reason), reterr);
		}
		if (r == 0)
			r = run_look_ahead(run, reterr);
		block = experiment_next_block(experiment);
	} while (r == 0 && block > 0);
	return r;
}

/* Checks that this process can open as many files as it needs at once. Without them it could not restore what it has set. */
static int check_descriptors(struct strbuf *reterr)
{
	int fds[DESCRIPTORS_LEAST], count = 0, r = 0;

	while (count < DESCRIPTORS_LEAST && r == 0) {
		fds[count] = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
		if (fds[count] < 0)
			r = -errno;
		else
			count++;
	}
	if (r < 0)
		strbuf_addf(reterr, "%d more files must be open at a time, and only %d can be: %s",
		            DESCRIPTORS_LEAST, count, strerror(-r));
	while (count > 0)
		close(fds[--count]);
	return r;
}

static int begin(struct run *run, struct strbuf *reterr)
{
	struct experiment *experiment = run->experiment;
	const struct changes_options options = {
	        .state_dir = run->options->state_dir,
	        .label = experiment->plan.name,
	        .stop_fd = run->options->stop_fd,
	        .output_fd = -1,
	};
	int r = check_descriptors(reterr);

	if (r == 0)
		r = changes_begin(&run->changes, run->arms, experiment->plan.arm_count, &options,
		                  reterr);
	if (r == 0)
		r = changes_try(run->changes, reterr);
	if (r < 0)
		return r;
	record_before(experiment);
	begin_session(experiment);
	void_remains(experiment);
	experiment->state = EXPERIMENT_RUNNING;
	return experiment_write(experiment, reterr);
}

static void add_line(struct strbuf *out, const struct strbuf *line)
{
	if (line->len == 0)
		return;
	if (out->len > 0)
		strbuf_add_char(out, '\n');
	strbuf_add(out, line->data, line->len);
}

/* Ends the experiment: restores all its changes, after an error as well. */
static int end(struct run *run, int r, bool *ret_restored, struct strbuf *reterr)
{
	struct experiment *experiment = run->experiment;
	cleanup_(strbuf_done) struct strbuf report = STRBUF_INIT, reason = STRBUF_INIT;
	int written;

	*ret_restored = changes_end(run->changes, &report) == 0;
	experiment->state = r == 0        ? EXPERIMENT_COMPLETE
	                    : r == -EINTR ? EXPERIMENT_INTERRUPTED
	                                  : EXPERIMENT_FAILED;
	if (experiment->session_count > 0) {
		void_remains(experiment);
		written = experiment_write(experiment, &reason);
		/* It may be what has ended the experiment. */
		if (written < 0 && !strstr(strbuf_str(reterr), strbuf_str(&reason)))
			add_line(reterr, &reason);
		r = r < 0 ? r : written;
	}
	add_line(reterr, &report);
	return r;
}

int run_experiment(struct experiment *experiment, const struct run_options *options,
                   bool *ret_restored, struct strbuf *reterr)
{
	struct knob_list arms[PLAN_ARMS_MAX];
	struct run run = {
	        .experiment = experiment,
	        .options = options,
	        .arms = arms,
	        .measure = MEASURE_INIT,
	        .workload = WORKLOAD_INIT,
	        .outlook = OUTLOOK_INIT,
	        .progress = {.experiment = experiment},
	};
	int r;

	for (size_t i = 0; i < experiment->plan.arm_count; i++)
		arms[i] = experiment->plan.arms[i].knobs;
	r = begin(&run, reterr);
	if (r == 0)
		r = run_blocks(&run, reterr);
	measure_done(&run.measure);
	outlook_done(&run.outlook);
	workload_done(&run.workload);
	work_output_done(&run.output);
	return end(&run, r, ret_restored, reterr);
}
