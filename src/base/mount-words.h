/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* mount-words - the words of a line of /proc/<pid>/mountinfo, see proc(5). */
#include <stdbool.h>
#include <stdint.h>

#include "base/scan.h"

/* Parts of the line, with the kernel's escapes. */
struct mount_words {
	uint64_t id;        /* no two mounts that exist have the same */
	struct span device; /* MAJOR:MINOR */
	struct span root;   /* the mounted part of the file system */
	struct span point, type;
	struct span source, options; /* of the file system; empty if the line ends before */
};

/* Returns false for a line that ends before the type, or has no id. */
must_check_ bool mount_words_scan(struct span line, struct mount_words *ret);
