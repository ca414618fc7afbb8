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

/* The tables in their order; NULL: the table belongs to the heading above. */
static const struct {
	const char *heading;
	enum listing_id listing;
} tables[] = {
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
        {"Sections", LISTING_SECTIONS},
        {"Aspects", LISTING_ASPECTS},
        {"Group keys", LISTING_GROUP_KEYS},
        {"Columns", LISTING_COLUMNS},
        {"Tag legend", LISTING_SCHED_CLASSES},
        {NULL, LISTING_GATES},
        {NULL, LISTING_RULES},
};

static struct listing_rows chosen_rows(enum listing_id listing, const char *const *patterns)
{
	struct listing_rows rows = listing_rows(listing);

	listing_rows_filter(&rows, patterns);
	return rows;
}

/* Rows that are not in the table are behind those that are. */
static size_t count_printed(const struct listing_rows *rows)
{
	size_t count = 0;

	while (count < rows->count && json_object_size(rows->rows[count].table) > 0)
		count++;
	return count;
}

static void print_table(FILE *file, const struct table_style *style, struct printed *printed,
                        size_t rows)
{
	unsigned columns = 0;
	const char *heading;
	json_t *cell;

	json_object_foreach(printed->rows.rows[0].table, heading, cell)
	{
		if (columns < LISTING_COLUMNS_MAX)
			printed->columns[columns++].heading = heading;
	}
	table_print(file, style, printed->columns, columns, rows, add_cell, printed);
}

bool metric_list_print(FILE *file, const struct table_style *style, const char *const *patterns)
{
	const char *heading = NULL;
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		struct printed printed = {.rows = chosen_rows(tables[i].listing, patterns)};
		size_t rows = count_printed(&printed.rows);

		heading = tables[i].heading ? tables[i].heading : heading;
		if (rows > 0) {
			fprintf(file, "%s%s%s%s", any ? "\n" : "", heading ? "## " : "",
			        heading ? heading : "", heading ? "\n" : "");
			print_table(file, style, &printed, rows);
			heading = NULL;
			any = true;
		}
		listing_rows_done(&printed.rows);
	}
	return any;
}

static json_t *rows_as_json(enum listing_id listing, const char *const *patterns)
{
	cleanup_(listing_rows_done) struct listing_rows rows = chosen_rows(listing, patterns);
	json_t *array = json_array();

	for (size_t i = 0; i < rows.count; i++)
		tree_append(array, json_incref(rows.rows[i].json));
	return array;
}

bool metric_list_print_json(FILE *file, const char *const *patterns)
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
	        {"aspects", LISTING_ASPECTS},
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
	bool any = false;

	tree_set(root, "ctprof", json_string(CTPROF_VERSION));
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++) {
		json_t *rows = rows_as_json(arrays[i].listing, patterns);

		any = any || json_array_size(rows) > 0;
		tree_set(root, arrays[i].key, rows);
	}
	if (!any)
		return false;
	json_dumpf(root, file, JSON_INDENT(2));
	putc('\n', file);
	return true;
}
