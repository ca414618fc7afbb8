// SPDX-License-Identifier: GPL-2.0-or-later
/* The place of a thread among the cgroups, in the text of its cgroup file. */
#include "check.h"

#include "cgroup/cgroup.h"

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

static void check_v1(const char *text, const char *path)
{
	check_path(text, path);
	assert_true(sample.cgroup_is_v1);
}

/* A host that has version 1 only: the first controller of the registry that is there, whatever the order of the
 * lines; systemd's own hierarchy where there is none of them. */
static void test_cgroup_version_1_only(void **state)
{
	(void)state;
	check_v1("9:pids:/p\n8:memory:/m\n7:cpuacct:/acct\n6:cpu:/c\n", "/acct");
	check_v1("9:pids:/p\n8:memory:/m\n6:cpu:/c\n", "/c");
	check_v1("9:pids:/p\n8:memory:/m\n", "/m");
	check_v1("9:pids:/p", "/p");
	check_v1("12:net_cls,net_prio:/n\n4:cpu,cpuacct:/docker/x\n1:name=systemd:/s\n",
	         "/docker/x");
	check_v1("4:cpuacct,cpu,name=mine:/x\n", "/x");
	check_v1("1:name=systemd:/init.scope\n2:freezer:/f\n", "/init.scope");
	check_v1("1:name=systemd:/s\n2:pids:/after\n", "/after");
	check_v1("4:memory:/0::/trap: (deleted)\n", "/0::/trap: (deleted)");
	check_v1("4:memory:/../x\xff\x1b[31m \n", "/../x\xff\x1b[31m ");
	check_path("4:memory:/a\n0::/two\n", "/two");
	assert_false(sample.cgroup_is_v1);
}

/* Beside the one that names the thread, all hierarchies of version 1, known or not. */
static void test_cgroup_lines_of_version_1(void **state)
{
	static const char text[] = "9:name=systemd:/init.scope\n8:pids:/a b:c\n5:schedtune:/f\n"
	                           "2:net_cls,cpuacct,cpu:/docker/x\n0::/two\n";

	(void)state;
	check_path(text, "/two");
	assert_string_equal(strbuf_str(&sample.cgroups_v1),
	                    "name=systemd:/init.scope\npids:/a b:c\nschedtune:/f\n"
	                    "net_cls,cpuacct,cpu:/docker/x\n");
	check_path("0::/two\n", "/two");
	assert_int_equal(sample.cgroups_v1.len, 0);
}

static void test_cgroup_none(void **state)
{
	static const char *const texts[] = {
	        "",
	        "0:cpu:/x\n",
	        "3::/x\n",
	        "00::/x\n",
	        "3:memory2:/x\n",
	        "3:memor:/x\n",
	        "3:name=memory:/x\n",
	        "3:name=a,systemd:/x\n",
	        "3:xname=systemd:/x\n",
	        "3:rdma:/a\n2:freezer:/",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parse_bytes(texts[i], strlen(texts[i])), OUTCOME_off);
		assert_false(sample.has_cgroup);
	}
}

/* The kernel does not write such lines; beside one that is wanted they are passed over. */
static void test_cgroup_malformed(void **state)
{
	static const char *const texts[] = {
	        "\n",
	        "0:",
	        "0",
	        "3:memory\n",
	        "3:memory:\n",
	        "3:memory:relative\n",
	        "x:memory:/x\n",
	        ":memory:/x\n",
	        "-3:memory:/x\n",
	        " 0::/x\n",
	        "3:freezer:/\njunk\n",
	        "\x01\xff\xfe",
	};
	static const char zeros[100] = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parse_bytes(texts[i], strlen(texts[i])), OUTCOME_malformed);
		assert_false(sample.has_cgroup);
	}
	assert_int_equal(parse_bytes(zeros, sizeof(zeros)), OUTCOME_malformed);
	check_path("junk\n3:memory:/x\n", "/x");
}

/* A path as long as the kernel's buffer may be only the beginning of one. */
static void test_cgroup_cut(void **state)
{
	static const char *const prefixes[] = {"0::/", "3:memory:/"};
	const size_t longest = 4095;

	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(prefixes); p++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

		strbuf_add_str(&text, prefixes[p]);
		for (size_t len = 1; len < longest - 1; len++)
			strbuf_add_char(&text, 'x');
		assert_int_equal(parse_bytes(text.data, text.len), OUTCOME_read);
		assert_int_equal(sample.cgroup.len, longest - 1);
		strbuf_add_char(&text, 'x');
		assert_int_equal(parse_bytes(text.data, text.len), OUTCOME_malformed);
		assert_false(sample.has_cgroup);
		strbuf_add_str(&text, " (deleted)\n4:pids:/p\n");
		assert_int_equal(parse_bytes(text.data, text.len), OUTCOME_malformed);
		assert_false(sample.has_cgroup);
	}
}

static void test_cgroup_lines(void **state)
{
	static const char text[] = "12:schedtune:/not known\n"
	                           "11:freezer:/no values\n"
	                           "0:name:/neither\n"
	                           "nonsense\n"
	                           "9:cpu,cpuacct:/both\n"
	                           "8:pids:/a:b\n"
	                           "3:name=systemd:/s\n"
	                           "0::/\n";
	struct span rest = {text, strlen(text)};
	struct cgroup_v1_controllers controllers;
	struct cgroup_line line;
	uint32_t both, pids, freezer;

	(void)state;
	cgroup_v1_controllers_init(&controllers);
	assert_int_equal(controllers.with_values, 0x1f);
	assert_true(controllers.count > 5);
	assert_string_equal(controllers.names[0], "cpuacct");
	freezer = cgroup_v1_controllers_find(&controllers, (struct span){"freezer", 7});
	assert_int_equal(__builtin_popcount(freezer), 1);
	assert_int_equal(freezer & controllers.with_values, 0);
	both = cgroup_v1_controllers_find(&controllers, (struct span){"cpuacct,x,cpu", 13});
	pids = cgroup_v1_controllers_find(&controllers, (struct span){"pids,", 5});
	assert_int_equal(__builtin_popcount(both), 2);
	assert_int_equal(cgroup_v1_controllers_find(&controllers, (struct span){",", 1}), 0);

	assert_true(cgroup_next_line(&controllers, &rest, &line));
	assert_true(!line.is_v2 && !line.is_systemd && line.controllers == 0);
	assert_true(span_is(line.list, "schedtune"));
	assert_true(cgroup_next_line(&controllers, &rest, &line));
	assert_int_equal(line.controllers, freezer);
	assert_true(cgroup_next_line(&controllers, &rest, &line));
	assert_int_equal(line.controllers, both);
	assert_int_equal(line.controllers & controllers.with_values, both);
	assert_true(span_is(line.list, "cpu,cpuacct"));
	assert_true(span_is(line.path, "/both"));
	assert_true(cgroup_next_line(&controllers, &rest, &line));
	assert_int_equal(line.controllers, pids);
	assert_true(span_is(line.path, "/a:b"));
	assert_true(cgroup_next_line(&controllers, &rest, &line));
	assert_true(line.is_systemd && !line.is_v2 &&
	            !(line.controllers & controllers.with_values));
	assert_true(cgroup_next_line(&controllers, &rest, &line));
	assert_true(line.is_v2 && !line.is_systemd && line.controllers == 0);
	assert_true(span_is(line.path, "/"));
	assert_false(cgroup_next_line(&controllers, &rest, &line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_cgroup_paths),
	        cmocka_unit_test(test_cgroup_among_version_1),
	        cmocka_unit_test(test_cgroup_version_1_only),
	        cmocka_unit_test(test_cgroup_lines_of_version_1),
	        cmocka_unit_test(test_cgroup_none),
	        cmocka_unit_test(test_cgroup_malformed),
	        cmocka_unit_test(test_cgroup_cut),
	        cmocka_unit_test(test_cgroup_lines),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
