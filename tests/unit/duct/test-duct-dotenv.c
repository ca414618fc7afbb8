// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-dotenv.h"

#include "check.h"

/* Parses a text; the value of A is the expected one, or there is none. Returns the first line that is not valid. */
static unsigned assert_value(const char *text, const char *expected)
{
	cleanup_(duct_variables_done) struct duct_variables variables = {0};
	char *copy = exact_copy(text, strlen(text));
	unsigned bad = duct_dotenv_parse(copy, strlen(text), &variables);
	const char *value = duct_variables_find(&variables, "A");

	free(copy);
	if (expected) {
		assert_non_null(value);
		assert_string_equal(value, expected);
	} else {
		assert_null(value);
	}
	return bad;
}

static void test_plain(void **state)
{
	(void)state;
	assert_int_equal(assert_value("A=1", "1"), 0);
	assert_int_equal(assert_value("# text\n\n  A = a b \t\nB=2\n", "a b"), 0);
	assert_int_equal(assert_value("export A=x\r\n", "x"), 0);
	assert_int_equal(assert_value("\xef\xbb\xbf"
	                              "A=x",
	                              "x"),
	                 0);
	assert_int_equal(assert_value("'A'=x", "x"), 0);
	assert_int_equal(assert_value("A=1\nA=2\n", "2"), 0);
	assert_int_equal(assert_value("A=", ""), 0);
	assert_int_equal(assert_value("A", NULL), 0);
	assert_int_equal(assert_value("", NULL), 0);
}

static void test_comments(void **state)
{
	(void)state;
	assert_int_equal(assert_value("A=x # y", "x"), 0);
	assert_int_equal(assert_value("A=x#y", "x#y"), 0);
	assert_int_equal(assert_value("A=#y", "#y"), 0);
	assert_int_equal(assert_value("A= # y", ""), 0);
	assert_int_equal(assert_value("A='x # y' # z", "x # y"), 0);
}

static void test_quotes(void **state)
{
	(void)state;
	assert_int_equal(assert_value("A=\"x\ny\\n\\t\\\"\\'\\q\"", "x\ny\n\t\"'\\q"), 0);
	assert_int_equal(assert_value("A='x\ny\\n\\'\\\\\\\"'\n", "x\ny\\n'\\\\\""), 0);
	/* A quote without its end, and words behind one. */
	assert_int_equal(assert_value("A=1\nA=\"x\nB=2\n", "1"), 2);
	assert_int_equal(assert_value("A=1\n\nA='x' y\n", "1"), 3);
	assert_int_equal(assert_value("=x\nA=1\n", "1"), 1);
}

static void test_names_in_values(void **state)
{
	(void)state;
	assert_int_equal(setenv("DUCT_TEST", "env", 1), 0);
	assert_int_equal(assert_value("A=<${DUCT_TEST}>", "<env>"), 0);
	assert_int_equal(assert_value("DUCT_TEST=file\nA=${DUCT_TEST}", "env"), 0);
	assert_int_equal(assert_value("B=b\nA='${B}${NOBODY}${NOBODY:-or }${B:-x}'", "bor b"), 0);
	assert_int_equal(assert_value("A=${B:-", "${B:-"), 0);
	assert_int_equal(assert_value("A=$B ${B:x} $", "$B ${B:x} $"), 0);
	assert_int_equal(unsetenv("DUCT_TEST"), 0);
}

/* Each name stands for ten of the one before. */
static void test_growth(void **state)
{
	cleanup_(duct_variables_done) struct duct_variables variables = {0};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	strbuf_add_str(&text, "A=0123456789\nB0=${A}\n");
	for (unsigned i = 1; i < 30; i++) {
		strbuf_addf(&text, "B%u=", i);
		for (unsigned k = 0; k < 10; k++)
			strbuf_addf(&text, "${B%u}", i - 1);
		strbuf_add_char(&text, '\n');
	}
	/* B5 has 1 MB. */
	assert_int_equal(duct_dotenv_parse(text.data, text.len, &variables), 7);
	assert_int_equal(strlen(duct_variables_find(&variables, "B4")), 100000);
	assert_null(duct_variables_find(&variables, "B5"));
	for (size_t i = 0; i < variables.count; i++)
		assert_true(strlen(variables.entries[i].value) <= DUCT_VALUE_BYTES_MAX);
}

static void test_limits(void **state)
{
	cleanup_(duct_variables_done) struct duct_variables many = {0}, large = {0};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, value = STRBUF_INIT;

	(void)state;
	for (unsigned i = 0; i < DUCT_VARIABLES_MAX + 10; i++)
		strbuf_addf(&text, "v%u=x\n", i);
	assert_int_equal(duct_dotenv_parse(text.data, text.len, &many), DUCT_VARIABLES_MAX + 1);
	assert_int_equal(many.count, DUCT_VARIABLES_MAX);
	strbuf_clear(&text);
	while (value.len < DUCT_VALUE_BYTES_MAX)
		strbuf_add_char(&value, 'x');
	for (unsigned i = 0; i < 20; i++)
		strbuf_addf(&text, "v%u=%s\n", i, strbuf_str(&value));
	assert_int_equal(duct_dotenv_parse(text.data, text.len, &large), 17);
	assert_int_equal(large.bytes, DUCT_VARIABLES_BYTES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_plain),  cmocka_unit_test(test_comments),
	        cmocka_unit_test(test_quotes), cmocka_unit_test(test_names_in_values),
	        cmocka_unit_test(test_growth), cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
