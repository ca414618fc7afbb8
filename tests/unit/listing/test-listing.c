// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <jansson.h>
#include <string.h>

#include "listing/listing.h"

/* Checks that two rows have the same cells in the same order. */
static void check_headings(json_t *first, json_t *row)
{
	void *here = json_object_iter(row);

	assert_int_equal(json_object_size(first), json_object_size(row));
	for (void *i = json_object_iter(first); i; i = json_object_iter_next(first, i)) {
		assert_string_equal(json_object_iter_key(i), json_object_iter_key(here));
		here = json_object_iter_next(row, here);
	}
}

/* The printer takes the columns from the first row: all rows have them, and those that are in no table are last. */
static void test_columns(void **state)
{
	(void)state;
	for (unsigned l = 0; l < LISTING_COUNT; l++) {
		struct listing_rows rows = listing_rows((enum listing_id)l);
		bool ended = false;

		assert_true(rows.count > 0);
		assert_in_range(json_object_size(rows.rows[0].table), 0, LISTING_COLUMNS_MAX);
		for (size_t i = 0; i < rows.count; i++) {
			ended = ended || json_object_size(rows.rows[i].table) == 0;
			if (ended)
				assert_int_equal(json_object_size(rows.rows[i].table), 0);
			else
				check_headings(rows.rows[0].table, rows.rows[i].table);
		}
		listing_rows_done(&rows);
	}
}

/* A name has the same value in the table and in JSON; and each row is printed somewhere. */
static void test_forms_agree(void **state)
{
	static const char *const names[] = {"type", "rule", "source", "form", "description"};

	(void)state;
	for (unsigned l = 0; l < LISTING_COUNT; l++) {
		struct listing_rows rows = listing_rows((enum listing_id)l);

		for (size_t i = 0; i < rows.count; i++) {
			const struct listing_row *row = &rows.rows[i];

			assert_true(json_object_size(row->json) + json_object_size(row->man) > 0);
			for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
				const json_t *cell = json_object_get(row->table, names[n]);
				const json_t *value = json_object_get(row->json, names[n]);

				if (cell && value)
					assert_true(json_equal(cell, value));
			}
		}
		listing_rows_done(&rows);
	}
}

/* The manual has a definition of each metric, and each is in a section. */
static void test_man(void **state)
{
	struct listing_rows rows = listing_rows(LISTING_METRICS);

	(void)state;
	for (size_t i = 0; i < rows.count; i++) {
		const json_t *text = json_object_get(rows.rows[i].man, metric_table[i].name);

		assert_int_equal(rows.rows[i].section, metric_table[i].section);
		assert_int_equal(strncmp(json_string_value(text), metric_table[i].description,
		                         strlen(metric_table[i].description)),
		                 0);
	}
	listing_rows_done(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_columns),
	        cmocka_unit_test(test_forms_agree),
	        cmocka_unit_test(test_man),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
