// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit-label.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "ctprof/base/macro.h"

void unit_label_note(char **label, const struct key_names *names, struct span pattern)
{
	struct span shown = key_names_shown(&names, 1, pattern);
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	text_add_escaped(&text, shown.text, shown.len);
	if (*label && strcmp(*label, strbuf_str(&text)) == 0)
		return;
	if (*label) {
		strbuf_clear(&text);
		text_add_escaped(&text, pattern.text, pattern.len);
		free(*label);
	}
	*label = mem_copy(strbuf_str(&text), text.len);
}
