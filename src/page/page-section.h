/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* page-section - the common elements of the sections of a page. */
#include "overview/overview.h"
#include "page/page.h"
#include "report/report.h"

/* Rows of the overview that a page has at most. */
enum { PAGE_ROWS = 1000 };

/* Appends the page up to its first section: the first line of @text is its heading. The text is safe to print; @has_words as below. */
void page_begin_text(const char *text, bool has_words, struct strbuf *out);

/* Appends lines as the terminal has them; nothing if there are none. One that is too wide goes on below its text: behind the word in
 * front of it if the lines @has_words. */
void page_add_lines(const char *text, bool has_words, struct strbuf *out);

/* Appends the heading of a section, and the command that prints its numbers, @options behind it. */
void page_add_heading(const char *id, const char *title, const char *command, const char *options,
                      struct strbuf *out);

/* Appends one more command that prints numbers of the section, behind words that say which. */
void page_add_command(const char *words, const char *command, const char *options,
                      struct strbuf *out);

/* Appends the begin of an SVG file, with the style that charts have. */
void page_begin_svg(unsigned width, unsigned height, struct strbuf *out);

/* Appends the rows as JSON in an element for the script. */
void page_add_data(const struct overview *overview, size_t rows, struct strbuf *out);
