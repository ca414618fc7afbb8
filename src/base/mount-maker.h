/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* mount-maker - the user who made the file system that a file is on, as far as the mount shows it. Tools of root's mount file systems for users: then
 * its users and permissions are what the user has written into it. */
#include "ctprof/base/macro.h"

enum mount_maker {
	MOUNT_BY_SYSTEM, /* nothing is known that speaks against it */
	MOUNT_BY_USER, /* mounted for a user; or an image of which the kernel has the file and this process cannot find it */
	MOUNT_OF_IMAGE, /* whoever may write the file of the image */
};

/* Returns who has made the file system of the open file, or O_PATH descriptor, @fd. The tools that mount for users (udisks2, and
 * mount(8) by the option user of fstab) forbid set-id programs and devices there, so of others nothing is asked. libmount notes in
 * /run/mount/utab for whom it has mounted: with the options uhelper= and user=. For MOUNT_OF_IMAGE, *@ret_image_fd is an O_PATH
 * descriptor of the file behind the loop device, which the caller closes. */
enum mount_maker mount_maker_of(int fd, int *ret_image_fd);
