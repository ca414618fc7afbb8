/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* python-json - JSON as Python's json module writes and reads it: NaN, Infinity and -Infinity may stand for a number. They are
 * null here, and so is no number. */
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

struct json_t;

/* Returns the value, which the caller owns (json_decref(), or cleanup_(python_json_freep)), or NULL with a phrase in @reterr
 * that has nothing of the text in it. An integer beyond 64 bits becomes a real number. */
must_check_ struct json_t *python_json_parse(const char *text, size_t len, struct strbuf *reterr);

void python_json_freep(struct json_t **json);
