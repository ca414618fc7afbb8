// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <netinet/in.h>
#include <unistd.h>

#include "serve/serve-address.h"

/* The text is the address in hexadecimal, or the last byte of one of version 6, and the port. */
static void assert_address(const char *text, const char *want, bool is_loopback)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct serve_address address;
	const struct sockaddr_in *v4;
	const struct sockaddr_in6 *v6;

	if (!serve_address_parse(text, &address, &reason))
		fail_msg("%s: %s", text, strbuf_str(&reason));
	assert_int_equal(is_loopback, address.is_loopback);
	v4 = (const struct sockaddr_in *)&address.socket;
	v6 = (const struct sockaddr_in6 *)&address.socket;
	if (v4->sin_family == AF_INET)
		strbuf_addf(&reason, "%08x %u", ntohl(v4->sin_addr.s_addr), ntohs(v4->sin_port));
	else
		strbuf_addf(&reason, "v6 ..%02x %u", v6->sin6_addr.s6_addr[15],
		            ntohs(v6->sin6_port));
	assert_string_equal(want, strbuf_str(&reason));
}

static void addresses(void **state)
{
	(void)state;
	assert_address("9101", "7f000001 9101", true);
	assert_address(":9101", "7f000001 9101", true);
	assert_address("0", "7f000001 0", true);
	assert_address("localhost:65535", "7f000001 65535", true);
	assert_address("LocalHost:1", "7f000001 1", true);
	assert_address("127.255.0.9:80", "7fff0009 80", true);
	assert_address("[::1]:9101", "v6 ..01 9101", true);
	assert_address("[::ffff:127.0.0.2]:9101", "v6 ..02 9101", true);
	assert_address("0.0.0.0:9101", "00000000 9101", false);
	assert_address("128.0.0.1:9101", "80000001 9101", false);
	assert_address("[::]:9101", "v6 ..00 9101", false);
	assert_address("[::ffff:10.0.0.2]:9101", "v6 ..02 9101", false);
}

static void refused(void **state)
{
	static const char *const texts[] = {
	        "",          "x",           "65536",           "-1",       "1.5",
	        "127.0.0.1", "127.0.0.1:",  "127.0.0.1:70000", "::1:9101", "[::1]",
	        "[::1:9101", "[::1]9101",   "example.com:80",  "127.1:80", "localhost",
	        "[]:80x",    "127.0.0.1:9x"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
		struct serve_address address;

		if (serve_address_parse(texts[i], &address, &reason))
			fail_msg("'%s' is an address", texts[i]);
		assert_true(reason.len > 0);
	}
}

static void hosts(void **state)
{
	(void)state;
	assert_true(serve_host_is_loopback("localhost"));
	assert_true(serve_host_is_loopback("LOCALHOST:9101"));
	assert_true(serve_host_is_loopback("127.0.0.1:9101"));
	assert_true(serve_host_is_loopback("127.9.9.9"));
	assert_true(serve_host_is_loopback("[::1]:9101"));
	assert_true(serve_host_is_loopback("[::1]"));
	assert_false(serve_host_is_loopback(""));
	assert_false(serve_host_is_loopback("localhost.example.com"));
	assert_false(serve_host_is_loopback("127.0.0.1.example.com:9101"));
	assert_false(serve_host_is_loopback("example.com:127.0.0.1"));
	assert_false(serve_host_is_loopback("10.0.0.1"));
	assert_false(serve_host_is_loopback("[::2]"));
	assert_false(serve_host_is_loopback("localhost:1:2"));
	assert_false(serve_host_is_loopback(
	        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

static void texts_of_sockets(void **state)
{
	static const char *const given[] = {"127.0.0.1:0", "[::1]:0"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
		struct serve_address address, again;
		int fd;

		assert_true(serve_address_parse(given[i], &address, &text));
		fd = socket(address.socket.ss_family, SOCK_STREAM, 0);
		if (fd < 0 || bind(fd, (struct sockaddr *)&address.socket, address.len) < 0) {
			print_message("no such address here: %s\n", given[i]);
			close(fd);
			continue;
		}
		serve_address_add(fd, &text);
		assert_true(serve_address_parse(strbuf_str(&text), &again, &text));
		assert_true(again.is_loopback);
		assert_memory_equal(given[i], strbuf_str(&text), strlen(given[i]) - 1);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(addresses),
	        cmocka_unit_test(refused),
	        cmocka_unit_test(hosts),
	        cmocka_unit_test(texts_of_sockets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
