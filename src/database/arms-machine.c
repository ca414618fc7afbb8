// SPDX-License-Identifier: GPL-2.0-or-later
/* One flat row for each series, and one for each of its hosts. */
#include <math.h>
#include <string.h>

#include "base/csv-text.h"
#include "base/mem.h"
#include "base/text.h"
#include "database/arms-print.h"
#include "series-text.h"
#include "json/json-write.h"

enum column {
	COLUMN_EXPERIMENT,
	COLUMN_DESIGN,
	COLUMN_ARM_A,
	COLUMN_ARM_B,
	COLUMN_HOST,
	COLUMN_KEY,
	COLUMN_GROUP,
	COLUMN_METRIC,
	COLUMN_UNIT,
	COLUMN_ANSWER,
	COLUMN_A, /* numbers from here on */
	COLUMN_B,
	COLUMN_EFFECT,
	COLUMN_LOW,
	COLUMN_HIGH,
	COLUMN_SPREAD,
	COLUMN_HOSTS_A,
	COLUMN_HOSTS_B,
	COLUMN_T,
	COLUMN_DF,
	COLUMN_P,
	COLUMN_P_ADJUSTED,
	COLUMN_Z,
	COLUMN_VALID, /* truths */
	COLUMN_PARTIAL,
	COLUMN_COUNT
};

static const char *const column_names[COLUMN_COUNT] = {
        "experiment",  "design", "arm_a",    "arm_b",      "host", "group_key", "group_name",
        "metric",      "unit",   "answer",   "a",          "b",    "effect",    "effect_low",
        "effect_high", "spread", "hosts_a",  "hosts_b",    "t",    "df",        "p",
        "p_adjusted",  "z",      "is_valid", "is_partial",
};

/* One row with its texts, NULL for none, and its numbers, NaN for none. */
struct line {
	const char *texts[COLUMN_A];
	double numbers[COLUMN_COUNT];
	struct strbuf names[4]; /* of the experiment, both arms, and the host, as UTF-8 */
	struct series_text series;
	bool is_valid, is_partial;
};

static void line_done(struct line *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(line->names); i++)
		strbuf_done(&line->names[i]);
	series_text_done(&line->series);
}

static const char *set_utf8(struct strbuf *out, const char *bytes)
{
	strbuf_clear(out);
	text_add_replaced(out, bytes, strlen(bytes));
	return strbuf_str(out);
}

static void set_plan(struct line *line, const struct arm_plan *plan)
{
	const char *experiment = set_utf8(&line->names[0], plan->experiment);

	line->texts[COLUMN_EXPERIMENT] = experiment[0] != '\0' ? experiment : NULL;
	line->texts[COLUMN_DESIGN] = arm_design_names[plan->design];
	line->texts[COLUMN_ARM_A] = set_utf8(&line->names[1], plan->names[0]);
	line->texts[COLUMN_ARM_B] = set_utf8(&line->names[2], plan->names[1]);
	line->is_valid = plan->failure.len == 0;
}

static void set_series(struct line *line, const struct arms_row *row)
{
	const struct arm_effect *effect = &row->effect;

	line->texts[COLUMN_HOST] = NULL;
	line->texts[COLUMN_KEY] = strbuf_str(&line->series.key);
	line->texts[COLUMN_GROUP] = strbuf_str(&line->series.group);
	line->texts[COLUMN_METRIC] = strbuf_str(&line->series.metric);
	line->texts[COLUMN_UNIT] = strbuf_str(&line->series.unit);
	line->texts[COLUMN_ANSWER] = arm_answer_names[row->answer];
	line->numbers[COLUMN_A] = effect->means[0];
	line->numbers[COLUMN_B] = effect->means[1];
	line->numbers[COLUMN_EFFECT] = arm_effect_share(effect, effect->estimate);
	line->numbers[COLUMN_LOW] =
	        effect->has_t ? arm_effect_share(effect, effect->ci95.low) : NAN;
	line->numbers[COLUMN_HIGH] =
	        effect->has_t ? arm_effect_share(effect, effect->ci95.high) : NAN;
	line->numbers[COLUMN_SPREAD] =
	        effect->scale.is_log ? effect->spread : arm_effect_share(effect, effect->spread);
	line->numbers[COLUMN_HOSTS_A] = (double)effect->counts[0];
	line->numbers[COLUMN_HOSTS_B] = (double)effect->counts[1];
	line->numbers[COLUMN_T] = effect->has_t ? effect->t : NAN;
	line->numbers[COLUMN_DF] = effect->has_t ? effect->df : NAN;
	line->numbers[COLUMN_P] = effect->p;
	line->numbers[COLUMN_P_ADJUSTED] = row->p.p;
	line->numbers[COLUMN_Z] = NAN;
	line->is_partial = row->is_partial;
}

/* Keeps the names of the series. */
static void set_host(struct line *line, const struct arms_row *row, const struct arms_host *host,
                     const char *name)
{
	line->texts[COLUMN_HOST] = set_utf8(&line->names[3], name);
	line->texts[COLUMN_ANSWER] = host->is_against ? "against" : "beyond";
	for (unsigned c = COLUMN_A; c < COLUMN_COUNT; c++)
		line->numbers[c] = NAN;
	line->numbers[COLUMN_A] = host->values[0];
	line->numbers[COLUMN_B] = host->values[1];
	line->numbers[COLUMN_EFFECT] = arm_effect_share(&row->effect, host->change);
	line->numbers[COLUMN_Z] = host->z;
}

static void write_cell(struct json_writer *writer, const struct line *line, unsigned column)
{
	double number = line->numbers[column];

	if (column >= COLUMN_VALID)
		json_write_bool(writer, column == COLUMN_VALID ? line->is_valid : line->is_partial);
	else if ((column == COLUMN_HOSTS_A || column == COLUMN_HOSTS_B) && !isnan(number))
		json_write_u64(writer, (uint64_t)number);
	else if (column >= COLUMN_A)
		json_write_double(writer, number);
	else if (!line->texts[column])
		json_write_null(writer);
	else
		json_write_text(writer, line->texts[column], strlen(line->texts[column]));
}

static void print_json_line(FILE *file, const struct line *line, bool raw)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&text);

	(void)raw;
	json_write_open(&writer, '{');
	for (unsigned c = 0; c < COLUMN_COUNT; c++) {
		json_write_key(&writer, column_names[c]);
		write_cell(&writer, line, c);
	}
	json_write_close(&writer, '}');
	strbuf_add_char(&text, '\n');
	fwrite(text.data, 1, text.len, file);
}

static void print_csv_line(FILE *file, const struct line *line, bool raw)
{
	for (unsigned c = 0; c < COLUMN_COUNT; c++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
		struct json_writer writer = JSON_WRITER_INIT(&text);

		if (c > 0)
			putc(',', file);
		if (c < COLUMN_A) {
			const char *name = line->texts[c] ? line->texts[c] : "";

			text_add_escaped(&text, name, strlen(name));
			csv_print_text(file, strbuf_str(&text), raw);
			continue;
		}
		write_cell(&writer, line, c);
		if (strcmp(strbuf_str(&text), "null") != 0)
			fputs(strbuf_str(&text), file);
	}
	putc('\n', file);
}

static void print_all(FILE *file, struct database *database, const struct database_list *list,
                      const struct arms_answer *answer,
                      void (*print)(FILE *file, const struct line *line, bool raw), bool raw)
{
	cleanup_(line_done) struct line line = {.is_valid = false};

	set_plan(&line, &answer->plan);
	for (size_t i = 0; i < answer->count; i++) {
		const struct arms_row *row = &answer->rows[i];

		series_text_set(&line.series, database, list, row->metric, row->group);
		set_series(&line, row);
		print(file, &line, raw);
		for (size_t k = 0; k < row->host_count; k++) {
			const struct arms_host *host = &answer->hosts[row->first_host + k];

			set_host(&line, row, host, list->hosts[host->host]);
			print(file, &line, raw);
		}
	}
}

void arms_print_ndjson(FILE *file, struct database *database, const struct database_list *list,
                       const struct arms_answer *answer)
{
	print_all(file, database, list, answer, print_json_line, false);
}

void arms_print_csv(FILE *file, struct database *database, const struct database_list *list,
                    const struct arms_answer *answer, bool raw)
{
	for (unsigned c = 0; c < COLUMN_COUNT; c++)
		fprintf(file, "%s%s", c > 0 ? "," : "", column_names[c]);
	putc('\n', file);
	print_all(file, database, list, answer, print_csv_line, raw);
}
