// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/operand-glob.h"
#include "base/operand-open.h"

static char directory[] = "/tmp/ctprof-operand-glob-XXXXXX";

static int begin(void **state)
{
	static const char *const directories[] = {"a1", "a2", "b", "a1/in", "closed"};
	static const char *const files[] = {"a1/x.zst",  "a1/w.zst",    "a1/.h.zst",
	                                    "a2/x.zst",  "a1/in/y.zst", "b/a[b",
	                                    "b/[x].zst", "plain",       "closed/x.zst"};

	(void)state;
	if (!mkdtemp(directory) || chdir(directory) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
		assert_return_code(mkdir(directories[i], 0700), errno);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		close(open(files[i], O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_return_code(symlink("nowhere", "b/link.zst"), errno);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return system("chmod 700 closed && rm -rf \"$PWD\"");
}

static void check_names(const char *pattern, const char *expected)
{
	cleanup_(operand_names_done) struct operand_names names = {0};
	cleanup_(strbuf_done) struct strbuf all = STRBUF_INIT, reason = STRBUF_INIT;

	assert_int_equal(operand_glob(pattern, &names, &reason), 0);
	for (size_t i = 0; i < names.count; i++)
		strbuf_addf(&all, "%s%s", i > 0 ? " " : "", names.names[i]);
	assert_string_equal(strbuf_str(&all), expected);
	assert_int_equal(reason.len, 0);
}

static void test_names(void **state)
{
	cleanup_(strbuf_done) struct strbuf absolute = STRBUF_INIT, found = STRBUF_INIT;

	(void)state;
	check_names("a1/*.zst", "a1/w.zst a1/x.zst");
	check_names("a?/x.zst", "a1/x.zst a2/x.zst");
	check_names("a*/*/y*", "a1/in/y.zst");
	check_names("a1/.*", "a1/.h.zst");
	check_names("./a[12]//x.zst", "./a1/x.zst ./a2/x.zst");
	check_names("b/\\[x\\].zst", "b/[x].zst");
	check_names("b/*", "b/[x].zst b/a[b b/link.zst");
	check_names("plain", "plain");
	check_names("b/a[b", "b/a[b");
	check_names("b/[^x]*", "b/[x].zst b/a[b b/link.zst");
	check_names("plain/*", "");
	check_names("plain/", "");
	check_names("p*/", "");
	check_names("a?/", "a1 a2");
	check_names("missing", "");
	check_names("*/missing", "");
	check_names("", "");
	strbuf_addf(&absolute, "%s/a2/*", directory);
	strbuf_addf(&found, "%s/a2/x.zst", directory);
	check_names(strbuf_str(&absolute), strbuf_str(&found));
}

/* A part without wildcards needs no listing, one with them says why it has none. */
static void test_closed(void **state)
{
	cleanup_(operand_names_done) struct operand_names names = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	bool is_root = geteuid() == 0;

	(void)state;
	assert_return_code(chmod("closed", 0100), errno);
	if (is_root)
		assert_return_code(seteuid(65534), errno);
	assert_int_equal(operand_glob("closed/*", &names, &reason), -EACCES);
	assert_int_equal(names.count, 0);
	assert_true(reason.len > 0);
	if (is_root)
		assert_return_code(seteuid(0), errno);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_names),
	        cmocka_unit_test(test_closed),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
