// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/csv-text.h"
#include "base/text.h"
#include "machine/report-machine.h"
#include "json/json-write.h"

/* The texts of a row; the numbers follow them. */
enum { EXIT_TEXTS = 4, EXIT_NUMBERS = 4 };
static const char *const text_names[EXIT_TEXTS] = {"pcomm", "comm", "cgroup", "part"};
static const char *const number_names[EXIT_NUMBERS] = {"ended_unix_ns", "tid", "tgid",
                                                       "hiwater_rss_bytes"};

static void texts_of(const struct thread_sample *sample, struct strbuf texts[static EXIT_TEXTS])
{
	const struct strbuf *names[] = {&sample->pcomm, &sample->comm, &sample->cgroup};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		strbuf_clear(&texts[i]);
		if (i < 2 || sample->has_cgroup)
			text_add_escaped(&texts[i], strbuf_str(names[i]), names[i]->len);
	}
	strbuf_clear(&texts[EXIT_TEXTS - 1]);
	strbuf_add_str(&texts[EXIT_TEXTS - 1], window_part_names[sample->window_part]);
}

/* Returns whether there is such a number. */
static bool number_of(const struct snapshot_info *info, const struct thread_sample *sample,
                      unsigned number, uint64_t *ret)
{
	switch (number) {
	case 0:
		*ret = report_exit_time(info, sample);
		return *ret > 0;
	case 1:
		*ret = sample->tid;
		return true;
	case 2:
		*ret = sample->tgid;
		return true;
	default:
		*ret = *(const uint64_t *)sample_value(sample, METRIC_hiwater_rss_bytes);
		return metric_set_has(&sample->seen, METRIC_hiwater_rss_bytes);
	}
}

void report_exits_csv(FILE *file, const struct report *report, const struct report_exits *exits)
{
	struct strbuf texts[EXIT_TEXTS] = {STRBUF_INIT};
	struct thread_sample sample = {0};
	uint64_t number;

	for (size_t i = 0; i < EXIT_TEXTS; i++)
		fprintf(file, "%s,", text_names[i]);
	for (size_t i = 0; i < EXIT_NUMBERS; i++)
		fprintf(file, "%s,", number_names[i]);
	for (unsigned i = 0; i < EXIT_FACT_COUNT; i++)
		fprintf(file, "%s%s", exit_fact_table[i].name,
		        i + 1 < EXIT_FACT_COUNT ? "," : "\n");
	for (size_t row = 0; row < exits->shown && !ferror(file); row++) {
		thread_store_get(exits->ended, exits->order[row], &sample);
		texts_of(&sample, texts);
		for (size_t i = 0; i < EXIT_TEXTS; i++) {
			csv_print_text(file, strbuf_str(&texts[i]), report->csv_raw);
			putc(',', file);
		}
		for (unsigned i = 0; i < EXIT_NUMBERS; i++) {
			if (number_of(report->sides[0].info, &sample, i, &number))
				fprintf(file, "%llu", (unsigned long long)number);
			putc(',', file);
		}
		for (unsigned i = 0; i < EXIT_FACT_COUNT; i++) {
			if (sample_shows_exit_fact(&sample, (enum exit_fact)i))
				fprintf(file, "%llu", (unsigned long long)sample.exit_facts[i]);
			putc(i + 1 < EXIT_FACT_COUNT ? ',' : '\n', file);
		}
	}
	sample_done(&sample);
	for (size_t i = 0; i < EXIT_TEXTS; i++)
		strbuf_done(&texts[i]);
}

static void write_number(struct json_writer *writer, const char *name, bool seen, uint64_t number)
{
	json_write_key(writer, name);
	if (seen)
		json_write_u64(writer, number);
	else
		json_write_null(writer);
}

static void write_row(struct json_writer *writer, const struct snapshot_info *info,
                      const struct thread_sample *sample, struct strbuf texts[static EXIT_TEXTS])
{
	uint64_t number = 0;
	bool seen;

	texts_of(sample, texts);
	json_write_open(writer, '{');
	for (size_t i = 0; i < EXIT_TEXTS; i++) {
		json_write_key(writer, text_names[i]);
		json_write_text(writer, strbuf_str(&texts[i]), texts[i].len);
	}
	for (unsigned i = 0; i < EXIT_NUMBERS; i++) {
		seen = number_of(info, sample, i, &number);
		write_number(writer, number_names[i], seen, number);
	}
	for (unsigned i = 0; i < EXIT_FACT_COUNT; i++)
		write_number(writer, exit_fact_table[i].name,
		             sample_shows_exit_fact(sample, (enum exit_fact)i),
		             sample->exit_facts[i]);
	json_write_close(writer, '}');
}

void report_exits_ndjson(FILE *file, const struct report *report, const struct report_exits *exits)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
	struct strbuf texts[EXIT_TEXTS] = {STRBUF_INIT};
	struct thread_sample sample = {0};

	for (size_t row = 0; row < exits->shown && !ferror(file); row++) {
		struct json_writer writer = JSON_WRITER_INIT(&out);

		thread_store_get(exits->ended, exits->order[row], &sample);
		write_row(&writer, report->sides[0].info, &sample, texts);
		strbuf_add_char(&out, '\n');
		fwrite(out.data, 1, out.len, file);
		strbuf_clear(&out);
	}
	sample_done(&sample);
	for (size_t i = 0; i < EXIT_TEXTS; i++)
		strbuf_done(&texts[i]);
}
