// SPDX-License-Identifier: GPL-2.0-or-later
#include "report-options.h"

#include <string.h>
#include <strings.h>

#include "ctprof/scan.h"
#include "ctprof/strbuf.h"

enum {
	OPT_GROUP_BY = OPT_REPORT_FIRST,
	OPT_NO_THREAD_NORMALIZE,
	OPT_SECTIONS,
	OPT_METRICS,
	OPT_SORT_BY,
	OPT_LIMIT,
	OPT_FORMAT,
	OPT_COLOR,
	OPT_WRAP,
	OPT_NO_PAGER,
	OPT_READ_LIMIT,
};

const char *const report_orders[] = {"impact", "delta", "percent", "name", NULL};
const char *const report_show_orders[] = {"impact", "delta", "name", NULL};
const char *const report_colors[] = {"auto", "always", "never", NULL};
static const char *const formats[] = {"table", "csv", "json", NULL};
enum { CAP_BYTES, CAP_THREADS, CAP_VALUES, CAP_DEPTH, CAP_STRING };
static const char *const caps[] = {
        [CAP_BYTES] = "bytes=", [CAP_THREADS] = "threads=", [CAP_VALUES] = "values=",
        [CAP_DEPTH] = "depth=", [CAP_STRING] = "string=",   [CAP_STRING + 1] = NULL};

const struct cli_option report_option_table[] = {
        {OPT_GROUP_BY, 'g', "group-by", "KEY", "pcomm (default), comm, comm-exact or cgroup",
         TAKES(GROUP_KEY)},
        {OPT_NO_THREAD_NORMALIZE, 0, "no-thread-normalize", NULL,
         "keep worker-1 and worker-2 apart", TAKES(NOTHING)},
        {OPT_SECTIONS, 0, "sections", "LIST", "only these; 'ctprof metric-list' has the names",
         TAKES(SECTIONS)},
        {OPT_METRICS, 'm', "metrics", "LIST", "only these; 'ctprof metric-list' has the names",
         TAKES(METRICS)},
        {OPT_SORT_BY, 's', "sort-by", "LIST", "rank groups by METRIC[:asc|desc],...",
         TAKES(SORT_KEYS)},
        {OPT_LIMIT, 'n', "limit", "N", "at most N rows, 0 for all (15; csv and json: all)",
         TAKES(NUMBER)},
        {OPT_FORMAT, 'f', "format", "FORMAT", "table (default), csv or json", TAKES_WORD(formats)},
        {OPT_COLOR, 0, "color", "WHEN", "auto (default), always or never",
         TAKES_WORD(report_colors)},
        {OPT_WRAP, 0, "wrap", NULL, "continue long names below, instead of cutting them",
         TAKES(NOTHING)},
        {OPT_NO_PAGER, 0, "no-pager", NULL, "leave tall tables to the terminal", TAKES(NOTHING)},
        {OPT_READ_LIMIT, 0, "read-limit", "LIST", "caps on reading: bytes=16G,threads=4M,...",
         TAKES_WORDS(caps)},
        {0},
};

/* Tables below the first one must not bury it. */
enum { TABLE_LIMIT = 15, FACTS_LIMIT = 5 };

void report_options_init(struct report_options *options)
{
	*options = (struct report_options){.limits = snapshot_default_limits, .limit = TABLE_LIMIT};
	memset(options->rows.measures, true, sizeof(options->rows.measures));
}

static struct span trim(struct span span)
{
	while (span.len > 0 && span.text[0] == ' ')
		span = (struct span){span.text + 1, span.len - 1};
	while (span.len > 0 && span.text[span.len - 1] == ' ')
		span.len--;
	return span;
}

static bool same_word(struct span span, const char *word)
{
	return span.len == strlen(word) && strncasecmp(span.text, word, span.len) == 0;
}

/* Takes the next entry off a comma-separated list. Entries may not be empty. Returns 1, 0 at the end of the
 * list, or -1 with the error printed. */
static int next_entry(const struct option_parser *parser, struct span *rest, struct span *ret_entry)
{
	const char *comma;
	int r;

	if (!rest->text)
		return 0;
	comma = memchr(rest->text, ',', rest->len);
	*ret_entry = (struct span){rest->text, comma ? (size_t)(comma - rest->text) : rest->len};
	*rest = comma ? (struct span){comma + 1, rest->len - ret_entry->len - 1}
	              : (struct span){NULL, 0};
	*ret_entry = trim(*ret_entry);
	if (ret_entry->len > 0)
		return 1;
	r = cli_usage_error(parser->command, "--%s: empty entry in '%s'", parser->current->name,
	                    parser->value);
	(void)r;
	return -1;
}

static struct span whole_value(const struct option_parser *parser)
{
	return (struct span){parser->value, strlen(parser->value)};
}

static int unknown_metric(const struct option_parser *parser, struct span word)
{
	const char *names[MEASURE_COUNT + 1] = {NULL};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const char *nearest;
	int r;

	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		names[i] = measure_name(i);
	strbuf_add(&text, word.text, word.len);
	nearest = cli_nearest(strbuf_str(&text), names);
	if (nearest)
		r = cli_usage_error(parser->command,
		                    "--%s: unknown metric '%s'; did you mean '%s'?",
		                    parser->current->name, strbuf_str(&text), nearest);
	else
		r = cli_usage_error(parser->command,
		                    "--%s: unknown metric '%s'; 'ctprof metric-list' has the names",
		                    parser->current->name, strbuf_str(&text));
	(void)r;
	return -1;
}

static int report_duplicate(const struct option_parser *parser, struct span word)
{
	int r = cli_usage_error(parser->command, "--%s: '%.*s' is there twice",
	                        parser->current->name, (int)word.len, word.text);

	(void)r;
	return -1;
}

/* A blank list is none: all of them. */
static int parse_metrics(const struct option_parser *parser, bool *given,
                         bool listed[MEASURE_COUNT])
{
	struct span rest = whole_value(parser), word;
	unsigned measure;
	int r;

	*given = trim(rest).len > 0;
	if (!*given)
		return 0;
	memset(listed, false, MEASURE_COUNT * sizeof(listed[0]));
	while ((r = next_entry(parser, &rest, &word)) > 0) {
		if (!measure_find(word.text, word.len, &measure))
			return unknown_metric(parser, word);
		if (listed[measure])
			return report_duplicate(parser, word);
		listed[measure] = true;
	}
	return r;
}

static int parse_sections(const struct option_parser *parser, bool *given,
                          bool listed[SECTION_COUNT])
{
	struct span rest = whole_value(parser), word;
	int r;

	*given = trim(rest).len > 0;
	if (!*given)
		return 0;
	memset(listed, false, SECTION_COUNT * sizeof(listed[0]));
	while ((r = next_entry(parser, &rest, &word)) > 0) {
		unsigned i = 0;

		while (i < SECTION_COUNT && !same_word(word, section_table[i].name))
			i++;
		if (i == SECTION_COUNT) {
			r = cli_usage_error(parser->command,
			                    "--sections: unknown section '%.*s'; 'ctprof "
			                    "metric-list' has the names",
			                    (int)word.len, word.text);
			(void)r;
			return -1;
		}
		if (listed[i])
			return report_duplicate(parser, word);
		listed[i] = true;
	}
	return r;
}

/* "METRIC", "METRIC:asc" or "METRIC:desc" */
static int parse_sort_key(const struct option_parser *parser, struct span word,
                          struct row_sort_key *ret)
{
	const char *colon = memchr(word.text, ':', word.len);
	struct span name = {word.text, colon ? (size_t)(colon - word.text) : word.len};
	struct span direction = {colon ? colon + 1 : NULL, word.len - name.len - (colon != NULL)};
	int r;

	name = trim(name);
	direction = trim(direction);
	if (!measure_find(name.text, name.len, &ret->measure))
		return unknown_metric(parser, name);
	if (measure_is_label(ret->measure)) {
		r = cli_usage_error(parser->command,
		                    "--sort-by: the values of '%.*s' are names, which have no size "
		                    "to sort by",
		                    (int)name.len, name.text);
		(void)r;
		return -1;
	}
	ret->ascending = colon && same_word(direction, "asc");
	if (colon && !ret->ascending && !same_word(direction, "desc")) {
		r = cli_usage_error(parser->command,
		                    "--sort-by: '%.*s' is no direction; it is asc or desc",
		                    (int)direction.len, direction.text);
		(void)r;
		return -1;
	}
	return 0;
}

static int parse_sort_by(const struct option_parser *parser, struct report_options *options)
{
	struct span rest = whole_value(parser), word;
	size_t count = 0;
	int r;

	while ((r = next_entry(parser, &rest, &word)) > 0) {
		if (count == SORT_KEYS_MAX) {
			r = cli_usage_error(parser->command, "--sort-by: more than %d metrics",
			                    SORT_KEYS_MAX);
			(void)r;
			return -1;
		}
		r = parse_sort_key(parser, word, &options->sort_keys[count]);
		if (r < 0)
			return r;
		for (size_t i = 0; i < count; i++)
			if (options->sort_keys[i].measure == options->sort_keys[count].measure)
				return report_duplicate(parser, word);
		count++;
	}
	options->rows.sort_keys = options->sort_keys;
	options->rows.sort_key_count = count;
	return r;
}

/* A number with an optional K, M, G or T, powers of 1024. */
static bool parse_size(struct span text, uint64_t *ret)
{
	static const char suffixes[] = "KMGT";
	const char *suffix =
	        text.len > 0 ? memchr(suffixes, text.text[text.len - 1], strlen(suffixes)) : NULL;
	uint64_t value;

	if (!scan_u64(text.text, text.len - (suffix != NULL), &value))
		return false;
	for (const char *step = suffixes; suffix && step <= suffix; step++)
		if (__builtin_mul_overflow(value, UINT64_C(1024), &value))
			return false;
	*ret = value;
	return true;
}

/* "bytes=16G" */
static bool set_cap(struct snapshot_limits *limits, struct span word)
{
	size_t cap = 0, len = 0;
	uint64_t value;

	for (; caps[cap]; cap++) {
		len = strlen(caps[cap]);
		if (word.len >= len && memcmp(word.text, caps[cap], len) == 0)
			break;
	}
	if (!caps[cap] || !parse_size((struct span){word.text + len, word.len - len}, &value) ||
	    value == 0 || (cap == CAP_DEPTH && value > 1 << 20))
		return false;
	if (cap == CAP_BYTES)
		limits->bytes = value;
	else if (cap == CAP_THREADS)
		limits->threads = value;
	else if (cap == CAP_VALUES)
		limits->values = value;
	else if (cap == CAP_DEPTH)
		limits->depth = (unsigned)value;
	else
		limits->string_bytes = value;
	return true;
}

static int parse_read_limit(const struct option_parser *parser, struct snapshot_limits *limits)
{
	struct span rest = whole_value(parser), word;
	int r;

	while ((r = next_entry(parser, &rest, &word)) > 0)
		if (!set_cap(limits, word)) {
			r = cli_usage_error(
			        parser->command,
			        "--read-limit: '%.*s' is not bytes=, threads=, values=, "
			        "depth= or string= and a number",
			        (int)word.len, word.text);
			(void)r;
			return -1;
		}
	return r;
}

static int parse_limit(const struct option_parser *parser, struct report_options *options)
{
	uint64_t value;
	int r;

	if (!scan_u64(parser->value, strlen(parser->value), &value) || value > SIZE_MAX) {
		r = cli_usage_error(parser->command, "--limit: '%s' is not a number from 0 on",
		                    parser->value);
		(void)r;
		return -1;
	}
	options->limit = value;
	options->limit_given = true;
	return 0;
}

static int parse_group_key(const struct option_parser *parser, struct report_options *options)
{
	const char *words[GROUP_KEY_COUNT + 1] = {NULL};
	int chosen;

	for (unsigned i = 0; i < GROUP_KEY_COUNT; i++)
		words[i] = group_key_table[i].name;
	chosen = options_choose(parser, words);
	if (chosen >= 0)
		options->group_key = (enum group_key)chosen;
	return chosen;
}

struct filters {
	bool metrics_given;
	bool sections_given;
	bool metrics[MEASURE_COUNT];
	bool sections[SECTION_COUNT];
};

static int parse_option(const struct option_parser *parser, int id, struct report_options *options,
                        struct filters *filters)
{
	static const enum row_order show_order_values[] = {ORDER_IMPACT, ORDER_DELTA, ORDER_NAME};
	int chosen = 0;

	switch (id) {
	case OPT_GROUP_BY:
		return parse_group_key(parser, options);
	case OPT_NO_THREAD_NORMALIZE:
		options->literal = true;
		break;
	case OPT_SECTIONS:
		return parse_sections(parser, &filters->sections_given, filters->sections);
	case OPT_METRICS:
		return parse_metrics(parser, &filters->metrics_given, filters->metrics);
	case OPT_SORT_BY:
		return parse_sort_by(parser, options);
	case OPT_ORDER:
		chosen = options_choose(parser, report_orders);
		options->rows.order = (enum row_order)chosen;
		break;
	case OPT_SHOW_ORDER:
		chosen = options_choose(parser, report_show_orders);
		if (chosen >= 0)
			options->rows.order = show_order_values[chosen];
		break;
	case OPT_LIMIT:
		return parse_limit(parser, options);
	case OPT_FORMAT:
		chosen = options_choose(parser, formats);
		options->format = (enum report_format)chosen;
		break;
	case OPT_COLOR:
		chosen = options_choose(parser, report_colors);
		options->color = chosen;
		break;
	case OPT_WRAP:
		options->wrap = true;
		break;
	case OPT_NO_PAGER:
		options->no_pager = true;
		break;
	case OPT_READ_LIMIT:
		return parse_read_limit(parser, &options->limits);
	case OPT_UNCHANGED:
		options->rows.unchanged = true;
		break;
	}
	return chosen;
}

/* Which of the sections that are not about threads' metrics are shown, and how much of them. */
static void choose_facts(struct report_options *options, const struct filters *filters)
{
	bool named = false, threads = false;

	for (unsigned i = 0; i < SECTION_COUNT; i++) {
		enum section_subject subject = section_table[i].subject;
		bool wanted = filters->sections[i] &&
		              (filters->sections_given || !filters->metrics_given);

		if (subject == SUBJECT_THREADS) {
			threads = threads || filters->sections[i];
			continue;
		}
		named = named || (wanted && filters->sections_given);
		options->facts.sections[i] = wanted && (subject != SUBJECT_CGROUPS ||
		                                        options->group_key == GROUP_KEY_cgroup);
		options->omitted[i] =
		        wanted && filters->sections_given && !options->facts.sections[i];
	}
	options->without_rows = !threads;
	options->facts_limit = options->limit;
	if (options->format == FORMAT_TABLE && !options->limit_given && !named)
		options->facts_limit = FACTS_LIMIT;
}

int report_options_parse(struct report_options *options, const struct command *command, int argc,
                         char **argv)
{
	struct option_parser parser;
	struct filters filters;
	int id;

	memset(&filters, true, sizeof(filters));
	filters.metrics_given = filters.sections_given = false;
	options_init(&parser, command, argc, argv);
	while ((id = options_next(&parser)) > 0)
		if (parse_option(&parser, id, options, &filters) < 0) {
			id = OPTIONS_ERROR;
			break;
		}
	options_done(&parser);
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		options->rows.measures[i] =
		        filters.metrics[i] && filters.sections[measure_section(i)];
	if (!options->limit_given && options->format != FORMAT_TABLE)
		options->limit = 0;
	choose_facts(options, &filters);
	return id;
}
