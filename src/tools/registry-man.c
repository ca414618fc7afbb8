// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>

#include "ctprof/macro.h"
#include "ctprof/measure.h"
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

void registry_print_man(FILE *file)
{
	print_heading(file, "METRICS");
	for (unsigned i = 0; i < SECTION_COUNT; i++)
		print_section(file, (enum metric_section)i);
	print_legend(file, "RULES", rule_table, RULE_INDEX_COUNT);
	print_types(file);
	print_sources(file);
	print_gates(file);
	/* The first class stands for all and has no tag; the first two outcomes are not reasons. */
	print_legend(file, "SCHEDULING CLASSES", sched_class_table + 1, SCHED_CLASS_COUNT - 1);
	print_legend(file, "MISSING VALUES", outcome_table + OUTCOME_read + 1,
	             OUTCOME_COUNT - OUTCOME_read - 1);
}
