// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/report-lists.h"

#include <string.h>
#include <strings.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/scan.h"
#include "ctprof/base/strbuf.h"
#include "overview/aspect.h"

enum { CAP_BYTES, CAP_MEMORY, CAP_THREADS, CAP_VALUES, CAP_DEPTH, CAP_STRING };
const char *const report_caps[] = {
        [CAP_BYTES] = "bytes=",   [CAP_MEMORY] = "memory=", [CAP_THREADS] = "threads=",
        [CAP_VALUES] = "values=", [CAP_DEPTH] = "depth=",   [CAP_STRING] = "string=",
        [CAP_STRING + 1] = NULL};

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

	if (!rest->text)
		return 0;
	comma = memchr(rest->text, ',', rest->len);
	*ret_entry = (struct span){rest->text, comma ? (size_t)(comma - rest->text) : rest->len};
	*rest = comma ? (struct span){comma + 1, rest->len - ret_entry->len - 1}
	              : (struct span){NULL, 0};
	*ret_entry = trim(*ret_entry);
	if (ret_entry->len > 0)
		return 1;
	return options_error(parser, "empty entry in '%s'", parser->value);
}

static struct span whole_value(const struct option_parser *parser)
{
	return (struct span){parser->value, strlen(parser->value)};
}

static int unknown_name(const struct option_parser *parser, const char *what, struct span word,
                        const char *const *names)
{
	cleanup_(mem_freep) char *text = mem_copy(word.text, word.len);
	const char *nearest = cli_nearest(text, names);

	if (nearest)
		return options_error(parser, "unknown %s '%s'; did you mean '%s'?", what, text,
		                     nearest);
	for (; text[0] != '\0' && *names; names++)
		if (strstr(*names, text))
			return options_error(
			        parser, "unknown %s '%s'; 'ctprof metric-list %s' has what fits",
			        what, text, text);
	return options_error(parser, "unknown %s '%s'; 'ctprof metric-list' has the names", what,
	                     text);
}

/* Adds metrics by their names, and by names that stand for several. */
static int unknown_metric(const struct option_parser *parser, struct span word)
{
	cleanup_(mem_freep) const char **names =
	        mem_calloc(MEASURE_COUNT + ASPECT_COUNT + aspect_word_count + 1, sizeof(*names));
	size_t count = 0;

	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		names[count++] = measure_name(i);
	for (unsigned i = 0; i < ASPECT_COUNT; i++)
		names[count++] = aspect_table[i].name;
	for (size_t i = 0; i < aspect_word_count; i++)
		names[count++] = aspect_word_table[i].name;
	/* Copied from a list that has the tags behind the name. */
	if (memchr(word.text, '[', word.len))
		return options_error(parser,
		                     "unknown metric '%.*s'; give its name without the tags in []",
		                     (int)word.len, word.text);
	return unknown_name(parser, "metric", word, names);
}

static int report_duplicate(const struct option_parser *parser, struct span word)
{
	return options_error(parser, "'%.*s' is there twice", (int)word.len, word.text);
}

static bool is_glob(struct span word)
{
	for (size_t i = 0; i < word.len; i++)
		if (strchr("*?[", word.text[i]))
			return true;
	return false;
}

/* Adds what the glob matches among @count names; -1 with the error printed where that is nothing. */
static int add_matches(const struct option_parser *parser, struct span word, const char *what,
                       const char *(*name_of)(unsigned), unsigned count, bool *listed)
{
	cleanup_(mem_freep) char *pattern = mem_copy(word.text, word.len);
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	bool any = false;

	if (!glob_check(pattern, &reason))
		return options_error(parser, "'%s': %s", pattern, strbuf_str(&reason));
	for (unsigned i = 0; i < count; i++)
		if (glob_match_name(pattern, name_of(i), strlen(name_of(i))))
			any = listed[i] = true;
	return any ? 0 : options_error(parser, "no %s is like '%s'", what, pattern);
}

static void list_metric(enum metric_id metric, void *context)
{
	bool *listed = context;

	listed[metric] = true;
}

/* A blank list is none: all of them. */
int list_metrics(const struct option_parser *parser, bool *given, bool listed[MEASURE_COUNT])
{
	bool named[MEASURE_COUNT] = {false};
	struct span rest = whole_value(parser), word;
	unsigned measure;
	int r;

	*given = trim(rest).len > 0;
	if (!*given)
		return 0;
	memset(listed, false, MEASURE_COUNT * sizeof(listed[0]));
	while ((r = next_entry(parser, &rest, &word)) > 0) {
		if (measure_find(word.text, word.len, &measure)) {
			if (named[measure])
				return report_duplicate(parser, word);
			named[measure] = listed[measure] = true;
		} else if (aspect_visit_metrics(word.text, word.len, list_metric, listed)) {
			continue;
		} else if (!is_glob(word) || memchr(word.text, ' ', word.len)) {
			/* No name has a blank, but a name with its tags does. */
			return unknown_metric(parser, word);
		} else if (add_matches(parser, word, "metric", measure_name, MEASURE_COUNT,
		                       listed) < 0) {
			return -1;
		}
	}
	return r;
}

static const char *section_name(unsigned section)
{
	return section_table[section].name;
}

/* The place of a word in a list of names, whatever its case; @count where it is not there. */
static unsigned find_word(struct span word, const char *(*name_of)(unsigned), unsigned count)
{
	unsigned i = 0;

	while (i < count && !same_word(word, name_of(i)))
		i++;
	return i;
}

int list_sections(const struct option_parser *parser, bool *given, bool listed[SECTION_COUNT])
{
	bool named[SECTION_COUNT] = {false};
	struct span rest = whole_value(parser), word;
	int r;

	*given = trim(rest).len > 0;
	if (!*given)
		return 0;
	memset(listed, false, SECTION_COUNT * sizeof(listed[0]));
	while ((r = next_entry(parser, &rest, &word)) > 0) {
		unsigned i = find_word(word, section_name, SECTION_COUNT);

		if (i < SECTION_COUNT) {
			if (named[i])
				return report_duplicate(parser, word);
			named[i] = listed[i] = true;
		} else if (!is_glob(word)) {
			const char *names[SECTION_COUNT + 1] = {NULL};

			for (unsigned n = 0; n < SECTION_COUNT; n++)
				names[n] = section_name(n);
			return unknown_name(parser, "section", word, names);
		} else if (add_matches(parser, word, "section", section_name, SECTION_COUNT,
		                       listed) < 0) {
			return -1;
		}
	}
	return r;
}

/* Splits "NAME", "NAME:asc" or "NAME:desc". */
static int split_sort_key(const struct option_parser *parser, struct span word,
                          struct span *ret_name, bool *ret_ascending)
{
	const char *colon = memchr(word.text, ':', word.len);
	struct span name = {word.text, colon ? (size_t)(colon - word.text) : word.len};
	struct span direction = {colon ? colon + 1 : NULL, word.len - name.len - (colon != NULL)};

	*ret_name = trim(name);
	direction = trim(direction);
	*ret_ascending = colon && same_word(direction, "asc");
	if (colon && !*ret_ascending && !same_word(direction, "desc"))
		return options_error(parser, "'%.*s' is no direction; it is asc or desc",
		                     (int)direction.len, direction.text);
	return 0;
}

/* Refuses a name that stands for several columns, and says which. Returns 0 for any other. */
static int refuse_word_for_several(const struct option_parser *parser, struct span name)
{
	cleanup_(strbuf_done) struct strbuf columns = STRBUF_INIT;

	for (size_t w = 0; w < aspect_word_count; w++) {
		if (!same_word(name, aspect_word_table[w].name))
			continue;
		for (unsigned a = 0; a < ASPECT_COUNT; a++)
			if (aspect_word_table[w].aspects[a])
				strbuf_addf(&columns, "%s%s", columns.len > 0 ? ", " : "",
				            aspect_table[a].name);
		return options_error(parser, "'%s' stands for several columns: %s",
		                     aspect_word_table[w].name, strbuf_str(&columns));
	}
	return 0;
}

static int parse_sort_key(const struct option_parser *parser, struct span name,
                          struct row_sort_key *ret)
{
	if (!measure_find(name.text, name.len, &ret->measure)) {
		if (refuse_word_for_several(parser, name) < 0)
			return -1;
		return unknown_metric(parser, name);
	}
	if (measure_is_label(ret->measure))
		return options_error(
		        parser, "the values of '%.*s' are names, which have no size to sort by",
		        (int)name.len, name.text);
	return 0;
}

/* In a list of metrics, the metrics of its first source stand for an aspect, one key each. */
static void add_aspect_keys(struct sort_keys *keys)
{
	const struct aspect_source *source = &aspect_table[keys->aspect].sources[0];

	for (unsigned i = 0; i < source->count; i++) {
		keys->keys[i].measure = source->metrics[i];
		keys->keys[i].ascending = keys->ascending;
	}
	keys->count = source->count;
}

int list_sort_keys(const struct option_parser *parser, struct sort_keys *ret)
{
	struct span rest = whole_value(parser), word, name;
	struct sort_keys keys = {.aspect = ASPECT_COUNT};
	bool ascending;
	int r;

	while ((r = next_entry(parser, &rest, &word)) > 0) {
		r = split_sort_key(parser, word, &name, &ascending);
		if (r < 0)
			return r;
		if (keys.aspect < ASPECT_COUNT)
			return options_error(parser, "'%s', an aspect, goes with no other key",
			                     aspect_table[keys.aspect].name);
		if (keys.count == SORT_KEYS_MAX)
			return options_error(parser, "more than %d metrics", SORT_KEYS_MAX);
		keys.ascending = ascending;
		keys.aspect = aspect_find(name.text, name.len);
		if (keys.aspect < ASPECT_COUNT && keys.count > 0)
			return options_error(parser, "'%s', an aspect, goes with no other key",
			                     aspect_table[keys.aspect].name);
		if (keys.aspect < ASPECT_COUNT) {
			add_aspect_keys(&keys);
			continue;
		}
		keys.keys[keys.count].ascending = ascending;
		r = parse_sort_key(parser, name, &keys.keys[keys.count]);
		if (r < 0)
			return r;
		for (size_t i = 0; i < keys.count; i++)
			if (keys.keys[i].measure == keys.keys[keys.count].measure)
				return report_duplicate(parser, word);
		keys.count++;
	}
	*ret = keys;
	return r;
}

static const char *column_name(unsigned column)
{
	return column_table[column].name;
}

static int unknown_column(const struct option_parser *parser, struct span word, unsigned sides)
{
	cleanup_(strbuf_done) struct strbuf names = STRBUF_INIT;

	for (unsigned i = 0; i < COLUMN_COUNT; i++)
		if (sides == 1 ? column_table[i].in_show : column_table[i].in_compare)
			strbuf_addf(&names, "%s%s", names.len > 0 ? ", " : "", column_name(i));
	return options_error(parser, "unknown column '%.*s'; the columns of %s are %s",
	                     (int)word.len, word.text, parser->command->name, strbuf_str(&names));
}

int list_columns(const struct option_parser *parser, unsigned sides, struct column_list *ret)
{
	struct span rest = whole_value(parser), word;
	int r;

	*ret = (struct column_list){0};
	if (trim(rest).len == 0)
		return 0;
	while ((r = next_entry(parser, &rest, &word)) > 0) {
		unsigned column = find_word(word, column_name, COLUMN_COUNT);

		if (column == COLUMN_COUNT && same_word(word, "percent"))
			column = COLUMN_percent;
		if (column == COLUMN_COUNT ||
		    (sides == 1 ? !column_table[column].in_show : !column_table[column].in_compare))
			return unknown_column(parser, word, sides);
		if (column_list_has(ret, (enum report_column)column))
			return report_duplicate(parser, word);
		column_list_add(ret, (enum report_column)column);
		ret->chosen = true;
	}
	if (r == 0 && column_list_has(ret, COLUMN_arrow) &&
	    (column_list_has(ret, COLUMN_baseline) || column_list_has(ret, COLUMN_candidate)))
		return options_error(parser, "'arrow' has both values in it and goes with neither "
		                             "'baseline' nor 'candidate'");
	return r;
}

static const char *key_name(unsigned key)
{
	return group_key_table[key].name;
}

static int unknown_key(const struct option_parser *parser, struct span word)
{
	cleanup_(strbuf_done) struct strbuf list = STRBUF_INIT;
	cleanup_(mem_freep) char *text = mem_copy(word.text, word.len);
	const char *names[GROUP_KEY_COUNT + 1] = {NULL}, *nearest;

	for (unsigned i = 0; i < GROUP_KEY_COUNT; i++) {
		names[i] = key_name(i);
		strbuf_addf(&list, "%s, ", key_name(i));
	}
	for (size_t i = 0; i < group_tree_count; i++)
		strbuf_addf(&list, "%s%s", i > 0 ? ", " : "", group_tree_table[i].name);
	nearest = cli_nearest(text, names);
	return options_error(parser, "'%s' is not one of %s%s%s%s", text, strbuf_str(&list),
	                     nearest ? "; did you mean '" : "", nearest ? nearest : "",
	                     nearest ? "'?" : "");
}

int list_group_keys(const struct option_parser *parser, struct group_by *by)
{
	struct span rest = whole_value(parser), word = trim(rest);
	int r;

	by->count = 0;
	by->tree = NULL;
	for (size_t i = 0; i < group_tree_count; i++)
		if (span_is(word, group_tree_table[i].name)) {
			by->tree = &group_tree_table[i];
			by->count = by->tree->count;
			memcpy(by->keys, by->tree->keys, sizeof(by->keys));
			return 0;
		}
	while ((r = next_entry(parser, &rest, &word)) > 0) {
		enum group_key key;

		for (size_t i = 0; i < group_tree_count; i++)
			if (span_is(word, group_tree_table[i].name))
				return options_error(parser, "'%s' goes with no other key",
				                     group_tree_table[i].name);
		key = group_by_find(by, word);
		if (key == GROUP_KEY_COUNT)
			return unknown_key(parser, word);
		if (group_by_has(by, key))
			return key == GROUP_KEY_cgroup_v1_other
			               ? options_error(parser,
			                               "more than one hierarchy of version 1 "
			                               "that is not known by name")
			               : report_duplicate(parser, word);
		if (by->count == GROUP_KEYS_MAX)
			return options_error(parser, "more than %d keys", GROUP_KEYS_MAX);
		by->keys[by->count++] = key;
	}
	return r;
}

bool list_size_parse(const char *size, size_t len, uint64_t *ret)
{
	struct span text = {size, len};
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

	for (; report_caps[cap]; cap++) {
		len = strlen(report_caps[cap]);
		if (word.len >= len && memcmp(word.text, report_caps[cap], len) == 0)
			break;
	}
	if (!report_caps[cap] || !list_size_parse(word.text + len, word.len - len, &value) ||
	    value == 0 || (cap == CAP_DEPTH && value > 1 << 20))
		return false;
	if (cap == CAP_BYTES)
		limits->bytes = value;
	else if (cap == CAP_MEMORY)
		limits->memory = value;
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

int list_read_limits(const struct option_parser *parser, struct snapshot_limits *limits)
{
	struct span rest = whole_value(parser), word;
	int r;

	while ((r = next_entry(parser, &rest, &word)) > 0)
		if (!set_cap(limits, word))
			return options_error(parser,
			                     "'%.*s' is not bytes=, memory=, threads=, values=, "
			                     "depth= or string= and a number",
			                     (int)word.len, word.text);
	return r;
}

int list_limit(const struct option_parser *parser, size_t *ret)
{
	uint64_t value;

	if (!scan_u64(parser->value, strlen(parser->value), &value) || value > SIZE_MAX)
		return options_error(parser, "'%s' is not a number from 0 on", parser->value);
	*ret = value;
	return 0;
}
