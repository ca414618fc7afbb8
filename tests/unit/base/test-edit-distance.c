// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "base/edit-distance.h"

static size_t distance(const char *a, const char *b)
{
	return edit_distance(a, strlen(a), b, strlen(b));
}

static void test_distances(void **state)
{
	static const struct {
		const char *a, *b;
		size_t expected;
	} cases[] = {
	        {"", "", 0},
	        {"", "abc", 3},
	        {"same", "same", 0},
	        {"sam", "same", 1},
	        {"same", "sme", 1},
	        {"same", "some", 1},
	        {"smae", "same", 1},
	        {"detla", "delta", 1},
	        {"kitten", "sitting", 3},
	        {"abcdef", "", 6},
	        {"ab", "ba", 1},
	        {"Same", "same", 1},
	        {"run_tmie", "run_time", 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(distance(cases[i].a, cases[i].b), cases[i].expected);
		assert_int_equal(distance(cases[i].b, cases[i].a), cases[i].expected);
	}
}

static void test_long_words(void **state)
{
	char word[EDIT_DISTANCE_MAX + 2];

	(void)state;
	memset(word, 'a', sizeof(word));
	assert_int_equal(edit_distance(word, EDIT_DISTANCE_MAX, word, EDIT_DISTANCE_MAX), 0);
	assert_int_equal(edit_distance(word, EDIT_DISTANCE_MAX, "b", 1), EDIT_DISTANCE_MAX);
	assert_int_equal(edit_distance(word, EDIT_DISTANCE_MAX + 1, word, EDIT_DISTANCE_MAX + 1),
	                 EDIT_DISTANCE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_distances),
	        cmocka_unit_test(test_long_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
