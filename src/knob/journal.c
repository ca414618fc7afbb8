// SPDX-License-Identifier: GPL-2.0-or-later
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/trust.h"
#include "journal-word.h"

enum { JOURNAL_BYTES = 16 << 20, ENTRIES_MAX = 10000 };

static const char name[] = "changes", new_name[] = "changes.new";
static const char first_line[] = "ctprof changes 1";

static const char *const form_words[VALUE_FORM_COUNT] = {
        [VALUE_PLAIN] = "plain", [VALUE_CHOICE] = "choice", [VALUE_FLAG] = "flag"};

static const char *const store_words[KNOB_STORE_COUNT] = {
        [KNOB_STORE_KERNEL] = "kernel", [KNOB_STORE_MEMORY] = "memory", [KNOB_STORE_DISK] = "disk"};

static const char *const state_words[JOURNAL_STATE_COUNT] = {
        [JOURNAL_IDLE] = "idle",
        [JOURNAL_RUNNING] = "running",
        [JOURNAL_RAN] = "ran",
        [JOURNAL_UNDOING] = "undoing",
};

int journal_boot_id(struct strbuf *out)
{
	int r = fd_read_all_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id", out, 64);

	if (r == 0 && out->len > 0 && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
	return r;
}

struct journal_entry *journal_add(struct journal *journal, enum journal_kind kind)
{
	struct journal_entry *entry =
	        array_add(journal->entries, journal->count, journal->capacity);

	*entry = (struct journal_entry){.kind = kind};
	return entry;
}

void journal_add_value(struct journal_entry *entry, const char *value)
{
	for (size_t i = 0; i < entry->value_count; i++)
		if (strcmp(entry->values[i], value) == 0)
			return;
	*array_add(entry->values, entry->value_count, entry->value_capacity) = mem_copy_text(value);
}

void journal_done(struct journal *journal)
{
	for (size_t i = 0; i < journal->count; i++) {
		struct journal_entry *entry = &journal->entries[i];

		for (size_t v = 0; v < entry->value_count; v++)
			free(entry->values[v]);
		free(entry->values);
		free(entry->place);
		free(entry->old);
		free(entry->command);
		free(entry->undo);
	}
	free(journal->entries);
	free(journal->boot_id);
	free(journal->directory);
	free(journal->label);
	fd_closep(&journal->fd);
	fd_closep(&journal->directory_fd);
	*journal = JOURNAL_INIT;
}

int journal_open_directory(struct journal *journal, struct strbuf *reterr)
{
	/* Nobody has exchanged a directory of the name for a link to another one. */
	struct open_how how = {
	        .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
	        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	cleanup_(fd_closep) int fd = -1;
	int r;

	if (journal->directory_fd >= 0)
		return 0;
	fd = (int)syscall(SYS_openat2, AT_FDCWD, journal->directory, &how, sizeof(how));
	if (fd < 0)
		return -errno;
	r = trust_check_directory(fd, reterr);
	if (r == 0) {
		journal->directory_fd = fd;
		fd = -1;
	}
	return r;
}

/* Writing. */

static void add_entry(struct strbuf *out, const struct journal_entry *entry, bool is_tried)
{
	bool any = entry->any || (!is_tried && entry->store == KNOB_STORE_KERNEL);

	switch (entry->kind) {
	case JOURNAL_FILE:
		strbuf_addf(out, "file %s %s %s", form_words[entry->form],
		            store_words[entry->store], any ? "any" : "set");
		journal_word_add(out, entry->place, strlen(entry->place));
		journal_word_add(out, entry->old, entry->old_len);
		for (size_t i = 0; i < entry->value_count; i++)
			journal_word_add(out, entry->values[i], strlen(entry->values[i]));
		break;
	case JOURNAL_EXEC:
		strbuf_add_str(out, "exec");
		journal_word_add(out, entry->command, strlen(entry->command));
		journal_word_add(out, entry->undo, strlen(entry->undo));
		break;
	case JOURNAL_DAEMON:
		strbuf_add_str(out, "daemon");
		journal_word_add(out, entry->command, strlen(entry->command));
		break;
	}
	strbuf_add_char(out, '\n');
}

static void add_all(struct strbuf *out, const struct journal *journal)
{
	strbuf_addf(out, "%s\nboot %s\nbegan %" PRIu64 "\ndirectory", first_line, journal->boot_id,
	            journal->began_s);
	journal_word_add(out, journal->directory, strlen(journal->directory));
	strbuf_add_str(out, "\nlabel");
	journal_word_add(out, journal->label, strlen(journal->label));
	strbuf_add_char(out, '\n');
	for (size_t i = 0; i < journal->count; i++)
		add_entry(out, &journal->entries[i], journal->is_tried);
	strbuf_addf(out, "end %zu\n", journal->count);
}

int journal_write(struct journal *journal, int dir_fd)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(fd_closep) int fd =
	        openat(dir_fd, new_name,
	               O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r;

	if (fd < 0)
		return -errno;
	add_all(&text, journal);
	r = fd_write_all(fd, text.data, text.len);
	if (r == 0 && (fsync(fd) < 0 || renameat(dir_fd, new_name, dir_fd, name) < 0))
		r = -errno;
	if (r < 0)
		(void)unlinkat(dir_fd, new_name, 0);
	if (r == 0 && fsync(dir_fd) < 0)
		r = -errno;
	if (r < 0)
		return r;
	fd_closep(&journal->fd);
	journal->fd = fd;
	fd = -1;
	return 0;
}

int journal_note(struct journal *journal, struct journal_entry *entry, enum journal_state state,
                 pid_t session, uint64_t start_ticks, bool durable)
{
	char line[128];
	int len = snprintf(line, sizeof(line), "%s %zu %d %" PRIu64 "\n", state_words[state],
	                   (size_t)(entry - journal->entries), (int)session, start_ticks);
	int r = fd_write_all(journal->fd, line, (size_t)len);

	entry->state = state;
	entry->session = session;
	entry->start_ticks = start_ticks;
	if (r < 0)
		return r;
	return durable && fdatasync(journal->fd) < 0 ? -errno : 0;
}

bool journal_exists(int dir_fd)
{
	return faccessat(dir_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

int journal_remove(int dir_fd)
{
	if (unlinkat(dir_fd, name, 0) < 0 && errno != ENOENT)
		return -errno;
	return fsync(dir_fd) < 0 ? -errno : 0;
}

/* Reading. */

static bool read_number(struct span *line, uint64_t *ret)
{
	struct span word;

	return scan_word(line, &word) && scan_u64(word.text, word.len, ret);
}

static int find_word(struct span *line, const char *const *words, unsigned count)
{
	struct span word;

	if (scan_word(line, &word))
		for (unsigned i = 0; i < count; i++)
			if (span_is(word, words[i]))
				return (int)i;
	return -1;
}

static bool read_file(struct journal *journal, struct span line)
{
	static const char *const sets[] = {"set", "any"};
	int form = find_word(&line, form_words, VALUE_FORM_COUNT);
	int store = find_word(&line, store_words, KNOB_STORE_COUNT);
	int set = find_word(&line, sets, ARRAY_SIZE(sets));
	struct journal_entry *entry;
	char *value;

	if (form < 0 || store < 0 || set < 0)
		return false;
	entry = journal_add(journal, JOURNAL_FILE);
	entry->form = (enum value_form)form;
	entry->store = (enum knob_store)store;
	entry->any = set == 1;
	entry->place = journal_word_next(&line, NULL);
	entry->old = journal_word_next(&line, &entry->old_len);
	while ((value = journal_word_next(&line, NULL)))
		*array_add(entry->values, entry->value_count, entry->value_capacity) = value;
	return entry->place && entry->place[0] == '/' && entry->old;
}

static bool read_command(struct journal *journal, struct span line, enum journal_kind kind)
{
	struct journal_entry *entry = journal_add(journal, kind);

	entry->command = journal_word_next(&line, NULL);
	if (kind == JOURNAL_EXEC)
		entry->undo = journal_word_next(&line, NULL);
	return entry->command && (entry->undo || kind == JOURNAL_DAEMON);
}

static bool read_note(struct journal *journal, struct span word, struct span line)
{
	uint64_t index, session, start_ticks;

	for (unsigned state = 0; state < JOURNAL_STATE_COUNT; state++) {
		struct journal_entry *entry;

		if (!span_is(word, state_words[state]))
			continue;
		if (!read_number(&line, &index) || !read_number(&line, &session) ||
		    !read_number(&line, &start_ticks) || index >= journal->count ||
		    session > INT32_MAX)
			return false;
		entry = &journal->entries[index];
		if (entry->kind == JOURNAL_FILE)
			return false;
		entry->state = (enum journal_state)state;
		entry->session = (pid_t)session;
		entry->start_ticks = start_ticks;
		return true;
	}
	return false;
}

static bool read_head(struct journal *journal, struct span word, struct span line, bool *ended)
{
	uint64_t count;

	if (journal->count > ENTRIES_MAX)
		return false;
	if (span_is(word, "file"))
		return read_file(journal, line);
	if (span_is(word, "exec"))
		return read_command(journal, line, JOURNAL_EXEC);
	if (span_is(word, "daemon"))
		return read_command(journal, line, JOURNAL_DAEMON);
	if (span_is(word, "boot") && !journal->boot_id)
		return (journal->boot_id = journal_word_next(&line, NULL)) != NULL;
	if (span_is(word, "directory") && !journal->directory)
		return (journal->directory = journal_word_next(&line, NULL)) != NULL;
	if (span_is(word, "label") && !journal->label)
		return (journal->label = journal_word_next(&line, NULL)) != NULL;
	if (span_is(word, "began"))
		return read_number(&line, &journal->began_s);
	*ended = span_is(word, "end") && read_number(&line, &count) && count == journal->count &&
	         journal->boot_id && journal->directory && journal->label;
	return *ended;
}

/* The head was renamed into place when it was complete, so a fault in it is an error. A crash may have cut the last note: its action had
 * not begun then. */
static bool parse(struct journal *journal, struct span text)
{
	struct span line, word;
	bool ended = false;

	while (text.len > 0 && text.text[text.len - 1] != '\n')
		text.len--;
	if (!scan_line(&text, &line) || !span_is(line, first_line))
		return false;
	while (scan_line(&text, &line)) {
		if (!scan_word(&line, &word))
			return false;
		if (ended ? !read_note(journal, word, line)
		          : !read_head(journal, word, line, &ended))
			return false;
	}
	return ended;
}

int journal_read(struct journal *journal, int dir_fd)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	int r = fd_read_all_at(dir_fd, name, &text, JOURNAL_BYTES);

	if (r < 0)
		return r;
	if (!parse(journal, (struct span){strbuf_str(&text), text.len})) {
		journal_done(journal);
		return -EBADMSG;
	}
	journal->is_tried = true;
	journal->fd = openat(dir_fd, name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	return journal->fd < 0 ? -errno : 0;
}
