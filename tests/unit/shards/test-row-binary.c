// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "check.h"
#include "shards/row-binary.h"

static struct span span_of(const char *bytes, size_t len)
{
	return (struct span){bytes, len};
}

static void assert_bytes(const struct strbuf *out, const char *bytes, size_t len)
{
	assert_int_equal(out->len, len);
	assert_memory_equal(out->data, bytes, len);
}

/* The bytes are those that ClickHouse 18.16.1 printed. */
static void writes_cells(void **state)
{
	static const char expected[] =
	        "\x02"
	        "ab"
	        "\x01"
	        "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"
	        "\x00\xfb\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
	        "\x07\x00\x00\x00\x00\x00\x00\x00";
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
	struct fleet_row row = {0};

	(void)state;
	fleet_set_text(&row, FLEET_COLUMN_group_name, span_of("ab", 2));
	fleet_set_integer(&row, FLEET_COLUMN_sum, (__int128)1 << 64);
	fleet_set_integer(&row, FLEET_COLUMN_min, -5);
	fleet_set_integer(&row, FLEET_COLUMN_threads, 7);
	row_binary_add_cell(&out, &row, FLEET_COLUMN_group_name);
	row_binary_add_cell(&out, &row, FLEET_COLUMN_histogram);
	row_binary_add_cell(&out, &row, FLEET_COLUMN_sum);
	row_binary_add_cell(&out, &row, FLEET_COLUMN_min);
	row_binary_add_cell(&out, &row, FLEET_COLUMN_threads);
	assert_bytes(&out, expected, sizeof(expected) - 1);
}

static void replaces_a_number(void **state)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	(void)state;
	row_binary_add_u16(&out, 0x1234);
	row_binary_add_u64(&out, 1);
	row_binary_set_u64(&out, 2, UINT64_C(0xfedcba9876543210));
	assert_true(row_binary_get_u64(&out, 2) == UINT64_C(0xfedcba9876543210));
	assert_bytes(&out, "\x34\x12\x10\x32\x54\x76\x98\xba\xdc\xfe", 10);
}

static void reads_what_it_writes(void **state)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT, text = STRBUF_INIT;
	struct fleet_row row = {0};
	struct span rest, found;
	__int128 wide = 0;
	uint64_t number = 0;
	bool is_there = false;

	(void)state;
	for (unsigned i = 0; i < 300; i++)
		strbuf_add_char(&text, (char)i);
	fleet_set_integer(&row, FLEET_COLUMN_sum, -((__int128)1 << 100));
	fleet_set_text(&row, FLEET_COLUMN_host, span_of("h", 1));
	row_binary_add_text(&out, span_of(text.data, text.len));
	row_binary_add_u64(&out, UINT64_MAX);
	row_binary_add_cell(&out, &row, FLEET_COLUMN_sum);
	row_binary_add_cell(&out, &row, FLEET_COLUMN_host);
	row_binary_add_cell(&out, &row, FLEET_COLUMN_exited);
	rest = span_of(out.data, out.len);
	assert_true(row_binary_read_text(&rest, &found));
	assert_int_equal(found.len, 300);
	assert_memory_equal(found.text, text.data, 300);
	assert_true(row_binary_read_u64(&rest, &number) && number == UINT64_MAX);
	assert_true(row_binary_read_nullable_wide(&rest, &is_there, &wide));
	assert_true(is_there && wide == -((__int128)1 << 100));
	assert_true(row_binary_read_nullable_text(&rest, &is_there, &found));
	assert_true(is_there && span_is(found, "h"));
	assert_true(row_binary_read_nullable_wide(&rest, &is_there, &wide));
	assert_false(is_there);
	assert_int_equal(rest.len, 0);
}

/* An answer of a server may end anywhere, and say anything. */
static void refuses_what_is_cut(void **state)
{
	static const char huge[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
	struct fleet_row row = {0};
	struct span rest, text;
	__int128 wide;
	uint64_t number;
	bool is_there;

	(void)state;
	fleet_set_integer(&row, FLEET_COLUMN_sum, 1);
	row_binary_add_cell(&out, &row, FLEET_COLUMN_sum);
	for (size_t len = 0; len < out.len; len++) {
		rest = span_of(out.data, len);
		assert_false(row_binary_read_nullable_wide(&rest, &is_there, &wide));
		assert_int_equal(rest.len, len);
	}
	rest = span_of("1234567", 7);
	assert_false(row_binary_read_u64(&rest, &number));
	rest = span_of("\x03xy", 3);
	assert_false(row_binary_read_text(&rest, &text));
	assert_int_equal(rest.len, 3);
	rest = span_of(huge, sizeof(huge) - 1);
	assert_false(row_binary_read_text(&rest, &text));
	rest = span_of("\x00\x05x", 3);
	assert_false(row_binary_read_nullable_text(&rest, &is_there, &text));
	assert_int_equal(rest.len, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(writes_cells),
	        cmocka_unit_test(replaces_a_number),
	        cmocka_unit_test(reads_what_it_writes),
	        cmocka_unit_test(refuses_what_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
