// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot/row-table.h"

#include <stdlib.h>

#include "base/mem.h"

void row_table_done(struct row_table *table)
{
	thread_store_done(&table->store);
	free(table->marks);
	*table = (struct row_table){0};
}

uint32_t row_table_find(const struct row_table *table, const struct thread_key *key)
{
	uint32_t row = thread_store_find_key(&table->store, key);

	return row != THREAD_STORE_NONE && row_table_is_live(table, row) &&
	                       thread_key_same_process(thread_store_key(&table->store, row), key)
	               ? row
	               : THREAD_STORE_NONE;
}

void row_table_end(struct row_table *table, uint32_t row)
{
	table->live -= row_table_is_live(table, row);
	table->marks[row].frame = 0;
}

void row_table_put(struct row_table *table, uint32_t replaced, const struct thread_sample *sample,
                   struct row_mark mark)
{
	uint32_t row = thread_store_add(&table->store, sample);

	if (replaced != THREAD_STORE_NONE)
		row_table_end(table, replaced);
	array_reserve(table->marks, table->capacity, (size_t)row + 1);
	table->marks[row] = mark;
	table->live++;
}

void row_table_tidy(struct row_table *table, struct thread_sample *scratch)
{
	enum { FEW = 1024 };
	struct row_table tidy = {0};

	if (table->store.count < FEW || table->store.count / 2 < table->live)
		return;
	for (uint32_t row = 0; row < table->store.count; row++) {
		if (!row_table_is_live(table, row))
			continue;
		thread_store_get(&table->store, row, scratch);
		row_table_put(&tidy, THREAD_STORE_NONE, scratch, table->marks[row]);
	}
	row_table_done(table);
	*table = tidy;
}
