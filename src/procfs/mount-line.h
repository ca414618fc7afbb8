/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* mount-line - a line of /proc/<pid>/mountinfo, see proc(5). */
#include <stdbool.h>
#include <stdint.h>

#include "base/regular-file.h"
#include "base/scan.h"

struct mount_device {
	uint32_t major, minor;
};

struct mount_line {
	uint64_t id; /* no two mounts that exist have the same */
	struct mount_device device;
	enum file_system_kind kind;
	/* Parts of the line, with the kernel's escapes. */
	struct span point;
	struct span options; /* of the file system */
};

/* Returns false for a malformed line. */
must_check_ bool mount_line_parse(struct span line, struct mount_line *ret_line);

/* Parses "MAJOR:MINOR", both with this base: 10 in mountinfo, 16 in maps. */
must_check_ bool mount_device_parse(struct span text, int base, struct mount_device *ret_device);
