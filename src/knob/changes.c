// SPDX-License-Identifier: GPL-2.0-or-later
#include "knob/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/text.h"
#include "changes-state.h"
#include "revert.h"
#include "state-dir.h"

static bool changes_anything(const struct knob_list *arms, size_t arm_count)
{
	for (size_t i = 0; i < arm_count; i++)
		for (size_t j = 0; j < arms[i].count; j++)
			if (arms[i].entries[j].kind != KNOB_ENV)
				return true;
	return false;
}

static void add_dir(struct strbuf *out, const char *dir)
{
	text_add_escaped(out, dir, strlen(dir));
}

static int complain_of_dir(struct strbuf *reterr, const char *dir, const struct strbuf *phrase,
                           int r)
{
	add_dir(reterr, dir);
	strbuf_addf(reterr, ": %s", phrase->len > 0 ? strbuf_str(phrase) : strerror(-r));
	return r;
}

/* Takes the lock, and refuses a journal of earlier times. */
static int claim_host(struct changes *changes, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	int fd = state_dir_open(changes->dir, true, &phrase);

	if (fd < 0)
		return complain_of_dir(reterr, changes->dir, &phrase, fd);
	changes->dir_fd = fd;
	fd = state_dir_lock(changes->dir_fd);
	if (fd == -EBUSY) {
		strbuf_add_str(reterr, "another experiment runs on this host, or is being taken "
		                       "back; its lock is ");
		add_dir(reterr, changes->dir);
		strbuf_add_str(reterr, "/changes.lock");
		return fd;
	}
	if (fd < 0)
		return complain_of_dir(reterr, changes->dir, &phrase, fd);
	changes->lock_fd = fd;
	if (!journal_exists(changes->dir_fd))
		return 0;
	strbuf_add_str(
	        reterr,
	        "an earlier experiment has not been taken back: run 'ctprof ab --restore' first (");
	add_dir(reterr, changes->dir);
	strbuf_add_str(reterr, "/changes)");
	return -EUCLEAN;
}

static int start_guardian(struct changes *changes, struct strbuf *reterr)
{
	int r = guardian_start(&changes->guardian, changes->dir_fd, changes->lock_fd);

	if (r == 0)
		r = changes_watch(changes, changes->guardian.pidfd);
	if (r < 0)
		strbuf_addf(reterr, "no process can be started that would restore the settings: %s",
		            strerror(-r));
	return r;
}

static int write_journal(struct changes *changes, const char *label, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf boot_id = STRBUF_INIT;
	struct journal *journal = &changes->plan.journal;
	cleanup_(mem_freep) char *directory = getcwd(NULL, 0);
	int r = directory ? 0 : -errno;

	if (r == 0) {
		journal->directory_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
		r = journal->directory_fd < 0 ? -errno : journal_boot_id(&boot_id);
	}
	if (r == 0) {
		journal->boot_id = mem_copy(strbuf_str(&boot_id), boot_id.len);
		journal->directory = take_ptr(directory);
		journal->label = mem_copy(label ? label : "", label ? strlen(label) : 0);
		journal->began_s = clock_now_ns(CLOCK_REALTIME) / NS_PER_SECOND;
		r = journal_write(journal, changes->dir_fd);
	}
	if (r < 0) {
		add_dir(reterr, changes->dir);
		strbuf_addf(reterr, "/changes cannot be written: %s", strerror(-r));
	}
	return r;
}

static struct changes *changes_new(const struct knob_list *arms,
                                   const struct changes_options *options)
{
	struct changes *changes = mem_calloc(1, sizeof(*changes));

	changes->arms = arms;
	changes->plan.journal = JOURNAL_INIT;
	changes->stop_fd = options->stop_fd;
	changes->output_fd = options->output_fd;
	changes->dir_fd = changes->lock_fd = changes->watch_fd = -1;
	changes->guardian = GUARDIAN_INIT;
	changes->arm = NO_ARM;
	return changes;
}

static void changes_free(struct changes *changes)
{
	guardian_end(&changes->guardian);
	for (size_t i = 0; i < changes->plan.journal.count && changes->daemons; i++)
		(void)shell_end(&changes->daemons[i]);
	free(changes->daemons);
	fd_closep(&changes->watch_fd);
	plan_done(&changes->plan);
	fd_closep(&changes->lock_fd);
	fd_closep(&changes->dir_fd);
	free(changes->dir);
	free(changes);
}

/* Starts the guardian before the journal is written, so that each journal has one. */
static int prepare(struct changes *changes, size_t arm_count, const char *label,
                   struct strbuf *reterr)
{
	int r = plan_make(&changes->plan, changes->arms, arm_count, reterr);

	if (r < 0)
		return r;
	changes->daemons = mem_calloc(changes->plan.journal.count, sizeof(changes->daemons[0]));
	for (size_t i = 0; i < changes->plan.journal.count; i++)
		changes->daemons[i] = SHELL_INIT;
	changes->watch_fd = epoll_create1(EPOLL_CLOEXEC);
	if (changes->watch_fd < 0) {
		r = -errno;
		strbuf_add_str(reterr, strerror(-r));
		return r;
	}
	r = start_guardian(changes, reterr);
	return r < 0 ? r : write_journal(changes, label, reterr);
}

int changes_begin(struct changes **ret, const struct knob_list *arms, size_t arm_count,
                  const struct changes_options *options, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT;
	const char *dir = state_dir_path(options->state_dir, &scratch);
	bool changes_host = changes_anything(arms, arm_count);
	struct changes *changes;
	int r = 0;

	if (!dir && changes_host) {
		strbuf_add_str(reterr, "only root can change settings of the host, unless "
		                       "$STATE_DIRECTORY names a directory for the journal");
		return -EACCES;
	}
	changes = changes_new(arms, options);
	if (dir) {
		changes->dir = mem_copy_text(dir);
		r = claim_host(changes, reterr);
	}
	if (r == 0)
		r = changes_host ? prepare(changes, arm_count, options->label, reterr)
		                 : plan_make(&changes->plan, arms, arm_count, reterr);
	if (r < 0) {
		/* Nothing has been changed, and the journal is ours, since we hold the lock. */
		if (changes->lock_fd >= 0 && r != -EUCLEAN)
			(void)journal_remove(changes->dir_fd);
		changes_free(changes);
		return r;
	}
	*ret = changes;
	return 0;
}

int changes_watch_fd(const struct changes *changes)
{
	return changes->watch_fd;
}

/* Returns whether a daemon of the present arm has ended, and appends a line about it. */
static bool has_daemon_ended(struct changes *changes, size_t index, struct strbuf *reterr)
{
	struct shell *shell = &changes->daemons[index];
	struct journal_entry *entry = &changes->plan.journal.entries[index];
	int status, r;

	if (shell->pid == 0)
		return false;
	r = shell_wait(shell, -1, 0, &status);
	if (r == -ETIME)
		return false;
	changes_line(reterr);
	strbuf_add_str(reterr, "the daemon '");
	text_add_escaped(reterr, entry->command, strlen(entry->command));
	strbuf_add_str(reterr, "' has ended by itself: ");
	if (r < 0)
		strbuf_add_str(reterr, strerror(-r));
	else
		shell_add_status(reterr, status);
	return true;
}

int changes_check(struct changes *changes, struct strbuf *reterr)
{
	bool is_any_gone = false;

	if (guardian_has_ended(&changes->guardian)) {
		int r;

		changes_unwatch(changes, changes->guardian.pidfd);
		guardian_end(&changes->guardian);
		r = start_guardian(changes, reterr);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < changes->plan.journal.count && changes->daemons; i++)
		is_any_gone |= has_daemon_ended(changes, i, reterr);
	return is_any_gone ? -ECHILD : 0;
}

/* Removes the journal, unless something in it is still to be done. */
static int finish_journal(struct changes *changes, const struct reverts *reverts,
                          struct strbuf *report)
{
	int r = reverts->count[REVERT_FAILED] > 0 ? 0 : journal_remove(changes->dir_fd);

	if (r < 0) {
		changes_line(report);
		add_dir(report, changes->dir);
		strbuf_addf(report, "/changes cannot be removed: %s", strerror(-r));
		return 1;
	}
	if (reverts->count[REVERT_FAILED] > 0) {
		changes_line(report);
		strbuf_add_str(report, "'ctprof ab --restore' tries again, and the removal of ");
		add_dir(report, changes->dir);
		strbuf_add_str(report, "/changes gives it up");
	}
	return reverts->count[REVERTED] < changes->plan.journal.count;
}

int changes_end(struct changes *changes, struct strbuf *report)
{
	int r = 0;

	if (!changes)
		return 0;
	if (changes->plan.journal.fd >= 0) {
		struct reverts reverts =
		        revert_all(&changes->plan.journal, false, changes->output_fd, report);

		r = finish_journal(changes, &reverts, report);
	}
	/* The guardian is killed: it would try again what has just failed. */
	changes_free(changes);
	return r;
}
