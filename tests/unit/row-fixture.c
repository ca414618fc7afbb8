// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-fixture.h"

struct group_table tables[SIDE_MAX];
struct row_set rows;
struct row_options options;

void start_tables(struct group_by by)
{
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		group_table_done(&tables[side]);
		group_table_init(&tables[side], by);
	}
}

int start_by_comm(void **state)
{
	(void)state;
	options = all_rows();
	start_tables(group_by_key(GROUP_KEY_comm, false));
	return 0;
}

int end_rows(void **state)
{
	(void)state;
	row_set_done(&rows);
	for (unsigned side = 0; side < SIDE_MAX; side++)
		group_table_done(&tables[side]);
	return 0;
}

void make_rows(struct row_set *set, unsigned sides, const struct row_options *with)
{
	const struct group_table *const both[] = {&tables[0], &tables[1]};

	row_set_init(set, both, sides, NULL, with);
}

void build_rows(unsigned sides)
{
	row_set_done(&rows);
	make_rows(&rows, sides, &options);
}

void add_numbers(unsigned side, const char *name, int64_t minflt, int64_t majflt)
{
	struct thread_spec spec = {.name = name};
	size_t count = 0;

	if (minflt >= 0) {
		spec.values[count].metric = METRIC_minflt;
		spec.values[count++].number = minflt;
	}
	if (majflt >= 0) {
		spec.values[count].metric = METRIC_majflt;
		spec.values[count].number = majflt;
	}
	add_thread(&tables[side], spec);
}

void list_only(size_t count, const unsigned *measures)
{
	memset(options.measures, 0, sizeof(options.measures));
	for (size_t i = 0; i < count; i++)
		options.measures[measures[i]] = true;
}
