// SPDX-License-Identifier: GPL-2.0-or-later
#include "serve-window.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "command/command.h"
#include "machine/report-openmetrics.h"

int serve_window_add(struct serve_window *window, struct byte_source *frame)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct window_sum *next = window_sum_new();
	int r;

	if (window->sum)
		window_sum_follow(next, window->sum);
	window_sum_set_facts(next, &window->facts);
	snapshot_info_done(&window->facts);
	window->facts = (struct snapshot_info){0};
	window_sum_freep(&window->sum);
	r = window_sum_read(next, frame, &window->options->limits, &reason);
	if (r < 0)
		window_sum_freep(&next);
	window->sum = next;
	window->is_new = r == 0;
	return r;
}

static int print_both(const struct report *report, void *context)
{
	struct strbuf *texts = context;

	for (unsigned format = 0; format < SERVE_FORMAT_COUNT; format++) {
		char *bytes = NULL;
		size_t len = 0;
		FILE *file = open_memstream(&bytes, &len);

		if (!file)
			return EXIT_FAILED;
		report_openmetrics(file, report, format == SERVE_OPENMETRICS);
		mem_stream_close(file, &bytes);
		strbuf_add(&texts[format], bytes, len);
		free(bytes);
	}
	return EXIT_DONE;
}

bool serve_window_print(struct serve_window *window,
                        struct strbuf ret_texts[static SERVE_FORMAT_COUNT])
{
	if (!window->is_new)
		return false;
	window->is_new = false;
	return report_visit_sum(window->options, window->sum, print_both, ret_texts,
	                        &window->facts) == EXIT_DONE;
}
