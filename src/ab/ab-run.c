// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "ab/ab-options.h"
#include "base/mem.h"
#include "command/pager.h"
#include "query/report-options.h"

enum { WIDTH = 80 /* if the width of the terminal is not known */ };

struct pick_list {
	struct row_pick *entries; /* owned */
	size_t count, capacity;
};

static void pick_list_done(struct pick_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		row_pick_done(&list->entries[i]);
	free(list->entries);
}

static int parse_picks(const struct trial_texts *texts, struct pick_list *list)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	for (size_t i = 0; i < texts->count; i++) {
		struct row_pick *pick = array_add(list->entries, list->count, list->capacity);

		*pick = (struct row_pick){0};
		if (row_pick_parse(pick, texts->entries[i], &reason) < 0) {
			cli_error("experiment.json: %s", strbuf_str(&reason));
			return -1;
		}
	}
	return 0;
}

/* Tables of the keys that rows were named by; the first one is that of the report. */
struct table_list {
	struct unit_table *entries; /* owned */
	size_t count, capacity;
};

static void table_list_done(struct table_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		unit_table_done(&list->entries[i]);
	free(list->entries);
}

static void add_table(struct table_list *list, const struct ab_options *options,
                      const struct trial *trial, struct group_by by)
{
	by.literal_names = options->by.literal_names;
	by.literal_cgroups = options->by.literal_cgroups;
	for (size_t i = 0; i < list->count; i++)
		if (group_bys_equal(&list->entries[i].by, &by))
			return;
	unit_table_init(array_add(list->entries, list->count, list->capacity), by, options->per,
	                trial->unit_count);
}

static void add_tables(struct table_list *list, const struct ab_options *options,
                       const struct trial *trial, const struct row_pick *picks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (picks[i].has_key && picks[i].by.count > 0)
			add_table(list, options, trial, picks[i].by);
}

/* The input of the answers. */
struct ab_state {
	struct pick_list primaries, controls, wanted;
	struct table_list tables;
	struct fact_table facts;
	struct settings_seen settings;
	struct comparison *comparisons; /* owned */
	size_t comparison_count;
	struct gate_finding *gates; /* owned, with their reasons */
	size_t gate_count;
};

static void ab_state_done(struct ab_state *state)
{
	for (size_t i = 0; i < state->comparison_count; i++)
		comparison_done(&state->comparisons[i]);
	for (size_t i = 0; i < state->gate_count; i++)
		free(state->gates[i].reason);
	/* The gates own what they name. */
	free(state->wanted.entries);
	pick_list_done(&state->primaries);
	pick_list_done(&state->controls);
	table_list_done(&state->tables);
	fact_table_done(&state->facts);
	settings_seen_done(&state->settings);
	free(state->comparisons);
	free(state->gates);
}

static struct effect_options effect_options_of(const struct ab_state *state,
                                               const struct trial *trial)
{
	return (struct effect_options){
	        .trial = trial,
	        .tables = state->tables.entries,
	        .table_count = state->tables.count,
	        .facts = &state->facts,
	        .primaries = state->primaries.entries,
	        .primary_count = state->primaries.count,
	        .controls = state->controls.entries,
	        .control_count = state->controls.count,
	        .wanted = state->wanted.entries,
	        .wanted_count = state->wanted.count,
	};
}

static void compare(struct ab_state *state, const struct trial *trial)
{
	const struct effect_options options = effect_options_of(state, trial);

	state->comparison_count = trial->arm_count - 1;
	state->comparisons = mem_calloc(trial->arm_count, sizeof(state->comparisons[0]));
	for (unsigned b = 1; b < trial->arm_count; b++)
		comparison_init(&state->comparisons[b - 1], &options, b);
}

/* Reports declared rows that do not exist. */
static void warn_of_missing(const struct ab_state *state, const struct trial_texts *texts,
                            const struct pick_list *picks, const char *what)
{
	for (size_t i = 0; i < picks->count; i++) {
		bool found = false;

		for (size_t k = 0; k < state->comparison_count && !found; k++)
			for (size_t e = 0; e < state->comparisons[k].count && !found; e++) {
				const struct effect *effect = &state->comparisons[k].effects[e];

				found = row_pick_matches(&picks->entries[i], effect->metric,
				                         effect->by, effect->group);
			}
		if (!found)
			cli_error("%s '%s' is no row that all units have", what, texts->entries[i]);
	}
}

static void check_gates(struct ab_state *state, const struct ab_options *options)
{
	state->gates = mem_calloc(options->gate_count * state->comparison_count + 1,
	                          sizeof(state->gates[0]));
	for (size_t i = 0; i < options->gate_count; i++)
		for (size_t k = 0; k < state->comparison_count; k++) {
			cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
			struct gate_finding *finding = &state->gates[state->gate_count++];

			finding->gate = &options->gates[i];
			finding->comparison = k;
			finding->result =
			        gate_check(finding->gate, &state->comparisons[k], &reason);
			finding->reason = mem_copy(strbuf_str(&reason), reason.len);
		}
}

static int status_of(const struct ab_state *state)
{
	int status = EXIT_DONE;

	for (size_t i = 0; i < state->gate_count; i++) {
		if (state->gates[i].result == GATE_INVALID)
			return EXIT_INVALID;
		if (state->gates[i].result == GATE_FAILED)
			status = EXIT_GATE;
	}
	return status;
}

/* Prints the findings by the options, which are the context. */
static int print(const struct findings *given, void *context)
{
	const struct ab_options *options = context;
	struct findings findings = *given;
	struct pager pager;

	findings.csv_raw = options->csv_raw;
	findings.style = report_style(options->color);
	if (findings.style.width == 0)
		findings.style.width = WIDTH;
	if (options->format == FINDINGS_MARKDOWN) {
		findings.style.markdown = true;
		findings.style.color = false;
		findings.style.width = 0;
	}
	pager_start(&pager, !options->no_pager && options->format == FINDINGS_TABLE);
	findings_print(pager.file, &findings, options->format);
	return pager_finish(&pager);
}

static void use_options(const struct ab_options *options, struct trial *trial)
{
	if (options->margin >= 0)
		trial->margin = options->margin;
	if (options->min_effect >= 0)
		trial->min_effect = options->min_effect;
}

/* Reads all units into the tables of all keys that were named. */
static int load(struct ab_state *state, const struct ab_options *options, struct trial *trial)
{
	use_options(options, trial);
	if (parse_picks(&trial->primaries, &state->primaries) < 0 ||
	    parse_picks(&trial->controls, &state->controls) < 0)
		return -1;
	for (size_t i = 0; i < options->gate_count; i++)
		*array_add(state->wanted.entries, state->wanted.count, state->wanted.capacity) =
		        options->gates[i].pick;
	add_table(&state->tables, options, trial, options->by);
	add_tables(&state->tables, options, trial, state->primaries.entries,
	           state->primaries.count);
	add_tables(&state->tables, options, trial, state->controls.entries, state->controls.count);
	add_tables(&state->tables, options, trial, state->wanted.entries, state->wanted.count);
	fact_table_init(&state->facts, options->by.literal_cgroups, options->per,
	                trial->unit_count);
	return ab_load_units(options, trial, state->tables.entries, state->tables.count,
	                     &state->facts, &state->settings) < 0
	               ? -1
	               : 0;
}

int ab_run_forecast(const struct ab_options *options, struct trial *trial, size_t blocks,
                    struct forecast *ret, struct forecast *ret_now)
{
	cleanup_(ab_state_done) struct ab_state state = {0};
	struct effect_options effects;

	if (load(&state, options, trial) < 0)
		return -1;
	effects = effect_options_of(&state, trial);
	forecast_init(ret, &effects, blocks);
	forecast_init(ret_now, &effects, trial->block_count);
	return 0;
}

int ab_visit(const struct ab_options *options, struct trial *trial, ab_visitor *visit,
             void *context)
{
	cleanup_(ab_state_done) struct ab_state state = {0};
	struct findings findings;
	int r;

	if (load(&state, options, trial) < 0)
		return EXIT_FAILED;
	compare(&state, trial);
	warn_of_missing(&state, &trial->primaries, &state.primaries, "primary");
	warn_of_missing(&state, &trial->controls, &state.controls, "control");
	check_gates(&state, options);
	findings = (struct findings){
	        .trial = trial,
	        .table = &state.tables.entries[0],
	        .comparisons = state.comparisons,
	        .count = state.comparison_count,
	        .settings = &state.settings,
	        .gates = state.gates,
	        .gate_count = state.gate_count,
	        .verbose = options->verbose,
	        .limit = options->limit,
	};
	r = visit(&findings, context);
	return r == EXIT_DONE ? status_of(&state) : r;
}

int ab_run(const struct ab_options *options, struct trial *trial)
{
	struct ab_options copy = *options;

	return ab_visit(options, trial, print, &copy);
}
