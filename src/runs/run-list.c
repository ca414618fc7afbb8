// SPDX-License-Identifier: GPL-2.0-or-later
#include "runs/run-list.h"

#include <math.h>
#include <string.h>

#include "base/csv-text.h"
#include "base/text.h"
#include "run-table.h"
#include "run-yaml.h"
#include "json/json-write.h"

const char *const run_list_formats[] = {
        [RUN_LIST_AUTO] = "auto",
        [RUN_LIST_PYOUT] = "pyout",
        [RUN_LIST_TABLE] = "table",
        [RUN_LIST_MARKDOWN] = "markdown",
        [RUN_LIST_SUMMARIES] = "summaries",
        [RUN_LIST_JSON] = "json",
        [RUN_LIST_JSON_PP] = "json_pp",
        [RUN_LIST_YAML] = "yaml",
        [RUN_LIST_CSV] = "csv",
        [RUN_LIST_NDJSON] = "ndjson",
        [RUN_LIST_NDJSON + 1] = NULL,
};

/* con-duct's own. */
static const char *const names_default[] = {"command", "exit_code", "wall_clock_time", "peak_rss",
                                            NULL};

bool run_list_is_table(enum run_list_format format)
{
	return format <= RUN_LIST_SUMMARIES;
}

static const char prefix_name[] = "prefix";

/* Returns whether con-duct prints a text in the place of the number. */
static bool is_transformed(const struct run_field *field)
{
	return field && field->form != RUN_FORM_text && field->form != RUN_FORM_number;
}

static void write_text(struct json_writer *writer, const char *text)
{
	cleanup_(strbuf_done) struct strbuf valid = STRBUF_INIT;

	text_add_replaced(&valid, text, strlen(text));
	json_write_text(writer, strbuf_str(&valid), valid.len);
}

static void write_raw(struct json_writer *writer, const struct job_field *value)
{
	switch (value ? value->kind : JOB_FIELD_NULL) {
	case JOB_FIELD_NULL:
		json_write_null(writer);
		break;
	case JOB_FIELD_TEXT:
		write_text(writer, value->text);
		break;
	case JOB_FIELD_BOOL:
	case JOB_FIELD_NUMBER:
	case JOB_FIELD_JSON:
		json_write_raw(writer, value->text, strlen(value->text));
		break;
	}
}

/* Writes a value as con-duct has it: as the text that its table has, where it has one. */
static void write_transformed(struct json_writer *writer, const char *name,
                              const struct job_field *value)
{
	const struct run_field *field = run_field_find(name);
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (!is_transformed(field)) {
		write_raw(writer, value);
		return;
	}
	run_add_value(field, value, &text);
	write_text(writer, strbuf_str(&text));
}

/* Returns the fields one after the other, the prefix first; NULL behind the last one. */
static const char *name_at(const char *const *names, size_t i)
{
	return i == 0 ? prefix_name : names[i - 1];
}

/* Appends what is before a member of an object: in lines of their own, or behind each other. */
static void add_members(const struct job_info *info, const char *const *names, const char *before,
                        const char *between, struct strbuf *out)
{
	const char *name;
	bool any = false;

	for (size_t i = 0; (name = name_at(names, i)) != NULL; i++) {
		struct json_writer key = JSON_WRITER_INIT(out), value = JSON_WRITER_INIT(out);
		const struct job_field *field = job_info_find(info, name);

		/* con-duct leaves out a field that a run does not have. */
		if (!field)
			continue;
		strbuf_add_str(out, any ? between : before);
		any = true;
		json_write_str(&key, name);
		strbuf_add_str(out, ": ");
		write_transformed(&value, name, field);
	}
}

static void add_json(const struct runs *runs, const char *const *names, struct strbuf *out)
{
	strbuf_add_char(out, '[');
	for (size_t i = 0; i < runs->count; i++) {
		add_members(&runs->entries[i], names, i > 0 ? ", {" : "{", ", ", out);
		strbuf_add_char(out, '}');
	}
	strbuf_add_str(out, "]\n");
}

static void add_json_lines(const struct runs *runs, const char *const *names, struct strbuf *out)
{
	strbuf_add_char(out, '[');
	for (size_t i = 0; i < runs->count; i++) {
		add_members(&runs->entries[i], names, i > 0 ? ",\n  {\n    " : "\n  {\n    ",
		            ",\n    ", out);
		strbuf_add_str(out, "\n  }");
	}
	strbuf_add_str(out, runs->count > 0 ? "\n]\n" : "]\n");
}

/* Keys are in quotes as well. */
static void add_yaml(const struct runs *runs, const char *const *names, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf json = STRBUF_INIT;

	for (size_t i = 0; i < runs->count; i++) {
		strbuf_clear(&json);
		add_members(&runs->entries[i], names, "", "\n  ", &json);
		strbuf_add_str(out, "- ");
		yaml_add_json(out, strbuf_str(&json), json.len);
		strbuf_add_char(out, '\n');
	}
	if (runs->count == 0)
		strbuf_add_str(out, "[]\n");
}

static void add_ndjson(const struct job_info *info, const char *const *names, struct strbuf *out)
{
	struct json_writer writer = JSON_WRITER_INIT(out);
	const char *name;

	json_write_open(&writer, '{');
	for (size_t i = 0; (name = name_at(names, i)) != NULL; i++) {
		json_write_key_text(&writer, name, strlen(name));
		write_raw(&writer, job_info_find(info, name));
	}
	json_write_close(&writer, '}');
	strbuf_add_char(out, '\n');
}

static void csv_print_name(FILE *file, const char *name, bool raw)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	text_add_escaped(&text, name, strlen(name));
	csv_print_text(file, strbuf_str(&text), raw);
}

static void print_csv(FILE *file, const struct runs *runs, const char *const *names, bool raw)
{
	const char *name;

	for (size_t i = 0; (name = name_at(names, i)) != NULL; i++) {
		fputs(i > 0 ? "," : "", file);
		csv_print_name(file, name, raw);
	}
	putc('\n', file);
	for (size_t k = 0; k < runs->count; k++) {
		for (size_t i = 0; (name = name_at(names, i)) != NULL; i++) {
			const struct job_field *value = job_info_find(&runs->entries[k], name);
			cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

			fputs(i > 0 ? "," : "", file);
			if (value)
				text_add_escaped(&text, value->text, strlen(value->text));
			csv_print_text(file, strbuf_str(&text), raw);
		}
		putc('\n', file);
	}
}

/* Returns the fields of a format if nobody chooses: con-duct's in its formats, all in the other machine formats. */
static const char *const *default_names(enum run_list_format format)
{
	return format == RUN_LIST_CSV || format == RUN_LIST_NDJSON ? run_field_names + 1
	                                                           : names_default;
}

static void add_machine(const struct runs *runs, enum run_list_format format,
                        const char *const *names, struct strbuf *out)
{
	switch (format) {
	case RUN_LIST_JSON:
		add_json(runs, names, out);
		break;
	case RUN_LIST_JSON_PP:
		add_json_lines(runs, names, out);
		break;
	case RUN_LIST_YAML:
		add_yaml(runs, names, out);
		break;
	default:
		for (size_t i = 0; i < runs->count; i++)
			add_ndjson(&runs->entries[i], names, out);
	}
}

void run_list_print(FILE *file, const struct runs *runs, enum run_list_format format,
                    const char *const *names, const struct table_style *style, bool csv_raw)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
	struct table_style used = *style;

	used.markdown = format == RUN_LIST_MARKDOWN;
	if (format <= RUN_LIST_MARKDOWN) {
		run_table_print(file, runs, names, &used);
		return;
	}
	if (!names)
		names = default_names(format);
	if (format == RUN_LIST_SUMMARIES)
		run_summaries_add(runs, names, &out);
	else if (format == RUN_LIST_CSV)
		print_csv(file, runs, names, csv_raw);
	else
		add_machine(runs, format, names, &out);
	fwrite(strbuf_str(&out), 1, out.len, file);
}
