// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "shards/shards-address.h"

static void reads_servers(void **state)
{
	cleanup_(shards_address_done) struct shards_address address = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	(void)state;
	assert_int_equal(shards_address_parse("clickhouse://b.example:9123,10.0.0.1,[::1]:80/f_1",
	                                      &address, &reason),
	                 0);
	assert_int_equal(address.count, 3);
	assert_string_equal(address.hosts[0], "10.0.0.1:8123");
	assert_string_equal(address.hosts[1], "[::1]:80");
	assert_string_equal(address.hosts[2], "b.example:9123");
	assert_string_equal(address.database, "f_1");
	shards_address_done(&address);
	assert_int_equal(shards_address_parse("clickhouse://[::1]", &address, &reason), 0);
	assert_string_equal(address.hosts[0], "[::1]:8123");
	assert_string_equal(address.database, "ctprof");
}

static void refuses_other_texts(void **state)
{
	static const char *const texts[] = {
	        "clickhouse://",      "clickhouse:///f",           "clickhouse://a,,b",
	        "clickhouse://a,",    "clickhouse://a:0",          "clickhouse://a:65536",
	        "clickhouse://a:x",   "clickhouse://a:",           "clickhouse://a b",
	        "clickhouse://a?x=1", "clickhouse://a/b/c",        "clickhouse://a/1b",
	        "clickhouse://a/b-c", "clickhouse://a,a",          "clickhouse://a,a:8123",
	        "clickhouse://a#b",   "clickhouse://[a:b",         "clickhouse://a\r\nb",
	        "clickhouse://a/b?c", "clickhouse://u:secret@a/b", "clickhouse://a/secret@b",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		cleanup_(shards_address_done) struct shards_address address = {0};
		cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

		if (shards_address_parse(texts[i], &address, &reason) != -EINVAL)
			fail_msg("%s is accepted", texts[i]);
		assert_true(reason.len > 0);
		assert_null(strstr(strbuf_str(&reason), "secret"));
		assert_int_equal(address.count, 0);
	}
	assert_true(shards_is_address("clickhouse://a"));
	assert_false(shards_is_address("./clickhouse://a"));
	assert_false(shards_is_address("fleet.db"));
}

enum { FILES = 2000 };

static void find_servers(const char *text, const char *found[FILES], struct shards_address *address)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	assert_int_equal(shards_address_parse(text, address, &reason), 0);
	for (unsigned i = 0; i < FILES; i++) {
		char digest[16];

		snprintf(digest, sizeof(digest), "%08x", i);
		found[i] = address->hosts[shards_address_of(address, digest)];
	}
}

/* A file stays with its server, whatever the order, and a further server takes files of others and moves none between them. */
static void shares_files(void **state)
{
	static const char *before[FILES], *turned[FILES], *after[FILES];
	cleanup_(shards_address_done) struct shards_address three = {0}, order = {0}, four = {0};
	unsigned counts[4] = {0}, moved = 0;

	(void)state;
	find_servers("clickhouse://a,b,c", before, &three);
	find_servers("clickhouse://c:8123,a,b", turned, &order);
	find_servers("clickhouse://a,b,c,d", after, &four);
	for (unsigned i = 0; i < FILES; i++) {
		assert_string_equal(before[i], turned[i]);
		counts[after[i][0] - 'a']++;
		if (strcmp(before[i], after[i]) == 0)
			continue;
		assert_string_equal(after[i], "d:8123");
		moved++;
	}
	assert_int_equal(counts[3], moved);
	for (unsigned i = 0; i < 4; i++)
		assert_in_range(counts[i], FILES / 5, FILES * 3 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reads_servers),
	        cmocka_unit_test(refuses_other_texts),
	        cmocka_unit_test(shares_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
