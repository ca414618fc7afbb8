// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <sys/stat.h>

#include "ab/ab-options.h"
#include "base/mem.h"
#include "page/page-experiment.h"
#include "report-kinds.h"

const char *const report_experiment_charts[] = {"effects", "blocks", NULL};

bool report_is_experiment(const char *path)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	struct stat status;

	strbuf_addf(&name, "%s/experiment.json", path);
	return stat(strbuf_str(&name), &status) == 0 && S_ISREG(status.st_mode);
}

static int add(const struct findings *findings, void *context)
{
	const struct report_call *call = context;
	cleanup_(strbuf_done) struct strbuf command = STRBUF_INIT;
	bool is_drawn = true;

	strbuf_add_str(&command, "ctprof ab-report");
	report_add_word(&command, call->path);
	report_add_grouping(call->options, true, &command);
	if (!call->chart)
		page_add_experiment(findings, strbuf_str(&command), call->out);
	else if (strcmp(call->chart, report_experiment_charts[0]) == 0)
		is_drawn = page_add_effects_svg(findings, call->out);
	else
		is_drawn = page_add_blocks_svg(findings, call->out);
	if (is_drawn)
		return EXIT_DONE;
	cli_error("%s: there is no row to draw", call->path);
	return EXIT_FAILED;
}

int report_experiment(const struct report_call *call)
{
	cleanup_(ab_options_done) struct ab_options options;
	cleanup_(trial_done) struct trial trial = {0};
	struct report_call copy = *call;

	ab_options_init(&options);
	options.by = call->options->by;
	options.limits = call->options->limits;
	options.limit = call->options->limit;
	if (options.by.count != 1) {
		cli_error("an experiment has groups of one key");
		return EXIT_USAGE;
	}
	mem_limit(options.limits.memory);
	if (ab_load_directory(&trial, call->path) < 0)
		return EXIT_FAILED;
	trial_find_blocks(&trial);
	if (trial.block_count == 0) {
		cli_error("%s: no block is complete", call->path);
		return EXIT_FAILED;
	}
	return ab_visit(&options, &trial, add, &copy);
}
