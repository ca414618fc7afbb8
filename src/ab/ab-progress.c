// SPDX-License-Identifier: GPL-2.0-or-later
#include "ab/ab-progress.h"

#include <stdio.h>
#include <string.h>

#include "ab/ab-plan.h"
#include "base/mem.h"
#include "base/text.h"
#include "command/command.h"

static const char *const step_names[RUN_STEP_COUNT] = {"switching", "settling", "measuring",
                                                       "reading"};

void ab_progress_clear(struct ab_progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}

static void add_line(const struct run_progress *now, struct strbuf *out)
{
	const struct experiment *experiment = now->experiment;
	const char *arm = experiment->plan.arms[now->arm].name;

	if (now->block == 0)
		strbuf_add_str(out, "first block, which does not count");
	else
		strbuf_addf(out, "block %u (%u of %u done)", now->block, now->blocks_done,
		            experiment->plan.blocks);
	strbuf_addf(out, ", unit %u of %u, arm ", now->position,
	            schedule_block_length(&experiment->schedule));
	text_add_escaped(out, arm, text_prefix(arm, strlen(arm), 20));
	strbuf_addf(out, ": %s", step_names[now->step]);
	if (now->left_ns > 0) {
		strbuf_add_str(out, ", ");
		ab_time_add(now->left_ns, out);
		strbuf_add_str(out, " left");
	}
}

static void show(struct run_observer *self, const struct run_progress *now)
{
	struct ab_progress *progress = (struct ab_progress *)self;
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	if (!progress->shows)
		return;
	add_line(now, &line);
	fprintf(stderr, "\r\033[K%.*s", (int)text_prefix_escaped(line.data, line.len, 79),
	        line.data);
	fflush(stderr);
	progress->shown = true;
}

static void note(struct run_observer *self, const char *text)
{
	ab_progress_clear((struct ab_progress *)self);
	cli_error("%s", text);
}

static void add_forecast(const struct forecast *forecast, size_t now, size_t blocks,
                         struct strbuf *out)
{
	strbuf_addf(out, "after %zu blocks: %zu will show an effect of ", now, blocks);
	if (forecast->of_primaries)
		strbuf_addf(out, "%.2g %% in %s", 100 * forecast->detectable, forecast->name);
	else
		strbuf_addf(out, "%.2g %% in half of %zu rows, if they are primaries",
		            100 * forecast->detectable, forecast->rows);
}

static void foresee(struct run_observer *self, const struct experiment *experiment,
                    struct run_outlook *ret)
{
	const struct ab_progress *progress = (const struct ab_progress *)self;
	cleanup_(trial_done) struct trial trial = {0};
	cleanup_(forecast_done) struct forecast forecast = {0}, now = {0};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	mem_limit(progress->options->limits.memory);
	if (ab_load_open_directory(&trial, experiment->directory, experiment->dir_fd) < 0)
		return;
	trial_find_blocks(&trial);
	if (ab_run_forecast(progress->options, &trial, experiment->plan.blocks, &forecast, &now) <
	            0 ||
	    forecast.rows == 0)
		return;
	add_forecast(&forecast, trial.block_count, experiment->plan.blocks, &text);
	if (now.of_primaries)
		ret->detectable = now.detectable;
	snprintf(ret->text, sizeof(ret->text), "%.*s",
	         (int)text_prefix_escaped(text.data, text.len, sizeof(ret->text) - 1), text.data);
}

void ab_progress_init(struct ab_progress *progress, const struct ab_options *options, bool shows,
                      bool foresees)
{
	*progress = (struct ab_progress){
	        .base = {show, note, foresees ? foresee : NULL},
	        .options = options,
	        .shows = shows,
	};
}
