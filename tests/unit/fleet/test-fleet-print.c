// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "check.h"
#include "fleet/fleet-row.h"

static struct span span_of(const char *text)
{
	return (struct span){text, strlen(text)};
}

/* A row with a text at each end, and in between only the numbers of a summary. */
static struct fleet_row row_of(const struct summary *summary, struct strbuf *histogram)
{
	struct fleet_row row = {0};

	fleet_set_text(&row, FLEET_COLUMN_snapshot, span_of("=1+1"));
	fleet_set_text(&row, FLEET_COLUMN_host, span_of("a \"b\", c"));
	fleet_set_text(&row, FLEET_COLUMN_labels, span_of(""));
	fleet_set_metric(&row, METRIC_run_time_ns, summary, histogram);
	return row;
}

typedef void print_function(FILE *file, const struct fleet_row *row);

static void print_csv(FILE *file, const struct fleet_row *row)
{
	fleet_print_csv(file, row, false);
}

static void print_ndjson(FILE *file, const struct fleet_row *row)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	fleet_print_ndjson(file, row, &line);
}

static void assert_prints(print_function *print, const struct fleet_row *row, const char *expected)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	assert_non_null(file);
	print(file, row);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void unseen_is_null(void **state)
{
	cleanup_(strbuf_done) struct strbuf histogram = STRBUF_INIT;
	cleanup_(summary_done) struct summary summary = {0};
	struct fleet_row row;

	(void)state;
	summary_add_unseen(&summary, 3);
	row = row_of(&summary, &histogram);
	assert_prints(print_csv, &row,
	              "'=1+1,\"a \"\"b\"\", "
	              "c\",,,\"\",,,,,,,,,,,,run_time_ns,ns,counter_ns,sum,3,0,,,,,,,,\n");
	assert_prints(
	        print_ndjson, &row,
	        "{\"snapshot\":\"=1+1\",\"host\":\"a \\\"b\\\", "
	        "c\",\"boot_id\":null,\"kernel\":null,"
	        "\"labels\":\"\",\"kind\":null,\"end_unix_ns\":null,\"length_ns\":null,"
	        "\"ends\":null,\"level\":null,\"group_key\":null,\"group_name\":null,\"tgid\":null,"
	        "\"tid\":null,"
	        "\"start_clock_ticks\":null,\"comm\":null,\"metric\":\"run_time_ns\","
	        "\"unit\":\"ns\",\"type\":\"counter_ns\",\"rule\":\"sum\",\"threads\":3,"
	        "\"seen\":0,\"exited\":null,\"sum\":null,\"square_sum_high\":null,"
	        "\"square_sum_low\":null,\"min\":null,\"max\":null,\"histogram\":null,\"rated\":"
	        "null}\n");
}

/* Numbers beyond 63 bits are digits in both, and a text in JSON. */
static void large_numbers_are_exact(void **state)
{
	cleanup_(strbuf_done) struct strbuf histogram = STRBUF_INIT;
	cleanup_(summary_done) struct summary summary = {0};
	struct fleet_row row;
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	(void)state;
	assert_non_null(file);
	summary_add(&summary, UINT64_MAX, false);
	summary_add(&summary, 1, false);
	summary_add_exited(&summary, true, INT64_MAX);
	row = row_of(&summary, &histogram);
	print_csv(file, &row);
	print_ndjson(file, &row);
	assert_int_equal(fclose(file), 0);
	assert_contains(text,
	                ",2,2,9223372036854775807,18446744073709551616,18446744073709551614,2,1,"
	                "18446744073709551615,1:1 64:1,\n");
	assert_contains(text, "\"exited\":9223372036854775807,\"sum\":\"18446744073709551616\","
	                      "\"square_sum_high\":\"18446744073709551614\",\"square_sum_low\":2,"
	                      "\"min\":1,\"max\":\"18446744073709551615\",\"histogram\":\"1:1 "
	                      "64:1\",\"rated\":null}");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(unseen_is_null),
	        cmocka_unit_test(large_numbers_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
