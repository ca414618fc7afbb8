// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables for people; arms-machine.c has the formats for programs. */
#include "database/arms-print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "series-text.h"

/* A host that differs in some series: how many these are, and the one in which it is farthest off. */
struct far_host {
	uint32_t host;
	size_t series;
	const struct arms_row *row;
	const struct arms_host *farthest;
	bool is_against; /* in one of them */
};

struct table {
	struct database *database;
	const struct database_list *list;
	const struct arms_answer *answer;
	struct far_host *hosts; /* owned */
	size_t host_count;
	struct series_text text;
	bool any_partial;
};

enum row_column {
	ROW_GROUP,
	ROW_METRIC,
	ROW_A,
	ROW_B,
	ROW_CHANGE,
	ROW_INTERVAL,
	ROW_SPREAD,
	ROW_HOSTS,
	ROW_P,
	ROW_ANSWER,
	ROW_COLUMN_COUNT
};

/* A percentage of arm a or, if it has none, the difference of the values. */
static void add_change(const struct table *table, const struct arm_effect *effect, double y,
                       struct strbuf *out)
{
	double percent = 100 * arm_effect_share(effect, y);

	if (!isnan(percent)) {
		strbuf_addf(out, fabs(percent) < 100 ? "%+.1f%%" : "%+.0f%%", percent);
		return;
	}
	units_format_delta(table->text.unit_id, quantity_real(y * effect->scale.one), true, out);
	strbuf_add_str(out, table->text.is_rate ? "/s" : "");
}

static void add_interval(const struct table *table, const struct arm_effect *effect,
                         struct strbuf *out)
{
	if (!effect->has_t) {
		strbuf_add_char(out, '-');
		return;
	}
	add_change(table, effect, effect->ci95.low, out);
	strbuf_add_char(out, ' ');
	add_change(table, effect, effect->ci95.high, out);
}

static void add_hosts(const struct table *table, const struct arm_effect *effect,
                      struct strbuf *out)
{
	strbuf_addf(out, "%zu", effect->counts[0]);
	if (table->answer->plan.design == ARM_DESIGN_BETWEEN)
		strbuf_addf(out, "+%zu", effect->counts[1]);
}

/* The spread of logarithms is as good as a share. */
static void add_spread(const struct arm_effect *effect, struct strbuf *out)
{
	double share =
	        effect->scale.is_log ? effect->spread : arm_effect_share(effect, effect->spread);

	if (isnan(share))
		strbuf_add_char(out, '-');
	else
		strbuf_addf(out, "%.1f%%", 100 * share);
}

static enum table_color add_row_cell(void *context, size_t place, unsigned column,
                                     struct strbuf *out)
{
	struct table *table = context;
	const struct arms_row *row = &table->answer->rows[place];
	const struct arm_effect *effect = &row->effect;

	switch ((enum row_column)column) {
	case ROW_GROUP:
		series_text_set(&table->text, table->database, table->list, row->metric,
		                row->group);
		text_add_escaped(out, strbuf_str(&table->text.group), table->text.group.len);
		break;
	case ROW_METRIC:
		text_add_escaped(out, strbuf_str(&table->text.metric), table->text.metric.len);
		break;
	case ROW_A:
	case ROW_B:
		series_text_add_value(&table->text, effect->means[column == ROW_B], out);
		strbuf_add_str(out, column == ROW_B && row->is_partial ? "*" : "");
		break;
	case ROW_CHANGE:
		add_change(table, effect, effect->estimate, out);
		break;
	case ROW_INTERVAL:
		add_interval(table, effect, out);
		break;
	case ROW_SPREAD:
		add_spread(effect, out);
		break;
	case ROW_HOSTS:
		add_hosts(table, effect, out);
		break;
	case ROW_P:
		strbuf_addf(out, row->p.p < .0001 ? "<.0001" : "%.2g", row->p.p);
		break;
	case ROW_ANSWER:
		strbuf_add_str(out, arm_answer_names[row->answer]);
		break;
	case ROW_COLUMN_COUNT:
		break;
	}
	return COLOR_NONE;
}

enum host_column {
	HOST_NAME,
	HOST_SERIES,
	HOST_GROUP,
	HOST_METRIC,
	HOST_CHANGE,
	HOST_Z,
	HOST_WAY,
	HOST_COLUMN_COUNT_
};

static enum table_color add_host_cell(void *context, size_t place, unsigned column,
                                      struct strbuf *out)
{
	struct table *table = context;
	const struct far_host *far = &table->hosts[place];
	const char *name = table->list->hosts[far->host];

	switch ((enum host_column)column) {
	case HOST_NAME:
		series_text_set(&table->text, table->database, table->list, far->row->metric,
		                far->row->group);
		text_add_escaped(out, name, strlen(name));
		break;
	case HOST_SERIES:
		strbuf_addf(out, "%zu", far->series);
		break;
	case HOST_GROUP:
		text_add_escaped(out, strbuf_str(&table->text.group), table->text.group.len);
		break;
	case HOST_METRIC:
		text_add_escaped(out, strbuf_str(&table->text.metric), table->text.metric.len);
		break;
	case HOST_CHANGE:
		add_change(table, &far->row->effect, far->farthest->change, out);
		break;
	case HOST_Z:
		strbuf_addf(out, "%+.1f", far->farthest->z);
		break;
	case HOST_WAY:
		strbuf_add_str(out, far->is_against ? "against" : "beyond");
		break;
	case HOST_COLUMN_COUNT_:
		break;
	}
	return COLOR_NONE;
}

static int by_rank(const void *a, const void *b)
{
	const struct far_host *first = a, *second = b;

	if (first->is_against != second->is_against)
		return first->is_against ? -1 : 1;
	if (first->series != second->series)
		return first->series > second->series ? -1 : 1;
	return (first->host > second->host) - (first->host < second->host);
}

static void find_hosts(struct table *table)
{
	const struct arms_answer *answer = table->answer;
	size_t kept = 0;

	table->hosts = mem_calloc(table->list->host_count + 1, sizeof(table->hosts[0]));
	for (size_t i = 0; i < answer->count; i++)
		for (size_t k = 0; k < answer->rows[i].host_count; k++) {
			const struct arms_host *found =
			        &answer->hosts[answer->rows[i].first_host + k];
			struct far_host *far = &table->hosts[found->host];
			bool is_first = far->series++ == 0;

			far->host = found->host;
			if (is_first || found->is_against > far->is_against ||
			    (found->is_against == far->is_against &&
			     fabs(found->z) > fabs(far->farthest->z))) {
				far->row = &answer->rows[i];
				far->farthest = found;
			}
			far->is_against |= found->is_against;
		}
	for (size_t h = 0; h < table->list->host_count; h++)
		if (table->hosts[h].series > 0)
			table->hosts[kept++] = table->hosts[h];
	table->host_count = kept;
	qsort(table->hosts, kept, sizeof(table->hosts[0]), by_rank);
}

static void print_text(FILE *file, const struct table_style *style, struct strbuf *text)
{
	if (style->ascii && !style->markdown)
		text_make_ascii(text);
	fputs(strbuf_str(text), file);
	strbuf_clear(text);
}

static void add_name(struct strbuf *out, const char *name)
{
	text_add_escaped(out, name, strlen(name));
}

static void add_design(const struct arm_plan *plan, struct strbuf *out)
{
	if (plan->experiment[0] != '\0') {
		strbuf_add_str(out, "experiment ");
		add_name(out, plan->experiment);
		strbuf_add_char(out, '\n');
	}
	strbuf_add_str(out, "hosts      ");
	if (plan->design == ARM_DESIGN_PAIRED) {
		strbuf_addf(out, "%zu with both arms: each has an effect, tested over hosts by t",
		            plan->both);
		if (plan->only[0] + plan->only[1] > 0)
			strbuf_addf(out, "\n           %zu with one arm are left out",
			            plan->only[0] + plan->only[1]);
	} else {
		strbuf_addf(out, "%zu of ", plan->only[0]);
		add_name(out, plan->names[0]);
		strbuf_addf(out, " against %zu of ", plan->only[1]);
		add_name(out, plan->names[1]);
		strbuf_add_str(out, ", by Welch's t");
		if (plan->both > 0)
			strbuf_addf(out, "\n           %zu with both arms are left out",
			            plan->both);
	}
	strbuf_add_char(out, '\n');
}

static void add_windows(const struct arm_plan *plan, struct strbuf *out)
{
	strbuf_addf(out, "windows    %zu of ", plan->files[0]);
	add_name(out, plan->names[0]);
	strbuf_addf(out, ", %zu of ", plan->files[1]);
	add_name(out, plan->names[1]);
	if (plan->incomplete > 0)
		strbuf_addf(out, "; %zu left out, of blocks that lack an arm", plan->incomplete);
	if (plan->design == ARM_DESIGN_PAIRED) {
		strbuf_add_str(out, "\norder      ");
		add_name(out, plan->names[0]);
		strbuf_addf(out, " came first on %zu host%s, ", plan->first[0],
		            plan->first[0] == 1 ? "" : "s");
		add_name(out, plan->names[1]);
		strbuf_addf(out, " on %zu", plan->first[1]);
		if (plan->boots > 0)
			strbuf_addf(out,
			            "\nboots      the arms of %zu host%s are of different ones",
			            plan->boots, plan->boots == 1 ? "" : "s");
	}
	strbuf_add_char(out, '\n');
	if (plan->failure.len > 0)
		strbuf_addf(out,
		            "INVALID    %s\n"
		            "           so that no series has another answer than unknown\n",
		            strbuf_str(&plan->failure));
}

static void add_answers(const struct arms_answer *answer, struct strbuf *out)
{
	strbuf_add_char(out, '\n');
	add_name(out, answer->plan.names[1]);
	strbuf_add_str(out, " against ");
	add_name(out, answer->plan.names[0]);
	strbuf_add_str(out, ": ");
	for (unsigned i = 0; i < ARM_ANSWER_COUNT; i++)
		strbuf_addf(out, "%s%zu %s", i > 0 ? ", " : "", answer->by_answer[i],
		            arm_answer_names[i]);
	strbuf_add_char(out, '\n');
	if (answer->count > 0)
		strbuf_add_char(out, '\n');
}

static size_t shown_of(size_t count, size_t limit)
{
	return limit == 0 || limit > count ? count : limit;
}

static void add_more(size_t count, size_t shown, const char *noun, struct strbuf *out)
{
	if (count > shown)
		strbuf_addf(out, "%zu more %s%s (--limit 0 shows all)\n", count - shown, noun,
		            count - shown == 1 ? "" : "s");
}

static void add_foot(const struct table *table, size_t shown, struct strbuf *out)
{
	const struct arms_answer *answer = table->answer;

	add_more(answer->count, shown, "row", out);
	if (table->any_partial)
		strbuf_add_str(out, "* not all threads were seen\n");
	strbuf_addf(out,
	            "\np          corrected for %zu series by Holm; intervals are those of each\n"
	            "not tested %zu that never differ, %zu mostly zero, %zu not seen on %d hosts",
	            answer->count, answer->by_outcome[ARM_EQUAL], answer->by_outcome[ARM_RARE],
	            answer->by_outcome[ARM_FEW], ARM_HOSTS_LEAST);
	if (answer->by_outcome[ARM_UNLIKE] > 0)
		strbuf_addf(out, ",\n           %zu of which one arm lacks threads",
		            answer->by_outcome[ARM_UNLIKE]);
	if (answer->by_outcome[ARM_NO_SCALE] > 0)
		strbuf_addf(out, ", %zu too large", answer->by_outcome[ARM_NO_SCALE]);
	strbuf_addf(out, "\n%s%zu host%s differ%s from the others in a series\n",
	            table->host_count > 0 ? "\n" : "", table->host_count,
	            table->host_count == 1 ? "" : "s", table->host_count == 1 ? "s" : "");
	if (table->host_count > 0)
		strbuf_add_char(out, '\n');
}

static void print_rows(FILE *file, const struct table_style *style, struct table *table,
                       size_t shown)
{
	cleanup_(strbuf_done) struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	struct table_column columns[ROW_COLUMN_COUNT] = {
	        [ROW_GROUP] = {"group", .shrinks = SHRINKS_ALWAYS},
	        [ROW_METRIC] = {"metric", .shrinks = SHRINKS_WRAPPED},
	        [ROW_A] = {.right = true, .leaves = 3},
	        [ROW_B] = {.right = true, .leaves = 4},
	        [ROW_CHANGE] = {"change", .right = true},
	        [ROW_INTERVAL] = {"95% interval", .right = true},
	        [ROW_SPREAD] = {"spread", .right = true, .leaves = 2},
	        [ROW_HOSTS] = {"hosts", .right = true, .leaves = 1},
	        [ROW_P] = {"p", .right = true},
	        [ROW_ANSWER] = {.heading = "answer"},
	};

	add_name(&a, table->answer->plan.names[0]);
	add_name(&b, table->answer->plan.names[1]);
	columns[ROW_A].heading = strbuf_str(&a);
	columns[ROW_B].heading = strbuf_str(&b);
	for (size_t i = 0; i < shown; i++)
		table->any_partial |= table->answer->rows[i].is_partial;
	if (shown > 0)
		table_print(file, style, columns, ROW_COLUMN_COUNT, shown, add_row_cell, table);
}

static void print_hosts(FILE *file, const struct table_style *style, struct table *table,
                        size_t shown)
{
	static const struct table_column columns[HOST_COLUMN_COUNT_] = {
	        [HOST_NAME] = {"host", .shrinks = SHRINKS_WRAPPED},
	        [HOST_SERIES] = {"series", .right = true},
	        [HOST_GROUP] = {"farthest in", .shrinks = SHRINKS_ALWAYS},
	        [HOST_METRIC] = {.heading = "metric"},
	        [HOST_CHANGE] = {"change", .right = true},
	        [HOST_Z] = {"z", .right = true},
	        [HOST_WAY] = {.heading = "way"},
	};

	if (shown > 0)
		table_print(file, style, columns, HOST_COLUMN_COUNT_, shown, add_host_cell, table);
}

void arms_print_table(FILE *file, const struct table_style *style, struct database *database,
                      const struct database_list *list, const struct arms_answer *answer,
                      size_t limit)
{
	struct table table = {.database = database, .list = list, .answer = answer};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	size_t rows = shown_of(answer->count, limit), hosts;

	find_hosts(&table);
	hosts = shown_of(table.host_count, limit);
	add_design(&answer->plan, &text);
	add_windows(&answer->plan, &text);
	add_answers(answer, &text);
	print_text(file, style, &text);
	print_rows(file, style, &table, rows);
	add_foot(&table, rows, &text);
	print_text(file, style, &text);
	print_hosts(file, style, &table, hosts);
	add_more(table.host_count, hosts, "host", &text);
	print_text(file, style, &text);
	series_text_done(&table.text);
	free(table.hosts);
}
