// SPDX-License-Identifier: GPL-2.0-or-later
#include "revert.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "knob/knob-file.h"
#include "shell.h"

enum { PASSES = 3, UNDO_TRIES = 2, UNDO_MS = 600 * 1000, SHOWN_BYTES = 60 };

static void begin_line(struct strbuf *report, const char *subject)
{
	if (report->len > 0)
		strbuf_add_char(report, '\n');
	text_add_escaped(report, subject, strlen(subject));
	strbuf_add_str(report, ": ");
}

void revert_add_value(struct strbuf *out, const char *bytes, size_t len)
{
	while (len > 0 && bytes[len - 1] == '\n')
		len--;
	strbuf_add_char(out, '\'');
	text_add_escaped(out, bytes, len < SHOWN_BYTES ? len : SHOWN_BYTES);
	strbuf_add_str(out, len < SHOWN_BYTES ? "'" : "...'");
}

bool revert_is_old(const struct journal_entry *entry, const struct strbuf *text)
{
	if (entry->form != VALUE_PLAIN)
		return value_holds(entry->form, strbuf_str(text), text->len, entry->old);
	return text->len == entry->old_len && memcmp(strbuf_str(text), entry->old, text->len) == 0;
}

static bool is_beginning(const struct strbuf *text, const char *bytes, size_t len)
{
	return text->len < len && memcmp(strbuf_str(text), bytes, text->len) == 0;
}

/* Returns whether an arm has set this value, or has begun to write it into a file of bytes. */
static bool is_ours(const struct journal_entry *entry, const struct strbuf *text)
{
	const bool has_bytes = entry->store != KNOB_STORE_KERNEL;

	if (entry->any || (has_bytes && is_beginning(text, entry->old, entry->old_len)))
		return true;
	for (size_t i = 0; i < entry->value_count; i++)
		if (value_holds(entry->form, strbuf_str(text), text->len, entry->values[i]) ||
		    (has_bytes && is_beginning(text, entry->values[i], strlen(entry->values[i]))))
			return true;
	return false;
}

static enum reverted say_foreign(const struct journal_entry *entry, const struct strbuf *text,
                                 struct strbuf *report)
{
	if (report) {
		begin_line(report, entry->place);
		strbuf_add_str(report, "somebody else has set it to ");
		revert_add_value(report, strbuf_str(text), text->len);
		strbuf_add_str(report, ": left alone; it was ");
		revert_add_value(report, entry->old, entry->old_len);
	}
	return REVERT_FOREIGN;
}

static enum reverted say_error(const struct journal_entry *entry, int error, struct strbuf *report)
{
	bool gone = error == -ENOENT || error == -ENODEV || error == -ENOTDIR;

	if (report) {
		begin_line(report, entry->place);
		strbuf_addf(report,
		            gone ? "is gone (%s); it was " : "cannot be restored: %s; it was ",
		            error == 0 ? "another value is read back" : strerror(-error));
		revert_add_value(report, entry->old, entry->old_len);
	}
	return gone ? REVERT_GONE : REVERT_FAILED;
}

enum reverted revert_file(const struct journal_entry *entry, struct strbuf *report)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	int r = knob_file_read(entry->place, &text), written;

	if (r < 0)
		return say_error(entry, r, report);
	if (revert_is_old(entry, &text))
		return REVERTED;
	if (!is_ours(entry, &text))
		return say_foreign(entry, &text, report);
	written = knob_file_write(entry->place, entry->old, entry->old_len);
	r = knob_file_read(entry->place, &text);
	if (r == 0 && revert_is_old(entry, &text))
		return REVERTED;
	return say_error(entry, r < 0 ? r : written, report);
}

static int run_undo(struct journal *journal, struct journal_entry *entry, int output_fd,
                    int *ret_status)
{
	struct shell shell = SHELL_INIT;
	int r = shell_start(&shell, entry->undo, journal->directory_fd, output_fd);

	if (r == 0)
		r = journal_note(journal, entry, JOURNAL_UNDOING, shell.pid, shell.start_ticks,
		                 false);
	if (r == 0)
		r = shell_go(&shell);
	if (r == 0)
		r = shell_wait(&shell, -1, UNDO_MS, ret_status);
	(void)shell_end(&shell);
	return r;
}

static enum reverted say_undo(const struct journal_entry *entry, int error, int status,
                              struct strbuf *report)
{
	begin_line(report, entry->undo);
	if (error == -ETIME)
		strbuf_addf(report, "has not ended within %u s", (unsigned)(UNDO_MS / 1000));
	else if (error < 0)
		strbuf_add_str(report, strerror(-error));
	else
		shell_add_status(report, status);
	strbuf_add_str(report, "; what it is to undo: ");
	revert_add_value(report, entry->command, strlen(entry->command));
	return REVERT_FAILED;
}

/* Opens the directory in which the command is to run. Appends a line if it must not run there. */
static bool has_directory(struct journal *journal, const struct journal_entry *entry,
                          struct strbuf *report)
{
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	int r = journal_open_directory(journal, &phrase);

	if (r == 0)
		return true;
	begin_line(report, entry->undo);
	strbuf_add_str(report, "not run in ");
	text_add_escaped(report, journal->directory, strlen(journal->directory));
	strbuf_addf(report, ": %s; what it is to undo: ",
	            phrase.len > 0 ? strbuf_str(&phrase) : strerror(-r));
	revert_add_value(report, entry->command, strlen(entry->command));
	return false;
}

enum reverted revert_command(struct journal *journal, struct journal_entry *entry, int output_fd,
                             struct strbuf *report)
{
	bool may_run = entry->state == JOURNAL_RUNNING || entry->state == JOURNAL_UNDOING;
	int r = 0, status = 0;

	if (entry->state == JOURNAL_IDLE)
		return REVERTED;
	if (may_run && !shell_end_session(entry->session, entry->start_ticks)) {
		begin_line(report, entry->command);
		strbuf_addf(report, "a process of session %d cannot be ended", (int)entry->session);
		return REVERT_FAILED;
	}
	if (entry->undo && !has_directory(journal, entry, report))
		return REVERT_FAILED;
	for (int try = 0; entry->undo && try < UNDO_TRIES; try++) {
		r = run_undo(journal, entry, output_fd, &status);
		if (r < 0 || !WIFSIGNALED(status))
			break;
	}
	if (r < 0 || status != 0)
		return say_undo(entry, r, status, report);
	/* The effects of the undo command must be on disk before the journal has it as undone. */
	if (entry->undo)
		sync();
	r = journal_note(journal, entry, JOURNAL_IDLE, 0, 0, true);
	if (r < 0)
		return say_undo(entry, r, 0, report);
	return REVERTED;
}

static void add_lines(struct strbuf *report, const struct strbuf *lines)
{
	if (report->len > 0 && lines->len > 0)
		strbuf_add_char(report, '\n');
	if (lines->len > 0)
		strbuf_add(report, lines->data, lines->len);
}

/* Commands are undone in the first pass only. */
static enum reverted revert_one(struct journal *journal, struct journal_entry *entry, bool rebooted,
                                int output_fd, bool first, struct strbuf *report)
{
	bool is_reset = rebooted && entry->store != KNOB_STORE_DISK;

	if (entry->kind == JOURNAL_FILE)
		return is_reset ? REVERTED : revert_file(entry, report);
	if (!first)
		return entry->state == JOURNAL_IDLE ? REVERTED : REVERT_FAILED;
	/* The ids of processes of another boot mean nothing. */
	if (rebooted)
		entry->session = 0;
	return revert_command(journal, entry, output_fd, report);
}

/* A file may refuse its old value until another one has its own, and writing one may change another one. */
struct reverts revert_all(struct journal *journal, bool rebooted, int output_fd,
                          struct strbuf *report)
{
	cleanup_(strbuf_done) struct strbuf file_lines = STRBUF_INIT, command_lines = STRBUF_INIT;
	struct reverts reverts = {0};

	for (int pass = 0; pass < PASSES; pass++) {
		reverts = (struct reverts){0};
		strbuf_clear(&file_lines);
		for (size_t i = journal->count; i-- > 0;) {
			struct journal_entry *entry = &journal->entries[i];
			bool is_file = entry->kind == JOURNAL_FILE;

			reverts.count[revert_one(journal, entry, rebooted, output_fd, pass == 0,
			                         is_file ? &file_lines : &command_lines)]++;
			reverts.reset_by_boot +=
			        rebooted && is_file && entry->store != KNOB_STORE_DISK;
		}
	}
	add_lines(report, &command_lines);
	add_lines(report, &file_lines);
	return reverts;
}
