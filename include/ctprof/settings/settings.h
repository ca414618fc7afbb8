/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* settings - the settings of a host: the values of sysctls and of other files that configure its kernel. registry/settings.def
 * lists the files. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

struct setting {
	char *name; /* "vm.swappiness", or a path below /sys; owned, raw bytes without NUL */
	char *text; /* the value without blanks and newlines at its end; owned, raw bytes without NUL */
	/* In a window, the value at its begin where that was another one; NULL elsewhere. Owned. */
	char *before;
};

struct settings {
	bool seen; /* the snapshot says something of settings */
	/* In the order of their names, each name once, when settings_sort() was called last. Owned. */
	struct setting *entries;
	size_t count, capacity;
	/* Names of files and directories that are there and may not be read, in order. Owned, as are they. */
	char **denied;
	size_t denied_count, denied_capacity;
	uint64_t left_out; /* files beyond the limits of what is kept */
};

enum {
	SETTING_TEXT_BYTES = 4096,    /* a longer value is stored as its length and a hash */
	SETTINGS_MAX = 1 << 14,       /* entries, denied ones included */
	SETTINGS_JSON_BYTES = 1 << 19 /* of all names and values, as JSON may spell them */
};

/* Adds a setting; name and text are copied. settings_sort() has to follow. */
void settings_add(struct settings *settings, const char *name, size_t name_len, const char *text,
                  size_t text_len);

/* Adds the name of something that may not be read. */
void settings_add_denied(struct settings *settings, const char *name, size_t len);

/* Brings entries and denied names into order. One of the entries with the same name stays. */
void settings_sort(struct settings *settings);

/* Makes @to, which is empty, a copy. */
void settings_copy(struct settings *to, const struct settings *from);

/* Returns the entry of a name, or NULL; borrowed. */
struct setting *settings_find(const struct settings *settings, const char *name);

/* Sets the value at the begin of a window; the text is copied. */
void setting_set_before(struct setting *setting, const char *text);

/* Makes the settings at the end of a window those of the window: an entry whose value is not the one that @first has of it
 * gets that as its value before. Does nothing where one of the two was not seen. */
void settings_note_changes(struct settings *last, const struct settings *first);

/* Frees what the settings own and zeroes them. For cleanup_(settings_done). */
void settings_done(struct settings *settings);
