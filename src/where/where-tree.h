/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* where-tree - the parsed form of an expression, its fields, and its numbers: private to the files
 * of this room. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scan.h"
#include "where/where.h"

enum where_op {
	WHERE_EQUAL,
	WHERE_DIFFERENT,
	WHERE_BELOW,
	WHERE_AT_MOST,
	WHERE_ABOVE,
	WHERE_AT_LEAST,
	WHERE_LIKE,
	WHERE_UNLIKE
};

/* The rows that a unit fits. */
enum where_kind { WHERE_ANY_KIND, WHERE_TIME, WHERE_BYTES, WHERE_TICKS, WHERE_PERCENTAGE };

enum where_text { WHERE_GROUP, WHERE_METRIC, WHERE_SECTION, WHERE_UNIT };

struct where_field {
	const char *name;
	bool is_text;
	unsigned place; /* an enum where_text or where_number */
	unsigned sides; /* in rows of so many sides only; 0: in all rows */
	bool has_abs;
};

/* Returns the field of that name, in any case, or NULL. */
const struct where_field *where_field_find(struct span name);
static inline bool where_field_exists(const struct where_field *field, unsigned sides)
{
	return field->sides == 0 || field->sides == sides;
}
/* Returns the field, of those that rows of so many sides have, whose name is nearest; NULL if none
 * is near. */
const struct where_field *where_field_nearest(struct span name, unsigned sides);
/* Appends "group, metric and unit": the fields that rows of so many sides have, or only those that
 * are numbers. */
void where_field_list(struct strbuf *out, unsigned sides, bool numbers_only);

struct where_unit {
	const char *name;
	enum where_kind kind;
	uint64_t factor; /* to ns, bytes, ticks or percent */
};

/* Returns the unit of that name, or NULL. */
const struct where_unit *where_unit_find(struct span name);
/* The same in any case, for a hint. */
const struct where_unit *where_unit_nearest(struct span name);

/* digits * 10^exponent, exact. */
struct where_decimal {
	bool negative;
	bool too_long; /* the number has more digits than fit */
	unsigned __int128 digits;
	int exponent;
};

/* Reads the number at the start of @text. Returns its length; 0, storing nothing, if there is
 * none. */
size_t where_decimal_scan(struct span text, struct where_decimal *ret);

/* The number that rows are compared with: the largest integer that is not above it, whether there
 * is a rest, and the nearest double. */
struct where_limit {
	__int128 floor;
	bool rest;
	double real;
};

/* Stores @decimal * @factor * 10^@shift. Returns false, storing nothing, if that is beyond
 * +-(2^64-1). */
bool where_limit_init(const struct where_decimal *decimal, uint64_t factor, int shift,
                      struct where_limit *ret);
/* Returns less than, equal to or more than 0 if @quantity, which is a number, is below, at or above
 * the limit. */
int where_limit_compare(struct quantity quantity, const struct where_limit *limit);

struct where_test {
	const struct where_field *field;
	enum where_op op;
	char *text;      /* owned; of a text field */
	bool is_abs;     /* the rest is for numbers */
	unsigned number; /* an enum where_number */
	enum where_kind kind;
	struct where_limit limit; /* in the row's unit; ns for time, hundredths for percentages */
	/* For time and percentages: the same limit in us, and in percent. */
	struct where_limit limit_coarse;
};

enum where_node_kind { WHERE_TEST, WHERE_ALL, WHERE_ANY };

/* Nodes are named by their place in the array; 0 is no node. */
struct where_node {
	enum where_node_kind kind;
	bool negated;
	uint32_t first; /* of the operands of WHERE_ALL and WHERE_ANY */
	uint32_t next;  /* operand of the same node */
	struct where_test test;
};

/* Operands nest no deeper than WHERE_DEPTH_MAX parentheses. */
struct where {
	struct where_node *nodes;
	uint32_t count; /* with the unused first one */
	uint32_t capacity;
	uint32_t root;
};

/* Appends a word of the expression in single quotes, safe to print and not too long. */
void where_add_word(struct strbuf *out, struct span word);
