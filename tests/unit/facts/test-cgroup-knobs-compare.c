// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "facts/cgroup-knobs.h"

static struct settings sides[2];

static int end(void **state)
{
	(void)state;
	for (unsigned side = 0; side < 2; side++)
		settings_done(&sides[side]);
	return 0;
}

static void add(unsigned side, const char *path, const char *text)
{
	settings_add(&sides[side], path, strlen(path), text, strlen(text));
	settings_sort(&sides[side]);
}

/* A knob is a change of the cgroup that it is set on, and not of those below that only follow. */
static void test_changes(void **state)
{
	struct knob_changes changes = {0};

	(void)state;
	add(0, "/a", "cpu.max=max/100000 cpu.weight=100 cpuset.cpus.effective=0-1");
	add(1, "/a", "cpu.max=max/100000 cpu.weight=300 cpuset.cpus.effective=0");
	add(0, "/a/b", "cpuset.cpus.effective=0-1 memory.max=max");
	add(1, "/a/b", "cpuset.cpus.effective=0 memory.max=4096");
	add(0, "/gone", "cpu.weight=100");
	add(1, "/new", "cpu.weight=200");
	add(0, "v1:/x", "cpu.shares=1024");
	add(1, "v1:/x", "cpu.shares=2");
	cgroup_knobs_compare(&sides[0], &sides[1], &changes);
	assert_int_equal(changes.count, 4);
	assert_string_equal(changes.entries[0].name, "/a: cpu.weight");
	assert_string_equal(changes.entries[0].texts[0], "100");
	assert_string_equal(changes.entries[0].texts[1], "300");
	assert_string_equal(changes.entries[1].name, "/a: cpuset.cpus.effective");
	assert_string_equal(changes.entries[2].name, "/a/b: memory.max");
	assert_string_equal(changes.entries[2].texts[0], "max");
	assert_string_equal(changes.entries[3].name, "v1:/x: cpu.shares");
	knob_changes_done(&changes);
}

static void test_nothing_read(void **state)
{
	struct knob_changes changes = {0};

	(void)state;
	add(0, "/a", "cpu.weight=100");
	cgroup_knobs_compare(&sides[0], NULL, &changes);
	assert_int_equal(changes.count, 0);
	cgroup_knobs_compare(NULL, &sides[0], &changes);
	assert_int_equal(changes.count, 0);
	knob_changes_done(&changes);
}

/* In version 2 a cgroup without the controller shares the CPUs as part of the one above. */
static void test_share_cpu(void **state)
{
	(void)state;
	add(0, "/", "memory.max=max");
	add(0, "/a", "cpu.weight=100 memory.max=max");
	add(0, "/b", "cpu.weight.nice=0 memory.max=max");
	assert_true(cgroup_knobs_share_cpu(&sides[0], "/a"));
	assert_true(cgroup_knobs_share_cpu(&sides[0], "/a/below/it"));
	assert_false(cgroup_knobs_share_cpu(&sides[0], "/ab"));
	assert_false(cgroup_knobs_share_cpu(&sides[0], "/b"));
	assert_false(cgroup_knobs_share_cpu(&sides[0], "/"));
	assert_false(cgroup_knobs_share_cpu(&sides[0], "(no cgroup)"));
	assert_true(cgroup_knobs_share_cpu(&sides[0], "v1:/a"));
	assert_false(cgroup_knobs_share_cpu(&sides[0], "v1:/"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_teardown(test_changes, end),
	        cmocka_unit_test_teardown(test_nothing_read, end),
	        cmocka_unit_test_teardown(test_share_cpu, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
