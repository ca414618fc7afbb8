// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/probe.h"
#include "fleet/fleet-row.h"
#include "job/job-values.h"
#include "listing/listing.h"
#include "overview/aspect.h"
#include "registry-print.h"
#include "runs/runs.h"
#include "series/series.h"
#include "settings/settings-table.h"

/* Prints text from the registry and escapes the markup of scdoc. An underscore inside a word is no markup, and stays as
 * it is so that names can be searched for in the page's source. */
static void print_text(FILE *file, const char *text)
{
	static const char anywhere[] = "\\*+", at_the_start[] = "#-[]|;";

	for (const char *c = text; *c; c++) {
		bool first = c == text || c[-1] == '\n',
		     in_word = !first && isalnum((unsigned char)c[-1]);

		if (*c == '\n')
			fputs("++", file);
		else if (strchr(anywhere, *c) || (*c == '_' && !in_word) ||
		         (first && strchr(at_the_start, *c)))
			putc('\\', file);
		putc(*c, file);
	}
}

static void print_definition(FILE *file, const char *term, const char *text)
{
	putc('*', file);
	print_text(file, term);
	fputs("*\n\t", file);
	print_text(file, text);
	fputs("\n\n", file);
}

/* Prints the definitions of one section, or with SECTION_COUNT those that belong to no section. */
static void print_rows(FILE *file, enum listing_id listing, enum metric_section section)
{
	cleanup_(listing_rows_done) struct listing_rows rows = listing_rows(listing);
	const char *term;
	json_t *text;

	for (size_t i = 0; i < rows.count; i++) {
		if (rows.rows[i].section != section)
			continue;
		json_object_foreach(rows.rows[i].man, term, text)
		{
			print_definition(file, term, json_string_value(text));
		}
	}
}

/* Prints the rows of registry/settings.def: kinds of settings, files that are read, and files that are not. */
static void print_settings(FILE *file)
{
	for (unsigned i = 0; i < SETTINGS_KIND_COUNT; i++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

		strbuf_addf(&text, "%s: %s", settings_kind_table[i].description,
		            settings_kind_table[i].patterns);
		print_definition(file, settings_kind_table[i].name, strbuf_str(&text));
	}
	fputs("Files are read in these directories:\n\n", file);
	for (size_t i = 0; i < settings_directory_count; i++) {
		const struct settings_directory *row = &settings_directory_table[i];
		cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

		strbuf_addf(&path, "/%s/%s", row->root == SETTINGS_ROOT_PROC ? "proc" : "sys",
		            row->path);
		print_definition(file, strbuf_str(&path),
		                 row->files[0] == '\0' ? "all files, and those below" : row->files);
	}
	for (size_t i = 0; i < settings_only_count; i++)
		print_definition(file, settings_only_table[i].path, settings_only_table[i].entries);
	fputs("but for these files and directories:\n\n", file);
	for (size_t i = 0; i < settings_skip_count; i++)
		print_definition(file, settings_skip_table[i].name, settings_skip_table[i].reason);
	for (size_t i = 0; i < settings_empty_count; i++) {
		const struct settings_empty_desc *row = &settings_empty_table[i];
		cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;

		strbuf_addf(&path, "/%s/%s*", row->root == SETTINGS_ROOT_PROC ? "proc" : "sys",
		            row->path);
		strbuf_addf(&text, "those whose %s is %s: %s", row->file, row->text, row->reason);
		print_definition(file, strbuf_str(&path), strbuf_str(&text));
	}
}

static void print_section(FILE *file, enum metric_section section)
{
	static const enum listing_id listings[] = {
	        LISTING_METRICS, LISTING_DERIVED,      LISTING_CGROUP_VALUES, LISTING_CGROUP_LISTS,
	        LISTING_PSI,     LISTING_FACT_DERIVED, LISTING_SCHED_EXT};

	fprintf(file, "## %s\n\n", section_table[section].name);
	print_text(file, section_table[section].description);
	fputs("\n\n", file);
	for (size_t i = 0; i < ARRAY_SIZE(listings); i++)
		print_rows(file, listings[i], section);
	if (section == SECTION_settings)
		print_settings(file);
}

static void print_aspect(FILE *file, const struct aspect_desc *aspect)
{
	fprintf(file, "*%s*\n\t", aspect->heading);
	print_text(file, aspect->description);
	fputs("; from ", file);
	for (unsigned s = 0; s < aspect->source_count; s++) {
		fputs(s > 0 ? ", else " : "", file);
		for (unsigned i = 0; i < aspect->sources[s].count; i++) {
			fputs(i > 0 ? " + " : "", file);
			print_text(file, metric_table[aspect->sources[s].metrics[i]].name);
		}
	}
	fprintf(file, "; weight %.0f %%", 100 * aspect->weight);
	if (aspect->floor > 0)
		fprintf(file, ", floor of the host's total %.0f", aspect->floor);
	fputs("\n\n", file);
}

static void print_aspects(FILE *file)
{
	fputs("# COLUMNS OF THE OVERVIEW\n\n", file);
	for (unsigned i = 0; i < ASPECT_COUNT; i++)
		print_aspect(file, &aspect_table[i]);
	fprintf(file,
	        "Groups with a score below %.0f %%, or below %.0f %% where two sides are compared, "
	        "are counted and not shown.\n\n",
	        100 * aspect_floor_amount, 100 * aspect_floor_change);
}

void registry_print_man(FILE *file)
{
	static const struct {
		const char *heading;
		enum listing_id listing;
	} parts[] = {
	        {"PROCESS TOTALS", LISTING_PROCESS_TOTALS},
	        {"HOST", LISTING_HOST},
	        {"COST OF A CAPTURE", LISTING_COST},
	        {"WINDOW", LISTING_WINDOW},
	        {"RULES", LISTING_RULES},
	        {"RULES OF CGROUP VALUES", LISTING_CGROUP_RULES},
	        {"FORMS OF CGROUP VALUES", LISTING_CGROUP_FORMS},
	        {"TYPES", LISTING_TYPES},
	        {"SOURCES", LISTING_SOURCES},
	        {"KERNEL OPTIONS", LISTING_GATES},
	        {"SCHEDULING CLASSES", LISTING_SCHED_CLASSES},
	        {"MISSING VALUES", LISTING_OUTCOMES},
	};

	fputs("# METRICS\n\n", file);
	for (unsigned i = 0; i < SECTION_COUNT; i++)
		print_section(file, (enum metric_section)i);
	print_aspects(file);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		fprintf(file, "# %s\n\n", parts[i].heading);
		print_rows(file, parts[i].listing, SECTION_COUNT);
	}
}

void registry_print_tags(FILE *file)
{
	static const char *const kinds[] = {
	        [PROBE_READ] = "a reading",
	        [PROBE_EXPECTED] = "as expected",
	        [PROBE_DENIED] = "a failure for want of rights",
	        [PROBE_FAILED] = "a failure",
	};

	for (unsigned i = 0; i < PROBE_TAG_COUNT; i++) {
		const struct probe_tag_desc *tag = &probe_tag_table[i];
		const char *reason = outcome_table[tag->outcome].name;

		fprintf(file, "*%s*\n\t", tag->name);
		print_text(file, tag->description);
		fprintf(file, "++\n%s", kinds[tag->kind]);
		if (tag->kind != PROBE_READ && reason[0] != '\0')
			fprintf(file, "; %s", reason);
		fputs("\n\n", file);
	}
}

void registry_print_job(FILE *file)
{
	for (unsigned i = 0; i < JOB_VALUE_COUNT; i++) {
		const struct job_value_desc *row = &job_value_table[i];
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

		strbuf_addf(&text, "%s\nunit: %s", row->description, job_unit_names[row->unit]);
		print_definition(file, row->name, strbuf_str(&text));
	}
	fputs("## Sources\n\n", file);
	for (unsigned i = 0; i < JOB_SOURCE_COUNT; i++)
		print_definition(file, job_source_table[i].name, job_source_table[i].description);
}

void registry_print_fleet(FILE *file)
{
	for (unsigned c = 0; c < FLEET_COLUMN_COUNT; c++) {
		const struct fleet_column_desc *column = &fleet_column_table[c];

		print_definition(file, column->name, column->description);
	}
}

void registry_print_series(FILE *file)
{
	for (unsigned i = 0; i < SERIES_COUNT; i++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

		strbuf_addf(&text, "%s%s", series_rows[i].description,
		            series_panels[series_rows[i].panel].is_default
		                    ? ""
		                    : "; drawn only if it is named");
		print_definition(file, series_rows[i].id, strbuf_str(&text));
	}
}

void registry_print_fields(FILE *file)
{
	for (unsigned i = 0; i < RUN_FIELD_COUNT; i++)
		print_definition(file, run_fields[i].name, run_fields[i].description);
}
