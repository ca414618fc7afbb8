// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <string.h>

#include "ctprof/snapshot/labels.h"
#include "snapshots.h"
#include "windows.h"

static struct labels labels;
static struct strbuf error;

static int teardown(void **state)
{
	(void)state;
	labels_done(&labels);
	strbuf_done(&error);
	return 0;
}

static void check_refused(const char *pair, const char *sentence)
{
	size_t count = labels.count;

	strbuf_clear(&error);
	assert_int_equal(labels_add_pair(&labels, pair, &error), -EINVAL);
	assert_string_equal(strbuf_str(&error), sentence);
	assert_int_equal(labels.count, count);
}

static void check_added(const char *pair)
{
	strbuf_clear(&error);
	assert_int_equal(labels_add_pair(&labels, pair, &error), 0);
	assert_int_equal(error.len, 0);
}

static void test_pairs(void **state)
{
	(void)state;
	check_added("arm=A");
	check_added("block=");
	check_added("a.b-c_9=x=y");
	assert_string_equal(labels_find(&labels, "arm"), "A");
	assert_string_equal(labels_find(&labels, "block"), "");
	assert_string_equal(labels_find(&labels, "a.b-c_9"), "x=y");
	assert_null(labels_find(&labels, "ar"));
	assert_null(labels_find(&labels, "arm2"));
}

static void test_refused(void **state)
{
	char longest[LABEL_VALUE_BYTES + 3] = "k=";

	(void)state;
	check_added("arm=A");
	check_refused("arm=B", "'arm' is the key of two labels");
	assert_string_equal(labels_find(&labels, "arm"), "A");
	check_refused("arm", "'arm' is not KEY=VALUE");
	check_refused("=A", "'' is no key of a label: it has letters, digits, '_', '-' and '.', at "
	                    "most 64, and a letter first");
	check_refused("1=A", "'1' is no key of a label: it has letters, digits, '_', '-' and '.', "
	                     "at most 64, and a letter first");
	check_refused("a\x1b[m=A",
	              "'a\\x1b[m' is no key of a label: it has letters, digits, '_', '-' and '.', "
	              "at most 64, and a letter first");
	check_refused("k=\xff", "'k': the value of a label is UTF-8");
	memset(longest + 2, 'v', LABEL_VALUE_BYTES);
	check_added(longest);
	longest[0] = 'l';
	longest[LABEL_VALUE_BYTES + 1] = 'v';
	longest[LABEL_VALUE_BYTES + 2] = '\0';
	{
		cleanup_(strbuf_done) struct strbuf longer = STRBUF_INIT;

		strbuf_addf(&longer, "%sv", longest);
		check_refused(strbuf_str(&longer),
		              "'l': the value of a label has at most 256 bytes");
	}
}

static void test_most(void **state)
{
	cleanup_(strbuf_done) struct strbuf pair = STRBUF_INIT;

	(void)state;
	for (unsigned i = 0; i < LABELS_MAX; i++) {
		strbuf_clear(&pair);
		strbuf_addf(&pair, "k%u=v", i);
		check_added(strbuf_str(&pair));
	}
	check_refused("more=v", "'more': a snapshot has at most 32 labels");
}

static void test_common(void **state)
{
	cleanup_(labels_done) struct labels other = {0};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	check_added("arm=A");
	check_added("block=3");
	check_added("note=\x1b[m");
	check_added("only=here");
	labels_copy(&other, &labels);
	check_added("late=1");
	free(other.entries[1].value);
	other.entries[1].value = strdup("4");
	labels_keep_common(&labels, &other);
	labels_add_text(&labels, &text);
	assert_text(&text, "arm=A note=\\x1b[m only=here");
	labels_keep_common(&labels, &(struct labels){0});
	assert_int_equal(labels.count, 0);
}

static void check_file(const char *value, const char *sentence)
{
	cleanup_(snapshot_copy_done) struct snapshot_copy copy = {0};
	cleanup_(strbuf_done) struct strbuf json = STRBUF_INIT;

	strbuf_addf(&json,
	            "{\"labels\":%s,\"format\":\"ctprof\",\"version\":1,\"kind\":\"lifetime\","
	            "\"threads\":[]}",
	            value);
	snapshot_copy_read_json(&copy, json.data, json.len, NULL);
	assert_text(&copy.error, sentence);
	assert_int_equal(copy.result, sentence[0] ? -EBADMSG : 0);
}

static void test_files(void **state)
{
	(void)state;
	check_file("{\"arm\":\"A\"}", "");
	check_file("null", "");
	check_file("{\"a\":\"1\"},\"labels\":{\"a\":\"2\"}", "");
	check_file("[]", "labels: an object was expected");
	check_file("{\"arm\":1}", "labels: a string for each key was expected");
	check_file("{\"a b\":\"\"}",
	           "labels: 'a b' is no key of a label: it has letters, digits, '_', '-' and '.', "
	           "at most 64, and a letter first");
}

/* A window has what its begin and its end share. */
static void test_window(void **state)
{
	cleanup_(reading_done) struct reading first, last;
	cleanup_(snapshot_copy_done) struct snapshot_copy copy = {0};

	(void)state;
	reading_init(&first, SECONDS(100));
	reading_init(&last, SECONDS(110));
	check_added("arm=A");
	labels_copy(&first.info.labels, &labels);
	check_added("part=last");
	labels_copy(&last.info.labels, &labels);
	window_between(&first, &last, NULL, &copy);
	assert_int_equal(copy.result, 0);
	assert_int_equal(copy.info.labels.count, 1);
	assert_string_equal(labels_find(&copy.info.labels, "arm"), "A");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_teardown(test_pairs, teardown),
	        cmocka_unit_test_teardown(test_refused, teardown),
	        cmocka_unit_test_teardown(test_most, teardown),
	        cmocka_unit_test_teardown(test_common, teardown),
	        cmocka_unit_test_teardown(test_files, teardown),
	        cmocka_unit_test_teardown(test_window, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
