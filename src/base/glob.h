/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* glob - patterns for paths and names: * ? [abc] [!a-z] [[:digit:]], and a backslash that takes the next character to
 * the letter. Bytes are compared, case counts, and a leading dot is nothing special. The matchers take any pattern;
 * one that glob_check() refuses matches what it happens to match. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Returns whether @pattern can be used; if not, appends one phrase that says why to @reterr. */
must_check_ bool glob_check(const char *pattern, struct strbuf *reterr);

/* Returns whether the whole path fits. Segments are what stands between slashes; empty ones do not count, so that a
 * slash at the end changes nothing. The wildcards stay within one segment, and a segment "**" stands for any number of
 * segments, also none: /a with "**" behind it matches /a, /a/x and /a/x/y. A pattern and a path either both begin with
 * a slash or both do not; a pattern that begins with "**" matches at any depth of both. A segment that holds a NUL is
 * matched only by "*" and "**". At most as many pairs of segments are compared as there are. */
bool glob_match_path(const char *pattern, const char *path, size_t path_len);

/* Returns whether the whole name fits; the wildcards match slashes too. A name that holds a NUL is matched only by
 * "*". */
bool glob_match_name(const char *pattern, const char *name, size_t len);
