/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* markup - texts in HTML and SVG. */
#include <stddef.h>

#include "ctprof/base/strbuf.h"

/* Appends a text that is safe to print (see text_add_escaped()), so that no character of it is markup: in the content of an
 * element, and in an attribute's value between quotes of either kind. */
void markup_add(struct strbuf *out, const char *text, size_t len);
void markup_add_str(struct strbuf *out, const char *text);

/* Appends a text for the content of a script element: JSON in which no character can end the element or begin a comment. */
void markup_add_json(struct strbuf *out, const char *json, size_t len);
