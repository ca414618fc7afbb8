// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables for people, on a terminal or as Markdown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "findings-format.h"
#include "metric/units.h"

enum column {
	COLUMN_METRIC,
	COLUMN_GROUP,
	COLUMN_A,
	COLUMN_B,
	COLUMN_CHANGE,
	COLUMN_INTERVAL,
	COLUMN_P,
	COLUMN_SHARE,
	COLUMN_ANSWER,
	COLUMN_COUNT
};

struct listing {
	const struct findings *findings;
	const struct comparison *comparison;
	const struct effect **rows; /* owned */
	size_t count;
	enum column columns[COLUMN_COUNT];
	unsigned column_count;
};

static void add_value(const struct effect *effect, unsigned arm, struct strbuf *out)
{
	units_format(effect->unit, quantity_real(effect->means[arm]), true, out);
	strbuf_add_str(out, measure_per_table[effect->per].suffix);
}

/* The end of an interval has no "/s" behind it, which takes much of 80 columns. */
static void add_end(const struct effect *effect, double y, struct strbuf *out)
{
	if (effect_has_percent(effect))
		effect_add_change(effect, y, out);
	else
		units_format_delta(effect->unit, quantity_real(effect_difference(effect, y)), true,
		                   out);
}

static enum table_color add_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct listing *listing = context;
	const struct effect *effect = listing->rows[row];

	switch (listing->columns[column]) {
	case COLUMN_METRIC:
		findings_add_name(effect->metric, out);
		break;
	case COLUMN_GROUP:
		if (effect->group)
			strbuf_add_str(out, effect->group);
		else
			effect_add_key(effect, out);
		break;
	case COLUMN_A:
	case COLUMN_B:
		add_value(effect, listing->columns[column] == COLUMN_B, out);
		break;
	case COLUMN_CHANGE:
		effect_add_change(effect, effect->test.mean, out);
		return effect->answer != ANSWER_MOVED ? COLOR_NONE
		       : effect->test.mean > 0        ? COLOR_MORE
		                                      : COLOR_LESS;
	case COLUMN_INTERVAL:
		if (!effect->has_interval)
			break;
		add_end(effect, effect->ci95.low, out);
		strbuf_add_char(out, ' ');
		add_end(effect, effect->ci95.high, out);
		break;
	case COLUMN_P:
		if (effect->p.is_defined)
			strbuf_addf(out, effect->p.p < .0001 ? "<.0001" : "%.2g", effect->p.p);
		break;
	case COLUMN_SHARE:
		if (isfinite(effect->share))
			strbuf_addf(out, "%+.2f%%", 100 * effect->share);
		break;
	case COLUMN_ANSWER:
		strbuf_add_str(out, effect_answer_names[effect->answer]);
		strbuf_add_str(out, effect->is_inside_margin ? " (m)" : "");
		break;
	case COLUMN_COUNT:
		break;
	}
	return COLOR_NONE;
}

/* Rows that were named come first, whatever they say; then what moved; all others only if they were asked for. */
static void find_rows(struct listing *listing, size_t *ret_left_out)
{
	const struct comparison *comparison = listing->comparison;
	const struct findings *findings = listing->findings;
	size_t moved = 0;

	listing->rows = mem_calloc(comparison->count + 1, sizeof(*listing->rows));
	for (size_t i = 0; i < comparison->count; i++) {
		const struct effect *effect = &comparison->effects[i];
		bool always = effect->role == ROLE_PRIMARY || effect->role == ROLE_OUTCOME;

		if (effect->role == ROLE_OTHER && effect->answer == ANSWER_MOVED &&
		    findings->limit > 0 && moved++ >= findings->limit) {
			(*ret_left_out)++;
			continue;
		}
		if (always || effect->answer == ANSWER_MOVED || findings->verbose)
			listing->rows[listing->count++] = effect;
	}
}

static void set_columns(struct listing *listing, struct table_column *columns)
{
	static const struct table_column all[COLUMN_COUNT] = {
	        {"METRIC", false, SHRINKS_ALWAYS, 0}, {"GROUP", false, SHRINKS_ALWAYS, 0},
	        {"A", true, SHRINKS_NEVER, 0},        {"B", true, SHRINKS_NEVER, 0},
	        {"CHANGE", true, SHRINKS_NEVER, 0},   {"95% INTERVAL", true, SHRINKS_NEVER, 0},
	        {"P", true, SHRINKS_NEVER, 0},        {"HOST", true, SHRINKS_NEVER, 1},
	        {"ANSWER", false, SHRINKS_NEVER, 0},
	};

	for (unsigned i = 0; i < COLUMN_COUNT; i++) {
		/* 80 columns have no room for it. */
		if (i == COLUMN_SHARE && !listing->findings->verbose &&
		    !listing->findings->style.markdown)
			continue;
		columns[listing->column_count] = all[i];
		listing->columns[listing->column_count++] = (enum column)i;
	}
}

/* Prints lines that are wider than the terminal in several, at blanks, behind the word in front of them. */
static void print_folded(FILE *file, const struct findings *findings, struct strbuf *text)
{
	enum { INDENT = 11 };
	const char *line;
	size_t width = findings->style.width;

	if (findings->style.ascii && !findings->style.markdown)
		text_make_ascii(text);
	line = strbuf_str(text);
	while (*line) {
		size_t len = strcspn(line, "\n"), column = 0;

		while (width > 2 * INDENT && column + text_width(line, len) > width) {
			size_t part = text_prefix_escaped(line, len, width - column), blank = part;

			while (blank > 0 && line[blank] != ' ')
				blank--;
			part = blank > INDENT || (column > 0 && blank > 0) ? blank : part;
			fprintf(file, "%.*s\n%*s", (int)part, line, INDENT, "");
			part += line[part] == ' ';
			line += part;
			len -= part;
			column = INDENT;
		}
		fprintf(file, "%.*s\n", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

/* Adds "B = tuned", or the name alone if it is the letter. */
static void add_arm(const struct trial_arm *arm, const char *letter, struct strbuf *out)
{
	if (strcmp(arm->name, letter) != 0)
		strbuf_addf(out, "%s = ", letter);
	findings_add_name(arm->name, out);
}

static bool has_inside_margin(const struct listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		if (listing->rows[i]->is_inside_margin)
			return true;
	return false;
}

static void print_comparison(FILE *file, const struct findings *findings,
                             const struct comparison *comparison)
{
	struct listing listing = {.findings = findings, .comparison = comparison};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct table_column columns[COLUMN_COUNT];
	const struct trial *trial = findings->trial;
	size_t left_out = 0;

	strbuf_add_char(&text, '\n');
	add_arm(&trial->arms[comparison->plan.b], "B", &text);
	strbuf_add_str(&text, " against ");
	add_arm(&trial->arms[comparison->plan.a], "A", &text);
	strbuf_addf(&text, ": %zu moved, %zu same, %zu unknown\n",
	            comparison->by_answer[ANSWER_MOVED], comparison->by_answer[ANSWER_SAME],
	            comparison->by_answer[ANSWER_UNKNOWN]);
	findings_add_failures(comparison, &text);
	find_rows(&listing, &left_out);
	set_columns(&listing, columns);
	if (listing.count > 0)
		strbuf_add_char(&text, '\n');
	print_folded(file, findings, &text);
	if (listing.count > 0)
		table_print(file, &findings->style, columns, listing.column_count, listing.count,
		            add_cell, &listing);
	strbuf_clear(&text);
	if (left_out > 0)
		strbuf_addf(&text, "%zu more rows moved (--limit 0 shows all)\n", left_out);
	if (has_inside_margin(&listing))
		strbuf_addf(&text, "(m): it moved, and by less than the margin of %g %%\n",
		            100 * trial->margin);
	strbuf_add_char(&text, '\n');
	findings_add_rest(findings, comparison, &text);
	findings_add_validity(findings, comparison, &text);
	print_folded(file, findings, &text);
	free(listing.rows);
}

static void print_gates(FILE *file, const struct findings *findings)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < findings->gate_count; i++) {
		const struct gate_finding *gate = &findings->gates[i];

		strbuf_addf(&text, "%s%-10s ", i == 0 ? "\n" : "", gate_result_names[gate->result]);
		findings_add_name(gate->gate->text, &text);
		strbuf_addf(&text, "%s%s\n", gate->reason[0] ? ": " : "", gate->reason);
	}
	print_folded(file, findings, &text);
}

void findings_print_text(FILE *file, const struct findings *findings)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	findings_add_head(findings, &text);
	print_folded(file, findings, &text);
	for (size_t i = 0; i < findings->count; i++)
		print_comparison(file, findings, &findings->comparisons[i]);
	print_gates(file, findings);
}
