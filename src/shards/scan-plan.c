// SPDX-License-Identifier: GPL-2.0-or-later
#include "scan-plan.h"

#include <stdlib.h>

#include "base/mem.h"

enum { RANGES_MOST = 64 };

void scan_plan_add_text(struct strbuf *out, const char *text)
{
	strbuf_add_char(out, '\'');
	for (const char *c = text; *c; c++) {
		if (*c == '\'' || *c == '\\')
			strbuf_add_char(out, '\\');
		strbuf_add_char(out, *c);
	}
	strbuf_add_char(out, '\'');
}

struct end {
	uint64_t unix_ns;
	bool is_used;
};

static int by_time(const void *a, const void *b)
{
	const struct end *first = a, *second = b;

	if (first->unix_ns != second->unix_ns)
		return first->unix_ns < second->unix_ns ? -1 : 1;
	return first->is_used - second->is_used;
}

static void add_range(struct strbuf *out, uint64_t first, uint64_t last)
{
	strbuf_addf(out, "%send_unix_ns BETWEEN %llu AND %llu", out->len > 0 ? " OR " : "",
	            (unsigned long long)first, (unsigned long long)last);
}

/* Appends the ranges of time in which files end that are used, and none that is not, or one range around all of them. */
static void add_ranges(struct strbuf *out, const struct end *ends, size_t count)
{
	size_t first = count, last = 0, begin = count, ranges = 0;

	for (size_t i = 0; i < count; i++) {
		if (!ends[i].is_used) {
			begin = count;
			continue;
		}
		first = first == count ? i : first;
		last = i;
		ranges += begin == count;
		begin = i;
	}
	if (ranges > RANGES_MOST) {
		add_range(out, ends[first].unix_ns, ends[last].unix_ns);
		return;
	}
	for (size_t i = 0; i < count; i = begin) {
		for (begin = i; begin < count && ends[begin].is_used; begin++)
			;
		if (begin > i)
			add_range(out, ends[i].unix_ns, ends[begin - 1].unix_ns);
		else
			begin++;
	}
}

/* A fact does not say when its file ends; the row of its file does. */
static void add_times(struct strbuf *out, const struct database_list *list,
                      const unsigned char *uses)
{
	cleanup_(mem_freep) struct end *ends =
	        mem_calloc(list->snapshot_count + 1, sizeof(ends[0]));
	cleanup_(strbuf_done) struct strbuf ranges = STRBUF_INIT;
	size_t count = 0, used = 0;

	for (size_t i = 0; i < list->snapshot_count; i++) {
		if (!list->snapshots[i].is_there)
			continue;
		ends[count++] = (struct end){list->snapshots[i].end_unix_ns, uses[i] != 0};
		used += uses[i] != 0;
	}
	if (used == count)
		return;
	qsort(ends, count, sizeof(ends[0]), by_time);
	add_ranges(&ranges, ends, count);
	strbuf_addf(out, " AND load GLOBAL IN (SELECT load FROM file WHERE %s)",
	            ranges.len > 0 ? strbuf_str(&ranges) : "0");
}

static void add_equal(struct strbuf *out, const char *column, const char *text)
{
	if (!text)
		return;
	strbuf_addf(out, " AND %s = ", column);
	scan_plan_add_text(out, text);
}

void scan_plan_add(struct strbuf *out, const struct database_filter *filter,
                   const struct database_list *list, const unsigned char *uses)
{
	strbuf_add_str(out, "rule = 'sum'");
	add_equal(out, "group_key", filter->group_key);
	add_equal(out, "group_name", filter->group_name);
	add_equal(out, "metric", filter->metric);
	add_times(out, list, uses);
}
