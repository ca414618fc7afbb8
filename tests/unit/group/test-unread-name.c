// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "check.h"
#include "group/unread-name.h"

/* Each key with such a name has it for a thread of which nothing was read, and does not count one that ended. */
static void test_every_key(void **state)
{
	(void)state;
	for (unsigned i = 0; i < GROUP_KEY_COUNT; i++) {
		enum group_key key = (enum group_key)i;
		struct group_by by = group_by_key(key, false);
		struct thread_sample sample = {0};
		struct key_names names = {0};
		uint32_t number;

		sample_reset(&sample);
		assert_int_equal(unread_name_has(key, &sample), unread_name(key) != NULL);
		number = key_names_of_thread(&names, &by, 0, &sample, NULL);
		if (unread_name(key))
			assert_string_equal(names.map.entries[number].key, unread_name(key));
		for (unsigned s = 0; s < SOURCE_COUNT; s++)
			sample.outcomes[s] = OUTCOME_gone;
		assert_false(unread_name_has(key, &sample));
		sample.has_exe = sample.has_cwd = sample.has_title = true;
		sample.has_wchan = sample.has_syscall = true;
		for (unsigned s = 0; s < SOURCE_COUNT; s++)
			sample.outcomes[s] = OUTCOME_denied;
		assert_false(unread_name_has(key, &sample));
		key_names_done(&names);
		sample_done(&sample);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_every_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
