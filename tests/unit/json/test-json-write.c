// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json/json-write.h"

enum { RANDOM_DOUBLES = 200000 };

static void test_structure(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&out);

	(void)state;
	json_write_open(&writer, '{');
	json_write_key(&writer, "empty");
	json_write_open(&writer, '{');
	json_write_close(&writer, '}');
	json_write_key(&writer, "list");
	json_write_open(&writer, '[');
	json_write_open(&writer, '[');
	json_write_close(&writer, ']');
	json_write_open(&writer, '[');
	json_write_u64(&writer, 1);
	json_write_i64(&writer, -2);
	json_write_close(&writer, ']');
	json_write_null(&writer);
	json_write_bool(&writer, true);
	json_write_bool(&writer, false);
	json_write_str(&writer, "text");
	json_write_raw(&writer, "{\"raw\":1}", 9);
	json_write_double(&writer, 0.5);
	json_write_close(&writer, ']');
	json_write_key_text(&writer, "k\"\n", 3);
	json_write_null(&writer);
	json_write_close(&writer, '}');
	assert_string_equal(strbuf_str(&out),
	                    "{\"empty\":{},\"list\":[[],[1,-2],null,true,false,\"text\","
	                    "{\"raw\":1},0.5],\"k\\\"\\n\":null}");
	strbuf_done(&out);
}

/* Appends to what is there, without a comma before the first value. */
static void test_appends(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&out);

	(void)state;
	strbuf_add_str(&out, "before ");
	json_write_u64(&writer, 1);
	json_write_u64(&writer, 2);
	assert_string_equal(strbuf_str(&out), "before 1,2");
	strbuf_done(&out);
}

static void check_text(const char *bytes, size_t len, const char *expected)
{
	struct strbuf out = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&out);
	json_t *value;

	json_write_text(&writer, bytes, len);
	if (expected)
		assert_string_equal(strbuf_str(&out), expected);
	value = json_loadb(out.data, out.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	assert_non_null(value);
	assert_int_equal(json_string_length(value), len);
	assert_memory_equal(json_string_value(value), bytes, len);
	json_decref(value);
	strbuf_done(&out);
}

static void test_text(void **state)
{
	(void)state;
	check_text("", 0, "\"\"");
	check_text("plain", 5, "\"plain\"");
	check_text("\"\\/", 3, "\"\\\"\\\\/\"");
	check_text("\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\"");
	check_text("a\0b\x1f\x7f", 5, "\"a\\u0000b\\u001f\\u007f\"");
	check_text("\xe2\x82\xac\xf0\x9f\x98\x80", 7, "\"\xe2\x82\xac\xf0\x9f\x98\x80\"");
	/* C1, a bidirectional override, and a noncharacter that takes a surrogate pair. */
	check_text("\xc2\x9b", 2, "\"\\u009b\"");
	check_text("a\xe2\x80\xaez", 5, "\"a\\u202ez\"");
	check_text("\xf0\x9f\xbf\xbe!", 5, "\"\\ud83f\\udffe!\"");
	for (int c = 0; c < 0x80; c++)
		check_text((const char[]){'x', (char)c, (char)c, 'y'}, 4, NULL);
}

static void test_integers(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&out);

	(void)state;
	json_write_open(&writer, '[');
	json_write_u64(&writer, 0);
	json_write_u64(&writer, 9);
	json_write_u64(&writer, 10);
	json_write_u64(&writer, UINT64_MAX);
	json_write_i64(&writer, 0);
	json_write_i64(&writer, -1);
	json_write_i64(&writer, INT64_MAX);
	json_write_i64(&writer, INT64_MIN);
	json_write_close(&writer, ']');
	assert_string_equal(strbuf_str(&out),
	                    "[0,9,10,18446744073709551615,0,-1,9223372036854775807,"
	                    "-9223372036854775808]");
	strbuf_done(&out);
}

static void check_double(double value, const char *expected)
{
	struct strbuf out = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&out);

	json_write_double(&writer, value);
	assert_string_equal(strbuf_str(&out), expected);
	strbuf_done(&out);
}

static void test_doubles(void **state)
{
	(void)state;
	check_double(0.0, "0.0");
	check_double(-0.0, "-0.0");
	check_double(3.0, "3.0");
	check_double(-100.0, "-100.0");
	check_double(0.1, "0.1");
	check_double(0.1 + 0.2, "0.30000000000000004");
	check_double(1.0 / 3.0, "0.3333333333333333");
	check_double(123456789012345.0, "123456789012345.0");
	check_double(9007199254740993.0, "9007199254740992.0");
	check_double(1e22, "1e+22");
	check_double(1e-7, "1e-07");
	check_double(DBL_MAX, "1.7976931348623157e+308");
	check_double(DBL_MIN, "2.2250738585072014e-308");
	check_double(DBL_TRUE_MIN, "5e-324");
	check_double(-123 * DBL_TRUE_MIN, "-6.1e-322");
	check_double((double)INFINITY, "null");
	check_double(-(double)INFINITY, "null");
	check_double((double)NAN, "null");
}

/* Each bit pattern comes back, and what is written is a real number to other readers too. */
static void test_double_round_trip(void **state)
{
	uint64_t bits = 0x9e3779b97f4a7c15u;

	(void)state;
	for (int i = 0; i < RANDOM_DOUBLES; i++) {
		struct strbuf out = STRBUF_INIT;
		struct json_writer writer = JSON_WRITER_INIT(&out);
		double value;
		json_t *real;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		memcpy(&value, &bits, sizeof(value));
		json_write_double(&writer, value);
		real = json_loadb(out.data, out.len, JSON_DECODE_ANY, NULL);
		assert_true(isfinite(value) ? json_is_real(real) : json_is_null(real));
		if (isfinite(value))
			assert_true(memcmp(&value, &(double){json_real_value(real)},
			                   sizeof(value)) == 0);
		json_decref(real);
		strbuf_done(&out);
	}
}

/* At every number of digits, and beside every power of ten. */
static void test_members(void **state)
{
	struct strbuf out = STRBUF_INIT, wanted = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&out);
	struct json_member_key key;
	uint64_t power = 1;

	(void)state;
	json_member_key_init(&key, "key");
	for (unsigned digits = 1; digits <= 20; digits++, power *= 10)
		for (uint64_t value = power - 1; value <= power + 1; value++) {
			json_write_member_u64(&writer, &key, value);
			strbuf_addf(&wanted, ",\"key\":%llu", (unsigned long long)value);
		}
	json_write_member_u64(&writer, &key, UINT64_MAX);
	strbuf_add_str(&wanted, ",\"key\":18446744073709551615");
	json_write_member_text(&writer, &key, "a\"b", 3);
	strbuf_add_str(&wanted, ",\"key\":\"a\\\"b\"");
	assert_string_equal(strbuf_str(&out), strbuf_str(&wanted));
	assert_int_equal(out.len, wanted.len);
	strbuf_done(&out);
	strbuf_done(&wanted);
}

/* Each byte in each place among plain ones. */
static void test_plain_run(void **state)
{
	char bytes[21];

	(void)state;
	for (unsigned c = 0; c < 256; c++)
		for (size_t at = 0; at < sizeof(bytes); at++) {
			bool plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';

			memset(bytes, '~', sizeof(bytes));
			bytes[at] = (char)c;
			assert_int_equal(json_plain_run(bytes, sizeof(bytes)),
			                 plain ? sizeof(bytes) : at);
			assert_int_equal(json_plain_run(bytes, at), at);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_members),   cmocka_unit_test(test_plain_run),
	        cmocka_unit_test(test_structure), cmocka_unit_test(test_appends),
	        cmocka_unit_test(test_text),      cmocka_unit_test(test_integers),
	        cmocka_unit_test(test_doubles),   cmocka_unit_test(test_double_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
