// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "run-state.h"

/* The first outlook comes after three blocks. Fewer than six cannot give a primary a sign-flip p below .05. */
enum { OUTLOOK_BLOCKS = 3, UNTIL_BLOCKS = 6 };

static bool is_time(const struct run *run)
{
	const struct experiment *experiment = run->experiment;
	unsigned done = experiment_blocks_done(experiment);

	return run->options->observer->outlook && done >= OUTLOOK_BLOCKS &&
	       done < experiment->plan.blocks && (!run->has_outlook || experiment->plan.until > 0);
}

/* Each arm has followed each other one equally often only after a whole square. */
static bool is_enough(const struct experiment *experiment, const struct run_outlook *answer)
{
	unsigned done = experiment_blocks_done(experiment);

	return experiment->plan.until > 0 && answer->detectable <= experiment->plan.until &&
	       done >= UNTIL_BLOCKS && done % schedule_square_blocks(&experiment->schedule) == 0;
}

static void note(const struct run *run, const char *text)
{
	run->options->observer->note(run->options->observer, text);
}

int run_look_ahead(struct run *run, struct strbuf *reterr)
{
	static const uint64_t never = UINT64_MAX;
	struct experiment *experiment = run->experiment;
	const struct run_outlook *answer = &run->outlook.answer;
	int r;

	/* An experiment can do without. */
	if (!is_time(run) || outlook_begin(&run->outlook, run->options->observer, experiment) < 0)
		return 0;
	do
		r = run_wait(run, never, reterr);
	while (r == 0 && !run->outlook.done);
	if (r == 0 && answer->text[0] != '\0' && !run->has_outlook)
		note(run, answer->text);
	run->has_outlook = run->has_outlook || answer->text[0] != '\0';
	if (r == 0 && is_enough(experiment, answer)) {
		char text[100];

		snprintf(text, sizeof(text), "%u blocks are enough: they show an effect of %.2g %%",
		         experiment_blocks_done(experiment), 100 * answer->detectable);
		note(run, text);
		experiment->is_enough = true;
	}
	outlook_done(&run->outlook);
	return r;
}
