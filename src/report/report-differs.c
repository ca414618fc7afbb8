// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "base/text.h"
#include "report/report-text.h"
#include "settings/settings-table.h"

enum { LINES_SHOWN = 6, SHORT_TEXT_BYTES = 48, SHOWN_COLUMNS = 96, WORDS_SHOWN = 12 };

void differences_done(struct difference_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->entries[i].field);
		for (unsigned side = 0; side < SIDE_MAX; side++)
			free(list->entries[i].texts[side]);
	}
	free(list->entries);
	*list = (struct difference_list){0};
}

static char *copy_text(const char *text)
{
	return text ? mem_copy(text, strlen(text)) : NULL;
}

/* A missing text differs from any other. */
static void compare_texts(struct difference_list *list, const char *field, const char *entry,
                          const char *baseline, const char *candidate)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	if (baseline == candidate || (baseline && candidate && strcmp(baseline, candidate) == 0))
		return;
	strbuf_addf(&name, "%s%s%s", field, entry ? "." : "", entry ? entry : "");
	*array_add(list->entries, list->count, list->capacity) = (struct difference){
	        .field = mem_copy(strbuf_str(&name), name.len),
	        .texts = {copy_text(baseline), copy_text(candidate)},
	};
}

/* Both maps are in the order of their names. */
static void compare_entries(struct difference_list *list, const char *field,
                            const struct host_map *baseline, const struct host_map *candidate)
{
	size_t b = 0, c = 0;

	while (b < baseline->count || c < candidate->count) {
		const struct host_map_entry *left =
		        b < baseline->count ? &baseline->entries[b] : NULL;
		const struct host_map_entry *right =
		        c < candidate->count ? &candidate->entries[c] : NULL;
		int order = !left ? 1 : !right ? -1 : strcmp(left->name, right->name);

		compare_texts(list, field, order <= 0 ? left->name : right->name,
		              order <= 0 ? left->text : NULL, order >= 0 ? right->text : NULL);
		b += order <= 0;
		c += order >= 0;
	}
}

static void compare_maps(struct difference_list *list, enum host_field field,
                         const struct host *const *hosts, bool whole_maps)
{
	const char *name = host_field_table[field].name;
	const struct host_map *baseline = &hosts[SIDE_BASELINE]->maps[field];
	const struct host_map *candidate = &hosts[SIDE_CANDIDATE]->maps[field];
	cleanup_(strbuf_done) struct strbuf size = STRBUF_INIT;

	if (!whole_maps ||
	    hosts[SIDE_BASELINE]->seen[field] == hosts[SIDE_CANDIDATE]->seen[field]) {
		compare_entries(list, name, baseline, candidate);
		return;
	}
	strbuf_addf(&size, "(%zu entries)", baseline->count + candidate->count);
	compare_texts(list, name, NULL,
	              hosts[SIDE_BASELINE]->seen[field] ? strbuf_str(&size) : NULL,
	              hosts[SIDE_CANDIDATE]->seen[field] ? strbuf_str(&size) : NULL);
}

static void compare_numbers(struct difference_list *list, enum host_field field,
                            const struct host *const *hosts)
{
	struct strbuf texts[SIDE_MAX] = {STRBUF_INIT, STRBUF_INIT};

	for (unsigned side = 0; side < SIDE_MAX; side++)
		if (hosts[side]->seen[field])
			strbuf_addf(&texts[side], "%llu",
			            (unsigned long long)hosts[side]->numbers[field]);
	compare_texts(list, host_field_table[field].name, NULL, texts[SIDE_BASELINE].data,
	              texts[SIDE_CANDIDATE].data);
	for (unsigned side = 0; side < SIDE_MAX; side++)
		strbuf_done(&texts[side]);
}

/* A field that one of two tools does not read is no difference of the hosts. */
void differences_find(const struct report *report, bool whole_maps, struct difference_list *ret)
{
	const struct snapshot_info *baseline = report->sides[SIDE_BASELINE].info;
	const struct snapshot_info *candidate = report->sides[SIDE_CANDIDATE].info;
	const struct host *const hosts[SIDE_MAX] = {&baseline->host, &candidate->host};

	*ret = (struct difference_list){0};
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++) {
		enum host_field field = (enum host_field)i;

		if (!host_field_table[i].compared ||
		    (baseline->origin != candidate->origin &&
		     hosts[SIDE_BASELINE]->seen[i] != hosts[SIDE_CANDIDATE]->seen[i]))
			continue;
		if (host_field_table[i].kind == HOST_KIND_MAP)
			compare_maps(ret, field, hosts, whole_maps);
		else if (host_field_table[i].kind == HOST_KIND_NUMBER)
			compare_numbers(ret, field, hosts);
		else
			compare_texts(ret, host_field_table[i].name, NULL,
			              host_text(hosts[0], field), host_text(hosts[1], field));
	}
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		/* A snapshot of a version without the source has no rule for it. */
		if (baseline->rules[s] != OUTCOME_unneeded &&
		    candidate->rules[s] != OUTCOME_unneeded)
			compare_texts(ret, "sources", source_table[s].name,
			              outcome_table[baseline->rules[s]].name,
			              outcome_table[candidate->rules[s]].name);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Skips white space. Returns the length of the word that follows. */
static size_t next_word(const char **text)
{
	size_t len = 0;

	while (is_blank(**text))
		++*text;
	while ((*text)[len] && !is_blank((*text)[len]))
		len++;
	return len;
}

/* Counts each word of the text up or down. */
static void count_words(struct strmap *words, const char *text, intptr_t step)
{
	for (size_t len; (len = next_word(&text)) > 0; text += len) {
		struct strmap_entry *entry = strmap_add(words, text, len);

		entry->value = (void *)((intptr_t)entry->value + step);
	}
}

static bool same_order(const char *a, const char *b)
{
	size_t len_a, len_b;

	do {
		len_a = next_word(&a);
		len_b = next_word(&b);
		if (len_a != len_b || memcmp(a, b, len_a) != 0)
			return false;
		a += len_a;
		b += len_b;
	} while (len_a > 0);
	return true;
}

/* Adds a text of unknown content, as much as helps to recognise it. */
static void add_shown(const char *text, size_t len, bool all, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf escaped = STRBUF_INIT;
	size_t shown;

	text_add_escaped(&escaped, text, len);
	shown = all ? escaped.len
	            : text_prefix_escaped(strbuf_str(&escaped), escaped.len, SHOWN_COLUMNS);
	strbuf_add(out, strbuf_str(&escaped), shown);
	if (shown < escaped.len)
		strbuf_add_str(out, "…");
}

/* Adds " -nosmt +mitigations=off": the words that only one side has. */
static void add_words(const struct difference *difference, bool all, struct strbuf *out)
{
	cleanup_(strmap_done) struct strmap words = STRMAP_INIT;
	size_t differing = 0;

	count_words(&words, difference->texts[SIDE_BASELINE], -1);
	count_words(&words, difference->texts[SIDE_CANDIDATE], 1);
	for (size_t i = 0; i < words.count; i++) {
		const struct strmap_entry *entry = &words.entries[i];

		if (!entry->value)
			continue;
		if (all || differing < WORDS_SHOWN) {
			strbuf_addf(out, " %c", (intptr_t)entry->value < 0 ? '-' : '+');
			add_shown(entry->key, entry->key_len, all, out);
		}
		differing++;
	}
	if (differing == 0)
		strbuf_add_str(out, same_order(difference->texts[SIDE_BASELINE],
		                               difference->texts[SIDE_CANDIDATE])
		                            ? " the same words, but other white space"
		                            : " the same words in another order");
	else if (!all && differing > WORDS_SHOWN)
		strbuf_addf(out, " and %zu more", differing - WORDS_SHOWN);
}

/* Returns whether the text is a list of words, most of which will be the same on both sides. */
static bool is_long(const char *text)
{
	return text && strlen(text) > SHORT_TEXT_BYTES && strpbrk(text, " \t\n");
}

void report_add_change(const struct difference *difference, bool all, struct strbuf *out)
{
	const char *baseline = difference->texts[SIDE_BASELINE];
	const char *candidate = difference->texts[SIDE_CANDIDATE];

	add_shown(difference->field, strlen(difference->field), all, out);
	if (baseline && candidate && (is_long(baseline) || is_long(candidate))) {
		add_words(difference, all, out);
	} else {
		strbuf_add_char(out, ' ');
		add_shown(baseline ? baseline : "-", baseline ? strlen(baseline) : 1, all, out);
		strbuf_add_str(out, " → ");
		add_shown(candidate ? candidate : "-", candidate ? strlen(candidate) : 1, all, out);
	}
}

void report_add_differs(const struct report *report, struct strbuf *out)
{
	cleanup_(differences_done) struct difference_list list = {0};
	bool all = report->limit == 0;
	size_t shown = 0, left_out = 0;

	if (report->rows->sides < SIDE_MAX)
		return;
	differences_find(report, !all, &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct difference *difference = &list.entries[i];

		/* report_add_settings() has those of both sides. */
		if (difference->texts[SIDE_BASELINE] && difference->texts[SIDE_CANDIDATE] &&
		    settings_host_find(difference->field))
			continue;
		if (!all && shown == LINES_SHOWN) {
			left_out++;
			continue;
		}
		strbuf_add_str(out, "also differs: ");
		report_add_change(difference, all, out);
		strbuf_add_char(out, '\n');
		shown++;
	}
	if (left_out > 0)
		strbuf_addf(out, "and %zu more (--limit 0 lists all)\n", left_out);
}
