// SPDX-License-Identifier: GPL-2.0-or-later
/* Overlays whose layers are on local file systems, on others, and at places that nobody knows. */
#include "check.h"

#include "procfs/mount-layers.h"

#define MOUNTS                                                                         \
	"27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"                              \
	"28 27 0:77 / /fuse rw - fuse.sshfs x rw\n"                                    \
	"29 27 0:78 / /twice rw - fuse x rw\n"                                         \
	"30 27 0:79 / /twice rw shared:1 - tmpfs x rw\n"                               \
	"31 27 0:80 / /good rw - overlay o rw,lowerdir=/a:/b,upperdir=/c,workdir=/d\n" \
	"32 27 0:81 / /bad rw - overlay o rw,lowerdir=/a:/fuse/b\n"                    \
	"33 27 0:82 / /deep rw - overlay o rw,lowerdir=/good/x\n"

static bool are_local(const char *text)
{
	struct mount_layers layers;
	struct span line = {strrchr(text, '\n') + 1, strlen(strrchr(text, '\n') + 1)};
	struct mount_line overlay;
	bool answer;

	mount_layers_init(&layers, text, strlen(text));
	assert_true(mount_line_parse(line, &overlay));
	answer = mount_layers_are_local(&layers, &overlay);
	mount_layers_done(&layers);
	return answer;
}

#define OVERLAY(options_) MOUNTS "40 27 0:90 / /o rw - overlay o rw," options_

static void overlays(void **state)
{
	(void)state;
	assert_true(are_local(OVERLAY("lowerdir=/a:/b,upperdir=/c,workdir=/d,xino=off")));
	assert_true(are_local(OVERLAY("lowerdir+=/a,lowerdir+=/b,datadir+=/c")));
	assert_true(are_local(OVERLAY("lowerdir=/a::/b")));
	assert_true(are_local(OVERLAY("lowerdir=/fused:/fus:/twice/a")));
	assert_true(are_local(OVERLAY("lowerdir=/good:/good/b")));
	assert_false(are_local(OVERLAY("lowerdir=/a:/fuse")));
	assert_false(are_local(OVERLAY("lowerdir=/fuse/a/b:/a")));
	assert_false(are_local(OVERLAY("lowerdir=/a,upperdir=/fuse/a")));
	assert_false(are_local(OVERLAY("lowerdir+=/a,lowerdir+=/fuse/b")));
	assert_false(are_local(OVERLAY("lowerdir=/a::/fuse/b")));
	assert_false(are_local(OVERLAY("lowerdir+=/a,datadir+=/fuse/b")));
	assert_false(are_local(OVERLAY("lowerdir=/bad/a")));
	assert_false(are_local(OVERLAY("lowerdir=/deep/a")));
	assert_true(are_local(OVERLAY("lowerdir=/a:/o")));
}

/* Paths from a directory that is not known, and no layers at all. */
static void unknown(void **state)
{
	(void)state;
	assert_false(are_local(OVERLAY("lowerdir=a:b")));
	assert_false(are_local(OVERLAY("lowerdir=/a/../fuse")));
	assert_false(are_local(OVERLAY("lowerdir=/./fuse")));
	assert_false(are_local(OVERLAY("lowerdir=//fuse")));
	assert_false(are_local(OVERLAY("lowerdir=/a\\134:b")));
	assert_false(are_local(OVERLAY("xino=off")));
	assert_false(are_local("\n40 27 0:90 / /o rw - overlay o rw,lowerdir=/a"));
	assert_false(are_local("\n40 27 0:90 / /o rw - overlay o"));
	assert_true(are_local("\n40 27 0:90 / / rw - overlay o rw,lowerdir=/far/away"));
	assert_true(are_local("40 27 0:90 / / rw - overlay o rw,lowerdir=/far/away\n"
	                      "41 40 0:91 / /o rw - overlay o rw,lowerdir=/a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(overlays),
	        cmocka_unit_test(unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
