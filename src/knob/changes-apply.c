// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "changes-state.h"
#include "knob/changes.h"
#include "knob/knob-file.h"
#include "revert.h"

enum { DAEMON_LIVES_MS = 100 };

static const struct knob *knob_of(const struct changes *changes, size_t arm, size_t index)
{
	for (size_t i = 0; arm != NO_ARM && i < changes->arms[arm].count; i++)
		if (changes->plan.targets[arm][i] == index)
			return &changes->arms[arm].entries[i];
	return NULL;
}

/* Returns whether the kernel changes the file along with one that the arm sets. */
static bool is_led(const struct changes *changes, size_t arm, size_t index)
{
	size_t partner = changes->plan.partners[index];

	return partner != NO_ENTRY && knob_of(changes, arm, partner);
}

static void add_failure(struct strbuf *reterr, const char *subject, int error)
{
	changes_line(reterr);
	text_add_escaped(reterr, subject, strlen(subject));
	strbuf_addf(reterr, ": %s", strerror(-error));
}

/* Returns 0 if a file has the arm's value, or its old content if the arm has none; 1 if not; or -errno. @text gets the content. */
static int check_file(const struct changes *changes, size_t arm, size_t index, struct strbuf *text)
{
	const struct journal_entry *entry = &changes->plan.journal.entries[index];
	const struct knob *knob = knob_of(changes, arm, index);
	int r = knob_file_read(entry->place, text);

	if (r < 0)
		return r;
	if (knob)
		return !value_holds(entry->form, strbuf_str(text), text->len, knob->value);
	return !is_led(changes, arm, index) && !revert_is_old(entry, text);
}

/* @why follows the value that was found. Returns 0, @error if a file has another value, or -errno. */
static int check_files(const struct changes *changes, size_t arm, int error, const char *why,
                       struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	int result = 0;

	for (size_t i = 0; i < changes->plan.journal.count; i++) {
		const struct journal_entry *entry = &changes->plan.journal.entries[i];
		const struct knob *knob = knob_of(changes, arm, i);
		int r = entry->kind == JOURNAL_FILE ? check_file(changes, arm, i, &text) : 0;

		if (r < 0)
			add_failure(reterr, entry->place, r);
		if (r > 0) {
			changes_line(reterr);
			text_add_escaped(reterr, entry->place, strlen(entry->place));
			strbuf_add_str(reterr, " is ");
			revert_add_value(reterr, strbuf_str(&text), text.len);
			strbuf_add_str(reterr, ", not ");
			if (knob)
				revert_add_value(reterr, knob->value, strlen(knob->value));
			else
				revert_add_value(reterr, entry->old, entry->old_len);
			strbuf_addf(reterr, ": %s", why);
		}
		if (r != 0)
			result = r < 0 ? r : error;
	}
	return result;
}

int changes_verify(struct changes *changes, struct strbuf *reterr)
{
	return check_files(changes, changes->arm, -ESTALE, "somebody else has set it", reterr);
}

/* The kernel may make another value of the one that is written. It is ours, and is to be restored. */
static void note_other_value(struct journal_entry *entry, const struct knob *knob)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (knob_file_read(entry->place, &text) < 0 ||
	    value_holds(entry->form, strbuf_str(&text), text.len, knob->value) ||
	    revert_is_old(entry, &text))
		return;
	while (text.len > 0 && text.data[text.len - 1] == '\n')
		text.data[--text.len] = '\0';
	journal_add_value(entry, strbuf_str(&text));
}

/* A value is one line, as echo writes it. */
static int set_file(struct changes *changes, size_t arm, size_t index, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct journal_entry *entry = &changes->plan.journal.entries[index];
	const struct knob *knob = knob_of(changes, arm, index);
	int r = check_file(changes, arm, index, &text);

	if (r <= 0) {
		if (r < 0)
			add_failure(reterr, entry->place, r);
		return r;
	}
	strbuf_clear(&text);
	strbuf_addf(&text, "%s\n", knob->value);
	r = knob_file_write(entry->place, text.data, text.len);
	if (r < 0) {
		changes_line(reterr);
		knob_describe(reterr, knob);
		strbuf_addf(reterr, ": %s", strerror(-r));
		return r;
	}
	note_other_value(entry, knob);
	return 0;
}

/* Files that the arm does not name get their old values. Some take them only when the arm's own are set: check_files() finds those that have
 * not. */
static void revert_others(struct changes *changes, size_t arm)
{
	for (size_t i = changes->plan.journal.count; i-- > 0;)
		if (changes->plan.journal.entries[i].kind == JOURNAL_FILE &&
		    !knob_of(changes, arm, i) && !is_led(changes, arm, i))
			(void)revert_file(&changes->plan.journal.entries[i], NULL);
}

static int say_command(const struct knob *knob, int error, int status, struct strbuf *reterr)
{
	changes_line(reterr);
	knob_describe(reterr, knob);
	strbuf_add_str(reterr, ": ");
	if (error < 0) {
		strbuf_add_str(reterr, error == -EINTR ? "interrupted" : strerror(-error));
		return error;
	}
	shell_add_status(reterr, status);
	return -ECHILD;
}

/* Runs a command; the journal has it as running, on disk, before it starts. */
static int start_command(struct changes *changes, size_t index, struct shell *shell)
{
	struct journal *journal = &changes->plan.journal;
	struct journal_entry *entry = &journal->entries[index];
	int r = shell_start(shell, entry->command, journal->directory_fd, changes->output_fd);

	if (r == 0)
		r = journal_note(journal, entry, JOURNAL_RUNNING, shell->pid, shell->start_ticks,
		                 true);
	return r < 0 ? r : shell_go(shell);
}

static int run_command(struct changes *changes, size_t index, const struct knob *knob,
                       struct strbuf *reterr)
{
	struct journal *journal = &changes->plan.journal;
	struct shell shell = SHELL_INIT;
	int status = 0, r = start_command(changes, index, &shell);

	if (r == 0)
		r = shell_wait(&shell, changes->stop_fd, -1, &status);
	if (r == 0 && status == 0)
		r = journal_note(journal, &journal->entries[index], JOURNAL_RAN, 0, 0, false);
	(void)shell_end(&shell);
	return r < 0 || status != 0 ? say_command(knob, r, status, reterr) : 0;
}

static int start_daemon(struct changes *changes, size_t index, const struct knob *knob,
                        struct strbuf *reterr)
{
	struct shell *shell = &changes->daemons[index];
	int status = 0, r = start_command(changes, index, shell);

	if (r == 0)
		r = changes_watch(changes, shell->pidfd);
	if (r == 0)
		r = shell_wait(shell, changes->stop_fd, DAEMON_LIVES_MS, &status);
	return r == -ETIME ? 0 : say_command(knob, r, status, reterr);
}

/* Ends and undoes an entry that the arm does not have. */
static int leave_command(struct changes *changes, size_t index, struct strbuf *reterr)
{
	struct journal *journal = &changes->plan.journal;
	struct shell *shell = &changes->daemons[index];
	enum reverted reverted;

	changes_unwatch(changes, shell->pidfd);
	reverted = revert_command(journal, &journal->entries[index], changes->output_fd, reterr);
	if (reverted == REVERTED)
		(void)shell_end(shell);
	return reverted == REVERTED ? 0 : -ECHILD;
}

static int leave_commands(struct changes *changes, size_t arm, struct strbuf *reterr)
{
	int r = 0;

	for (size_t i = changes->plan.journal.count; i-- > 0 && r == 0;)
		if (changes->plan.journal.entries[i].kind != JOURNAL_FILE &&
		    !knob_of(changes, arm, i))
			r = leave_command(changes, i, reterr);
	return r;
}

static bool is_stopped(const struct changes *changes)
{
	struct pollfd stop = {.fd = changes->stop_fd, .events = POLLIN};

	return changes->stop_fd >= 0 && poll(&stop, 1, 0) > 0;
}

/* Applies a line of the arm that does not hold yet. */
static int do_line(struct changes *changes, size_t arm, size_t line, bool commands,
                   struct strbuf *reterr)
{
	const struct knob *knob = &changes->arms[arm].entries[line];
	size_t index = changes->plan.targets[arm][line];
	struct journal_entry *entry;

	if (index == NO_ENTRY)
		return 0;
	entry = &changes->plan.journal.entries[index];
	if (entry->kind == JOURNAL_FILE)
		return set_file(changes, arm, index, reterr);
	if (!commands || entry->state != JOURNAL_IDLE)
		return 0;
	if (is_stopped(changes))
		return say_command(knob, -EINTR, 0, reterr);
	return entry->kind == JOURNAL_EXEC ? run_command(changes, index, knob, reterr)
	                                   : start_daemon(changes, index, knob, reterr);
}

static int do_lines(struct changes *changes, size_t arm, bool commands, struct strbuf *reterr)
{
	int r = 0;

	for (size_t i = 0; i < changes->arms[arm].count && r == 0; i++)
		r = do_line(changes, arm, i, commands, reterr);
	return r < 0 ? r : check_files(changes, arm, -EINVAL, "the value did not take", reterr);
}

int changes_apply(struct changes *changes, size_t arm, struct strbuf *reterr)
{
	int r = check_files(changes, changes->arm, -ESTALE, "somebody else has set it", reterr);

	if (r == 0)
		r = leave_commands(changes, arm, reterr);
	if (r == 0) {
		revert_others(changes, arm);
		changes->arm = arm;
		r = do_lines(changes, arm, true, reterr);
	}
	return r;
}

/* Sets each file to the value that it has: a file that refuses it could not be restored. One that the kernel changes along with another
 * one may. */
static int set_to_old(struct changes *changes, struct strbuf *reterr)
{
	int r = 0;

	for (size_t i = 0; i < changes->plan.journal.count && r == 0; i++) {
		const struct journal_entry *entry = &changes->plan.journal.entries[i];

		if (entry->kind != JOURNAL_FILE || entry->any)
			continue;
		r = knob_file_write(entry->place, entry->old, entry->old_len);
		if (r == 0)
			continue;
		changes_line(reterr);
		text_add_escaped(reterr, entry->place, strlen(entry->place));
		strbuf_addf(reterr, ": the value that it has, ");
		revert_add_value(reterr, entry->old, entry->old_len);
		strbuf_addf(reterr,
		            ", cannot be set (%s), so it could not be restored; "
		            "'exec COMMAND undo COMMAND' can do it",
		            strerror(-r));
	}
	return r;
}

/* From here on, what a file has is an arm's value or somebody else's. */
static int end_trial(struct changes *changes, struct strbuf *reterr)
{
	struct journal *journal = &changes->plan.journal;
	int r;

	journal->is_tried = true;
	r = journal->fd < 0 ? 0 : journal_write(journal, changes->dir_fd);
	if (r < 0) {
		changes_line(reterr);
		strbuf_addf(reterr, "the journal cannot be written again: %s", strerror(-r));
	}
	return r;
}

/* Two passes: see revert_all(). */
int changes_try(struct changes *changes, struct strbuf *reterr)
{
	int r = check_files(changes, NO_ARM, -ESTALE, "somebody else has set it", reterr);

	if (r == 0)
		r = set_to_old(changes, reterr);
	for (size_t arm = 0; arm < changes->plan.arm_count && r == 0; arm++) {
		revert_others(changes, arm);
		r = do_lines(changes, arm, false, reterr);
		if (r < 0)
			break;
		revert_others(changes, NO_ARM);
		revert_others(changes, NO_ARM);
		r = check_files(changes, NO_ARM, -EINVAL, "the old value cannot be set again",
		                reterr);
	}
	return r == 0 ? end_trial(changes, reterr) : r;
}
