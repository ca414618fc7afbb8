/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-dotenv - the files .env of con-duct, with the syntax of python-dotenv: KEY=value, "quoted" with the escapes of C, 'quoted',
 * over several lines in quotes, export in front, # comments, and ${NAME} or ${NAME:-default} in values. */
#include <stddef.h>

#include "base/strmap.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* A file may come from anybody. The kernel takes no longer variable (MAX_ARG_STRLEN of execve(2)), and few programs as many. */
enum {
	DUCT_VALUE_BYTES_MAX = 128 * 1024,
	DUCT_NAME_BYTES_MAX = 1024,
	DUCT_VARIABLES_MAX = 4096,
	DUCT_VARIABLES_BYTES_MAX = 2 * 1024 * 1024,
};

struct duct_variable {
	char *name, *value; /* owned */
};

struct duct_variables {
	struct duct_variable *entries; /* owned; of one name there is one */
	size_t count, capacity;
	struct strmap names; /* the places of the entries */
	size_t bytes;        /* of all values */
};

/* For cleanup_(duct_variables_done). */
void duct_variables_done(struct duct_variables *variables);

/* Returns the value of a variable, or NULL. Borrowed until the next change. */
const char *duct_variables_find(const struct duct_variables *variables, const char *name);

/* Adds the variables of a text, and replaces earlier values. Names in values are those of the environment, then of
 * earlier lines. A line that is not valid, or goes beyond the limits above, is left out. Returns its number, of the first
 * such line, or 0. */
unsigned duct_dotenv_parse(const char *text, size_t len, struct duct_variables *variables);

/* Appends @value with the variables of the environment and, behind them, of @variables in place of their names. It ends when
 * @out has more than DUCT_VALUE_BYTES_MAX. */
void duct_dotenv_expand(const char *value, const struct duct_variables *variables,
                        struct strbuf *out);
