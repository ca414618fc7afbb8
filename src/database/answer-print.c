// SPDX-License-Identifier: GPL-2.0-or-later
#include "database/answer-print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv-text.h"
#include "base/mem.h"
#include "base/text.h"
#include "series-text.h"
#include "json/json-write.h"

enum column {
	COLUMN_HOST,
	COLUMN_KEY,
	COLUMN_GROUP,
	COLUMN_METRIC,
	COLUMN_UNIT,
	COLUMN_BEFORE,
	COLUMN_VALUE,
	COLUMN_MEDIAN,
	COLUMN_Z,
	COLUMN_IMPACT,
	COLUMN_HOSTS,
	COLUMN_PARTIAL,
	COLUMN_COUNT,
};

static const char *const column_names[COLUMN_COUNT] = {
        "host",  "group_key", "group_name", "metric", "unit",  "before",
        "value", "median",    "z",          "impact", "hosts", "is_partial",
};

/* One row with its texts, and numbers by column; NaN is none. */
struct line {
	struct strbuf host; /* empty: none */
	struct series_text series;
	double numbers[COLUMN_COUNT];
	bool is_partial;
};

static void line_done(struct line *line)
{
	strbuf_done(&line->host);
	series_text_done(&line->series);
}

static bool is_text(unsigned column)
{
	return column <= COLUMN_UNIT;
}

static const struct strbuf *text_of(const struct line *line, unsigned column)
{
	return column == COLUMN_HOST     ? &line->host
	       : column == COLUMN_KEY    ? &line->series.key
	       : column == COLUMN_GROUP  ? &line->series.group
	       : column == COLUMN_METRIC ? &line->series.metric
	                                 : &line->series.unit;
}

/* A name in the file may hold any bytes. */
static void set_texts(struct line *line, struct database *database,
                      const struct database_list *list, const struct answer_row *row)
{
	strbuf_clear(&line->host);
	if (row->host != QUESTION_NO_HOST)
		text_add_replaced(&line->host, list->hosts[row->host],
		                  strlen(list->hosts[row->host]));
	series_text_set(&line->series, database, list, row->metric, row->group);
}

static void set_line(struct line *line, struct database *database, const struct question *question,
                     const struct database_list *list, const struct answer_row *row)
{
	bool of_time = question->kind == QUESTION_MOVERS;

	set_texts(line, database, list, row);
	for (unsigned c = 0; c < COLUMN_COUNT; c++)
		line->numbers[c] = NAN;
	line->numbers[COLUMN_BEFORE] = of_time ? row->other : NAN;
	line->numbers[COLUMN_VALUE] = row->value;
	line->numbers[COLUMN_MEDIAN] = of_time ? NAN : row->other;
	line->numbers[COLUMN_Z] = row->z;
	line->numbers[COLUMN_IMPACT] = row->impact;
	line->numbers[COLUMN_HOSTS] = row->hosts;
	line->is_partial = row->is_partial;
}

struct table {
	struct database *database;
	const struct question *question;
	const struct database_list *list;
	const struct answer *answer;
	size_t *rows; /* places in the answer; owned */
	size_t count;
	const enum column *columns;
	struct line line;
};

static enum table_color add_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	struct table *table = context;
	struct line *line = &table->line;
	enum column c = table->columns[column];
	double number;

	if (column == 0)
		set_line(line, table->database, table->question, table->list,
		         &table->answer->rows[table->rows[row]]);
	number = line->numbers[c];
	if (is_text(c))
		text_add_escaped(out, strbuf_str(text_of(line, c)), text_of(line, c)->len);
	else if (c == COLUMN_Z && !isnan(number))
		strbuf_addf(out, "%+.1f", number);
	else if (c == COLUMN_IMPACT && !isnan(number))
		strbuf_addf(out, "%.1f%%", number * 100);
	else if (c == COLUMN_HOSTS)
		strbuf_addf(out, "%.0f", number);
	else
		series_text_add_value(&line->series, number, out);
	if (c == COLUMN_VALUE && line->is_partial)
		strbuf_add_char(out, '*');
	return COLOR_NONE;
}

static const enum column of_outliers[] = {COLUMN_HOST,   COLUMN_GROUP, COLUMN_METRIC, COLUMN_VALUE,
                                          COLUMN_MEDIAN, COLUMN_Z,     COLUMN_IMPACT};
static const enum column of_movers[] = {COLUMN_GROUP, COLUMN_METRIC, COLUMN_BEFORE,
                                        COLUMN_VALUE, COLUMN_IMPACT, COLUMN_HOSTS};
static const enum column of_group[] = {COLUMN_HOST, COLUMN_METRIC, COLUMN_VALUE, COLUMN_MEDIAN,
                                       COLUMN_Z};

/* Picks the rows of the table. Returns the number of hosts in the answer. */
static size_t pick_rows(struct table *table, size_t limit)
{
	const struct answer *answer = table->answer;
	bool by_host = table->question->kind == QUESTION_OUTLIERS;
	size_t hosts = 0, of_host = 0;

	table->rows = mem_calloc(answer->count + 1, sizeof(table->rows[0]));
	for (size_t i = 0; i < answer->count; i++) {
		bool is_new = i == 0 || answer->rows[i].host != answer->rows[i - 1].host;

		hosts += is_new;
		of_host = is_new ? 1 : of_host + 1;
		if (limit == 0 ||
		    (by_host ? hosts <= limit && of_host <= ANSWER_HOST_ROWS : i < limit))
			table->rows[table->count++] = i;
	}
	return hosts;
}

static void add_count(struct strbuf *out, size_t count, const char *noun)
{
	strbuf_addf(out, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

void answer_add_unlike(const struct answer *answer, struct strbuf *out)
{
	if (answer->unlike == 0)
		return;
	add_count(out, answer->unlike, "more host");
	strbuf_add_str(out, " left out: the ends of threads were recorded in another way");
}

static void print_head(FILE *file, const struct table *table, size_t hosts)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;
	const struct answer *answer = table->answer;

	if (table->question->kind == QUESTION_OUTLIERS)
		strbuf_addf(&line, "%zu of ", hosts);
	add_count(&line, answer->hosts, "host");
	if (table->question->kind == QUESTION_OUTLIERS)
		strbuf_addf(&line, " differ%s from their fleet", hosts == 1 ? "s" : "");
	strbuf_add_str(&line, ": ");
	add_count(&line, answer->files, answer->is_window ? "window" : "lifetime snapshot");
	strbuf_addf(&line, ", %zu series", answer->series);
	if (answer->few > 0)
		strbuf_addf(&line, "\n%zu more series %s values of fewer than %d hosts",
		            answer->few, answer->few == 1 ? "has" : "have", QUESTION_HOSTS_LEAST);
	if (answer->unlike > 0)
		strbuf_add_char(&line, '\n');
	answer_add_unlike(answer, &line);
	strbuf_addf(&line, "\n%s", answer->count > 0 ? "\n" : "");
	fputs(strbuf_str(&line), file);
}

static void print_foot(FILE *file, const struct table *table)
{
	bool any = false;

	for (size_t i = 0; i < table->count; i++)
		any |= table->answer->rows[table->rows[i]].is_partial;
	if (table->answer->count > table->count)
		fprintf(file, "%zu more row%s (--limit 0 shows all)\n",
		        table->answer->count - table->count,
		        table->answer->count - table->count == 1 ? "" : "s");
	if (any)
		fputs("* not all threads were seen\n", file);
}

void answer_print_table(FILE *file, const struct table_style *style, struct database *database,
                        const struct question *question, const struct database_list *list,
                        const struct answer *answer, size_t limit)
{
	static const struct table_column columns[COLUMN_COUNT] = {
	        [COLUMN_HOST] = {"host", .shrinks = SHRINKS_WRAPPED},
	        [COLUMN_GROUP] = {"group", .shrinks = SHRINKS_ALWAYS},
	        [COLUMN_METRIC] = {.heading = "metric"},
	        [COLUMN_BEFORE] = {"before", .right = true},
	        [COLUMN_VALUE] = {"value", .right = true},
	        [COLUMN_MEDIAN] = {"median", .right = true},
	        [COLUMN_Z] = {"z", .right = true},
	        [COLUMN_IMPACT] = {"impact", .right = true},
	        [COLUMN_HOSTS] = {"hosts", .right = true, .leaves = 1},
	};
	static const struct {
		const enum column *columns;
		unsigned count;
	} tables[QUESTION_COUNT] = {
	        [QUESTION_OUTLIERS] = {of_outliers, ARRAY_SIZE(of_outliers)},
	        [QUESTION_MOVERS] = {of_movers, ARRAY_SIZE(of_movers)},
	        [QUESTION_GROUP] = {of_group, ARRAY_SIZE(of_group)},
	};
	struct table table = {.database = database,
	                      .question = question,
	                      .list = list,
	                      .answer = answer,
	                      .columns = tables[question->kind].columns};
	struct table_column shown[COLUMN_COUNT];
	size_t hosts = pick_rows(&table, limit);

	for (unsigned c = 0; c < tables[question->kind].count; c++)
		shown[c] = columns[table.columns[c]];
	print_head(file, &table, hosts);
	if (table.count > 0)
		table_print(file, style, shown, tables[question->kind].count, table.count, add_cell,
		            &table);
	print_foot(file, &table);
	line_done(&table.line);
	free(table.rows);
}

static void write_cell(struct json_writer *writer, const struct line *line, unsigned column)
{
	if (column == COLUMN_PARTIAL)
		json_write_bool(writer, line->is_partial);
	else if (column == COLUMN_HOSTS)
		json_write_u64(writer, (uint64_t)line->numbers[column]);
	else if (!is_text(column))
		json_write_double(writer, line->numbers[column]);
	else if (column == COLUMN_HOST && line->host.len == 0)
		json_write_null(writer);
	else
		json_write_text(writer, strbuf_str(text_of(line, column)),
		                text_of(line, column)->len);
}

void answer_print_ndjson(FILE *file, struct database *database, const struct question *question,
                         const struct database_list *list, const struct answer *answer)
{
	cleanup_(line_done) struct line line = {.is_partial = false};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < answer->count; i++) {
		struct json_writer writer = JSON_WRITER_INIT(&text);

		strbuf_clear(&text);
		set_line(&line, database, question, list, &answer->rows[i]);
		json_write_open(&writer, '{');
		for (unsigned c = 0; c < COLUMN_COUNT; c++) {
			json_write_key(&writer, column_names[c]);
			write_cell(&writer, &line, c);
		}
		json_write_close(&writer, '}');
		strbuf_add_char(&text, '\n');
		fwrite(text.data, 1, text.len, file);
	}
}

static void print_csv_cell(FILE *file, const struct line *line, unsigned column, bool raw)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&text);

	if (is_text(column)) {
		text_add_escaped(&text, strbuf_str(text_of(line, column)),
		                 text_of(line, column)->len);
		csv_print_text(file, strbuf_str(&text), raw);
		return;
	}
	write_cell(&writer, line, column);
	if (strcmp(strbuf_str(&text), "null") != 0)
		fputs(strbuf_str(&text), file);
}

void answer_print_csv(FILE *file, struct database *database, const struct question *question,
                      const struct database_list *list, const struct answer *answer, bool raw)
{
	cleanup_(line_done) struct line line = {.is_partial = false};

	for (unsigned c = 0; c < COLUMN_COUNT; c++)
		fprintf(file, "%s%s", c > 0 ? "," : "", column_names[c]);
	putc('\n', file);
	for (size_t i = 0; i < answer->count; i++) {
		set_line(&line, database, question, list, &answer->rows[i]);
		for (unsigned c = 0; c < COLUMN_COUNT; c++) {
			if (c > 0)
				putc(',', file);
			print_csv_cell(file, &line, c, raw);
		}
		putc('\n', file);
	}
}
