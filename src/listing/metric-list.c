// SPDX-License-Identifier: GPL-2.0-or-later
#include "listing/metric-list.h"

#include <jansson.h>

#include "ctprof/base/macro.h"
#include "listing/listing.h"
#include "json/json-tree.h"

struct printed {
	struct listing_rows rows;
	struct table_column columns[LISTING_COLUMNS_MAX];
};

static enum table_color add_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct printed *printed = context;
	const json_t *cell =
	        json_object_get(printed->rows.rows[row].table, printed->columns[column].heading);

	if (json_is_true(cell))
		strbuf_add_str(out, "yes");
	else if (json_is_string(cell))
		strbuf_add_str(out, json_string_value(cell));
	for (size_t i = 0; i < json_array_size(cell); i++)
		strbuf_addf(out, "%s%s", i > 0 ? ", " : "",
		            json_string_value(json_array_get(cell, i)));
	return COLOR_NONE;
}

static void print_table(FILE *file, const struct table_style *style, enum listing_id listing)
{
	struct printed printed = {.rows = listing_rows(listing)};
	unsigned columns = 0;
	size_t rows = 0;
	const char *heading;
	json_t *cell;

	json_object_foreach(printed.rows.rows[0].table, heading, cell)
	{
		if (columns < LISTING_COLUMNS_MAX)
			printed.columns[columns++].heading = heading;
	}
	/* Rows that are not in the table stand behind those that are. */
	while (rows < printed.rows.count && json_object_size(printed.rows.rows[rows].table) > 0)
		rows++;
	table_print(file, style, printed.columns, columns, rows, add_cell, &printed);
	listing_rows_done(&printed.rows);
}

void metric_list_print(FILE *file, const struct table_style *style)
{
	static const struct {
		const char *heading; /* NULL: the table belongs to the heading above */
		enum listing_id listing;
	} tables[] = {
	        {"Tag legend", LISTING_SCHED_CLASSES},
	        {NULL, LISTING_GATES},
	        {NULL, LISTING_RULES},
	        {"Sections", LISTING_SECTIONS},
	        {"Metrics", LISTING_METRICS},
	        {"Derived metrics", LISTING_DERIVED},
	        {"Process totals", LISTING_PROCESS_TOTALS},
	        {"Cgroup values", LISTING_CGROUP_VALUES},
	        {"Cgroup lists", LISTING_CGROUP_LISTS},
	        {"Keys of the lists", LISTING_CGROUP_KEYS},
	        {"Rules of cgroups", LISTING_CGROUP_RULES},
	        {"Pressure", LISTING_PSI},
	        {"sched_ext", LISTING_SCHED_EXT},
	        {"Host", LISTING_HOST},
	        {"Derived values of cgroups and the host", LISTING_FACT_DERIVED},
	        {"Cost of a capture", LISTING_COST},
	        {"Window", LISTING_WINDOW},
	        {"Group keys", LISTING_GROUP_KEYS},
	        {"Columns", LISTING_COLUMNS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		if (i > 0)
			putc('\n', file);
		if (tables[i].heading)
			fprintf(file, "## %s\n", tables[i].heading);
		print_table(file, style, tables[i].listing);
	}
}

static json_t *rows_as_json(enum listing_id listing)
{
	cleanup_(listing_rows_done) struct listing_rows rows = listing_rows(listing);
	json_t *array = json_array();

	for (size_t i = 0; i < rows.count; i++)
		tree_append(array, json_incref(rows.rows[i].json));
	return array;
}

void metric_list_print_json(FILE *file)
{
	static const struct {
		const char *key;
		enum listing_id listing;
	} arrays[] = {
	        {"sched_classes", LISTING_SCHED_CLASSES},
	        {"gates", LISTING_GATES},
	        {"rules", LISTING_RULES},
	        {"sections", LISTING_SECTIONS},
	        {"sources", LISTING_SOURCES},
	        {"group_keys", LISTING_GROUP_KEYS},
	        {"columns", LISTING_COLUMNS},
	        {"metrics", LISTING_METRICS},
	        {"derived", LISTING_DERIVED},
	        {"process_totals", LISTING_PROCESS_TOTALS},
	        {"cgroup_values", LISTING_CGROUP_VALUES},
	        {"cgroup_lists", LISTING_CGROUP_LISTS},
	        {"cgroup_rules", LISTING_CGROUP_RULES},
	        {"cgroup_forms", LISTING_CGROUP_FORMS},
	        {"psi", LISTING_PSI},
	        {"sched_ext", LISTING_SCHED_EXT},
	        {"host", LISTING_HOST},
	        {"fact_derived", LISTING_FACT_DERIVED},
	        {"cost", LISTING_COST},
	        {"window", LISTING_WINDOW},
	};
	json_auto_t *root = tree_new();

	tree_set(root, "ctprof", json_string(CTPROF_VERSION));
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++)
		tree_set(root, arrays[i].key, rows_as_json(arrays[i].listing));
	json_dumpf(root, file, JSON_INDENT(2));
	putc('\n', file);
}
