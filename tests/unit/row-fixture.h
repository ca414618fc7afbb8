/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-fixture - a table of groups a side and the rows made of them, for tests of rows. */
#include "groups.h"
#include "samples.h"

extern struct group_table tables[SIDE_MAX];
extern struct row_set rows;
extern struct row_options options;

/* Empty tables, of groups by these keys. */
void start_tables(struct group_by by);

/* A cmocka set-up: all rows, of tables by comm. */
int start_by_comm(void **state);

/* A cmocka teardown of both. */
int end_rows(void **state);

/* Rows of the tables under other options. Caller must row_set_done(). */
void make_rows(struct row_set *set, unsigned sides, const struct row_options *with);

/* The rows, anew. */
void build_rows(unsigned sides);

/* A thread with these faults; a negative number was not seen. */
void add_numbers(unsigned side, const char *name, int64_t minflt, int64_t majflt);

void list_only(size_t count, const unsigned *measures);

#define LIST_ONLY(...) \
	list_only(ARRAY_SIZE(((const unsigned[]){__VA_ARGS__})), (const unsigned[]){__VA_ARGS__})
