/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* glob - patterns for paths and names: * ? [abc] [!a-z] [[:digit:]], and a backslash that makes the next character
 * literal. Bytes are compared, case counts, and a leading dot is nothing special. The matchers accept any pattern; the
 * result for one that glob_check() refuses is undefined, but safe. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Returns whether @pattern can be used; if not, appends a phrase with the reason to @reterr. */
must_check_ bool glob_check(const char *pattern, struct strbuf *reterr);

/* Returns whether the whole path fits. Slashes separate segments; empty segments do not count, so a slash at the end
 * changes nothing. The wildcards stay within one segment, and a segment "**" stands for any number of segments, also
 * none: /a with "**" behind it matches /a, /a/x and /a/x/y. A pattern and a path must both begin with a slash, or
 * neither; a pattern that begins with "**" matches at any depth of both. Only "*" and "**" match a segment that holds a
 * NUL. The number of comparisons is at most the product of the numbers of segments. */
bool glob_match_path(const char *pattern, const char *path, size_t path_len);

/* Returns whether the whole name fits; the wildcards match slashes too. Only "*" matches a name that holds a NUL. */
bool glob_match_name(const char *pattern, const char *name, size_t len);
