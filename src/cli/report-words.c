// SPDX-License-Identifier: GPL-2.0-or-later
/* Words of command lines. */
#include <string.h>

#include "base/text.h"
#include "query/explain-group.h"
#include "report-kinds.h"

void report_add_word(struct strbuf *out, const char *word)
{
	strbuf_add_char(out, ' ');
	text_add_shell_word_escaped(out, word);
}

void report_add_grouping(const struct report_options *options, bool keys, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf by = STRBUF_INIT;

	report_add_group_by(&options->by, &by);
	if (keys && strcmp(strbuf_str(&by), group_key_table[GROUP_KEY_pcomm].name) != 0)
		strbuf_addf(out, " -g %s", strbuf_str(&by));
	if (options->by.literal_names)
		strbuf_add_str(out, " --no-thread-normalize");
	if (options->by.literal_cgroups)
		strbuf_add_str(out, " --no-cg-normalize");
	if (options->with_own)
		strbuf_add_str(out, " --self");
}
