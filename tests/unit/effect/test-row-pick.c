// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>

#include "effect/row-pick.h"

static bool matches(const char *text, const char *metric, enum group_key key, const char *group)
{
	cleanup_(row_pick_done) struct row_pick pick = {0};
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;
	struct group_by by = group_by_key(key, false);

	assert_int_equal(row_pick_parse(&pick, text, &error), 0);
	return row_pick_matches(&pick, metric, group ? &by : NULL, group);
}

static void test_matches(void **state)
{
	(void)state;
	assert_true(matches("wait_time_ns@pcomm:nginx", "wait_time_ns", GROUP_KEY_pcomm, "nginx"));
	assert_false(matches("wait_time_ns@pcomm:nginx", "wait_time_ns", GROUP_KEY_pcomm, "ngin"));
	assert_false(matches("wait_time_ns@pcomm:nginx", "wait_time_ns", GROUP_KEY_comm, "nginx"));
	assert_false(matches("wait_time_ns@pcomm:nginx", "wait_sum", GROUP_KEY_pcomm, "nginx"));
	assert_true(matches("wait_*@pcomm:ng*", "wait_sum", GROUP_KEY_pcomm, "nginx"));
	/* Names of groups and of keys have colons. */
	assert_true(matches("a@cgroup:/x:y", "a", GROUP_KEY_cgroup, "/x:y"));
	assert_true(matches("a@cgroup:pod:web", "a", GROUP_KEY_cgroup_pod, "web"));
	assert_false(matches("a@cgroup:pod:web", "a", GROUP_KEY_cgroup, "pod:web"));
	/* A name that is no good glob of itself. */
	assert_true(matches("a@pcomm:kworker/{N}:{N}", "a", GROUP_KEY_pcomm, "kworker/{N}:{N}"));
	assert_true(matches("work", "work", GROUP_KEY_pcomm, NULL));
	assert_false(matches("work@pcomm:*", "work", GROUP_KEY_pcomm, NULL));
	assert_true(matches("run_time_ns", "run_time_ns", GROUP_KEY_comm, "any"));
	assert_false(matches("cpu_*@host", "cpu_efficiency", GROUP_KEY_pcomm, "host"));
	assert_false(matches("work@host", "work", GROUP_KEY_pcomm, NULL));
}

static void test_host(void **state)
{
	static const struct group_by host = {.count = 0};
	cleanup_(row_pick_done) struct row_pick pick = {0}, other = {0};
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;

	(void)state;
	assert_int_equal(row_pick_parse(&pick, "cpu_*@host", &error), 0);
	assert_true(row_pick_matches(&pick, "cpu_some_total", &host, NULL));
	assert_false(row_pick_matches(&pick, "io_some_total", &host, NULL));
	assert_int_equal(row_pick_parse(&other, "cpu_*@cgroup:*", &error), 0);
	assert_false(row_pick_matches(&other, "cpu_some_total", &host, NULL));
}

static void check_refused(const char *text, const char *part)
{
	struct row_pick pick = {0};
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;

	assert_int_equal(row_pick_parse(&pick, text, &error), -EINVAL);
	assert_contains(strbuf_str(&error), part);
	assert_null(pick.metric);
}

static void test_refused(void **state)
{
	(void)state;
	check_refused("", "names no metric");
	check_refused("@pcomm:a", "names no metric");
	check_refused("a@b", "names no key of groups");
	check_refused("a@hosts", "names no key of groups");
	check_refused("a@pcom:b", "names no key of groups");
	check_refused("a[@pcomm:b", "rows 'a[@pcomm:b': ");
	check_refused("a@pcomm:[", "rows 'a@pcomm:[': ");
	check_refused("\x1b@", "'\\x1b@' names no key");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_matches),
	        cmocka_unit_test(test_host),
	        cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
