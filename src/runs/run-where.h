/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* run-where - an expression that runs have to meet, such as exit_code != 0 and peak_rss > 2GB. It is the language of src/where with
 * the fields of a run in the place of those of a row: any name is a field, since a run has more than the registry.
 *
 *     expression = all { ( "or" | "||" ) all } ;
 *     all        = one { ( "and" | "&&" ) one } ;
 *     one        = { "not" | "!" } ( "(" expression ")" | test ) ;
 *     test       = field ( "=" | "==" | "!=" | "~" | "!~" | "<" | "<=" | ">" | ">=" ) ( quoted | word ) ;
 *     field      = a letter or "_", then letters, digits, "_" and "." ;
 *     quoted     = "'" bytes "'" | '"' bytes '"' ;
 *     word       = one or more bytes that are no blank, quote, parenthesis or operator
 *
 * A word is a number if it is one, with or without a unit: ns, us, ms, s, min, h; B, kB, MB, GB, TB, KiB, MiB, GiB, TiB; K, M, G;
 * %. Times are in seconds. ~ compares with a pattern. */
#include <stdbool.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "series/job-info.h"

struct run_where;

/* Parses an expression. Returns NULL if it is refused, with a phrase in @reterr. */
must_check_ struct run_where *run_where_parse(const char *text, struct strbuf *reterr);
/* For cleanup_(run_where_freep). */
void run_where_freep(struct run_where **where);

/* Calls @visit with the name of the field of each test, borrowed from the expression; a name may come several times. */
void run_where_visit_fields(const struct run_where *where,
                            void (*visit)(void *context, const char *field), void *context);

/* Returns whether a run meets it. A test of a field that the run does not have, or whose value is unknown, is false,
 * whatever the operator; "not" makes it true. */
bool run_where_holds(const struct run_where *where, const struct job_info *info);
