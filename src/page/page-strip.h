/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* page-strip - the values of one row in all units, in the order of time: drift, and what one arm leaves to the next, are seen there. */
#include "ctprof/base/strbuf.h"
#include "effect/effect.h"

enum { STRIP_HEIGHT = 54 };

/* Appends the content of an SVG element, whose width is that of the strip: bands of blocks, and a sign for each unit. */
void strip_add(const struct trial *trial, const struct effect *effect, struct strbuf *out);
/* Appends the sign of an arm at a place: 0 a circle, 1 a square, further ones the same hollow, in other colours. */
void strip_add_sign(unsigned arm, const char *x, double y, struct strbuf *out);

/* Appends the lowest or highest value. */
void strip_add_end(const struct trial *trial, const struct effect *effect, bool highest,
                   struct strbuf *out);
