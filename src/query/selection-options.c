// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/selection-options.h"

int selection_parse(const struct option_parser *parser, int which, struct selection *selection)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r;

	if (which == SELECTION_COMM)
		r = selection_add_comm(selection, parser->value, &reason);
	else if (which == SELECTION_CGROUP)
		r = selection_add_cgroup(selection, parser->value, &reason);
	else
		r = selection_add_ids(selection, parser->value, &reason);
	return r < 0 ? options_error(parser, "%s", strbuf_str(&reason)) : 0;
}
