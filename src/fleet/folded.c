// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/folded.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "metric/units.h"

/* The readers split a line at its last blanks and at semicolons. */
void folded_add_frame(struct span name, struct strbuf *out)
{
	for (size_t i = 0; i < name.len; i++) {
		unsigned char c = (unsigned char)name.text[i];

		strbuf_add_char(out, c == ';' ? ':' : c <= ' ' || c == 0x7f ? '_' : (char)c);
	}
}

/* Returns the names of a group as a stack. */
static void add_stack(const struct fleet_groups *groups, const struct strmap_entry *entry,
                      struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT, safe = STRBUF_INIT;

	for (unsigned key = 0; key < groups->table.by.count; key++) {
		struct span pattern = group_table_pattern(&groups->table, entry, key);

		strbuf_clear(&name);
		strbuf_clear(&safe);
		text_add_replaced(&name, pattern.text, pattern.len);
		text_add_escaped(&safe, strbuf_str(&name), name.len);
		if (key > 0)
			strbuf_add_char(out, ';');
		folded_add_frame((struct span){strbuf_str(&safe), safe.len}, out);
	}
}

struct stack {
	bool is_unseen, is_partial; /* in some table */
	__int128 values[2];
};

static struct stack *stack_of(struct strmap *stacks, const struct fleet_groups *groups,
                              const struct strmap_entry *entry)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	struct strmap_entry *added;

	add_stack(groups, entry, &name);
	added = strmap_add(stacks, strbuf_str(&name), name.len);
	if (!added->value)
		added->value = mem_calloc(1, sizeof(struct stack));
	return added->value;
}

/* Adds the groups of a table to the stacks. */
static void add_table(struct strmap *stacks, const struct fleet_groups *groups, unsigned column,
                      enum metric_id metric)
{
	for (size_t i = 0; i < groups->threads.count; i++) {
		const struct strmap_entry *entry = &groups->threads.entries[i];
		const struct summary *summary = fleet_groups_summary(groups, entry, metric);
		struct stack *stack = stack_of(stacks, groups, entry);
		__int128 work = 0;

		if (!summary_work(summary, &work))
			stack->is_unseen = true;
		stack->values[column] += work;
		if (summary->seen < summary->threads)
			stack->is_partial = true;
	}
}

static int by_key(const void *a, const void *b)
{
	const struct strmap_entry *first = a, *second = b;

	return strcmp(first->key, second->key);
}

static void print_stack(FILE *file, const struct strmap_entry *entry, unsigned count)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;
	const struct stack *stack = entry->value;

	if (stack->values[0] <= 0 && stack->values[1] <= 0)
		return;
	strbuf_add(&line, entry->key, entry->key_len);
	for (unsigned i = 0; i < count; i++) {
		strbuf_add_char(&line, ' ');
		units_format_integer(stack->values[i], &line);
	}
	strbuf_add_char(&line, '\n');
	fwrite(line.data, 1, line.len, file);
}

struct folded_counts folded_print(FILE *file, const struct fleet_groups *const *tables,
                                  unsigned count, enum metric_id metric)
{
	cleanup_(strmap_done) struct strmap stacks = STRMAP_INIT;
	struct folded_counts counts = {0};

	for (unsigned i = 0; i < count; i++)
		add_table(&stacks, tables[i], i, metric);
	/* The map is not used as such any more. */
	if (stacks.count > 0)
		qsort(stacks.entries, stacks.count, sizeof(stacks.entries[0]), by_key);
	for (size_t i = 0; i < stacks.count; i++) {
		const struct stack *stack = stacks.entries[i].value;

		counts.unseen += stack->is_unseen;
		counts.partial += !stack->is_unseen && stack->is_partial;
		if (!stack->is_unseen)
			print_stack(file, &stacks.entries[i], count);
		free(stacks.entries[i].value);
	}
	return counts;
}
