/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* page-history-part - the parts of the section about the time of a recording. */
#include "page/page-history.h"

/* Appends the numbers of the heat maps as JSON in an element for the script. */
void page_add_history_data(const struct history *history,
                           const struct page_history_commands *commands, struct strbuf *out);
