// SPDX-License-Identifier: GPL-2.0-or-later
/* The names of groups in the overview, as wide as their column. */
#include "overview/overview-label.h"

#include <string.h>

#include "base/text.h"

enum {
	ONE_MIN = 16,     /* columns of a name */
	SEVERAL_MIN = 27, /* of several */
	PART_MIN = 12,    /* of each of several, as far as there is room */
};

static const char between[] = " / ";

size_t overview_label_min(const struct group_by *by, size_t width)
{
	if (by->count < 2)
		return ONE_MIN;
	return width > 0 && width / 2 < SEVERAL_MIN ? width / 2 : SEVERAL_MIN;
}

void overview_label_add_heading(const struct group_by *by, struct strbuf *out)
{
	if (by->tree) {
		strbuf_add_str(out, by->tree->heading);
		return;
	}
	for (unsigned key = 0; key < by->count; key++) {
		strbuf_add_str(out, key > 0 ? between : "");
		strbuf_add_str(out, group_by_heading(by, key));
	}
}

/* A path is known by its end. */
static void add_end(const char *text, size_t len, size_t room, const char *ellipsis,
                    struct strbuf *out)
{
	size_t width = text_width(text, len), at = 0;

	while (at < len && 1 + width > room) {
		size_t next = text_prefix_escaped(text + at, len - at, 1);

		/* A character that is wider than a column is skipped as a whole. */
		for (size_t columns = 2; next == 0; columns++)
			next = text_prefix_escaped(text + at, len - at, columns);
		width -= text_width(text + at, next);
		at += next;
	}
	strbuf_add_str(out, ellipsis);
	strbuf_add(out, text + at, len - at);
}

static void add_begin(const char *text, size_t len, size_t room, const char *ellipsis,
                      struct strbuf *out)
{
	strbuf_add(out, text, text_prefix_escaped(text, len, room - 1));
	strbuf_add_str(out, ellipsis);
}

/* Takes columns from the widest names until all fit, or none can give more. */
static void fit(size_t *widths, unsigned count, size_t room)
{
	size_t total = (count - 1) * strlen(between);

	for (unsigned i = 0; i < count; i++)
		total += widths[i];
	for (; total > room; total--) {
		unsigned widest = 0;

		for (unsigned i = 1; i < count; i++)
			if (widths[i] > widths[widest])
				widest = i;
		if (widths[widest] <= PART_MIN)
			return;
		widths[widest]--;
	}
}

static void add_several(const struct row_group *group, unsigned count,
                        const struct table_style *style, size_t room, struct strbuf *out)
{
	const char *ellipsis = style->ascii ? "~" : "…";
	struct strbuf texts[GROUP_KEYS_MAX];
	size_t widths[GROUP_KEYS_MAX];

	for (unsigned i = 0; i < count; i++) {
		texts[i] = (struct strbuf)STRBUF_INIT;
		strbuf_add_str(&texts[i], group->parts[i]);
		if (style->ascii)
			text_make_ascii(&texts[i]);
		widths[i] = text_width(strbuf_str(&texts[i]), texts[i].len);
	}
	fit(widths, count, room);
	for (unsigned i = 0; i < count; i++) {
		const char *text = strbuf_str(&texts[i]);

		strbuf_add_str(out, i > 0 ? between : "");
		if (!text_is_wider(text, texts[i].len, widths[i]))
			strbuf_add(out, text, texts[i].len);
		else if (text[0] == '/')
			add_end(text, texts[i].len, widths[i], ellipsis, out);
		else
			add_begin(text, texts[i].len, widths[i], ellipsis, out);
		strbuf_done(&texts[i]);
	}
}

void overview_label_add(const struct row_group *group, unsigned count,
                        const struct table_style *style, size_t room, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf shown = STRBUF_INIT;

	strbuf_add_str(&shown, group->label);
	if (style->ascii)
		text_make_ascii(&shown);
	if (room == 0 || !text_is_wider(strbuf_str(&shown), shown.len, room))
		strbuf_add(out, strbuf_str(&shown), shown.len);
	else if (count > 1 && group->parts[0])
		add_several(group, count, style, room, out);
	else if (strbuf_str(&shown)[0] == '/')
		add_end(strbuf_str(&shown), shown.len, room, style->ascii ? "~" : "…", out);
	else
		/* The table cuts it. */
		strbuf_add(out, strbuf_str(&shown), shown.len);
}
