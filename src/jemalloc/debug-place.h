/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* debug-place - the places of files with debugging information. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* The file that is wanted: by its build id, or by the name in .gnu_debuglink. All is borrowed. */
struct debug_wanted {
	const uint8_t *build_id;
	size_t build_id_len;
	const char *directory; /* of the other file, for places by name; NULL: not known */
	const char *link;      /* without any '/'; may be empty */
};

/* The first place is that of the build id, the others are those of the name. */
enum { DEBUG_PLACE_OF_BUILD_ID, DEBUG_PLACES = 4 };

/* Stores the path of one of the places, from the first on, which is the best one. Returns false if it does not depend on what is
 * known. */
must_check_ bool debug_place_path(const struct debug_wanted *wanted, unsigned place,
                                  struct strbuf *path);
