// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "command-run.h"
#include "group/group-by.h"
#include "measure/measure.h"
#include "report/columns.h"

enum { CHOICES = 16, OPTION_BYTES = 24 };

/* One byte chooses a word of a list of at most CHOICES, or, more often than not, none of them. */
static const char *choose(struct command_input *input, const char *const *list)
{
	size_t count = 0, chosen = command_next_byte(input) % CHOICES;

	while (list[count])
		count++;
	return chosen < count ? list[chosen] : NULL;
}

static void add_choice(struct command_words *words, struct command_input *input, const char *option,
                       const char *const *list)
{
	const char *value = choose(input, list);

	if (!value)
		return;
	command_words_add(words, option);
	command_words_add(words, value);
}

/* A table of the registry. */
struct names {
	size_t count;
	const char *(*name)(size_t); /* NULL for one that the option does not take */
};

/* An option whose value is one of some patterns with a name of a table in the place of '@'. */
static void add_named(struct command_words *words, struct command_input *input, const char *option,
                      const struct names *names, const char *const *patterns)
{
	cleanup_(strbuf_done) struct strbuf value = STRBUF_INIT;
	const char *format = choose(input, patterns), *place;
	const char *its_name = names->name(command_next_byte(input) % names->count);

	if (!format || !its_name)
		return;
	place = strchr(format, '@');
	strbuf_add(&value, format, place ? (size_t)(place - format) : strlen(format));
	if (place)
		strbuf_addf(&value, "%s%s", its_name, place + 1);
	command_words_add(words, option);
	command_words_add(words, strbuf_str(&value));
}

static const char *key_name(size_t i)
{
	return group_key_table[i].name;
}

static const char *section_name(size_t i)
{
	return section_table[i].name;
}

static const char *name_of_measure(size_t i)
{
	return measure_name((unsigned)i);
}

static const char *name_of_sortable(size_t i)
{
	return measure_is_label((unsigned)i) ? NULL : measure_name((unsigned)i);
}

static const char *show_column(size_t i)
{
	return column_table[i].in_show ? column_table[i].name : NULL;
}

static const char *compare_column(size_t i)
{
	return column_table[i].in_compare ? column_table[i].name : NULL;
}

static const struct names key_names = {GROUP_KEY_COUNT, key_name};
static const struct names section_names = {SECTION_COUNT, section_name};
static const struct names measure_names = {MEASURE_COUNT, name_of_measure};
static const struct names sortable_names = {MEASURE_COUNT, name_of_sortable};
static const struct names column_names[] = {{COLUMN_COUNT, show_column},
                                            {COLUMN_COUNT, compare_column}};

static void add_flags(struct command_words *words, uint8_t flags, unsigned sides)
{
	static const char *const names[] = {"--no-thread-normalize",
	                                    "--no-cg-normalize",
	                                    "--spread",
	                                    "--wrap",
	                                    "--no-pager",
	                                    "--cgroup-flatten=/**/a*",
	                                    "--unchanged",
	                                    "--no-renames"};

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (flags & 1u << i && (i < 6 || sides == 2))
			command_words_add(words, names[i]);
}

static const char *const formats[] = {"table", "csv", "json", "ndjson", "markdown", NULL};
static const char *const keys[] = {"@", "pcomm,@", "@,comm", "cgroup,@", "all", "thread", NULL};
static const char *const sections[] = {"@", "*", "@,host*", "c*", NULL};
static const char *const metrics[] = {"@", "*", "@,wait*", "c*,@", NULL};
static const char *const sorts[] = {"@", "@:asc", "run_time_ns,@", NULL};
static const char *const columns[] = {"@", " ,@", NULL};
static const char *const show_wheres[] = {"metric = @ and seen > 0",
                                          "not (group ~ '*a*') or metric ~ @*", "value > 3",
                                          "impact > 1%", NULL};
static const char *const compare_wheres[] = {"metric = @ or threads > 1", "delta > 5ms or % < 3",
                                             "baseline > 3 or candidate = 0", NULL};
static const char *const explains[] = {"web:@", "kthreadd", "kthreadd:@", "a", NULL};
static const char *const pers[] = {"total", "second", "thread", "cpu-second", NULL};
static const char *const numbers[] = {"0", "1", "3", "1000", NULL};
static const char *const orders[] = {"impact", "delta", "name", NULL};
static const char *const colors[] = {"never", "auto", NULL};

void command_words_add_report(struct command_words *words, struct command_input *input,
                              unsigned sides)
{
	/* Always as many, so that a change of an option leaves the file alone. */
	size_t size = input->size < OPTION_BYTES ? input->size : OPTION_BYTES;
	struct command_input options = {input->data, size};

	input->data += size;
	input->size -= size;

	/* Enough for what a fuzzer makes, and little enough for its time. */
	command_words_add(words, "--read-limit=bytes=4M,threads=2000");
	add_choice(words, &options, "--format", formats);
	add_named(words, &options, "--group-by", &key_names, keys);
	add_named(words, &options, "--sections", &section_names, sections);
	add_named(words, &options, "--metrics", &measure_names, metrics);
	add_named(words, &options, "--sort-by", &sortable_names, sorts);
	add_named(words, &options, "--columns", &column_names[sides - 1], columns);
	add_named(words, &options, "--where", &measure_names,
	          sides == 1 ? show_wheres : compare_wheres);
	/* Most groups that are named are not there. */
	if (command_next_byte(&options) % CHOICES == 15)
		add_named(words, &options, "--explain", &measure_names, explains);
	add_choice(words, &options, "--per", pers);
	add_choice(words, &options, "--limit", numbers);
	add_choice(words, &options, "--top", numbers);
	add_choice(words, &options, "--order", orders);
	add_choice(words, &options, "--color", colors);
	add_flags(words, command_next_byte(&options), sides);
}
