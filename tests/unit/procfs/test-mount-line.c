// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of mountinfo, whole and cut off anywhere, and device numbers of mountinfo and of maps. */
#include "check.h"

#include "procfs/mount-line.h"

static bool parse(const char *text, size_t len, struct mount_line *ret_line)
{
	return mount_line_parse((struct span){text, len}, ret_line);
}

static void lines(void **state)
{
	static const char text[] =
	        "36 35 98:10 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw";
	const size_t type_end = (size_t)(strstr(text, "ext3") - text) + 4;
	struct mount_line line;

	(void)state;
	assert_true(parse(text, strlen(text), &line));
	assert_int_equal(line.id, 36);
	assert_int_equal(line.device.major, 98);
	assert_int_equal(line.device.minor, 10);
	assert_int_equal(line.kind, FILE_SYSTEM_LOCAL);
	assert_true(span_is(line.point, "/mnt2"));
	assert_true(span_is(line.options, "rw"));
	for (size_t len = 0; len < type_end - 4; len++)
		assert_false(parse(text, len, &line));
	assert_true(parse(text, type_end - 1, &line));
	assert_int_equal(line.kind, FILE_SYSTEM_REMOTE);
	assert_int_equal(line.options.len, 0);
	assert_false(parse("x 35 98:10 / / rw - ext3 x rw", 29, &line));
	assert_false(parse("36 35 98 / / rw - ext3 x rw", 27, &line));
	assert_false(parse("36 35 - ext3 x rw", 17, &line));
}

static void devices(void **state)
{
	static const char *const malformed[] = {"", ":", "8:", ":1", "8", "8:1x", "x:1"};
	struct mount_device device;

	(void)state;
	assert_true(mount_device_parse((struct span){"fe:1a", 5}, 16, &device));
	assert_int_equal(device.major, 0xfe);
	assert_int_equal(device.minor, 0x1a);
	assert_false(mount_device_parse((struct span){"fe:1a", 5}, 10, &device));
	for (size_t i = 0; i < ARRAY_SIZE(malformed); i++)
		assert_false(mount_device_parse((struct span){malformed[i], strlen(malformed[i])},
		                                10, &device));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(lines),
	        cmocka_unit_test(devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
