/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* page-history-part - the parts of the section about the time of a recording. */
#include "heat.h"
#include "page/page-history.h"

/* Appends the numbers of the heat maps as JSON in an element for the script. */
void page_add_history_data(const struct history *history,
                           const struct page_history_commands *commands, struct strbuf *out);

/* Begins the value of one column, with the range that it is of: the script shows the command that prints it. */
void page_begin_peak(const struct history *history, const struct extent *extent,
                     struct strbuf *out);

/* Appends that range, shorter, for the command that is in the section; nothing if no column has a value. */
void page_add_range(const struct history *history, const struct extent *extent, struct strbuf *out);
