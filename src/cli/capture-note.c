// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture-note.h"

#include "command/command.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "metric/units.h"
#include "window-note.h"

static void add_count(struct strbuf *out, uint64_t count, const char *one, const char *many)
{
	strbuf_addf(out, "%llu %s", (unsigned long long)count, count == 1 ? one : many);
}

/* Appends the kernel's answers to the taskstats requests, with the number of threads for each. */
static void add_taskstats(const struct snapshot_info *info, struct strbuf *out)
{
	static const char *const words[OUTCOME_COUNT] = {
	        [OUTCOME_read] = "ok",
	        [OUTCOME_off] = "off",
	        [OUTCOME_denied] = "EPERM",
	        [OUTCOME_gone] = "ESRCH",
	        [OUTCOME_skipped] = "skipped",
	        [OUTCOME_unjoined] = "unjoined",
	        [OUTCOME_malformed] = "malformed",
	        [OUTCOME_impossible] = "impossible",
	};
	const uint64_t *outcomes = info->tally.sources[SOURCE_taskstats];
	const char *separator = " ";

	strbuf_add_str(out, "; taskstats");
	for (unsigned o = OUTCOME_read; o < OUTCOME_COUNT; o++) {
		if (outcomes[o] == 0)
			continue;
		strbuf_addf(out, "%s%llu %s", separator, (unsigned long long)outcomes[o], words[o]);
		separator = ", ";
	}
	/* No thread was asked about: then the rule of the host says why. */
	if (separator[0] == ' ')
		strbuf_addf(out, " %s", words[info->rules[SOURCE_taskstats]]);
}

void capture_note_written(const struct snapshot_info *info, uint64_t file_bytes)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (info->kind == KIND_window) {
		window_note_add_contents(info, &text);
		strbuf_add_str(&text, "; ");
		units_format(UNIT_bytes, quantity_integer(file_bytes), false, &text);
	} else {
		add_count(&text, info->tally.threads, "thread", "threads");
		strbuf_add_str(&text, " of ");
		add_count(&text, info->tally.processes, "process", "processes");
		strbuf_add_str(&text, ", ");
		units_format(UNIT_bytes, quantity_integer(file_bytes), false, &text);
		strbuf_add_str(&text, " in ");
		units_format(UNIT_ns, quantity_integer(info->cost[COST_wall_ns]), false, &text);
	}
	add_taskstats(info, &text);
	cli_error("wrote %s", strbuf_str(&text));
}
