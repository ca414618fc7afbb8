/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* journal - a file with all changes of an experiment and the old values. It is renamed into place when it is complete, and lines about
 * commands are appended to it. It is text; ctprof-ab(1) has the format. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "knob-value.h"
#include "knob/knob-file.h"

enum journal_kind { JOURNAL_FILE, JOURNAL_EXEC, JOURNAL_DAEMON };

/* The state of a command. */
enum journal_state {
	JOURNAL_IDLE,    /* nothing is to be undone */
	JOURNAL_RUNNING, /* is about to run, or runs; may have changed something */
	JOURNAL_RAN,     /* has ended and is not undone */
	JOURNAL_UNDOING, /* the command that undoes it is about to run, or runs */
	JOURNAL_STATE_COUNT,
};

struct journal_entry {
	enum journal_kind kind;
	/* JOURNAL_FILE */
	enum value_form form;
	enum knob_store store;
	bool any; /* no arm sets it: the kernel changes it along with another one */
	char *place;
	char *old; /* the text that restores it */
	size_t old_len;
	char **values; /* that arms set */
	size_t value_count, value_capacity;
	/* JOURNAL_EXEC and JOURNAL_DAEMON */
	char *command;
	char *undo; /* NULL for a daemon */
	enum journal_state state;
	pid_t session;        /* of the last state; 0: none */
	uint64_t start_ticks; /* of its leader */
};

struct journal {
	char *boot_id;
	char *directory;  /* in which commands are run */
	int directory_fd; /* of it, or -1; owned */
	char *label;      /* may hold any bytes; "" if there is none */
	uint64_t began_s; /* CLOCK_REALTIME */
	/* Each value has been set and read back. The kernel may make another value of one, and until then that is restored
	 * as well. */
	bool is_tried;
	struct journal_entry *entries;
	size_t count, capacity;
	int fd; /* open for journal_note(), or -1 */
};

#define JOURNAL_INIT ((struct journal){.fd = -1, .directory_fd = -1})

/* Reads the id of this boot. Returns 0 or -errno. */
must_check_ int journal_boot_id(struct strbuf *out);

/* Writes it as "changes" into the directory and opens it for notes. Returns 0 when it is on disk, or -errno. */
must_check_ int journal_write(struct journal *journal, int dir_fd);

/* Reads it and opens it for notes. @journal is JOURNAL_INIT. Returns 0; -ENOENT if there is none; -EBADMSG if it is malformed; another
 * -errno. */
must_check_ int journal_read(struct journal *journal, int dir_fd);

/* Sets the state of a command, and appends it; with @durable it is on disk afterwards. Returns 0 or -errno. */
must_check_ int journal_note(struct journal *journal, struct journal_entry *entry,
                             enum journal_state state, pid_t session, uint64_t start_ticks,
                             bool durable);

/* Opens the directory of the commands by its name, unless it is open. Nobody else may exchange it, or add a file to it: the name is
 * looked up long after the experiment began. Returns 0, -EPERM with a phrase, or another -errno. */
must_check_ int journal_open_directory(struct journal *journal, struct strbuf *reterr);

/* Returns whether there is one. */
bool journal_exists(int dir_fd);

/* Removes it, durably. Returns 0 or -errno. */
int journal_remove(int dir_fd);

/* Adds a zeroed entry. Borrowed until the next one. */
struct journal_entry *journal_add(struct journal *journal, enum journal_kind kind);
void journal_add_value(struct journal_entry *entry, const char *value);

/* For cleanup_(journal_done). */
void journal_done(struct journal *journal);
