// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <zlib.h>

#include "host/host-fields.h"
#include "host/kernel-config.h"
#include "temp-tree.h"

static const char whole[] = "#\n"
                            "# Automatically generated file; DO NOT EDIT.\n"
                            "#\n"
                            "CONFIG_CC_VERSION_TEXT=\"gcc # CONFIG_PSI is not set\"\n"
                            "CONFIG_TASKSTATS=y\n"
                            "CONFIG_TASKSTATS_MORE=m\n"
                            "# CONFIG_SCHEDSTATS is not set\n"
                            "CONFIG_DEBUG_FS=m\n"
                            "CONFIG_MEMCG=n\n"
                            "# CONFIG_HZ_100 is not set\n"
                            "CONFIG_HZ_250=y\n"
                            "CONFIG_HZ=250\n"
                            "CONFIG_LOG_BUF_SHIFT=17\n"
                            "CONFIG_BPF_SYSCALL=17\n"
                            " CONFIG_PSI=y\n"
                            "#CONFIG_CPUSETS is not set\n"
                            "# end of it\n";

static struct host host;

static int done(void **state)
{
	(void)state;
	host_done(&host);
	return 0;
}

static int teardown(void **state)
{
	host_done(&host);
	return temp_tree_teardown(state);
}

static enum source_outcome parse(const char *text, size_t len)
{
	char *copy = exact_copy(text, len);
	enum source_outcome outcome;

	host_done(&host);
	outcome = kernel_config_parse(copy, len, &host);
	free(copy);
	return outcome;
}

static void assert_option(const char *name, const char *expected)
{
	const char *text = host_map_get(&host, HOST_kernel_config, name);

	if (expected) {
		assert_non_null(text);
		assert_string_equal(text, expected);
	} else {
		assert_null(text);
	}
}

static void test_kernel_config_whole(void **state)
{
	(void)state;
	assert_int_equal(parse(whole, strlen(whole)), OUTCOME_read);
	assert_option("TASKSTATS", "y");
	assert_option("SCHEDSTATS", "n");
	assert_option("DEBUG_FS", "m");
	assert_option("MEMCG", "n");
	assert_option("PSI", "n");            /* not at the start of a line */
	assert_option("SCHED_CORE", "n");     /* not mentioned */
	assert_option("SCHED_DEBUG", NULL);   /* not mentioned, and newer kernels never do */
	assert_option("BPF_SYSCALL", NULL);   /* not what an option of its kind can be */
	assert_option("LOG_BUF_SHIFT", NULL); /* nothing depends on it */
	/* All but the two that are not known. */
	assert_int_equal(host.maps[HOST_kernel_config].count, KERNEL_OPTION_COUNT - 2);
}

static void test_kernel_config_hz(void **state)
{
	static const char *const senseless[] = {
	        "CONFIG_HZ=\n",         "CONFIG_HZ=y\n",
	        "CONFIG_HZ=0\n",        "CONFIG_HZ=99999999999999999999\n",
	        "CONFIG_HZ=-1\n",       "# CONFIG_HZ is not set\n",
	        "CONFIG_HZ_1000=1000\n"};

	(void)state;
	parse(whole, strlen(whole));
	assert_true(host.seen[HOST_kernel_hz]);
	assert_int_equal(host.numbers[HOST_kernel_hz], 250);
	for (size_t i = 0; i < ARRAY_SIZE(senseless); i++) {
		parse(senseless[i], strlen(senseless[i]));
		assert_false(host.seen[HOST_kernel_hz]);
	}
}

static void test_kernel_config_sched_debug(void **state)
{
	static const char on[] = "CONFIG_SCHED_DEBUG=y\n",
	                  off[] = "# CONFIG_SCHED_DEBUG is not set\n";

	(void)state;
	assert_int_equal(parse(on, strlen(on)), OUTCOME_read);
	assert_option("SCHED_DEBUG", "y");
	assert_int_equal(parse(off, strlen(off)), OUTCOME_read);
	assert_option("SCHED_DEBUG", "n");
}

/* Less than all of it must not turn what is missing into n. */
static void test_kernel_config_cut(void **state)
{
	(void)state;
	for (size_t len = 0; len < strlen(whole); len++) {
		bool line_end = len > 0 && whole[len - 1] == '\n';

		if (parse(whole, len) == OUTCOME_read)
			assert_true(line_end);
		else
			assert_false(host.seen[HOST_kernel_config]);
	}
}

static void test_kernel_config_senseless(void **state)
{
	static const char *const texts[] = {"",
	                                    "\n",
	                                    "CONFIG_PSI=y",
	                                    "CONFIG_PSI\n",
	                                    "# CONFIG_PSI is not set at all\n",
	                                    "# CONFIG_PSI is not\n",
	                                    "<html>\n</html>\n",
	                                    "\x1f\x8b\x08\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parse(texts[i], strlen(texts[i])), OUTCOME_malformed);
		assert_false(host.seen[HOST_kernel_config]);
	}
}

/* The rows themselves: identifiers, each once, and phrases. */
static void test_kernel_config_rows(void **state)
{
	(void)state;
	for (unsigned i = 0; i < KERNEL_OPTION_COUNT; i++) {
		const struct kernel_option_desc *row = &kernel_option_table[i];

		assert_int_equal(strspn(row->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
		                 strlen(row->name));
		assert_true(strlen(row->description) > 0);
		assert_true(row->description[strlen(row->description) - 1] != '.');
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(row->name, kernel_option_table[j].name);
	}
}

/* Packs as gzip does. */
static void pack(const void *bytes, size_t len, struct strbuf *out)
{
	z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)len};
	size_t room;

	strbuf_clear(out);
	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, 0), Z_OK);
	room = deflateBound(&stream, (uLong)len);
	stream.next_out = (Bytef *)strbuf_reserve(out, room);
	stream.avail_out = (uInt)room;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	out->len = room - stream.avail_out;
	deflateEnd(&stream);
}

static enum source_outcome parse_gzip(const char *bytes, size_t len)
{
	char *copy = exact_copy(bytes, len);
	enum source_outcome outcome;

	host_done(&host);
	outcome = kernel_config_parse_gzip(copy, len, &host);
	free(copy);
	return outcome;
}

static void test_kernel_config_gzip(void **state)
{
	struct strbuf packed = STRBUF_INIT;

	(void)state;
	pack(whole, strlen(whole), &packed);
	assert_int_equal(parse_gzip(packed.data, packed.len), OUTCOME_read);
	assert_option("TASKSTATS", "y");
	assert_option("SCHEDSTATS", "n");

	/* Cut or changed anywhere, it is refused: there is a check sum at the end. */
	for (size_t len = 0; len < packed.len; len++) {
		assert_int_equal(parse_gzip(packed.data, len), OUTCOME_malformed);
		assert_false(host.seen[HOST_kernel_config]);
	}
	for (size_t i = 10; i < packed.len; i++) {
		packed.data[i] = (char)(packed.data[i] ^ 1);
		assert_int_equal(parse_gzip(packed.data, packed.len), OUTCOME_malformed);
		packed.data[i] = (char)(packed.data[i] ^ 1);
	}
	assert_int_equal(parse_gzip(whole, strlen(whole)), OUTCOME_malformed);
	strbuf_done(&packed);
}

/* Two gzip members one behind the other are one file. */
static void test_kernel_config_members(void **state)
{
	static const char first[] = "CONFIG_PSI=y\n", second[] = "CONFIG_MEMCG=y\n";
	struct strbuf packed = STRBUF_INIT, both = STRBUF_INIT;

	(void)state;
	pack(first, strlen(first), &packed);
	strbuf_add(&both, packed.data, packed.len);
	pack(second, strlen(second), &packed);
	strbuf_add(&both, packed.data, packed.len);
	assert_int_equal(parse_gzip(both.data, both.len), OUTCOME_read);
	assert_option("PSI", "y");
	assert_option("MEMCG", "y");
	strbuf_add_str(&both, "junk");
	assert_int_equal(parse_gzip(both.data, both.len), OUTCOME_malformed);
	strbuf_done(&packed);
	strbuf_done(&both);
}

static void test_kernel_config_carriage_returns(void **state)
{
	static const char text[] = "CONFIG_PSI=y\r\n# CONFIG_SCHED_DEBUG is not set\r\n";

	(void)state;
	assert_int_equal(parse(text, strlen(text)), OUTCOME_read);
	assert_option("PSI", "y");
	assert_option("SCHED_DEBUG", "n");
}

/* A megabyte for each kilobyte: what comes out has a limit as well. */
static void test_kernel_config_bomb(void **state)
{
	enum { LIMIT = 16 << 20 };
	struct strbuf text = STRBUF_INIT, packed = STRBUF_INIT;
	char *space = strbuf_reserve(&text, LIMIT * 2);

	(void)state;
	memset(space, '\n', LIMIT * 2);
	memcpy(space, "CONFIG_PSI=y", strlen("CONFIG_PSI=y"));
	pack(space, LIMIT, &packed);
	assert_int_equal(parse_gzip(packed.data, packed.len), OUTCOME_read);
	assert_option("PSI", "y");
	pack(space, LIMIT + 1, &packed);
	assert_int_equal(parse_gzip(packed.data, packed.len), OUTCOME_malformed);
	pack(space, LIMIT * 2, &packed);
	assert_int_equal(parse_gzip(packed.data, packed.len), OUTCOME_malformed);
	strbuf_done(&text);
	strbuf_done(&packed);
}

static void read_tree(const struct temp_tree *tree, bool live)
{
	host_done(&host);
	host_set_text(&host, HOST_kernel_release, "0.0-none", strlen("0.0-none"));
	host_read_kernel_config(tree->fd, live, &host);
}

/* Another system's configuration is in its tree or nowhere; config.gz is what the kernel itself says. */
static void test_kernel_config_files(void **state)
{
	static const char text[] = "# CONFIG_PSI is not set\n", packed_text[] = "CONFIG_PSI=y\n";
	const struct temp_tree *tree = *state;
	struct strbuf packed = STRBUF_INIT;

	read_tree(tree, false);
	assert_false(host.seen[HOST_kernel_config]);
	temp_tree_write_text(tree, "config", text);
	read_tree(tree, true);
	assert_false(host.seen[HOST_kernel_config]);
	read_tree(tree, false);
	assert_option("PSI", "n");

	pack(packed_text, strlen(packed_text), &packed);
	temp_tree_write(tree, "config.gz", packed.data, packed.len);
	read_tree(tree, true);
	assert_option("PSI", "y");
	read_tree(tree, false);
	assert_option("PSI", "y");
	temp_tree_write(tree, "config.gz", packed.data, packed.len - 1);
	read_tree(tree, false);
	assert_option("PSI", "n");
	read_tree(tree, true);
	assert_false(host.seen[HOST_kernel_config]);
	strbuf_done(&packed);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_kernel_config_whole),
	        cmocka_unit_test(test_kernel_config_hz),
	        cmocka_unit_test(test_kernel_config_sched_debug),
	        cmocka_unit_test(test_kernel_config_cut),
	        cmocka_unit_test(test_kernel_config_senseless),
	        cmocka_unit_test(test_kernel_config_rows),
	        cmocka_unit_test(test_kernel_config_gzip),
	        cmocka_unit_test(test_kernel_config_members),
	        cmocka_unit_test(test_kernel_config_carriage_returns),
	        cmocka_unit_test(test_kernel_config_bomb),
	        in_tree(test_kernel_config_files),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
