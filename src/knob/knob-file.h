/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* knob-file - files that are settings: finding them, reading and writing them. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

enum { KNOB_FILE_BYTES = 1 << 16 };

/* The store behind a file. */
enum knob_store {
	KNOB_STORE_KERNEL, /* none: a file of proc, sysfs, debugfs, a cgroup */
	KNOB_STORE_MEMORY, /* bytes that a boot loses */
	KNOB_STORE_DISK,   /* bytes that outlive a boot */
	KNOB_STORE_COUNT,
};

/* Finds the regular file at @path, follows its links, and appends its place, which has none. Another user must not be able to
 * decide which file that is: neither by a link on the way (base/output-place.h), nor by a right to the file or to a directory that it lies in
 * (base/trust.h). Files of the kernel itself may belong to others. Returns 0 or -errno: -EMEDIUMTYPE if it is no regular file, and
 * -EPERM with a phrase if others decide. */
must_check_ int knob_file_find(const char *path, struct strbuf *ret_place, enum knob_store *ret,
                               struct strbuf *reterr);

/* Reads the file at a place of knob_file_find(). No link is followed. Returns 0 or -errno. */
must_check_ int knob_file_read(const char *place, struct strbuf *out);

/* Writes it, in one piece; a file that is not the kernel's has just these bytes afterwards, also on its disk. Returns 0 or -errno. */
must_check_ int knob_file_write(const char *place, const void *bytes, size_t len);
