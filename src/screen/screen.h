/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* screen - the terminal as lines of text that are shown in place, by ncurses, and its keys. A process has one screen, and uses it
 * from one thread. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Keys that are no characters. */
enum {
	SCREEN_NO_KEY = -1,
	SCREEN_UP = 0x10000,
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_HELP,  /* F1 */
	SCREEN_OTHER, /* any other one */
};

/* Takes the terminal of standard input and standard output. The caller has checked that both are a terminal, and has blocked the
 * signals that must not end the process, SIGTSTP above all; a pending one stays pending. screen_close() and exit(3) restore the
 * terminal. Returns 0 or -errno, with a sentence in @reterr. */
must_check_ int screen_open(bool with_colors, struct strbuf *reterr);

/* Gives the terminal back. Does nothing if it was not taken. */
void screen_close(void);

/* Give the terminal back for a while, such as while the process is stopped, and take it again. Both do nothing in the background,
 * or if it is done already. */
void screen_leave(void);
void screen_enter(void);

/* Returns whether the process is in the foreground of its terminal; in the background it must neither put nor read. */
bool screen_is_ours(void);

/* Returns whether texts have to be ASCII. */
bool screen_is_ascii(void);

/* Reads the size of the terminal. All functions below use it. */
void screen_resize(size_t *ret_rows, size_t *ret_columns);

/* Puts a line of text at a row, and blanks behind it. Does nothing if there is no such row. The text may have the escape sequences of
 * colours that tables have (base/table.h); any other control character becomes a '?'. A text that is too wide is cut. A @bar is
 * in reverse. */
void screen_put(size_t row, const char *text, size_t len, bool bar);

/* Shows what was put since. With @all the terminal is drawn as a whole, since others have written to it. */
void screen_show(bool all);

/* Returns a key that was typed, a character or one of the above, or SCREEN_NO_KEY. Does not wait. */
int screen_key(void);
