// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric-list-facts.h"

#include <string.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/snapshot/snapshot.h"
#include "facts/fact-derive.h"

static void add_file(enum fact_form form, const char *file, const char *file_key,
                     struct strbuf *out)
{
	strbuf_add_str(out, file);
	if (form == FORM_FLAT)
		strbuf_addf(out, ": %s", file_key);
}

static enum table_color value_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct cgroup_value_desc *value = &cgroup_value_table[row];

	(void)context;
	switch (column) {
	case 0:
		strbuf_addf(out, "%s.%s", value->object, value->key);
		break;
	case 1:
		strbuf_add_str(out, unit_table[value->unit].name);
		break;
	case 2:
		strbuf_add_str(out, fact_rule_table[value->rule].name);
		break;
	case 3:
		add_file(value->form, value->file, value->file_key, out);
		break;
	case 4:
		strbuf_add_str(out, value->description);
		break;
	}
	return COLOR_NONE;
}

static enum table_color key_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct cgroup_key_desc *key = &cgroup_key_table[row];
	const struct cgroup_list_desc *list = &cgroup_list_table[key->list];

	(void)context;
	switch (column) {
	case 0:
		strbuf_addf(out, "%s.%s", list->object, list->key);
		break;
	case 1:
		strbuf_add_str(out, key->key);
		break;
	case 2:
		strbuf_add_str(out, unit_table[key->unit].name);
		break;
	case 3:
		strbuf_add_str(out, fact_rule_table[key->rule].name);
		break;
	}
	return COLOR_NONE;
}

static enum table_color list_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct cgroup_list_desc *list = &cgroup_list_table[row];

	(void)context;
	if (column == 0)
		strbuf_addf(out, "%s.%s", list->object, list->key);
	else
		strbuf_add_str(out, column == 1 ? list->file : list->description);
	return COLOR_NONE;
}

static enum table_color rule_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct named_desc *rule = &fact_rule_table[row];

	(void)context;
	strbuf_add_str(out, column == 0 ? rule->name : rule->description);
	return COLOR_NONE;
}

/* Resources first, then rows, then averages: each is a level of "psi". */
static enum table_color psi_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const char *level = "psi.", *name, *description;

	(void)context;
	if (row < PSI_RESOURCE_COUNT) {
		name = psi_resource_names[row];
		description = psi_resource_descriptions[row];
	} else if (row < PSI_RESOURCE_COUNT + PSI_ROW_COUNT) {
		level = "psi.*.";
		name = psi_row_names[row - PSI_RESOURCE_COUNT];
		description = psi_row_descriptions[row - PSI_RESOURCE_COUNT];
	} else {
		level = "psi.*.*.";
		name = psi_average_names[row - PSI_RESOURCE_COUNT - PSI_ROW_COUNT];
		description = psi_average_descriptions[row - PSI_RESOURCE_COUNT - PSI_ROW_COUNT];
	}
	if (column == 0)
		strbuf_add_str(out, level);
	strbuf_add_str(out, column == 0 ? name : description);
	return COLOR_NONE;
}

static enum table_color sched_ext_cell(void *context, size_t row, unsigned column,
                                       struct strbuf *out)
{
	const struct named_fact_desc *fact = &sched_ext_table[row];

	(void)context;
	if (column == 0)
		strbuf_addf(out, "sched_ext.%s", fact->name);
	else
		strbuf_add_str(out,
		               column == 1 ? fact_form_table[fact->form].name : fact->description);
	return COLOR_NONE;
}

static enum table_color host_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct host_field_desc *field = &host_field_table[row];

	(void)context;
	if (column == 0)
		strbuf_addf(out, "host.%s", field->name);
	else if (column == 1)
		strbuf_add_str(out, field->compared ? "yes" : "");
	else
		strbuf_add_str(out, field->description);
	return COLOR_NONE;
}

static enum table_color derived_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct fact_derived_desc *derived = &fact_derived_table[row];

	(void)context;
	switch (column) {
	case 0:
		strbuf_add_str(out, derived->name);
		break;
	case 1:
		strbuf_add_str(out, unit_name_per(derived->unit, derived->per));
		break;
	case 2:
		strbuf_add_str(out, section_table[derived->section].name);
		break;
	case 3:
		strbuf_add_str(out, derived->tool);
		break;
	case 4:
		strbuf_add_str(out, derived->description);
		break;
	}
	return COLOR_NONE;
}

static enum table_color cost_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct capture_cost_desc *cost = &capture_cost_table[row];

	(void)context;
	if (column == 0)
		strbuf_addf(out, "cost.%s", cost->name);
	else
		strbuf_add_str(out, column == 1 ? unit_table[cost->unit].name : cost->description);
	return COLOR_NONE;
}

static enum table_color window_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct window_number_desc *number = &window_number_table[row];

	(void)context;
	if (column == 0)
		strbuf_addf(out, "window.%s", number->name);
	else
		strbuf_add_str(out,
		               column == 1 ? unit_table[number->unit].name : number->description);
	return COLOR_NONE;
}

static enum table_color total_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct process_total_desc *total = &process_total_table[row];

	(void)context;
	if (column == 0)
		strbuf_addf(out, "process_totals.%s", metric_table[total->metric].name);
	else
		strbuf_add_str(out, column == 1 ? source_table[total->source].name : total->key);
	return COLOR_NONE;
}

void fact_list_print(FILE *file, const struct table_style *style)
{
	enum { COLUMNS = 5 };
	static const struct {
		const char *heading;
		struct table_column columns[COLUMNS];
		unsigned column_count;
		table_cell_function *cell;
	} tables[] = {
	        {"Process totals",
	         {{"value", false, false}, {"source", false, false}, {"key", false, false}},
	         3,
	         total_cell},
	        {"Cgroup values",
	         {{"value", false, false},
	          {"unit", false, false},
	          {"rule", false, false},
	          {"file", false, false},
	          {"description", false, false}},
	         5,
	         value_cell},
	        {"Cgroup lists",
	         {{"value", false, false}, {"file", false, false}, {"description", false, false}},
	         3,
	         list_cell},
	        {"Keys of the lists",
	         {{"list", false, false},
	          {"key", false, false},
	          {"unit", false, false},
	          {"rule", false, false}},
	         4,
	         key_cell},
	        {"Rules of cgroups",
	         {{"rule", false, false}, {"meaning", false, false}},
	         2,
	         rule_cell},
	        {"Pressure", {{"value", false, false}, {"description", false, false}}, 2, psi_cell},
	        {"sched_ext",
	         {{"value", false, false}, {"form", false, false}, {"description", false, false}},
	         3,
	         sched_ext_cell},
	        {"Host",
	         {{"value", false, false},
	          {"compared", false, false},
	          {"description", false, false}},
	         3,
	         host_cell},
	        {"Derived values of cgroups and the host",
	         {{"value", false, false},
	          {"unit", false, false},
	          {"section", false, false},
	          {"tool", false, false},
	          {"description", false, false}},
	         5,
	         derived_cell},
	        {"Cost of a capture",
	         {{"value", false, false}, {"unit", false, false}, {"description", false, false}},
	         3,
	         cost_cell},
	        {"Window",
	         {{"value", false, false}, {"unit", false, false}, {"description", false, false}},
	         3,
	         window_cell},
	};
	const size_t rows[ARRAY_SIZE(tables)] = {
	        PROCESS_TOTAL_COUNT, CGROUP_VALUE_COUNT,
	        CGROUP_LIST_COUNT,   cgroup_key_count,
	        FACT_RULE_COUNT,     PSI_RESOURCE_COUNT + PSI_ROW_COUNT + PSI_AVERAGE_COUNT,
	        SCHED_EXT_COUNT,     HOST_FIELD_COUNT,
	        FACT_DERIVED_COUNT,  COST_COUNT,
	        WINDOW_NUMBER_COUNT};

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		fprintf(file, "\n## %s\n", tables[i].heading);
		table_print(file, style, tables[i].columns, tables[i].column_count, rows[i],
		            tables[i].cell, NULL);
	}
}
