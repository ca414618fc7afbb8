/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* journal-word - bytes of any kind as one word of a line: printable ASCII stands for itself, \xHH for every other byte, and
 * \- for no bytes at all. */
#include <stddef.h>

#include "base/scan.h"
#include "ctprof/base/strbuf.h"

/* Appends a blank and the word. */
void journal_word_add(struct strbuf *out, const char *bytes, size_t len);

/* Takes the next word of a line. Returns its bytes with a NUL behind them, the caller's to free; NULL if there is no word, if it is no
 * such word, or if it has a NUL and @ret_len is NULL. */
char *journal_word_next(struct span *line, size_t *ret_len);
