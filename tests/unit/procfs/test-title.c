// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"
#include "ctprof/metric/sample.h"
#include "procfs/title.h"

/* @text has @len bytes, NULs among them. */
static void check_len(const char *text, size_t len, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf title = STRBUF_INIT;

	title_find(text, len, &title);
	assert_string_equal(strbuf_str(&title), expected);
}

#define CHECK(text_, expected_) check_len(text_, sizeof(text_) - 1, expected_)

/* The bytes that these programs have there. */
static void test_titles(void **state)
{
	(void)state;
	CHECK("postgres: walwriter \0\0\0\0", "postgres: walwriter");
	CHECK("postgres: 15/main: app shop 10.0.0.7(51234) idle\0",
	      "postgres: 15/main: app shop 10.0.0.7(51234) idle");
	CHECK("nginx: worker process\0\0\0", "nginx: worker process");
	CHECK("nginx: master process /usr/sbin/nginx -g daemon on;\0",
	      "nginx: master process /usr/sbin/nginx -g daemon on;");
	CHECK("sshd: ann@pts/0\0", "sshd: ann@pts/0");
	CHECK("redis-server 127.0.0.1:6379\0", "redis-server 127.0.0.1:6379");
	CHECK("php-fpm: pool www                              ", "php-fpm: pool www");
}

/* Arguments are none, and may be secret. */
static void test_arguments(void **state)
{
	(void)state;
	CHECK("", "");
	CHECK("\0", "");
	CHECK("mysql\0-psecret word\0", "");
	CHECK("/usr/bin/java\0-Dpassword=secret\0", "");
	CHECK("/opt/my program/run\0--token secret\0", "");
	CHECK("-bash\0", "");
	CHECK("   ", "");
}

static void test_length(void **state)
{
	enum { LEAD = 126 };
	char text[SAMPLE_TITLE_BYTES + 1], expected[SAMPLE_TITLE_BYTES + 1];

	(void)state;
	memset(text, 'a', sizeof(text));
	text[1] = ' ';
	memcpy(expected, text, SAMPLE_TITLE_BYTES);
	expected[SAMPLE_TITLE_BYTES] = '\0';
	check_len(text, sizeof(text), expected);
	/* No half of a character. */
	memcpy(text + LEAD, "\xe2\x82\xac", 3);
	expected[LEAD] = '\0';
	check_len(text, sizeof(text), expected);
	/* Bytes that are no characters are cut anywhere. */
	memset(text + 2, 0x80, sizeof(text) - 2);
	memcpy(expected, text, SAMPLE_TITLE_BYTES);
	expected[SAMPLE_TITLE_BYTES - 4] = '\0';
	check_len(text, sizeof(text), expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_titles),
	        cmocka_unit_test(test_arguments),
	        cmocka_unit_test(test_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
