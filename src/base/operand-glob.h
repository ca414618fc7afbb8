/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* operand-glob - the files that a pattern of the user's names, such as "b/unit-*.zst". Directories are opened as in operand-open.h. */
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

struct operand_names {
	char **names; /* owned, and each of them */
	size_t count, capacity;
};

/* For cleanup_(operand_names_done). */
void operand_names_done(struct operand_names *names);

/* Finds the paths that are there and fit @pattern, in the order of their bytes. Wildcards are those of glob.h and stay within one part of
 * the path; a name with a dot in front fits a part that has one, too. Returns 0, also if there is none; or -errno of a directory that
 * cannot be read, with a phrase. */
must_check_ int operand_glob(const char *pattern, struct operand_names *ret, struct strbuf *reterr);
