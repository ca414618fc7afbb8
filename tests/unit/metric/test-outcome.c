// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>

#include "base/error.h"
#include "ctprof/base/macro.h"
#include "metric/outcome.h"

static void test_error_own(void **state)
{
	static const int own[] = {-EMFILE, -ENFILE, -ENOMEM};
	static const int others[] = {0, 1, EMFILE, -ENOENT, -EACCES, -ENOSPC, -EAGAIN};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		assert_true(error_is_own(own[i]));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(error_is_own(others[i]));
}

static void test_error_denied(void **state)
{
	(void)state;
	assert_true(error_is_denied(-EACCES));
	assert_true(error_is_denied(-EPERM));
	assert_false(error_is_denied(0));
	assert_false(error_is_denied(EPERM));
	assert_false(error_is_denied(-ENOENT));
}

/* Indexed by policy, in the order of enum error_policy. */
static void test_outcome_of_error(void **state)
{
	static const struct {
		int r;
		enum source_outcome outcomes[3];
	} cases[] = {
	        {0, {OUTCOME_read, OUTCOME_read, OUTCOME_read}},
	        {-EACCES, {OUTCOME_denied, OUTCOME_denied, OUTCOME_denied}},
	        {-EPERM, {OUTCOME_denied, OUTCOME_denied, OUTCOME_denied}},
	        {-ESRCH, {OUTCOME_gone, OUTCOME_gone, OUTCOME_off}},
	        {-ENOENT, {OUTCOME_gone, OUTCOME_off, OUTCOME_off}},
	        {-ENOSYS, {OUTCOME_off, OUTCOME_off, OUTCOME_off}},
	        {-EOPNOTSUPP, {OUTCOME_off, OUTCOME_off, OUTCOME_off}},
	        {-EAFNOSUPPORT, {OUTCOME_off, OUTCOME_off, OUTCOME_off}},
	        {-EPROTONOSUPPORT, {OUTCOME_off, OUTCOME_off, OUTCOME_off}},
	        {-EMFILE, {OUTCOME_malformed, OUTCOME_malformed, OUTCOME_off}},
	        {-EFBIG, {OUTCOME_malformed, OUTCOME_malformed, OUTCOME_off}},
	        {-EIO, {OUTCOME_malformed, OUTCOME_malformed, OUTCOME_off}},
	        {-ETIME, {OUTCOME_malformed, OUTCOME_malformed, OUTCOME_off}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (unsigned policy = 0; policy < 3; policy++)
			assert_int_equal(outcome_of_error((enum error_policy)policy, cases[i].r),
			                 cases[i].outcomes[policy]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_error_own),
	        cmocka_unit_test(test_error_denied),
	        cmocka_unit_test(test_outcome_of_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
