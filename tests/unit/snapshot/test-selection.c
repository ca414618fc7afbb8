// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <string.h>

#include "snapshot/selection.h"

static struct selection selection;
static struct strbuf error;

static int teardown(void **state)
{
	(void)state;
	selection_done(&selection);
	strbuf_done(&error);
	return 0;
}

static void check_refused(int result, const char *sentence)
{
	assert_int_equal(result, -EINVAL);
	assert_string_equal(strbuf_str(&error), sentence);
	strbuf_clear(&error);
}

/* Returns whether a thread of such a process is selected. */
static bool has(uint32_t tgid, const char *pcomm, const char *cgroup)
{
	struct thread_sample sample = {.tid = tgid + 1, .tgid = tgid};
	bool result;

	strbuf_add_str(&sample.pcomm, pcomm);
	sample.has_cgroup = cgroup != NULL;
	if (cgroup)
		strbuf_add_str(&sample.cgroup, cgroup);
	result = selection_has(&selection, &sample);
	sample_done(&sample);
	return result;
}

static void test_nothing_given_selects_all(void **state)
{
	struct snapshot_info info = {0};

	(void)state;
	assert_true(selection_is_all(&selection));
	assert_true(has(1, "init", NULL));
	assert_true(has(7, "", "/a"));
	selection_note(&selection, &info);
	assert_null(host_text(&info.host, HOST_selection));
}

static void test_ids(void **state)
{
	(void)state;
	assert_int_equal(selection_add_ids(&selection, "30,4,2147483647", &error), 0);
	assert_int_equal(selection_add_ids(&selection, "5,4", &error), 0);
	assert_int_equal(selection.id_count, 4);
	assert_true(has(4, "a", NULL));
	assert_true(has(5, "a", NULL));
	assert_true(has(30, "a", NULL));
	assert_true(has(INT32_MAX, "a", NULL));
	assert_false(has(3, "a", NULL));
	assert_false(has(31, "a", NULL));
	selection_add_text(&selection, &error);
	assert_string_equal(strbuf_str(&error), "pid 4,5,30,2147483647");
}

static void test_bad_values(void **state)
{
	(void)state;
	check_refused(selection_add_ids(&selection, "", &error), "'' is no process id");
	check_refused(selection_add_ids(&selection, "1,", &error), "'' is no process id");
	check_refused(selection_add_ids(&selection, "0", &error), "'0' is no process id");
	check_refused(selection_add_ids(&selection, "-1", &error), "'-1' is no process id");
	check_refused(selection_add_ids(&selection, "2147483648", &error),
	              "'2147483648' is no process id");
	check_refused(selection_add_comm(&selection, "[a", &error), "'[' without ']'");
	check_refused(selection_add_cgroup(&selection, "system.slice", &error),
	              "'system.slice' is no path of a cgroup: it begins with /, as in --group-by "
	              "cgroup");
}

static void test_cgroups(void **state)
{
	(void)state;
	assert_int_equal(selection_add_cgroup(&selection, "/a/b/", &error), 0);
	assert_int_equal(selection_add_cgroup(&selection, "/c", &error), 0);
	assert_true(has(1, "x", "/a/b"));
	assert_true(has(1, "x", "/a/b/c"));
	assert_true(has(1, "x", "/c"));
	assert_false(has(1, "x", "/a"));
	assert_false(has(1, "x", "/a/bc"));
	assert_false(has(1, "x", "/cc"));
	assert_false(has(1, "x", NULL));
}

static void test_the_root_has_every_cgroup(void **state)
{
	(void)state;
	assert_int_equal(selection_add_cgroup(&selection, "/", &error), 0);
	assert_true(has(1, "x", "/"));
	assert_true(has(1, "x", "/a"));
	assert_false(has(1, "x", NULL));
}

/* One value of each kind must fit. */
static void test_kinds_together(void **state)
{
	struct snapshot_info info = {0};

	(void)state;
	assert_int_equal(selection_add_ids(&selection, "4,5", &error), 0);
	assert_int_equal(selection_add_comm(&selection, "ng*", &error), 0);
	assert_int_equal(selection_add_comm(&selection, "php", &error), 0);
	assert_int_equal(selection_add_cgroup(&selection, "/web", &error), 0);
	assert_true(has(4, "nginx", "/web/1"));
	assert_true(has(5, "php", "/web"));
	assert_false(has(6, "php", "/web"));
	assert_false(has(5, "php7", "/web"));
	assert_false(has(5, "php", "/"));

	/* A window of some threads does not know what the host's other threads did. */
	info.window.seen[WINDOW_threads_missed] = true;
	info.window.seen[WINDOW_threads_lost] = true;
	info.window.seen[WINDOW_unaccounted_clock_ticks] = true;
	info.window.seen[WINDOW_length_ns] = true;
	selection_note(&selection, &info);
	assert_string_equal(host_text(&info.host, HOST_selection),
	                    "pid 4,5 and comm ng*,php and cgroup /web");
	assert_false(info.window.seen[WINDOW_threads_missed]);
	assert_false(info.window.seen[WINDOW_threads_lost]);
	assert_false(info.window.seen[WINDOW_unaccounted_clock_ticks]);
	assert_true(info.window.seen[WINDOW_length_ns]);
	selection_note(&selection, &info);
	assert_string_equal(host_text(&info.host, HOST_selection),
	                    "pid 4,5 and comm ng*,php and cgroup /web and pid 4,5 and comm ng*,php "
	                    "and cgroup /web");
	snapshot_info_done(&info);
}

/* A choice that was made of both snapshots after they were read is not their own. */
static void test_apart(void **state)
{
	struct snapshot_info all = {0}, some = {0}, same = {0};
	cleanup_(selection_done) struct selection none = {0};

	(void)state;
	assert_int_equal(selection_add_ids(&selection, "4", &error), 0);
	selection_note(&selection, &some);
	selection_note(&selection, &same);
	assert_true(selection_is_apart(&none, &some.host, &all.host));
	assert_false(selection_is_apart(&none, &all.host, &some.host));
	assert_false(selection_is_apart(&none, &some.host, &same.host));
	selection_note(&selection, &all);
	assert_false(selection_is_apart(&selection, &all.host, &all.host));
	selection_note(&selection, &some);
	selection_note(&selection, &same);
	assert_true(selection_is_apart(&selection, &some.host, &all.host));
	assert_false(selection_is_apart(&selection, &all.host, &some.host));
	assert_false(selection_is_apart(&selection, &some.host, &same.host));
	snapshot_info_done(&all);
	snapshot_info_done(&some);
	snapshot_info_done(&same);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_teardown(test_nothing_given_selects_all, teardown),
	        cmocka_unit_test_teardown(test_ids, teardown),
	        cmocka_unit_test_teardown(test_bad_values, teardown),
	        cmocka_unit_test_teardown(test_cgroups, teardown),
	        cmocka_unit_test_teardown(test_the_root_has_every_cgroup, teardown),
	        cmocka_unit_test_teardown(test_kinds_together, teardown),
	        cmocka_unit_test_teardown(test_apart, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
