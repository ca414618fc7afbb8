// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of mountinfo, whole and cut off anywhere. */
#include "check.h"

#include "base/mount-words.h"

static bool scan(const char *text, size_t len, struct mount_words *ret)
{
	return mount_words_scan((struct span){text, len}, ret);
}

static void words_of_a_line(void **state)
{
	static const char text[] =
	        "36 35 98:10 /a\\040b /mnt2 rw,noatime master:1 shared:2 - ext3 /dev/root rw,x";
	const size_t type_at = (size_t)(strstr(text, "ext3") - text);
	struct mount_words words;

	(void)state;
	assert_true(scan(text, strlen(text), &words));
	assert_int_equal(words.id, 36);
	assert_true(span_is(words.device, "98:10"));
	assert_true(span_is(words.root, "/a\\040b"));
	assert_true(span_is(words.point, "/mnt2"));
	assert_true(span_is(words.type, "ext3"));
	assert_true(span_is(words.source, "/dev/root"));
	assert_true(span_is(words.options, "rw,x"));
	words.id = 1;
	for (size_t len = 0; len <= type_at; len++)
		assert_false(scan(text, len, &words));
	assert_int_equal(words.id, 1);
	assert_true(scan(text, type_at + 4, &words));
	assert_int_equal(words.source.len, 0);
	assert_int_equal(words.options.len, 0);
	assert_false(scan("x 35 98:10 / / rw - ext3 x rw", 29, &words));
	assert_false(scan("36 35 98:10 / / rw ext3 x rw", 28, &words));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(words_of_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
