/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-json - JSON in the form that con-duct writes, since scripts search its files for '"exit_code": 0': blanks behind commas
 * and colons, ASCII only, and a fraction in each real number. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/strbuf.h"

struct duct_json {
	struct strbuf *out; /* borrowed */
	bool need_comma;
};

void duct_json_open(struct duct_json *json, char bracket);  /* '{' or '[' */
void duct_json_close(struct duct_json *json, char bracket); /* '}' or ']' */

/* The key of the next value; any bytes, as in texts. */
void duct_json_key(struct duct_json *json, const char *name);

/* Each byte that is not of well-formed UTF-8 becomes U+FFFD. */
void duct_json_text(struct duct_json *json, const char *text);

void duct_json_int(struct duct_json *json, int64_t value);
void duct_json_real(struct duct_json *json, double value);
void duct_json_null(struct duct_json *json);

/* A value that is JSON already. */
void duct_json_raw(struct duct_json *json, const char *value);
