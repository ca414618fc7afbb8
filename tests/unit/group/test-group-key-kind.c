// SPDX-License-Identifier: GPL-2.0-or-later
/* The kinds of keys: those of processes, those of threads, and cgroups, which are neither. */
#include "check.h"
#include "group/group-by.h"

/* No key is of both kinds. Cgroups are of neither: threads of a process may be in several. */
static void test_kinds(void **state)
{
	(void)state;
	for (unsigned i = 0; i < GROUP_KEY_COUNT; i++)
		assert_false(group_key_is_of_process((enum group_key)i) &&
		             group_key_is_of_thread((enum group_key)i));
	assert_true(group_key_is_of_process(GROUP_KEY_pid));
	assert_true(group_key_is_of_thread(GROUP_KEY_comm));
	assert_true(group_key_is_of_thread(GROUP_KEY_wchan));
	assert_false(group_key_is_of_process(GROUP_KEY_cgroup));
	assert_false(group_key_is_of_thread(GROUP_KEY_cgroup));
	assert_false(group_key_is_of_thread(GROUP_KEY_cgroup_v1_other));
}

static void test_thread_keys(void **state)
{
	static const struct {
		struct group_by by;
		bool has, alone;
	} cases[] = {
	        {{.count = 1, .keys = {GROUP_KEY_comm}}, true, true},
	        {{.count = 1, .keys = {GROUP_KEY_pcomm}}, false, false},
	        {{.count = 2, .keys = {GROUP_KEY_cgroup, GROUP_KEY_state}}, true, false},
	        {{.count = 2, .keys = {GROUP_KEY_state, GROUP_KEY_cgroup}}, true, false},
	        {{.count = 2, .keys = {GROUP_KEY_thread, GROUP_KEY_wchan}}, true, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(group_by_has_thread_key(&cases[i].by), cases[i].has);
		assert_int_equal(group_by_has_thread_keys_alone(&cases[i].by), cases[i].alone);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_kinds),
	        cmocka_unit_test(test_thread_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
