// SPDX-License-Identifier: GPL-2.0-or-later
#include "effect/row-pick.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/text.h"

static int refuse(const char *text, const char *reason, struct strbuf *reterr)
{
	strbuf_add_char(reterr, '\'');
	text_add_escaped(reterr, text, strlen(text));
	strbuf_addf(reterr, "'%s", reason);
	return -EINVAL;
}

/* Names of keys have colons too: the longest one in front of a colon counts. */
static bool find_key(const char *text, struct group_by *by, const char **ret_group)
{
	for (const char *colon = text + strlen(text); colon > text; colon--) {
		struct group_by found = group_by_key(GROUP_KEY_pcomm, false);
		enum group_key key;

		if (*colon != ':')
			continue;
		key = group_by_find(&found, (struct span){text, (size_t)(colon - text)});
		if (key == GROUP_KEY_COUNT)
			continue;
		found.keys[0] = key;
		*by = found;
		*ret_group = colon + 1;
		return true;
	}
	return false;
}

int row_pick_parse(struct row_pick *pick, const char *text, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	const char *at = strchr(text, '@'), *group = NULL;
	size_t metric_len = at ? (size_t)(at - text) : strlen(text);
	struct row_pick found = {0};

	if (metric_len == 0)
		return refuse(text, " names no metric: rows are METRIC@KEY:GROUP", reterr);
	if (at && strcmp(at, "@host") != 0 && !find_key(at + 1, &found.by, &group))
		return refuse(text,
		              " names no key of groups behind '@': rows are METRIC@KEY:GROUP, such "
		              "as wait_time_ns@pcomm:nginx",
		              reterr);
	found.has_key = at != NULL;
	found.metric = mem_copy(text, metric_len);
	if (group)
		found.group = mem_copy(group, strlen(group));
	if (glob_check(found.metric, &reason) && (!group || glob_check(group, &reason))) {
		*pick = found;
		return 0;
	}
	row_pick_done(&found);
	strbuf_add_str(reterr, "rows ");
	refuse(text, ": ", reterr);
	strbuf_add_str(reterr, strbuf_str(&reason));
	return -EINVAL;
}

bool group_bys_equal(const struct group_by *a, const struct group_by *b)
{
	return a->count == b->count && a->keys[0] == b->keys[0] &&
	       a->literal_names == b->literal_names && a->literal_cgroups == b->literal_cgroups &&
	       strcmp(a->other, b->other) == 0;
}

static bool fits(const char *glob, const char *name)
{
	return glob_match_name(glob, name, strlen(name));
}

bool row_pick_matches(const struct row_pick *pick, const char *measure, const struct group_by *by,
                      const char *label)
{
	if (!fits(pick->metric, measure))
		return false;
	if (!pick->has_key)
		return true;
	if (!by || by->count != pick->by.count || by->count == 0)
		return by && by->count == pick->by.count;
	return by->keys[0] == pick->by.keys[0] && strcmp(by->other, pick->by.other) == 0 &&
	       (strcmp(pick->group, label) == 0 || fits(pick->group, label));
}

void row_pick_done(struct row_pick *pick)
{
	free(pick->metric);
	free(pick->group);
	*pick = (struct row_pick){0};
}
