// SPDX-License-Identifier: GPL-2.0-or-later
#include "report-conditions.h"

#include <string.h>

#include "base/mem.h"
#include "ctprof/base/strbuf.h"

static void add_condition(struct report_options *options, struct where *where)
{
	*array_add(options->conditions, options->condition_count, options->condition_capacity) =
	        where;
}

int condition_where(const struct option_parser *parser, struct report_options *options)
{
	struct where_error error = {0};
	struct where *where = where_parse(parser->value, options->sides, &error);
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (where) {
		add_condition(options, where);
		return 0;
	}
	where_add_error(parser->value, &error, &text);
	where_error_done(&error);
	/* The expression with a mark below it is on lines of its own; it is safe to print. */
	fprintf(stderr, "ctprof: %s: --%s: %s\n", parser->command->name, parser->current->name,
	        strbuf_str(&text));
	return -1;
}

/* Returns whether a text has a digit and no operator: it can only be a number and its unit. */
static bool is_number_and_unit(const char *text)
{
	return text[strcspn(text, "0123456789")] != '\0' && !strpbrk(text, "=<>~!()&|'\"");
}

/* Adds "--min-delta 5ms" as a condition. A row that came from 0 has no percentage, so --min-percent keeps it. */
static int parse_minimum(const struct option_parser *parser, struct report_options *options,
                         const char *before, const char *behind)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(where_error_done) struct where_error error = {0};
	struct where *where;

	if (parser->value[strspn(parser->value, " ")] == '-')
		return options_error(parser,
		                     "'%s' is below 0; deltas of either sign count by their "
		                     "size",
		                     parser->value);
	if (!is_number_and_unit(parser->value))
		return options_error(parser, "'%s' is not a number, with or without a unit",
		                     parser->value);
	strbuf_addf(&text, "%s%s%s", before, parser->value, behind);
	where = where_parse(strbuf_str(&text), options->sides, &error);
	if (!where)
		return options_error(parser, "'%s': %s", parser->value,
		                     strbuf_str(&error.sentence));
	add_condition(options, where);
	return 0;
}

int condition_min_delta(const struct option_parser *parser, struct report_options *options)
{
	if (strchr(parser->value, '%'))
		return options_error(parser, "'%s': --min-percent takes percentages",
		                     parser->value);
	return parse_minimum(parser, options, "abs(delta) >= ", "");
}

int condition_min_percent(const struct option_parser *parser, struct report_options *options)
{
	return parse_minimum(parser, options, "abs(%) >= ", " or (baseline = 0 and delta != 0)");
}
