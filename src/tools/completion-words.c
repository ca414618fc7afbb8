// SPDX-License-Identifier: GPL-2.0-or-later
#include "completion.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "group/group-by.h"
#include "measure/measure.h"
#include "overview/aspect.h"

static void add_word(struct completion_words *words, const char *text, const char *description)
{
	*array_add(words->words, words->count, words->capacity) =
	        (struct completion_word){text, description};
}

static void add_measures(struct completion_words *words, bool sortable)
{
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		if (!sortable || !measure_is_label(i))
			add_word(words, measure_name(i),
			         measure_is_derived(i)
			                 ? derived_table[measure_derived(i)].description
			                 : metric_table[i].description);
}

/* The columns of the overview. Words for several of them have no order. */
static void add_aspects(struct completion_words *words, bool sortable)
{
	for (unsigned i = 0; i < ASPECT_COUNT; i++)
		add_word(words, aspect_table[i].name, aspect_table[i].description);
	for (size_t i = 0; !sortable && i < aspect_word_count; i++)
		add_word(words, aspect_word_table[i].name, aspect_word_table[i].description);
}

void completion_words_init(struct completion_words *ret_words, const struct cli_values *values)
{
	struct completion_words words = {0};

	switch (values->kind) {
	case VALUES_NOTHING:
	case VALUES_TEXT:
	case VALUES_NUMBER:
	case VALUES_FILE:
	case VALUES_DIRECTORY:
	case VALUES_SNAPSHOT:
	case VALUES_COMMANDS: /* the scripts have a function for them */
		break;
	case VALUES_WORD:
	case VALUES_WORDS:
		for (const char *const *word = values->words; *word; word++)
			add_word(&words, *word, NULL);
		break;
	case VALUES_GROUP_KEY:
	case VALUES_GROUP_KEYS:
		for (unsigned i = 0; i < GROUP_KEY_COUNT; i++)
			/* The last key of version 1 is a form, not a word. */
			if (i != GROUP_KEY_cgroup_v1_other)
				add_word(&words, group_key_table[i].name,
				         group_key_table[i].description);
		for (size_t i = 0; values->kind == VALUES_GROUP_KEYS && i < group_tree_count; i++)
			add_word(&words, group_tree_table[i].name, group_tree_table[i].description);
		break;
	case VALUES_METRICS:
	case VALUES_SORT_KEYS:
		add_measures(&words, values->kind == VALUES_SORT_KEYS);
		add_aspects(&words, values->kind == VALUES_SORT_KEYS);
		break;
	case VALUES_SECTIONS:
		for (unsigned i = 0; i < SECTION_COUNT; i++)
			add_word(&words, section_table[i].name, section_table[i].description);
		break;
	}
	*ret_words = words;
}

void completion_words_done(struct completion_words *words)
{
	free(words->words);
	*words = (struct completion_words){0};
}

bool completion_is_shared(enum cli_values_kind kind)
{
	return kind == VALUES_GROUP_KEY || kind == VALUES_GROUP_KEYS || kind == VALUES_METRICS ||
	       kind == VALUES_SECTIONS || kind == VALUES_SORT_KEYS;
}

const char *completion_kind_name(enum cli_values_kind kind)
{
	static const char *const names[] = {
	        [VALUES_NOTHING] = "nothing",     [VALUES_TEXT] = "text",
	        [VALUES_NUMBER] = "number",       [VALUES_FILE] = "file",
	        [VALUES_DIRECTORY] = "directory", [VALUES_SNAPSHOT] = "snapshot",
	        [VALUES_WORD] = "word",           [VALUES_WORDS] = "words",
	        [VALUES_GROUP_KEY] = "group_key", [VALUES_GROUP_KEYS] = "group_keys",
	        [VALUES_METRICS] = "metrics",     [VALUES_SECTIONS] = "sections",
	        [VALUES_SORT_KEYS] = "sort_keys", [VALUES_COMMANDS] = "commands",
	};

	return names[kind];
}

unsigned completion_operand_count(const struct command *command)
{
	unsigned count = 0;

	for (const char *word = command->operands; word && *word; count++) {
		word += strcspn(word, " ");
		word += strspn(word, " ");
	}
	return count;
}

void completion_add_escaped(struct strbuf *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\\' || strchr(special, *text))
			strbuf_add_char(out, '\\');
		strbuf_add_char(out, *text);
	}
}

static bool is_plain(const char *word)
{
	static const char plain[] =
	        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,";

	return *word && word[strspn(word, plain)] == '\0';
}

void completion_add_fish(struct strbuf *out, const char *word)
{
	if (is_plain(word)) {
		strbuf_add_str(out, word);
		return;
	}
	strbuf_add_char(out, '\'');
	completion_add_escaped(out, word, "'");
	strbuf_add_char(out, '\'');
}
