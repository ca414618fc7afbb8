/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* page-section - the common elements of the sections of a page. */
#include "overview/overview.h"
#include "page/page.h"
#include "report/report.h"

/* Rows of the overview that a page has at most. */
enum { PAGE_ROWS = 1000 };

/* Appends the page up to its first section: the first line of @text is its heading. The text is safe to print. */
void page_begin_text(const char *text, struct strbuf *out);

/* Appends the heading of a section, and the command that prints its numbers, @options behind it. */
void page_add_heading(const char *id, const char *title, const char *command, const char *options,
                      struct strbuf *out);

/* Appends the begin of an SVG file, with the style that charts have. */
void page_begin_svg(unsigned width, unsigned height, struct strbuf *out);

/* Appends the rows as JSON in an element for the script. */
void page_add_data(const struct overview *overview, size_t rows, struct strbuf *out);
