// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"
#include "journal.h"
#include "knob/changes.h"
#include "revert.h"
#include "state-dir.h"

static int complain(struct strbuf *report, const char *dir, const char *what)
{
	text_add_escaped(report, dir, strlen(dir));
	strbuf_addf(report, "/changes: %s", what);
	return 0;
}

static int say(struct strbuf *report, const char *dir, int r)
{
	complain(report, dir,
	         r == -EBUSY     ? "an experiment runs, or is being taken back"
	         : r == -EBADMSG ? "this is no journal of ctprof; its removal gives up what it was "
	                           "to restore"
	         : r == -EPERM ? "the directory must belong to this user, and nobody else may have "
	                         "rights in it"
	                       : strerror(-r));
	return r;
}

static void add_line(struct strbuf *report, const char *line)
{
	if (report->len > 0)
		strbuf_add_char(report, '\n');
	strbuf_add_str(report, line);
}

static int restore(int dir_fd, struct journal *journal, size_t *ret_done, struct strbuf *report)
{
	cleanup_(strbuf_done) struct strbuf boot_id = STRBUF_INIT;
	struct reverts reverts;
	bool rebooted;
	int r = journal_boot_id(&boot_id);

	if (r < 0)
		return r;
	rebooted = strcmp(strbuf_str(&boot_id), journal->boot_id) != 0;
	reverts = revert_all(journal, rebooted, STDERR_FILENO, report);
	if (ret_done)
		*ret_done = reverts.count[REVERTED];
	if (reverts.reset_by_boot > 0)
		add_line(report, "the host has been booted since: files of the kernel and of "
		                 "memory have the values of this boot");
	if (reverts.count[REVERT_FAILED] == 0)
		r = journal_remove(dir_fd);
	else
		add_line(report, "the journal is kept: 'ctprof ab --restore' tries again");
	return r < 0 ? r : reverts.count[REVERTED] < journal->count;
}

int changes_restore(const char *state_dir, size_t *ret_done, struct strbuf *report)
{
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT, phrase = STRBUF_INIT;
	cleanup_(fd_closep) int dir_fd = -1, lock_fd = -1;
	struct journal journal = JOURNAL_INIT;
	const char *dir = state_dir_path(state_dir, &scratch);
	int r;

	if (ret_done)
		*ret_done = 0;
	if (!dir)
		return 0;
	dir_fd = state_dir_open(dir, false, &phrase);
	if (dir_fd < 0 && phrase.len > 0)
		(void)complain(report, dir, strbuf_str(&phrase));
	else if (dir_fd < 0 && dir_fd != -ENOENT)
		(void)say(report, dir, dir_fd);
	if (dir_fd < 0)
		return dir_fd == -ENOENT ? 0 : dir_fd;
	if (!journal_exists(dir_fd))
		return 0;
	lock_fd = state_dir_lock(dir_fd);
	if (lock_fd < 0)
		return say(report, dir, lock_fd);
	r = journal_read(&journal, dir_fd);
	if (r == -ENOENT)
		return 0;
	if (r == 0)
		r = restore(dir_fd, &journal, ret_done, report);
	journal_done(&journal);
	return r < 0 ? say(report, dir, r) : r;
}

/* Appends the name and the time of the experiment if its journal can be read. */
static void describe(struct strbuf *out, int dir_fd)
{
	struct journal journal = JOURNAL_INIT;
	char began[32] = "";
	struct tm local;
	time_t seconds;

	if (journal_read(&journal, dir_fd) < 0) {
		strbuf_add_str(out, "an experiment");
		return;
	}
	seconds = (time_t)journal.began_s;
	if (localtime_r(&seconds, &local))
		(void)strftime(began, sizeof(began), " of %Y-%m-%d %H:%M", &local);
	strbuf_add_str(out, "the experiment ");
	text_add_escaped(out, journal.label, strlen(journal.label));
	strbuf_addf(out, "%s", began + (journal.label[0] == '\0'));
	journal_done(&journal);
}

bool changes_pending(const char *state_dir, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT, path = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	cleanup_(fd_closep) int dir_fd = -1;
	const char *dir = state_dir_path(state_dir, &scratch);

	if (!dir)
		return false;
	/* Nearly always there is nothing, and each command asks. */
	strbuf_addf(&path, "%s/changes", dir);
	if (access(path.data, F_OK) < 0)
		return false;
	dir_fd = state_dir_open(dir, false, &phrase);
	if (dir_fd < 0 || !journal_exists(dir_fd) || state_dir_is_locked(dir_fd))
		return false;
	describe(out, dir_fd);
	strbuf_add_str(
	        out,
	        " has left settings of this host changed; 'ctprof ab --restore' takes them back");
	return true;
}
