// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/report-doctor.h"

#include <string.h>

#include "base/text.h"
#include "json/json-write.h"

static bool is_harmless(const struct strbuf *text)
{
	uint32_t character;
	size_t step;

	for (size_t at = 0; at < text->len; at += step) {
		step = text_decode(text->data + at, text->len - at, &character);
		if (step == 0 || !text_is_harmless(character))
			return false;
	}
	return true;
}

/* Adds a command to be copied. Its backslashes stay single unless it has a character that must not reach a terminal. */
static void add_command(const struct strbuf *command, struct strbuf *out)
{
	if (is_harmless(command))
		strbuf_add(out, strbuf_str(command), command->len);
	else
		text_add_escaped(out, strbuf_str(command), command->len);
}

/* The fixes that are listed below the table, each once. */
struct fix_list {
	const struct doctor_line *fixes[DOCTOR_FAMILY_COUNT];
	unsigned count;
	unsigned of_family[DOCTOR_FAMILY_COUNT]; /* numbers from 1; 0 for none */
};

static bool is_listed(const struct doctor_line *line)
{
	return line->fix_kind != DOCTOR_FIX_NONE && line->fix_kind != DOCTOR_FIX_KERNEL;
}

static void collect_fixes(const struct doctor_verdict *verdict, struct fix_list *list)
{
	*list = (struct fix_list){.count = 0};
	for (unsigned f = 0; f < DOCTOR_FAMILY_COUNT; f++) {
		const struct doctor_line *line = &verdict->lines[f];
		unsigned at = 0;

		if (!is_listed(line))
			continue;
		while (at < list->count &&
		       (list->fixes[at]->fix_kind != line->fix_kind ||
		        strcmp(strbuf_str(&list->fixes[at]->fix), strbuf_str(&line->fix)) != 0))
			at++;
		if (at == list->count)
			list->fixes[list->count++] = line;
		list->of_family[f] = at + 1;
	}
}

struct doctor_table {
	const struct doctor_verdict *verdict;
	struct fix_list fixes;
};

static enum table_color doctor_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct doctor_table *table = context;
	const struct doctor_family_desc *family = &doctor_family_table[row];
	const struct doctor_line *line = &table->verdict->lines[row];

	switch (column) {
	case 0:
		strbuf_add_str(out, family->name);
		return COLOR_NONE;
	case 1:
		strbuf_add_str(out, doctor_state_names[line->state]);
		return line->state == DOCTOR_AVAILABLE ? COLOR_NONE : COLOR_MORE;
	case 2:
		if (table->fixes.of_family[row] > 0)
			strbuf_addf(out, "[%u]", table->fixes.of_family[row]);
		return COLOR_NONE;
	default:
		if (line->reason.len > 0)
			text_add_escaped(out, strbuf_str(&line->reason), line->reason.len);
		else
			strbuf_add_str(out, family->description);
		return COLOR_NONE;
	}
}

static void print_fixes(FILE *file, const struct fix_list *list)
{
	static const char *const leads[] = {
	        [DOCTOR_FIX_COMMAND] = "",
	        [DOCTOR_FIX_BOOT] = "boot the kernel with: ",
	        [DOCTOR_FIX_ADVICE] = "",
	};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	for (unsigned i = 0; i < list->count; i++) {
		strbuf_clear(&text);
		add_command(&list->fixes[i]->fix, &text);
		fprintf(file, "[%u] %s%s\n", i + 1, leads[list->fixes[i]->fix_kind],
		        strbuf_str(&text));
	}
}

static void print_toggles(FILE *file, const struct report_doctor *report)
{
	for (unsigned t = 0; t < DOCTOR_TOGGLE_COUNT; t++) {
		const char *sysctl = doctor_toggle_table[t].sysctl;

		switch (report->toggles[t]) {
		case TOGGLE_SET:
			fprintf(file, "%s: switched on; to undo: sudo sysctl %s=%s\n", sysctl,
			        sysctl, report->old_values[t]);
			break;
		case TOGGLE_WAS_ON:
			fprintf(file, "%s: is on already\n", sysctl);
			break;
		case TOGGLE_NONE:
			fprintf(file, "%s: there is no such switch here\n", sysctl);
			break;
		case TOGGLE_FAILED:
			fprintf(file, "%s: not switched on\n", sysctl);
			break;
		case TOGGLE_NOT_ASKED:
			break;
		}
	}
}

void report_doctor(FILE *file, const struct report_doctor *report)
{
	static const struct table_column columns[] = {{"family", false, false, 0},
	                                              {"now", false, false, 0},
	                                              {"fix", false, false, 0},
	                                              {"what it is, or why not", false, true, 0}};
	struct doctor_table table = {.verdict = report->verdict};
	struct table_style style = report->style;
	unsigned needed = 0, available = 0;

	collect_fixes(report->verdict, &table.fixes);
	print_toggles(file, report);
	/* A reason without its end is none. */
	style.wrap = true;
	table_print(file, &style, columns, ARRAY_SIZE(columns), DOCTOR_FAMILY_COUNT, doctor_cell,
	            &table);
	print_fixes(file, &table.fixes);
	for (unsigned f = 0; f < DOCTOR_FAMILY_COUNT; f++) {
		needed += doctor_family_table[f].needed;
		available += doctor_family_table[f].needed &&
		             report->verdict->lines[f].state == DOCTOR_AVAILABLE;
	}
	fprintf(file, "%u of the %u families that count are available\n", available, needed);
}

static void write_text(struct json_writer *writer, const char *key, const struct strbuf *text)
{
	cleanup_(strbuf_done) struct strbuf valid = STRBUF_INIT;

	json_write_key(writer, key);
	if (text->len == 0) {
		json_write_null(writer);
		return;
	}
	text_add_replaced(&valid, text->data, text->len);
	json_write_text(writer, valid.data, valid.len);
}

/* If @seen is NULL, writes all of a family's metrics. */
static void write_metrics(struct json_writer *writer, const char *key, enum doctor_family family,
                          const struct metric_set *seen)
{
	json_write_key(writer, key);
	json_write_open(writer, '[');
	for (unsigned m = 0; m < METRIC_COUNT; m++)
		if (doctor_family_has(family, (enum metric_id)m) &&
		    (!seen || metric_set_has(seen, (enum metric_id)m)))
			json_write_str(writer, metric_table[m].name);
	json_write_close(writer, ']');
}

static void write_family(struct json_writer *writer, const struct report_doctor *report,
                         enum doctor_family family)
{
	const struct doctor_family_desc *desc = &doctor_family_table[family];
	const struct doctor_line *line = &report->verdict->lines[family];

	json_write_open(writer, '{');
	json_write_key(writer, "name");
	json_write_str(writer, desc->name);
	json_write_key(writer, "state");
	json_write_str(writer, doctor_state_names[line->state]);
	json_write_key(writer, "counts");
	json_write_bool(writer, desc->needed);
	write_text(writer, "reason", &line->reason);
	write_text(writer, "fix", &line->fix);
	json_write_key(writer, "fix_kind");
	if (line->fix_kind == DOCTOR_FIX_NONE)
		json_write_null(writer);
	else
		json_write_str(writer, doctor_fix_names[line->fix_kind]);
	json_write_key(writer, "description");
	json_write_str(writer, desc->description);
	write_metrics(writer, "metrics", family, NULL);
	write_metrics(writer, "seen", family, &report->findings->own_seen);
	json_write_close(writer, '}');
}

static void write_toggle(struct json_writer *writer, const struct report_doctor *report,
                         enum doctor_toggle toggle)
{
	static const char *const results[] = {
	        [TOGGLE_NOT_ASKED] = "untouched", [TOGGLE_SET] = "switched on",
	        [TOGGLE_WAS_ON] = "on already",   [TOGGLE_NONE] = "none",
	        [TOGGLE_FAILED] = "failed",
	};
	const char *sysctl = doctor_toggle_table[toggle].sysctl;
	cleanup_(strbuf_done) struct strbuf undo = STRBUF_INIT;

	if (report->toggles[toggle] == TOGGLE_SET)
		strbuf_addf(&undo, "sudo sysctl %s=%s", sysctl, report->old_values[toggle]);
	json_write_open(writer, '{');
	json_write_key(writer, "name");
	json_write_str(writer, sysctl);
	json_write_key(writer, "value");
	if (report->findings->toggles[toggle] == DOCTOR_SWITCH_ABSENT)
		json_write_null(writer);
	else
		json_write_u64(writer, report->findings->toggles[toggle] == DOCTOR_SWITCH_ON);
	json_write_key(writer, "result");
	json_write_str(writer, results[report->toggles[toggle]]);
	write_text(writer, "undo", &undo);
	json_write_close(writer, '}');
}

void report_doctor_json(FILE *file, const struct report_doctor *report)
{
	cleanup_(strbuf_done) struct strbuf json = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&json);

	json_write_open(&writer, '{');
	json_write_key(&writer, "ctprof");
	json_write_str(&writer, CTPROF_VERSION);
	json_write_key(&writer, "families");
	json_write_open(&writer, '[');
	for (unsigned f = 0; f < DOCTOR_FAMILY_COUNT; f++)
		write_family(&writer, report, (enum doctor_family)f);
	json_write_close(&writer, ']');
	json_write_key(&writer, "toggles");
	json_write_open(&writer, '[');
	for (unsigned t = 0; t < DOCTOR_TOGGLE_COUNT; t++)
		write_toggle(&writer, report, (enum doctor_toggle)t);
	json_write_close(&writer, ']');
	json_write_close(&writer, '}');
	fwrite(json.data, 1, json.len, file);
	putc('\n', file);
}
