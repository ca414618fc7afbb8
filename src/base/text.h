/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* text - makes bytes that others chose (thread names, cgroup paths) safe to print. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Decodes the UTF-8 character at the start of @bytes and stores the code point. Returns its length (1 to 4), or 0 if
 * the bytes are not well-formed UTF-8 (overlong forms, surrogates and values above U+10FFFF are not) or @len is 0. */
size_t text_decode(const char *bytes, size_t len, uint32_t *ret_code_point);

/* Returns whether all @len bytes are well-formed UTF-8. */
bool text_is_utf8(const char *bytes, size_t len);

/* Appends @bytes with each ill-formed byte replaced by U+FFFD: valid UTF-8, but not reversible. */
void text_add_replaced(struct strbuf *out, const char *bytes, size_t len);

/* Returns whether a character may reach a terminal as it is, after a letter: it is no control character (C0, DEL, C1),
 * no noncharacter, and none that is invisible or moves or joins others (Default_Ignorable_Code_Point and format
 * controls of Unicode 15.0, separators of lines and paragraphs, U+2800, U+1D159). */
bool text_is_harmless(uint32_t code_point);

/* Appends @bytes in a form that is safe on a terminal and different for different bytes. Printable characters stand for
 * themselves and a backslash is doubled. \xHH stands for each byte of ill-formed UTF-8, of a character that
 * text_is_harmless() refuses, and of a combining mark that has no letter before it in @bytes or is the ninth or later
 * on its letter. Emoji that are made by joiners and variation selectors come apart. Independent of the locale. */
void text_add_escaped(struct strbuf *out, const char *bytes, size_t len);

/* Appends @bytes in ASCII, for a terminal that has nothing else: each sign that ctprof's own tables use becomes one
 * character, and \xHH stands for each byte of all others. Blanks, newlines and escapes stay as they are. */
void text_add_ascii(struct strbuf *out, const char *bytes, size_t len);

/* Does so with all of @text. */
void text_make_ascii(struct strbuf *text);

/* Returns the columns of @bytes on a terminal: 2 for wide characters, 0 for combining ones; ill-formed bytes count as
 * 1. Independent of the locale. */
size_t text_width(const char *bytes, size_t len);

/* Returns whether @bytes have more columns than @columns, and looks at no more of them than it needs. */
bool text_is_wider(const char *bytes, size_t len, size_t columns);

/* Returns the longest prefix of @bytes, in whole characters, that has at most @columns columns. */
size_t text_prefix(const char *bytes, size_t len, size_t columns);

/* Does so for a text that text_add_escaped() made, and splits no escape either. */
size_t text_prefix_escaped(const char *bytes, size_t len, size_t columns);

/* Prints a line, without its end. A line wider than @width columns is broken at a blank, if any, and goes on behind two
 * blanks. Errors are left in @file's error flag. */
void text_print_folded(FILE *file, const char *line, size_t len, size_t width);

/* Prints lines so, as they are where @width is 0 or too small to read. */
void text_print_lines(FILE *file, const struct strbuf *text, size_t width);

/* Appends a word, quoted if a POSIX shell needs that. */
void text_add_shell_word(struct strbuf *out, const char *word);

/* Appends a word that is safe on a terminal, and that a shell reads as the same bytes: what has to be escaped stands within $'', of
 * bash, zsh, ksh and POSIX of 2024. */
void text_add_shell_word_escaped(struct strbuf *out, const char *word);
