// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a thread is among the cgroups, and where the cgroups are among the mounts. */
#include "check.h"

#include <errno.h>
#include <unistd.h>

#include "ctprof/source.h"
#include "temp-tree.h"

static struct thread_sample sample;

static int done(void **state)
{
	(void)state;
	sample_done(&sample);
	return 0;
}

static enum source_outcome parse_bytes(const char *text, size_t len)
{
	char *copy = exact_copy(text, len);
	enum source_outcome outcome;

	sample_reset(&sample);
	outcome = cgroup_parse(copy, len, &sample);
	free(copy);
	return outcome;
}

static void check_path(const char *text, const char *path)
{
	assert_int_equal(parse_bytes(text, strlen(text)), OUTCOME_read);
	assert_true(sample.has_cgroup);
	assert_text(&sample.cgroup, path);
}

/* Byte for byte: nothing is trimmed and nothing is a separator. */
static void test_cgroup_paths(void **state)
{
	static const char *const paths[] = {
	        "/",
	        "/system.slice/cron.service",
	        "/a:b::c",
	        "/0::/x",
	        "/with blanks in it",
	        "/trailing blank ",
	        "/trailing tab\t",
	        "/gone (deleted)",
	        "/../../outside",
	        "/\xff\xfe\x1b[31m",
	        "/user@1000.service/app-\\x2d.scope",
	        "",
	};
	struct strbuf text = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		strbuf_clear(&text);
		strbuf_addf(&text, "0::%s\n", paths[i]);
		check_path(text.data, paths[i]);
		strbuf_clear(&text);
		strbuf_addf(&text, "0::%s", paths[i]);
		check_path(text.data, paths[i]);
	}
	strbuf_done(&text);
}

static void test_cgroup_among_version_1(void **state)
{
	static const char hybrid[] = "9:name=systemd:/init.scope\n"
	                             "8:pids:/a\n"
	                             "4:memory:/0::/trap\n"
	                             "10::/not this one\n"
	                             "2:cpu,cpuacct:/\n"
	                             "0::/unified/path\n"
	                             "1:name=0:::/x\n";

	(void)state;
	check_path(hybrid, "/unified/path");
	check_path("0::/first\n0::/second\n", "/first");
}

static void test_cgroup_no_version_2(void **state)
{
	static const char *const texts[] = {"",           "\n",      "4:memory:/a\n1:cpu:/\n",
	                                    "0:cpu:/x\n", "0:",      "0",
	                                    " 0::/x\n",   "00::/x\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parse_bytes(texts[i], strlen(texts[i])), OUTCOME_off);
		assert_false(sample.has_cgroup);
	}
}

static int find_mount(const struct temp_tree *tree, const char *mountinfo, struct strbuf *path)
{
	temp_tree_write_text(tree, "self/mountinfo", mountinfo);
	return cgroup2_mount_find(tree->fd, path);
}

static void test_mount_found(void **state)
{
	static const char hybrid[] =
	        "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
	        "35 31 0:32 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu\n"
	        "36 31 0:33 / /sys/fs/cgroup2-not rw - tmpfs cgroup2 rw\n"
	        "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:7 master:2 - cgroup2 "
	        "cgroup2 rw\n"
	        "42 31 0:38 / /later rw - cgroup2 none rw\n";
	struct strbuf path = STRBUF_INIT;

	strbuf_add_str(&path, "what was there before");
	assert_int_equal(find_mount(*state, hybrid, &path), 0);
	assert_text(&path, "/sys/fs/cgroup/unified");
	strbuf_done(&path);
}

static void test_mount_last_newline_missing(void **state)
{
	struct strbuf path = STRBUF_INIT;

	assert_int_equal(find_mount(*state, "41 31 0:38 / /cg rw - cgroup2 cgroup2 rw", &path), 0);
	assert_text(&path, "/cg");
	assert_int_equal(find_mount(*state, "41 31 0:38 / /cg rw - cgroup2", &path), 0);
	strbuf_done(&path);
}

/* The kernel writes blanks, tabs, newlines and backslashes as three octal digits. */
static void test_mount_escapes(void **state)
{
	static const struct {
		const char *written, *path;
	} cases[] = {
	        {"/a\\040b", "/a b"},
	        {"/\\011\\012\\134\\043", "/\t\n\\#"},
	        {"/end\\040", "/end "},
	        {"/\\134040", "/\\040"},
	        {"/\\377", "/\xff"},
	        {"/-", "/-"},
	        {"/caf\xc3\xa9", "/caf\xc3\xa9"},
	        {"/short\\04", "/short\\04"},
	        {"/short\\", "/short\\"},
	};
	struct strbuf path = STRBUF_INIT, line = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_clear(&line);
		strbuf_addf(&line, "41 31 0:38 / %s rw - cgroup2 cgroup2 rw\n", cases[i].written);
		assert_int_equal(find_mount(*state, line.data, &path), 0);
		assert_text(&path, cases[i].path);
	}
	strbuf_done(&path);
	strbuf_done(&line);
}

static void test_mount_none(void **state)
{
	static const char *const texts[] = {
	        "",
	        "\n",
	        "22 27 0:21 / /proc rw - proc proc rw\n",
	        "41 31 0:38 / /cg rw cgroup2 cgroup2 rw\n",
	        "41 31 0:38 / /cg rw -\n",
	        "41 31 0:38 / - cgroup2 cgroup2 rw\n",
	        "- cgroup2 cgroup2 rw\n",
	        "41 31 0:38 / /cgroup2 rw - cgroup cgroup2 rw\n",
	        "41 31 0:38 / /cg rw - cgroup22 cgroup rw\n",
	};
	const struct temp_tree *tree = *state;
	struct strbuf path = STRBUF_INIT;

	assert_int_equal(cgroup2_mount_find(tree->fd, &path), -ENOENT);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(find_mount(tree, texts[i], &path), -ENOENT);
	assert_int_equal(cgroup2_mount_find(-1, &path), -EBADF);
	strbuf_done(&path);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_cgroup_paths),
	        cmocka_unit_test(test_cgroup_among_version_1),
	        cmocka_unit_test(test_cgroup_no_version_2),
	        in_tree(test_mount_found),
	        in_tree(test_mount_last_newline_missing),
	        in_tree(test_mount_escapes),
	        in_tree(test_mount_none),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
