// SPDX-License-Identifier: GPL-2.0-or-later
#include "listing/metric-list.h"

#include <string.h>

#include "group/group-by.h"
#include "measure/measure.h"
#include "metric-list-facts.h"
#include "report/columns.h"

static enum table_color legend_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct named_desc *table = context;

	strbuf_add_str(out, column == 0 ? table[row].name : table[row].description);
	return COLOR_NONE;
}

static void print_legend(FILE *file, const struct table_style *style, const char *heading,
                         const struct named_desc *table, size_t count)
{
	const struct table_column columns[] = {{heading, false, false}, {"meaning", false, false}};

	table_print(file, style, columns, ARRAY_SIZE(columns), count, legend_cell, (void *)table);
	putc('\n', file);
}

static enum table_color section_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct section_desc *section = &section_table[row];
	const char *const cells[] = {section->name, section->heading, section->description};

	(void)context;
	strbuf_add_str(out, cells[column]);
	return COLOR_NONE;
}

static enum table_color metric_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct metric_desc *metric = &metric_table[row];

	(void)context;
	switch (column) {
	case 0:
		strbuf_add_str(out, metric->name);
		break;
	case 1:
		strbuf_add_str(out, metric_type_table[metric->type].name);
		break;
	case 2:
		strbuf_add_str(out, metric_rule_name(metric->rule));
		break;
	case 3:
		metric_add_tags((enum metric_id)row, out);
		break;
	case 4:
		strbuf_add_str(out, metric->description);
		break;
	}
	return COLOR_NONE;
}

static void add_inputs(const struct derived_desc *derived, struct strbuf *out)
{
	for (size_t i = 0; i < derived->input_count; i++)
		strbuf_addf(out, "%s%s", i > 0 ? ", " : "", metric_table[derived->inputs[i]].name);
}

static enum table_color derived_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct derived_desc *derived = &derived_table[row];

	(void)context;
	switch (column) {
	case 0:
		strbuf_add_str(out, derived->name);
		break;
	case 1:
		strbuf_add_str(out, unit_table[derived->unit].name);
		break;
	case 2:
		add_inputs(derived, out);
		break;
	case 3:
		strbuf_add_str(out, derived->description);
		break;
	}
	return COLOR_NONE;
}

static enum table_color key_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct group_key_desc *key = &group_key_table[row];

	(void)context;
	if (row < GROUP_KEY_COUNT)
		strbuf_add_str(out, column == 0 ? key->name : key->description);
	else
		strbuf_add_str(out, column == 0
		                            ? group_tree_table[row - GROUP_KEY_COUNT].name
		                            : group_tree_table[row - GROUP_KEY_COUNT].description);
	return COLOR_NONE;
}

static enum table_color column_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct column_desc *desc = &column_table[row];

	(void)context;
	if (column == 0)
		strbuf_add_str(out, desc->name);
	else if (column == 1)
		strbuf_addf(out, "%s%s%s", desc->in_show ? "show" : "",
		            desc->in_show && desc->in_compare ? ", " : "",
		            desc->in_compare ? "compare" : "");
	else
		strbuf_add_str(out, desc->description);
	return COLOR_NONE;
}

/* What --group-by and --columns take. */
static void print_keys_and_columns(FILE *file, const struct table_style *style)
{
	static const struct table_column keys[] = {{"key", false, SHRINKS_NEVER},
	                                           {"description", false, SHRINKS_NEVER}};
	static const struct table_column columns[] = {{"column", false, SHRINKS_NEVER},
	                                              {"commands", false, SHRINKS_NEVER},
	                                              {"description", false, SHRINKS_NEVER}};

	fputs("\n## Group keys\n", file);
	table_print(file, style, keys, ARRAY_SIZE(keys), GROUP_KEY_COUNT + group_tree_count,
	            key_cell, NULL);
	fputs("\n## Columns\n", file);
	table_print(file, style, columns, ARRAY_SIZE(columns), COLUMN_COUNT, column_cell, NULL);
}

void metric_list_print(FILE *file, const struct table_style *style)
{
	static const struct table_column sections[] = {{"section", false, false},
	                                               {"heading", false, false},
	                                               {"description", false, false}};
	static const struct table_column metrics[] = {{"metric", false, false},
	                                              {"type", false, false},
	                                              {"rule", false, false},
	                                              {"tags", false, false},
	                                              {"description", false, false}};
	static const struct table_column derived[] = {{"metric", false, false},
	                                              {"unit", false, false},
	                                              {"inputs", false, false},
	                                              {"description", false, false}};

	fputs("## Tag legend\n", file);
	/* The first class and the first gate stand for "none" and have no tag. */
	print_legend(file, style, "sched_class", sched_class_table + 1, SCHED_CLASS_COUNT - 1);
	print_legend(file, style, "config_gate", gate_table + 1, GATE_COUNT - 1);
	print_legend(file, style, "rule", rule_table, RULE_INDEX_COUNT);
	fputs("## Sections\n", file);
	table_print(file, style, sections, ARRAY_SIZE(sections), SECTION_COUNT, section_cell, NULL);
	fputs("\n## Metrics\n", file);
	table_print(file, style, metrics, ARRAY_SIZE(metrics), METRIC_COUNT, metric_cell, NULL);
	fputs("\n## Derived metrics\n", file);
	table_print(file, style, derived, ARRAY_SIZE(derived), DERIVED_COUNT, derived_cell, NULL);
	fact_list_print(file, style);
	print_keys_and_columns(file, style);
}
