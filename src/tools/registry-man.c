// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/metric/host.h"
#include "ctprof/snapshot/snapshot.h"
#include "facts/fact-derive.h"
#include "measure/measure.h"
#include "registry-print.h"

/* Text from the registry, with what scdoc would take for markup escaped. An underscore inside a word is
 * none, and stays as it is so that names can be searched for in the page's source. */
static void print_text(FILE *file, const char *text)
{
	static const char anywhere[] = "\\*+", at_the_start[] = "#-[]|;";

	for (const char *c = text; *c; c++) {
		bool in_word = c > text && isalnum((unsigned char)c[-1]);

		if (strchr(anywhere, *c) || (*c == '_' && !in_word) ||
		    (c == text && strchr(at_the_start, *c)))
			putc('\\', file);
		putc(*c, file);
	}
}

static void print_heading(FILE *file, const char *heading)
{
	fprintf(file, "# %s\n\n", heading);
}

/* The term of a definition. */
static void print_term(FILE *file, const char *prefix, const char *term)
{
	fprintf(file, "*%s", prefix);
	print_text(file, term);
	fputs("*\n\t", file);
}

static void print_definition(FILE *file, const char *term, const char *text)
{
	print_term(file, "", term);
	print_text(file, text);
	fputs("\n\n", file);
}

static void print_unit(FILE *file, enum metric_unit unit)
{
	if (unit_table[unit].name[0] != '\0')
		fprintf(file, ", unit %s", unit_table[unit].name);
}

static void print_place(FILE *file, enum metric_source source, const char *key)
{
	print_text(file, source_table[source].name);
	if (key[0] == '\0')
		return;
	fputs(" \"", file);
	print_text(file, key);
	putc('"', file);
}

static void print_tags(FILE *file, const struct metric_desc *metric)
{
	const char *sched_class = sched_class_table[metric->sched_class].name;

	if (sched_class[0] != '\0')
		fprintf(file, " [%s]", sched_class);
	for (size_t i = 0; i < ARRAY_SIZE(metric->gates) && metric->gates[i] != GATE_none; i++)
		fprintf(file, " [%s]", gate_table[metric->gates[i]].name);
}

static void print_metric(FILE *file, enum metric_id id)
{
	const struct metric_desc *metric = &metric_table[id];

	print_term(file, "", metric->name);
	print_text(file, metric->description);
	fprintf(file, "++\n%s, %s", metric_type_table[metric->type].name,
	        metric_rule_name(metric->rule));
	print_unit(file, metric_unit(id));
	fputs("; from ", file);
	print_place(file, metric->source, metric->key);
	for (size_t i = 0; i < metric_fallback_count; i++)
		if (metric_fallback_table[i].metric == id) {
			fputs(" or ", file);
			print_place(file, metric_fallback_table[i].source,
			            metric_fallback_table[i].key);
		}
	print_tags(file, metric);
	fputs("\n\n", file);
}

static void print_derived(FILE *file, const struct derived_desc *derived)
{
	print_term(file, "", derived->name);
	print_text(file, derived->description);
	fputs("++\n", file);
	print_text(file, derived->formula);
	print_unit(file, derived->unit);
	fputs("\n\n", file);
}

static void print_cgroup_value(FILE *file, const struct cgroup_value_desc *value)
{
	fprintf(file, "*%s.", value->object);
	print_text(file, value->key);
	fputs("*\n\t", file);
	print_text(file, value->description);
	fprintf(file, "++\n%s, %s", fact_form_table[value->form].name,
	        fact_rule_table[value->rule].name);
	print_unit(file, value->unit);
	fputs("; from ", file);
	print_text(file, value->file);
	if (value->form == FORM_FLAT) {
		fputs(" \"", file);
		print_text(file, value->file_key);
		putc('"', file);
	}
	if (value->column[0] != '\0') {
		fputs(", column ", file);
		print_text(file, value->column);
	}
	fputs("\n\n", file);
}

static void print_cgroup_key(FILE *file, const struct cgroup_key_desc *key)
{
	print_term(file, "", key->key);
	fputs(fact_rule_table[key->rule].name, file);
	print_unit(file, key->unit);
	fputs("\n\n", file);
}

static void print_cgroup_list(FILE *file, enum cgroup_list_id list)
{
	const struct cgroup_list_desc *desc = &cgroup_list_table[list];

	fprintf(file, "*%s.%s*\n\t", desc->object, desc->key);
	print_text(file, desc->description);
	fputs("++\nfrom ", file);
	print_text(file, desc->file);
	fputs("; each key is summed and has no unit, but for these\n\n", file);
	for (size_t i = 0; i < cgroup_key_count; i++)
		if (cgroup_key_table[i].list == list)
			print_cgroup_key(file, &cgroup_key_table[i]);
}

static void print_psi(FILE *file)
{
	for (unsigned i = 0; i < PSI_RESOURCE_COUNT; i++)
		print_definition(file, psi_resource_names[i], psi_resource_descriptions[i]);
	for (unsigned i = 0; i < PSI_ROW_COUNT; i++)
		print_definition(file, psi_row_names[i], psi_row_descriptions[i]);
	for (unsigned i = 0; i < PSI_AVERAGE_COUNT; i++)
		print_definition(file, psi_average_names[i], psi_average_descriptions[i]);
}

static void print_fact_derived(FILE *file, const struct fact_derived_desc *derived)
{
	print_term(file, "", derived->name);
	print_text(file, derived->description);
	fputs("++\n", file);
	print_text(file, derived->formula);
	fprintf(file, ", unit %s; as ", unit_name_per(derived->unit, derived->per));
	print_text(file, derived->tool);
	fputs("\n\n", file);
}

/* What a section has that is no metric. */
static void print_facts(FILE *file, enum metric_section section)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if (cgroup_value_table[i].section == section)
			print_cgroup_value(file, &cgroup_value_table[i]);
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		if (cgroup_list_table[i].section == section)
			print_cgroup_list(file, (enum cgroup_list_id)i);
	if (section == SECTION_pressure)
		print_psi(file);
	for (unsigned i = 0; i < FACT_DERIVED_COUNT; i++)
		if (fact_derived_table[i].section == section)
			print_fact_derived(file, &fact_derived_table[i]);
	for (unsigned i = 0; section == SECTION_sched_ext && i < SCHED_EXT_COUNT; i++)
		print_definition(file, sched_ext_table[i].name, sched_ext_table[i].description);
}

static void print_section(FILE *file, enum metric_section section)
{
	fprintf(file, "## %s\n\n", section_table[section].name);
	print_text(file, section_table[section].description);
	fputs("\n\n", file);
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_table[i].section == section)
			print_metric(file, (enum metric_id)i);
	for (unsigned i = 0; i < DERIVED_COUNT; i++)
		if (derived_table[i].section == section)
			print_derived(file, &derived_table[i]);
	print_facts(file, section);
}

static void print_legend(FILE *file, const char *heading, const struct named_desc *table,
                         size_t count)
{
	print_heading(file, heading);
	for (size_t i = 0; i < count; i++)
		print_definition(file, table[i].name, table[i].description);
}

static void print_types(FILE *file)
{
	print_heading(file, "TYPES");
	for (unsigned i = 0; i < METRIC_TYPE_COUNT; i++) {
		print_term(file, "", metric_type_table[i].name);
		print_text(file, metric_type_table[i].description);
		print_unit(file, metric_type_table[i].unit);
		fputs("\n\n", file);
	}
}

static void print_sources(FILE *file)
{
	print_heading(file, "SOURCES");
	for (unsigned i = 0; i < SOURCE_COUNT; i++) {
		print_term(file, "", source_table[i].name);
		print_text(file, source_table[i].what);
		fputs("++\naccess: ", file);
		print_text(file, source_table[i].who);
		fputs("\n\n", file);
	}
}

static void print_gates(FILE *file)
{
	print_heading(file, "KERNEL OPTIONS");
	for (unsigned i = GATE_none + 1; i < GATE_COUNT; i++) {
		print_term(file, "CONFIG_", gate_table[i].name);
		print_text(file, gate_table[i].description);
		fputs("\n\n", file);
	}
}

static void print_process_totals(FILE *file)
{
	print_heading(file, "PROCESS TOTALS");
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		print_term(file, "", metric_table[process_total_table[i].metric].name);
		fputs("from ", file);
		print_place(file, process_total_table[i].source, process_total_table[i].key);
		fputs("\n\n", file);
	}
}

static void print_host(FILE *file)
{
	print_heading(file, "HOST");
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		print_definition(file, host_field_table[i].name, host_field_table[i].description);
}

static void print_cost(FILE *file)
{
	print_heading(file, "COST OF A CAPTURE");
	for (unsigned i = 0; i < COST_COUNT; i++) {
		print_term(file, "", capture_cost_table[i].name);
		print_text(file, capture_cost_table[i].description);
		print_unit(file, capture_cost_table[i].unit);
		fputs("\n\n", file);
	}
}

static void print_window(FILE *file)
{
	print_heading(file, "WINDOW");
	for (unsigned i = 0; i < WINDOW_NUMBER_COUNT; i++) {
		print_term(file, "", window_number_table[i].name);
		print_text(file, window_number_table[i].description);
		print_unit(file, window_number_table[i].unit);
		fputs("\n\n", file);
	}
}

void registry_print_man(FILE *file)
{
	print_heading(file, "METRICS");
	for (unsigned i = 0; i < SECTION_COUNT; i++)
		print_section(file, (enum metric_section)i);
	print_process_totals(file);
	print_host(file);
	print_cost(file);
	print_window(file);
	print_legend(file, "RULES", rule_table, RULE_INDEX_COUNT);
	print_legend(file, "RULES OF CGROUP VALUES", fact_rule_table, FACT_RULE_COUNT);
	print_legend(file, "FORMS OF CGROUP VALUES", fact_form_table, FORM_COUNT);
	print_types(file);
	print_sources(file);
	print_gates(file);
	/* The first class stands for all and has no tag; the first two outcomes are not reasons. */
	print_legend(file, "SCHEDULING CLASSES", sched_class_table + 1, SCHED_CLASS_COUNT - 1);
	print_legend(file, "MISSING VALUES", outcome_table + OUTCOME_read + 1,
	             OUTCOME_COUNT - OUTCOME_read - 1);
}
