/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* where - an expression that rows of a table have to meet, such as delta > 10ms and group ~ "nginx*". Pure.
 *
 *     expression = all { ( "or" | "||" ) all } ;
 *     all        = one { ( "and" | "&&" ) one } ;
 *     one        = { "not" | "!" } ( "(" expression ")" | test ) ;
 *     test       = text ( "=" | "==" | "!=" | "~" | "!~" ) ( quoted | word )
 *                | number ( "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" ) value ;
 *     text       = "group" | "metric" | "section" | "unit" ;
 *     number     = "delta" | "percent" | "%" | "impact" | "threads" | "seen" | "baseline" | "candidate" | "value"
 *                | "abs" "(" ( "delta" | "percent" | "%" ) ")" ;
 *     quoted     = "'" bytes "'" | '"' bytes '"' ;  \' and \" are the quote, two backslashes stay two
 *     word       = one or more of A-Z a-z 0-9 _ - . / : * ? [ ] { } @ + ;  not and, or, not
 *     value      = [ "+" | "-" ] digits [ "." digits ] [ ( "e" | "E" ) [ "+" | "-" ] digits ] [ unit ] ;
 *     unit       = "ns" | "us" | "µs" | "ms" | "s" | "min" | "h" | "B" | "KiB" | "MiB" | "GiB" | "TiB"
 *                | "K" | "M" | "G" | "%" | "ticks" | "Kticks" | "Mticks" ;
 *
 * Blanks and newlines may be between any two of these. The words of operators and fields may be in capitals, units
 * may not. ~ compares with a pattern of fnmatch(3) in which / and a leading dot are like any other byte and a backslash
 * stands for itself. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/metric.h"
#include "metric/fold.h"

enum { WHERE_BYTES_MAX = 64 * 1024, WHERE_DEPTH_MAX = 64 };

enum where_number {
	WHERE_DELTA, /* in the row's unit, as the next three */
	WHERE_BASELINE,
	WHERE_CANDIDATE,
	WHERE_VALUE,
	WHERE_PERCENT,    /* 5 is 5 % */
	WHERE_IMPACT,     /* 0.05 is 5 % */
	WHERE_THREADS,    /* of the larger side */
	WHERE_SEEN,       /* see where_row_add_seen() */
	WHERE_SEEN_SHARE, /* 0 to 1; the number for seen compared with a percentage */
	WHERE_NUMBER_COUNT
};

/* The values of a row that tests use. Everything is borrowed for the call. */
struct where_row {
	const char *group; /* as printed; NULL fails every test of this text */
	const char *metric;
	const char *section;
	enum metric_unit unit;
	uint64_t clock_ticks_per_second; /* with which ticks are time, too; 0: not known */
	const char *unit_name; /* set if it is more than the unit's own name: "ns/s"; else NULL */
	struct quantity numbers[WHERE_NUMBER_COUNT]; /* all zero is a row without numbers */
};

/* Adds one side's coverage: @seen of the @expected threads have the value. The row keeps the smallest number and the
 * smallest share, which may be of different sides. */
void where_row_add_seen(struct where_row *row, uint32_t seen, uint32_t expected);

/* The reason why an expression was refused, and the bytes at fault, none if its end is. All zero is the empty one. */
struct where_error {
	size_t offset;
	size_t len;
	struct strbuf sentence; /* safe to print; without a capital and a full stop */
};
void where_error_done(struct where_error *error);

struct where;

/* Parses an expression for rows of so many sides: 1 has value, 2 has delta, percent, baseline and candidate. @text is
 * not needed afterwards. Returns NULL and fills *@ret_error, whose sentence is replaced, if the expression is
 * refused. */
must_check_ struct where *where_parse(const char *text, unsigned sides,
                                      struct where_error *ret_error);
void where_free(struct where *where);
void where_freep(struct where **where);

/* Returns whether a row meets the expression. A test of a number is false if the row does not have the number, whatever
 * the operator, or if its unit is of another kind than the row's: time (ns, us and, where their length is known, ticks),
 * bytes, ticks, percentages (percent and percent_hundredths). "not" makes it true. Integers are compared exactly. */
bool where_holds(const struct where *where, const struct where_row *row);

/* Appends three lines that are safe to print, the last one without its newline: the sentence, the expression, and a
 * mark below the place at fault. A long expression is cut to the text around the place. */
void where_add_error(const char *text, const struct where_error *error, struct strbuf *out);
