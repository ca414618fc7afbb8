// SPDX-License-Identifier: GPL-2.0-or-later
#include "where/where.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "where-tree.h"

void where_free(struct where *where)
{
	if (!where)
		return;
	for (uint32_t i = 0; i < where->count; i++)
		free(where->nodes[i].test.text);
	free(where->nodes);
	free(where);
}

void where_freep(struct where **where)
{
	where_free(*where);
}

static void keep_smaller(struct quantity *kept, struct quantity other)
{
	if (kept->kind == QUANTITY_NONE || quantity_double(other) < quantity_double(*kept))
		*kept = other;
}

void where_row_add_seen(struct where_row *row, uint32_t seen, uint32_t expected)
{
	keep_smaller(&row->numbers[WHERE_SEEN], quantity_integer(seen));
	if (expected > 0)
		keep_smaller(&row->numbers[WHERE_SEEN_SHARE],
		             quantity_real((double)seen / expected));
}

static const char *text_of(const struct where_row *row, unsigned place)
{
	switch ((enum where_text)place) {
	case WHERE_GROUP:
		return row->group;
	case WHERE_METRIC:
		return row->metric;
	case WHERE_SECTION:
		return row->section;
	case WHERE_UNIT:
		break;
	}
	return row->unit_name ? row->unit_name : unit_table[row->unit].name;
}

static bool text_test_holds(const struct where_test *test, const struct where_row *row)
{
	const char *text = text_of(row, test->field->place);

	if (!text)
		return false;
	switch (test->op) {
	case WHERE_LIKE:
		return fnmatch(test->text, text, FNM_NOESCAPE) == 0;
	case WHERE_UNLIKE:
		return fnmatch(test->text, text, FNM_NOESCAPE) != 0;
	case WHERE_EQUAL:
		return strcmp(test->text, text) == 0;
	default:
		return strcmp(test->text, text) != 0;
	}
}

/* Returns the limit in the unit of the row; NULL if the test is about other rows. */
static const struct where_limit *limit_for(const struct where_test *test, enum metric_unit unit)
{
	if ((test->kind == WHERE_TIME && unit == UNIT_us) ||
	    (test->kind == WHERE_PERCENTAGE && unit == UNIT_percent))
		return &test->limit_coarse;
	if (test->kind == WHERE_ANY_KIND || (test->kind == WHERE_TIME && unit == UNIT_ns) ||
	    (test->kind == WHERE_BYTES && unit == UNIT_bytes) ||
	    (test->kind == WHERE_TICKS && unit == UNIT_ticks) ||
	    (test->kind == WHERE_PERCENTAGE && unit == UNIT_percent_hundredths))
		return &test->limit;
	return NULL;
}

static struct quantity magnitude(struct quantity quantity)
{
	if (quantity.kind == QUANTITY_REAL)
		quantity.real = fabs(quantity.real);
	else if (quantity.integer < 0)
		quantity.integer = -quantity.integer;
	return quantity;
}

static struct quantity ticks_as_ns(struct quantity ticks, uint64_t per_second)
{
	return ticks.kind == QUANTITY_NONE
	               ? ticks
	               : quantity_real(quantity_double(ticks) * NS_PER_SECOND / (double)per_second);
}

static bool number_test_holds(const struct where_test *test, const struct where_row *row)
{
	const struct where_limit *limit = limit_for(test, row->unit);
	struct quantity number = row->numbers[test->number];
	int order;

	if (test->kind == WHERE_TIME && row->unit == UNIT_ticks &&
	    row->clock_ticks_per_second > 0) {
		limit = &test->limit;
		number = ticks_as_ns(number, row->clock_ticks_per_second);
	}
	if (!limit || number.kind == QUANTITY_NONE ||
	    (number.kind == QUANTITY_REAL && isnan(number.real)))
		return false;
	order = where_limit_compare(test->is_abs ? magnitude(number) : number, limit);
	switch (test->op) {
	case WHERE_EQUAL:
		return order == 0;
	case WHERE_BELOW:
		return order < 0;
	case WHERE_AT_MOST:
		return order <= 0;
	case WHERE_ABOVE:
		return order > 0;
	case WHERE_AT_LEAST:
		return order >= 0;
	default:
		return order != 0;
	}
}

static bool test_holds(const struct where_test *test, const struct where_row *row)
{
	return test->field->is_text ? text_test_holds(test, row) : number_test_holds(test, row);
}

/* The recursion is no deeper than the parentheses of the expression. */
static bool node_holds(const struct where *where, uint32_t place, const struct where_row *row)
{
	const struct where_node *node = &where->nodes[place];
	bool any = node->kind == WHERE_ANY, holds = !any;

	if (node->kind == WHERE_TEST)
		return test_holds(&node->test, row) != node->negated;
	for (uint32_t i = node->first; i != 0 && holds != any; i = where->nodes[i].next)
		holds = node_holds(where, i, row);
	return holds != node->negated;
}

bool where_holds(const struct where *where, const struct where_row *row)
{
	return node_holds(where, where->root, row);
}
