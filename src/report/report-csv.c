// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "ctprof/report.h"
#include "machine-value.h"

/* RFC 4180 quoting; lines end with a lone newline, as everything else on this system does. */
static void print_text(FILE *file, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, file);
		return;
	}
	putc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', file);
		putc(*text, file);
	}
	putc('"', file);
}

static void print_value(FILE *file, struct machine_value *value)
{
	switch (value->kind) {
	case MACHINE_NONE:
		break;
	case MACHINE_NUMBER:
		strbuf_clear(&value->text);
		machine_add_number(value->number, &value->text);
		fputs(strbuf_str(&value->text), file);
		break;
	case MACHINE_TEXT:
		print_text(file, strbuf_str(&value->text));
		break;
	}
}

void report_csv(FILE *file, const struct report *report)
{
	const struct row_set *set = report->rows;
	struct machine_value value = {0};

	for (unsigned c = 0; c < MACHINE_COLUMN_COUNT; c++) {
		const char *name = machine_column_name((enum machine_column)c, set->sides);

		if (name)
			fprintf(file, "%s%s", c > 0 ? "," : "", name);
	}
	putc('\n', file);
	for (size_t i = 0; i < report_shown(report) && !ferror(file); i++) {
		struct row_view view;

		row_view(set, &set->groups[set->rows[i].group], set->rows[i].measure, &view);
		for (unsigned c = 0; c < MACHINE_COLUMN_COUNT; c++) {
			if (!machine_column_name((enum machine_column)c, set->sides))
				continue;
			if (c > 0)
				putc(',', file);
			machine_value(&view, (enum machine_column)c, &value);
			print_value(file, &value);
		}
		putc('\n', file);
	}
	machine_value_done(&value);
}
