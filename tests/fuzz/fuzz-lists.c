// SPDX-License-Identifier: GPL-2.0-or-later
/* lists: what options take as lists is taken or is refused with one line that is safe to print, and what was taken,
 * spelt out, is taken for the same again. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/commands.h"
#include "fuzz.h"
#include "overview/overview.h"
#include "query/report-lists.h"

static const struct cli_option option = {.id = 1, .name = "list"};

/* The text that was printed instead of an error: nothing if the list is good, else one line. */
static void check_error(bool taken, const char *text, size_t len)
{
	uint32_t c;

	require(taken == (len == 0), "a list is taken, or there is an error");
	for (size_t pos = 0, step; pos < len; pos += step) {
		step = text_decode(text + pos, len - pos, &c);
		require(step > 0 && (c == '\n' || text_is_harmless(c)), "safe to print");
		require((c == '\n') == (pos + 1 == len), "one line");
	}
}

struct lists {
	bool given, metrics[MEASURE_COUNT], sections[SECTION_COUNT];
	struct sort_keys sort;
	struct column_list columns;
	struct group_by by;
	struct snapshot_limits limits;
};

enum kind { METRICS, SECTIONS, SORT_BY, SHOW_COLUMNS, COMPARE_COLUMNS, GROUP_BY, LIMITS, KINDS };

static int parse_kind(enum kind kind, const struct option_parser *parser, struct lists *lists)
{
	memset(lists, 0, sizeof(*lists));
	lists->limits = snapshot_default_limits;
	switch (kind) {
	case METRICS:
		return list_metrics(parser, &lists->given, lists->metrics);
	case SECTIONS:
		return list_sections(parser, &lists->given, lists->sections);
	case SORT_BY:
		return list_sort_keys(parser, &lists->sort);
	case SHOW_COLUMNS:
		return list_columns(parser, 1, &lists->columns);
	case COMPARE_COLUMNS:
		return list_columns(parser, 2, &lists->columns);
	case GROUP_BY:
		return list_group_keys(parser, &lists->by);
	default:
		return list_read_limits(parser, &lists->limits);
	}
}

/* Parses with what goes to standard error kept. */
static bool parse(enum kind kind, const char *text, struct lists *lists)
{
	const struct command *command = kind == SHOW_COLUMNS ? &command_show : &command_compare;
	struct option_parser parser = {.command = command, .value = text, .current = &option};
	FILE *terminal = stderr;
	char *printed = NULL;
	size_t len = 0;
	FILE *kept = open_memstream(&printed, &len);
	int r;

	require(kept != NULL, "memory");
	stderr = kept;
	r = parse_kind(kind, &parser, lists);
	stderr = terminal;
	fclose(kept);
	check_error(r == 0, printed, len);
	free(printed);
	return r == 0;
}

static void add_entry(struct strbuf *out, const char *name, const char *behind)
{
	strbuf_addf(out, "%s %s%s ", out->len > 0 ? "," : "", name, behind);
}

/* Spells out what a list was taken for. */
static void spell(enum kind kind, const struct lists *lists, struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT;

	for (unsigned i = 0; kind == METRICS && i < MEASURE_COUNT; i++)
		if (lists->metrics[i])
			add_entry(out, measure_name(i), "");
	for (unsigned i = 0; kind == SECTIONS && i < SECTION_COUNT; i++)
		if (lists->sections[i])
			add_entry(out, section_table[i].name, "");
	/* An aspect stands for its metrics, and alone. */
	if (kind == SORT_BY && lists->sort.aspect < ASPECT_COUNT)
		add_entry(out, aspect_table[lists->sort.aspect].name,
		          lists->sort.ascending ? " : ASC" : ":desc");
	for (size_t i = 0;
	     kind == SORT_BY && lists->sort.aspect == ASPECT_COUNT && i < lists->sort.count; i++)
		add_entry(out, measure_name(lists->sort.keys[i].measure),
		          lists->sort.keys[i].ascending ? " : ASC" : ":desc");
	for (unsigned i = 0; i < lists->columns.count; i++)
		add_entry(out, column_table[lists->columns.columns[i]].name, "");
	for (unsigned i = 0; !lists->by.tree && i < lists->by.count; i++) {
		strbuf_clear(&name);
		group_by_add_name(&lists->by, i, &name);
		add_entry(out, strbuf_str(&name), "");
	}
	if (lists->by.tree)
		add_entry(out, lists->by.tree->name, "");
	strbuf_done(&name);
}

static void check_numbers(enum kind kind, const struct lists *lists)
{
	const struct snapshot_limits *limits = &lists->limits;

	require(limits->bytes > 0 && limits->threads > 0 && limits->values > 0 &&
	                limits->depth > 0 && limits->string_bytes > 0,
	        "a cap lets something through");
	require(kind != GROUP_BY || (lists->by.count > 0 && lists->by.count <= GROUP_KEYS_MAX),
	        "a group has a key");
	require(kind != SORT_BY || lists->sort.count > 0, "ranks go by something");
	for (unsigned i = 0; i < lists->columns.count; i++)
		for (unsigned j = 0; j < i; j++)
			require(lists->columns.columns[i] != lists->columns.columns[j],
			        "no column is there twice");
}

static void check(enum kind kind, const char *text)
{
	struct strbuf spelt = STRBUF_INIT;
	struct lists lists, again;

	if (!parse(kind, text, &lists))
		return;
	check_numbers(kind, &lists);
	spell(kind, &lists, &spelt);
	require(!lists.given || spelt.len > 0, "a list that is given names something");
	if (spelt.len > 0) {
		require(parse(kind, strbuf_str(&spelt), &again), "what was taken is a list");
		require(memcmp(&lists, &again, sizeof(lists)) == 0, "it is the same list");
	}
	strbuf_done(&spelt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_copy(size > 0 ? (const char *)data : "", size);

	for (enum kind kind = 0; kind < KINDS; kind++)
		check(kind, text);
	free(text);
	return 0;
}
