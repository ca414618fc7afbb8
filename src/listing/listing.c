// SPDX-License-Identifier: GPL-2.0-or-later
#include "listing/listing.h"

#include <jansson.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "ctprof/base/macro.h"
#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/snapshot/snapshot.h"
#include "facts/fact-derive.h"
#include "group/group-by.h"
#include "measure/measure.h"
#include "measure/repeats.h"
#include "overview/aspect.h"
#include "report/columns.h"
#include "json/json-tree.h"

static const char *const subject_names[] = {
        [SUBJECT_THREADS] = "threads",
        [SUBJECT_CGROUPS] = "cgroups",
        [SUBJECT_PROCESSES] = "processes",
        [SUBJECT_HOST] = "host",
};

static const char *const host_kind_names[] = {
        [HOST_KIND_TEXT] = "text",
        [HOST_KIND_NUMBER] = "number",
        [HOST_KIND_MAP] = "map",
};

/* Adds a cell: to the table if it has a heading, to JSON if it has a key. Owns @value afterwards. */
static void cell(struct listing_row *row, const char *heading, const char *key, json_t *value)
{
	if (heading)
		tree_set(row->table, heading, json_incref(value));
	if (key)
		tree_set(row->json, key, json_incref(value));
	json_decref(value);
}

static void text(struct listing_row *row, const char *heading, const char *key, const char *value)
{
	cell(row, heading, key, json_string(value));
}

/* Does the same; an empty text becomes null. */
static void text_or_null(struct listing_row *row, const char *key, const char *value)
{
	cell(row, NULL, key, value[0] != '\0' ? json_string(value) : json_null());
}

static void description(struct listing_row *row, const char *value)
{
	text(row, "description", "description", value);
}

/* Adds a definition for the manual. */
printf_(3, 4) static void man(struct listing_row *row, const char *term, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tree_set(row->man, term, json_vsprintf(format, args));
	va_end(args);
}

/* The format of a unit in the manual. */
#define UNIT_FORMAT "%s%s"
#define UNIT_ARGS(name_) (name_)[0] != '\0' ? ", unit " : "", name_

static const char *unit_name(enum metric_unit unit)
{
	return unit_table[unit].name;
}

static void named(struct listing_row *row, const char *heading, const struct named_desc *desc,
                  const char *term)
{
	text(row, heading, "name", desc->name);
	text(row, heading ? "meaning" : NULL, "description", desc->description);
	man(row, term, "%s", desc->description);
}

/* The first class and the first gate stand for "none" and have no tag. */
static void sched_class(struct listing_row *row, size_t i)
{
	named(row, "sched_class", &sched_class_table[i + 1], sched_class_table[i + 1].name);
}

static void gate(struct listing_row *row, size_t i)
{
	cleanup_(strbuf_done) struct strbuf term = STRBUF_INIT;

	strbuf_addf(&term, "CONFIG_%s", gate_table[i + 1].name);
	named(row, "config_gate", &gate_table[i + 1], strbuf_str(&term));
}

static void rule(struct listing_row *row, size_t i)
{
	named(row, "rule", &rule_table[i], rule_table[i].name);
}

static void type(struct listing_row *row, size_t i)
{
	const struct metric_type_desc *desc = &metric_type_table[i];

	man(row, desc->name, "%s" UNIT_FORMAT, desc->description, UNIT_ARGS(unit_name(desc->unit)));
}

static void outcome(struct listing_row *row, size_t i)
{
	const struct named_desc *desc = &outcome_table[OUTCOME_read + 1 + i];

	man(row, desc->name, "%s", desc->description);
}

static void section(struct listing_row *row, size_t i)
{
	const struct section_desc *desc = &section_table[i];

	text(row, "section", "name", desc->name);
	text(row, "heading", NULL, desc->heading);
	description(row, desc->description);
	text(row, NULL, "heading", desc->heading);
	text(row, NULL, "subject", subject_names[desc->subject]);
}

static void source(struct listing_row *row, size_t i)
{
	const struct source_desc *desc = &source_table[i];

	text(row, NULL, "name", desc->name);
	text(row, NULL, "description", desc->what);
	text(row, NULL, "readable_by", desc->who);
	man(row, desc->name, "%s\naccess: %s", desc->what, desc->who);
}

static void add_place(enum metric_source from, const char *key, struct strbuf *out)
{
	strbuf_add_str(out, source_table[from].name);
	if (key[0] != '\0')
		strbuf_addf(out, " \"%s\"", key);
}

static json_t *gates_of(const struct metric_desc *metric)
{
	json_t *array = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(metric->gates) && metric->gates[i] != GATE_none; i++)
		tree_append(array, json_string(gate_table[metric->gates[i]].name));
	return array;
}

/* Adds what a measure repeats: "repeats" in JSON, and a sentence for the manual. */
static void repeats_of(struct listing_row *row, unsigned measure, struct strbuf *man_text)
{
	const struct repeat_desc *repeat = measure_repeat(measure);
	json_t *names = json_array();

	for (unsigned i = 0; repeat && i < repeat->of_count; i++) {
		const char *name = measure_name(repeat->of[i]);

		tree_append(names, json_string(name));
		strbuf_addf(man_text, "%s%s", i > 0 ? " and " : "\nrepeats ", name);
	}
	if (repeat)
		strbuf_addf(man_text, ": %s", repeat->why);
	cell(row, NULL, "repeats", names);
}

static void metric_man(struct listing_row *row, enum metric_id id, const char *tags,
                       const char *repeats)
{
	const struct metric_desc *metric = &metric_table[id];
	cleanup_(strbuf_done) struct strbuf from = STRBUF_INIT;

	add_place(metric->source, metric->key, &from);
	for (size_t i = 0; i < metric_fallback_count; i++) {
		if (metric_fallback_table[i].metric != id)
			continue;
		strbuf_add_str(&from, " or ");
		add_place(metric_fallback_table[i].source, metric_fallback_table[i].key, &from);
	}
	man(row, metric->name, "%s\n%s, %s" UNIT_FORMAT "; from %s%s%s%s", metric->description,
	    metric_type_table[metric->type].name, metric_rule_name(metric->rule),
	    UNIT_ARGS(unit_name(metric_unit(id))), strbuf_str(&from), tags[0] != '\0' ? " " : "",
	    tags, repeats);
}

static void metric(struct listing_row *row, size_t i)
{
	const struct metric_desc *desc = &metric_table[i];
	cleanup_(strbuf_done) struct strbuf tags = STRBUF_INIT, repeats = STRBUF_INIT;

	metric_add_tags((enum metric_id)i, &tags);
	text(row, "metric", "name", desc->name);
	text(row, "type", "type", metric_type_table[desc->type].name);
	text(row, "rule", "rule", metric_rule_name(desc->rule));
	text(row, NULL, "unit", unit_name(metric_unit((enum metric_id)i)));
	text(row, NULL, "section", section_table[desc->section].name);
	text_or_null(row, "sched_class", sched_class_table[desc->sched_class].name);
	cell(row, NULL, "gates", gates_of(desc));
	text(row, NULL, "source", source_table[desc->source].name);
	text(row, NULL, "key", desc->key);
	text(row, "tags", NULL, strbuf_str(&tags));
	description(row, desc->description);
	repeats_of(row, (unsigned)i, &repeats);
	metric_man(row, (enum metric_id)i, strbuf_str(&tags), strbuf_str(&repeats));
	row->section = desc->section;
}

static void derived(struct listing_row *row, size_t i)
{
	const struct derived_desc *desc = &derived_table[i];
	cleanup_(strbuf_done) struct strbuf repeats = STRBUF_INIT;
	json_t *inputs = json_array();

	for (size_t k = 0; k < desc->input_count; k++)
		tree_append(inputs, json_string(metric_table[desc->inputs[k]].name));
	text(row, "metric", "name", desc->name);
	text(row, NULL, "formula", desc->formula);
	text(row, "unit", NULL, unit_name(desc->unit));
	cell(row, "inputs", "inputs", inputs);
	text(row, NULL, "unit", unit_name(desc->unit));
	text(row, NULL, "section", section_table[desc->section].name);
	description(row, desc->description);
	repeats_of(row, (unsigned)(METRIC_COUNT + i), &repeats);
	man(row, desc->name, "%s\n%s" UNIT_FORMAT "%s", desc->description, desc->formula,
	    UNIT_ARGS(unit_name(desc->unit)), strbuf_str(&repeats));
	row->section = desc->section;
}

static void add_metric(enum metric_id metric, void *context)
{
	tree_append(context, json_string(metric_table[metric].name));
}

/* A column of the overview, or a word for several; for --metrics and --sort-by. */
static void aspect(struct listing_row *row, size_t i)
{
	bool is_word = i >= ASPECT_COUNT;
	const struct aspect_word *word = is_word ? &aspect_word_table[i - ASPECT_COUNT] : NULL;
	const char *name = word ? word->name : aspect_table[i].name;
	json_t *metrics = json_array();

	(void)aspect_visit_metrics(name, strlen(name), add_metric, metrics);
	text(row, "aspect", "name", name);
	text_or_null(row, "heading", word ? "" : aspect_table[i].heading);
	cell(row, "metrics", "metrics", metrics);
	description(row, word ? word->description : aspect_table[i].description);
}

static void group_key(struct listing_row *row, size_t i)
{
	const struct group_key_desc *key = &group_key_table[i];

	text(row, "key", "name", key->name);
	description(row, key->description);
	text(row, NULL, "column", key->column);
}

static void group_tree(struct listing_row *row, const struct group_tree_desc *tree)
{
	json_t *keys = json_array();

	for (unsigned k = 0; k < tree->count; k++)
		tree_append(keys, json_string(group_key_table[tree->keys[k]].name));
	text(row, "key", "name", tree->name);
	description(row, tree->description);
	cell(row, NULL, "keys", keys);
}

static void group_word(struct listing_row *row, size_t i)
{
	if (i < GROUP_KEY_COUNT)
		group_key(row, i);
	else
		group_tree(row, &group_tree_table[i - GROUP_KEY_COUNT]);
}

static void column(struct listing_row *row, size_t i)
{
	const struct column_desc *desc = &column_table[i];
	json_t *commands = json_array();

	if (desc->in_show)
		tree_append(commands, json_string("show"));
	if (desc->in_compare)
		tree_append(commands, json_string("compare"));
	text(row, "column", "name", desc->name);
	cell(row, "commands", NULL, commands);
	description(row, desc->description);
	cell(row, NULL, "show", json_boolean(desc->in_show));
	cell(row, NULL, "compare", json_boolean(desc->in_compare));
}

static void process_total(struct listing_row *row, size_t i)
{
	const struct process_total_desc *total = &process_total_table[i];
	const char *name = metric_table[total->metric].name;
	cleanup_(strbuf_done) struct strbuf from = STRBUF_INIT;

	cell(row, "value", NULL, json_sprintf("process_totals.%s", name));
	text(row, NULL, "name", name);
	text(row, "source", "source", source_table[total->source].name);
	text(row, "key", "key", total->key);
	text(row, NULL, "unit", unit_name(metric_unit(total->metric)));
	add_place(total->source, total->key, &from);
	man(row, name, "from %s", strbuf_str(&from));
}

static void cgroup_value_man(struct listing_row *row, const struct cgroup_value_desc *value,
                             const char *term)
{
	cleanup_(strbuf_done) struct strbuf from = STRBUF_INIT;

	strbuf_add_str(&from, value->file);
	if (value->form == FORM_FLAT)
		strbuf_addf(&from, " \"%s\"", value->file_key);
	if (value->column[0] != '\0')
		strbuf_addf(&from, ", column %s", value->column);
	man(row, term, "%s\n%s, %s" UNIT_FORMAT "; from %s", value->description,
	    fact_form_table[value->form].name, fact_rule_table[value->rule].name,
	    UNIT_ARGS(unit_name(value->unit)), strbuf_str(&from));
}

static void cgroup_value(struct listing_row *row, size_t i)
{
	const struct cgroup_value_desc *value = &cgroup_value_table[i];
	const char *rule_name = fact_rule_table[value->rule].name;
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	strbuf_addf(&name, "%s.%s", value->object, value->key);
	text(row, "value", NULL, strbuf_str(&name));
	text(row, NULL, "name", value->name);
	cell(row, NULL, "version", json_integer(value->version));
	text(row, NULL, "object", value->object);
	text(row, NULL, "key", value->key);
	text(row, NULL, "file", value->file);
	text_or_null(row, "file_key", value->file_key);
	text(row, NULL, "form", fact_form_table[value->form].name);
	text(row, "unit", NULL, unit_name(value->unit));
	text(row, "rule", "rule", rule_name);
	text(row, NULL, "unit", unit_name(value->unit));
	text(row, NULL, "section", section_table[value->section].name);
	text_or_null(row, "column", value->column);
	cell(row, "file", NULL,
	     value->form == FORM_FLAT ? json_sprintf("%s: %s", value->file, value->file_key)
	                              : json_string(value->file));
	description(row, value->description);
	cgroup_value_man(row, value, strbuf_str(&name));
	row->section = value->section;
}

static void cgroup_key(struct listing_row *row, size_t i)
{
	const struct cgroup_key_desc *key = &cgroup_key_table[i];
	const struct cgroup_list_desc *list = &cgroup_list_table[key->list];
	const char *rule_name = fact_rule_table[key->rule].name;

	cell(row, "list", NULL, json_sprintf("%s.%s", list->object, list->key));
	text(row, "key", "name", key->key);
	text(row, "unit", NULL, unit_name(key->unit));
	text(row, "rule", "rule", rule_name);
	text(row, NULL, "unit", unit_name(key->unit));
	man(row, key->key, "%s" UNIT_FORMAT, rule_name, UNIT_ARGS(unit_name(key->unit)));
}

/* A list has its keys only in JSON and in the manual. */
static void cgroup_list(struct listing_row *row, size_t i)
{
	const struct cgroup_list_desc *list = &cgroup_list_table[i];
	cleanup_(listing_rows_done) struct listing_rows all = listing_rows(LISTING_CGROUP_KEYS);
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	json_t *keys = json_array();

	strbuf_addf(&name, "%s.%s", list->object, list->key);
	text(row, "value", NULL, strbuf_str(&name));
	text(row, NULL, "name", list->name);
	text(row, NULL, "object", list->object);
	text(row, NULL, "key", list->key);
	text(row, "file", "file", list->file);
	text(row, NULL, "section", section_table[list->section].name);
	description(row, list->description);
	man(row, strbuf_str(&name),
	    "%s\nfrom %s; each key is summed and has no unit, but for these", list->description,
	    list->file);
	for (size_t k = 0; k < all.count; k++)
		if (cgroup_key_table[k].list == i) {
			tree_append(keys, json_incref(all.rows[k].json));
			json_object_update(row->man, all.rows[k].man);
		}
	cell(row, NULL, "keys", keys);
	row->section = list->section;
}

/* Resources first, then rows, then values: each is a level of "psi". */
static void psi(struct listing_row *row, size_t i)
{
	static const char *const levels[] = {"resource", "row", "value"};
	static const unsigned counts[] = {PSI_RESOURCE_COUNT, PSI_ROW_COUNT, PSI_AVERAGE_COUNT};
	static const char *const prefixes[] = {"psi.", "psi.*.", "psi.*.*."};
	static const char *const *const names[] = {psi_resource_names, psi_row_names,
	                                           psi_average_names};
	static const char *const *const descriptions[] = {
	        psi_resource_descriptions, psi_row_descriptions, psi_average_descriptions};
	unsigned level = 0;

	while (level < ARRAY_SIZE(levels) && i >= counts[level])
		i -= counts[level++];
	if (level == ARRAY_SIZE(levels)) { /* the last row is in JSON only */
		text(row, NULL, "name", "total");
		text(row, NULL, "level", "value");
		text(row, NULL, "unit", unit_name(UNIT_us));
		text(row, NULL, "description",
		     "time stalled since boot, or since the cgroup was made");
		return;
	}
	cell(row, "value", NULL, json_sprintf("%s%s", prefixes[level], names[level][i]));
	text(row, NULL, "name", names[level][i]);
	text(row, NULL, "level", levels[level]);
	if (level == 2)
		text(row, NULL, "unit", unit_name(UNIT_percent_hundredths));
	description(row, descriptions[level][i]);
	man(row, names[level][i], "%s", descriptions[level][i]);
	row->section = SECTION_pressure;
}

static void sched_ext(struct listing_row *row, size_t i)
{
	const struct named_fact_desc *fact = &sched_ext_table[i];

	cell(row, "value", NULL, json_sprintf("sched_ext.%s", fact->name));
	text(row, NULL, "name", fact->name);
	text(row, "form", "form", fact_form_table[fact->form].name);
	text(row, NULL, "unit", unit_name(UNIT_none));
	text(row, NULL, "section", section_table[SECTION_sched_ext].name);
	description(row, fact->description);
	man(row, fact->name, "%s", fact->description);
	row->section = SECTION_sched_ext;
}

static void host(struct listing_row *row, size_t i)
{
	const struct host_field_desc *field = &host_field_table[i];

	cell(row, "value", NULL, json_sprintf("host.%s", field->name));
	text(row, NULL, "name", field->name);
	text(row, NULL, "form", host_kind_names[field->kind]);
	cell(row, "compared", "compared", json_boolean(field->compared));
	description(row, field->description);
	man(row, field->name, "%s", field->description);
}

static void fact_derived(struct listing_row *row, size_t i)
{
	const struct fact_derived_desc *desc = &fact_derived_table[i];
	const char *unit = unit_name_per(desc->unit, desc->per);

	text(row, "value", "name", desc->name);
	text(row, NULL, "formula", desc->formula);
	text(row, "unit", NULL, unit);
	text_or_null(row, "unit", unit);
	text(row, "section", "section", section_table[desc->section].name);
	text(row, "tool", "tool", desc->tool);
	description(row, desc->description);
	man(row, desc->name, "%s\n%s" UNIT_FORMAT "; as %s", desc->description, desc->formula,
	    UNIT_ARGS(unit), desc->tool);
	row->section = desc->section;
}

/* Adds a number with a unit, of the object @object of a snapshot. */
static void number(struct listing_row *row, const char *object, const char *name,
                   enum metric_unit unit, const char *what)
{
	cell(row, "value", NULL, json_sprintf("%s.%s", object, name));
	text(row, NULL, "name", name);
	text(row, "unit", "unit", unit_name(unit));
	description(row, what);
	man(row, name, "%s" UNIT_FORMAT, what, UNIT_ARGS(unit_name(unit)));
}

static void cost(struct listing_row *row, size_t i)
{
	const struct capture_cost_desc *desc = &capture_cost_table[i];

	number(row, "cost", desc->name, desc->unit, desc->description);
}

static void window(struct listing_row *row, size_t i)
{
	const struct window_number_desc *desc = &window_number_table[i];

	number(row, "window", desc->name, desc->unit, desc->description);
}

static void cgroup_rule(struct listing_row *row, size_t i)
{
	named(row, "rule", &fact_rule_table[i], fact_rule_table[i].name);
}

static void cgroup_form(struct listing_row *row, size_t i)
{
	named(row, NULL, &fact_form_table[i], fact_form_table[i].name);
}

struct listing_rows listing_rows(enum listing_id listing)
{
	const struct {
		size_t count;
		void (*add)(struct listing_row *row, size_t i);
	} listings[] = {
	        [LISTING_SCHED_CLASSES] = {SCHED_CLASS_COUNT - 1, sched_class},
	        [LISTING_GATES] = {GATE_COUNT - 1, gate},
	        [LISTING_RULES] = {RULE_INDEX_COUNT, rule},
	        [LISTING_TYPES] = {METRIC_TYPE_COUNT, type},
	        [LISTING_OUTCOMES] = {OUTCOME_COUNT - OUTCOME_read - 1, outcome},
	        [LISTING_SECTIONS] = {SECTION_COUNT, section},
	        [LISTING_SOURCES] = {SOURCE_COUNT, source},
	        [LISTING_METRICS] = {METRIC_COUNT, metric},
	        [LISTING_DERIVED] = {DERIVED_COUNT, derived},
	        [LISTING_ASPECTS] = {ASPECT_COUNT + aspect_word_count, aspect},
	        [LISTING_GROUP_KEYS] = {GROUP_KEY_COUNT + group_tree_count, group_word},
	        [LISTING_COLUMNS] = {COLUMN_COUNT, column},
	        [LISTING_PROCESS_TOTALS] = {PROCESS_TOTAL_COUNT, process_total},
	        [LISTING_CGROUP_VALUES] = {CGROUP_VALUE_COUNT, cgroup_value},
	        [LISTING_CGROUP_LISTS] = {CGROUP_LIST_COUNT, cgroup_list},
	        [LISTING_CGROUP_KEYS] = {cgroup_key_count, cgroup_key},
	        [LISTING_CGROUP_RULES] = {FACT_RULE_COUNT, cgroup_rule},
	        [LISTING_CGROUP_FORMS] = {FORM_COUNT, cgroup_form},
	        [LISTING_PSI] = {PSI_RESOURCE_COUNT + PSI_ROW_COUNT + PSI_AVERAGE_COUNT + 1, psi},
	        [LISTING_SCHED_EXT] = {SCHED_EXT_COUNT, sched_ext},
	        [LISTING_HOST] = {HOST_FIELD_COUNT, host},
	        [LISTING_FACT_DERIVED] = {FACT_DERIVED_COUNT, fact_derived},
	        [LISTING_COST] = {COST_COUNT, cost},
	        [LISTING_WINDOW] = {WINDOW_NUMBER_COUNT, window},
	};
	struct listing_rows rows = {.count = listings[listing].count};

	rows.rows = mem_calloc(rows.count, sizeof(*rows.rows));
	for (size_t i = 0; i < rows.count; i++) {
		rows.rows[i] =
		        (struct listing_row){tree_new(), tree_new(), tree_new(), SECTION_COUNT};
		listings[listing].add(&rows.rows[i], i);
	}
	return rows;
}

void listing_row_done(struct listing_row *row)
{
	json_decref(row->table);
	json_decref(row->json);
	json_decref(row->man);
}

void listing_rows_done(struct listing_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		listing_row_done(&rows->rows[i]);
	free(rows->rows);
}
