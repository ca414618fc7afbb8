/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-lists - the lists that options of show and compare take, separated by commas. All functions read the value of
 * the option last returned, and return 0, or -1 with the error printed. */
#include "command/options.h"
#include "compare/rows.h"
#include "ctprof/snapshot/snapshot.h"
#include "group/group-by.h"
#include "report/columns.h"

enum { SORT_KEYS_MAX = 16 };

/* The order of groups: by metrics, or by a column of the overview. In a list of metrics the latter is the metrics of the aspect's
 * first source. */
struct sort_keys {
	struct row_sort_key keys[SORT_KEYS_MAX];
	size_t count;
	unsigned aspect; /* ASPECT_COUNT: none */
	bool ascending;  /* the aspect */
};

/* Reads names, globs, and aspects, which stand for their metrics. *given is false, and @listed unchanged, if the list is blank. */
must_check_ int list_metrics(const struct option_parser *parser, bool *given,
                             bool listed[MEASURE_COUNT]);
must_check_ int list_sections(const struct option_parser *parser, bool *given,
                              bool listed[SECTION_COUNT]);

/* "METRIC[:asc|desc],..." or "ASPECT[:asc|desc]" */
must_check_ int list_sort_keys(const struct option_parser *parser, struct sort_keys *ret);

/* Columns of show (one side) or compare (two); none where the list is blank. */
must_check_ int list_columns(const struct option_parser *parser, unsigned sides,
                             struct column_list *ret);

/* Keys, or the name of a tree; sets these members of @by. */
must_check_ int list_group_keys(const struct option_parser *parser, struct group_by *by);

/* Parses a number with an optional K, M, G or T, powers of 1024. */
must_check_ bool list_size_parse(const char *size, size_t len, uint64_t *ret);

/* A number of rows; 0 is all. */
must_check_ int list_limit(const struct option_parser *parser, size_t *ret);

/* "bytes=16G,threads=4M" */
must_check_ int list_read_limits(const struct option_parser *parser,
                                 struct snapshot_limits *limits);

/* The values of --read-limit; ended by NULL. */
extern const char *const report_caps[];
