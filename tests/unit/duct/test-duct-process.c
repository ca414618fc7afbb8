// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-process.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "check.h"
#include "temp-tree.h"

/* Started 100 s after the boot, 3 s of CPU time, 2 of its children; 10 pages. */
static const char stat_text[] =
        "77 (a) (b) S 1 77 77 34816 77 4194304 1 2 3 4 250 50 150 50 20 0 3 0 10000 1048576 10 "
        "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n";

static bool parse(const char *text, uint64_t boot_ns, struct duct_process *ret)
{
	char *copy = exact_copy(text, strlen(text));
	bool result = duct_process_parse(copy, strlen(text), boot_ns, ret);

	free(copy);
	return result;
}

static void test_stat(void **state)
{
	struct duct_process process;

	(void)state;
	if (sysconf(_SC_CLK_TCK) != 100)
		skip();
	assert_true(parse(stat_text, 130 * NS_PER_SECOND, &process));
	assert_int_equal(process.pid, 77);
	assert_int_equal(process.start_ticks, 10000);
	assert_true(process.age == 30);
	assert_true(process.cpu_time == 3);
	assert_true(process.waited_time == 2);
	assert_true(process.vsz == 1048576);
	assert_true(process.rss == 10.0 * (double)sysconf(_SC_PAGESIZE));
	assert_int_equal(process.threads, 3);
	assert_string_equal(process.state, "Ssl+");
	assert_string_equal(process.comm, "a) (b");
	/* It is never younger than a tick. */
	assert_true(parse(stat_text, 100 * NS_PER_SECOND, &process));
	assert_true(process.age == 0.01);
}

static void test_broken(void **state)
{
	struct duct_process process;

	(void)state;
	assert_false(parse("", 0, &process));
	assert_false(parse("77", 0, &process));
	assert_false(parse("(a) S 1", 0, &process));
	assert_false(parse("77 )a( S 1", 0, &process));
	assert_false(parse("77 (a) S 1 77 77", 0, &process));
	assert_false(parse("77 (a) S 1 x 77 34816 77 4194304 1 2 3 4 250 50 150 50 20 0 3 0 "
	                   "10000 1048576 10 1",
	                   0, &process));
}

static void assert_command(const struct temp_tree *tree, const char *state_text, size_t most,
                           const char *expected)
{
	struct duct_process process = {.pid = 77, .comm = "name"};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	memcpy(process.state, state_text, strlen(state_text) + 1);
	duct_process_command(tree->fd, &process, most, &text);
	assert_text(&text, expected);
}

static void test_command(void **state)
{
	const struct temp_tree *tree = *state;
	static const char words[] = "a\0b c\0\0d\ne\033\0";

	assert_command(tree, "S", 100, "[name]");
	assert_command(tree, "Z", 100, "[name] <defunct>");
	temp_tree_write(tree, "77/cmdline", words, sizeof(words) - 1);
	assert_command(tree, "S", 100, "a b c  d e?");
	assert_command(tree, "S", sizeof(words) - 1, "a b c  d e?");
	assert_command(tree, "S", 3, "a b...");
	assert_command(tree, "S", 2, "a...");
}

static void test_etime(void **state)
{
	static const struct {
		double seconds;
		const char *text;
	} cases[] = {{0, "00:00"},          {59.99, "00:59"},    {61, "01:01"},
	             {3600, "01:00:00"},    {86399, "23:59:59"}, {86400, "01-00:00:00"},
	             {1e7, "115-17:46:40"}, {-1, "00:00"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

		duct_etime_add(cases[i].seconds, &text);
		assert_text(&text, cases[i].text);
	}
}

static void test_own(void **state)
{
	cleanup_(fd_closep) int proc_fd = fd_open_path_at(AT_FDCWD, "/proc");
	struct duct_process process;

	(void)state;
	assert_true(duct_process_read(proc_fd, (uint32_t)getpid(), &process));
	assert_int_equal(process.pid, getpid());
	assert_true(process.vsz > 0);
	assert_true(process.cpu_time <= process.age * (double)sysconf(_SC_NPROCESSORS_CONF));
	assert_false(duct_process_read(proc_fd, UINT32_MAX, &process));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_stat),
	        cmocka_unit_test(test_broken),
	        cmocka_unit_test_setup_teardown(test_command, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test(test_etime),
	        cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
