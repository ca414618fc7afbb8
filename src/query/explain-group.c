// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/explain-group.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

void report_add_group_by(const struct group_by *by, struct strbuf *out)
{
	if (by->tree)
		strbuf_add_str(out, by->tree->name);
	for (unsigned i = 0; !by->tree && i < by->count; i++) {
		strbuf_add_str(out, i > 0 ? "," : "");
		group_by_add_name(by, i, out);
	}
}

/* The labels of all groups of a single key, safe to print; owned by the caller, as are they. Ends with NULL. */
static char **list_labels(const struct load *loads, unsigned count)
{
	const struct key_names *names[SIDE_MAX] = {NULL};
	size_t total = 0, at = 0;
	char **labels;

	for (unsigned i = 0; i < count; i++) {
		names[i] = &loads[i].filter.names[0];
		total += names[i]->map.count;
	}
	labels = mem_calloc(total + 1, sizeof(*labels));
	for (unsigned i = 0; i < count; i++)
		for (size_t n = 0; n < names[i]->map.count; n++) {
			const struct strmap_entry *entry = &names[i]->map.entries[n];
			struct span shown = key_names_shown(
			        names, count, (struct span){entry->key, entry->key_len});
			cleanup_(strbuf_done) struct strbuf label = STRBUF_INIT;

			text_add_escaped(&label, shown.text, shown.len);
			labels[at++] = mem_copy(strbuf_str(&label), label.len);
		}
	return labels;
}

/* Looks for the group under each single key. */
struct search {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct group_filter filters[GROUP_KEY_COUNT];
	struct snapshot_info info;
};

static int visit_thread(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct search *search = (struct search *)self;

	for (unsigned key = 0; key < GROUP_KEY_COUNT; key++)
		/* One thread is enough. The last key of version 1 has no name. */
		if (key != GROUP_KEY_cgroup_v1_other && !search->filters[key].found)
			(void)group_filter_wants(&search->filters[key], sample, &search->info.host);
	return 0;
}

/* The first key under which a thread is in a group of this name; GROUP_KEY_COUNT if there is none. */
static unsigned find_key(const struct report_options *options, struct load *load)
{
	struct byte_source *source = load_again(load);
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct search search = {.visitor = {.thread = visit_thread}};
	unsigned found = GROUP_KEY_COUNT;

	for (unsigned key = 0; key < GROUP_KEY_COUNT; key++) {
		search.filters[key].by = group_by_key((enum group_key)key, false);
		search.filters[key].label = options->explains;
	}
	if (!source ||
	    snapshot_read(source, load->limits, &search.visitor, &search.info, &reason) < 0)
		found = GROUP_KEY_COUNT;
	for (unsigned key = GROUP_KEY_COUNT; key-- > 0;) {
		found = search.filters[key].found ? key : found;
		group_filter_done(&search.filters[key]);
	}
	snapshot_info_done(&search.info);
	return found;
}

/* Appends the command that has the group under another key. */
static bool add_other_key(const struct report_options *options, struct load *loads, unsigned count,
                          struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf group = STRBUF_INIT;
	unsigned key = GROUP_KEY_COUNT;

	for (unsigned i = 0; i < count && key == GROUP_KEY_COUNT; i++)
		key = find_key(options, &loads[i]);
	if (key == GROUP_KEY_COUNT)
		return false;
	strbuf_add_str(&group, options->explains);
	if (options->explained_metric)
		strbuf_addf(&group, ":%s", options->explained_metric);
	strbuf_addf(out, "; it is one of --group-by %s: ctprof %s -g %s -e ",
	            group_key_table[key].name, count == 1 ? "show" : "compare",
	            group_key_table[key].name);
	text_add_shell_word(out, strbuf_str(&group));
	for (unsigned i = 0; i < count; i++) {
		strbuf_add_char(out, ' ');
		text_add_shell_word(out, loads[i].path);
	}
	return true;
}

/* Returns the label without " (was NAME)" behind it, as the overview prints a group whose threads had another name; NULL if there is no
 * such group. */
static const char *without_former_name(const char *text, char *const *labels)
{
	const char *former = strstr(text, " (was ");

	for (size_t i = 0; former && labels[i]; i++)
		if (strncmp(labels[i], text, (size_t)(former - text)) == 0 &&
		    labels[i][former - text] == '\0')
			return labels[i];
	return NULL;
}

static void report_no_group(const struct report_options *options, struct load *loads,
                            unsigned count)
{
	const char *colon = strrchr(options->explains, ':'), *nearest = NULL;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char **labels = list_labels(loads, count);

	strbuf_add_str(&text, "--group-by ");
	report_add_group_by(&options->by, &text);
	strbuf_addf(&text, " has no group '%s'", options->explains);
	if (options->by.count == 1)
		nearest = without_former_name(options->explains, labels);
	if (options->by.count == 1 && !nearest)
		nearest = cli_nearest(options->explains, (const char *const *)labels);
	if (add_other_key(options, loads, count, &text))
		;
	else if (nearest)
		strbuf_addf(&text, "; did you mean '%s'?", nearest);
	else if (colon)
		strbuf_addf(&text, ", and '%s' is like no metric", colon + 1);
	else if (options->explained_metric)
		strbuf_addf(&text, "; where ':%s' is part of its name, put ':*' behind it",
		            options->explained_metric);
	cli_error("%s", strbuf_str(&text));
	for (size_t i = 0; labels[i]; i++)
		free(labels[i]);
	free(labels);
}

bool explain_has_group(const struct report_options *options, struct load *loads, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!options->explains || loads[i].filter.found)
			return true;
	report_no_group(options, loads, count);
	return false;
}
