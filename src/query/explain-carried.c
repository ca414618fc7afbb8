// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/explain-carried.h"

#include <errno.h>

#include "compare/row-other-name.h"
#include "input/interval.h"
#include "query/report-load.h"

/* Loads the bytes of a load that has read them. */
static int read_again(struct load *load, struct load *of, struct strbuf *reterr)
{
	struct byte_source *source = load_again(of);
	int r = source ? load_source(load, source) : -ESTALE;

	if (!source)
		strbuf_addf(reterr, "%s was changed while it was read", of->path);
	else if (r < 0)
		strbuf_add_str(reterr, strbuf_str(&load->error));
	return r;
}

/* Pairs all groups of the two, as a table of them does. */
static int find_name(const struct report_options *options, struct load of[SIDE_MAX], unsigned side,
                     struct strbuf *ret_name, struct strbuf *reterr)
{
	struct load loads[SIDE_MAX] = {{0}}, interval = {0};
	const struct group_table *tables[SIDE_MAX] = {&loads[0].groups, &loads[1].groups};
	bool windows = of[0].info.kind == KIND_window;
	struct report_options all = *options;
	int r = 0;

	all.explains = NULL;
	report_load_init(&interval, &all, of[SIDE_CANDIDATE].path);
	for (unsigned i = 0; i < SIDE_MAX; i++)
		report_load_init(&loads[i], &all, of[i].path);
	for (unsigned i = 0; i < SIDE_MAX && r == 0; i++)
		r = read_again(&loads[i], &of[i], reterr);
	if (r == 0 && !windows)
		r = interval_is_between(of) ? interval_load(of, &interval, reterr) : 0;
	if (r > 0 || (r == 0 && windows))
		row_add_other_name(tables, r > 0 ? &interval.groups : NULL, side, options->explains,
		                   ret_name);
	load_done(&interval);
	for (unsigned i = 0; i < SIDE_MAX; i++)
		load_done(&loads[i]);
	return r < 0 ? r : 0;
}

/* Loads a side again, with the threads of another name. */
static int replace(const struct report_options *options, struct load *load, const char *name,
                   struct strbuf *reterr)
{
	struct load of = {.path = load->path,
	                  .again = load->again,
	                  .copy = load->copy,
	                  .is_recording = load->is_recording,
	                  .file_bytes = load->file_bytes};
	int r;

	load->again = (struct fd_source){.fd = -1};
	load->copy = (struct memory_stream){0};
	load_done(load);
	*load = (struct load){0};
	report_load_init(load, options, of.path);
	load->filter.label = name;
	r = read_again(load, &of, reterr);
	load->is_read_again = true;
	load->again = of.again;
	load->copy = of.copy;
	load->is_recording = of.is_recording;
	load->file_bytes = of.file_bytes;
	return r;
}

int explain_carried(const struct report_options *options, struct load loads[SIDE_MAX],
                    struct strbuf *ret_label, struct strbuf *reterr)
{
	unsigned side = loads[SIDE_BASELINE].filter.found ? SIDE_CANDIDATE : SIDE_BASELINE;
	int r;

	if (loads[SIDE_BASELINE].filter.found == loads[SIDE_CANDIDATE].filter.found)
		return 0;
	r = find_name(options, loads, side, ret_label, reterr);
	if (r < 0 || ret_label->len == 0)
		return r;
	return replace(options, &loads[side], strbuf_str(ret_label), reterr);
}
