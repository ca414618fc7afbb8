// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <string.h>

#include "where/selection.h"

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
	info.window.numbers[WINDOW_unaccounted_clock_ticks] = 7;
	info.window.seen[WINDOW_length_ns] = true;
	selection_note(&selection, &info);
	assert_string_equal(host_text(&info.host, HOST_selection),
	                    "pid 4,5 and comm ng*,php and cgroup /web");
	assert_false(info.window.seen[WINDOW_threads_missed]);
	assert_false(info.window.seen[WINDOW_threads_lost]);
	assert_false(info.window.seen[WINDOW_unaccounted_clock_ticks]);
	assert_true(info.window.has_unchosen);
	assert_int_equal(info.window.unchosen_clock_ticks, 7);
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

/* The ids that all choices of a snapshot have; of a choice by name or by cgroup nobody knows whom it has left out. */
static void test_noted_ids(void **state)
{
	static const struct {
		const char *text;
		uint32_t ids[2];
		size_t count; /* SIZE_MAX: it is not of ids alone */
	} cases[] = {
	        {"pid 4,5", {4, 5}, 2},
	        {"pid 4,5,7 and pid 5", {5}, 1},
	        {"pid 4 and pid 5", {0}, 0},
	        {"pid 4,5 and comm ng*", {0}, SIZE_MAX},
	        {"comm x and pid 4", {0}, SIZE_MAX},
	        {"cgroup /a", {0}, SIZE_MAX},
	        {"pid 4,x", {0}, SIZE_MAX},
	        {"pid ", {0}, SIZE_MAX},
	        {"pid 4 and ", {0}, SIZE_MAX},
	        {"pid 4 or pid 5", {0}, SIZE_MAX},
	};
	cleanup_(id_list_done) struct id_list nothing = {0};
	struct snapshot_info all = {0};

	(void)state;
	assert_false(selection_noted_ids(&all.host, &nothing));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(id_list_done) struct id_list ids = {0};
		struct snapshot_info info = {0};

		host_set_text(&info.host, HOST_selection, cases[i].text, strlen(cases[i].text));
		assert_int_equal(selection_noted_ids(&info.host, &ids), cases[i].count != SIZE_MAX);
		if (cases[i].count != SIZE_MAX)
			assert_int_equal(ids.count, cases[i].count);
		for (size_t k = 0; cases[i].count != SIZE_MAX && k < ids.count; k++)
			assert_int_equal(ids.ids[k], cases[i].ids[k]);
		snapshot_info_done(&info);
	}
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
	        cmocka_unit_test(test_noted_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
