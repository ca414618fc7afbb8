/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-info - info.json: the host, the run and its summary, in con-duct's schema 0.2.3. */
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "duct/duct-files.h"
#include "duct/duct-summary.h"

struct duct_info {
	const char *command, *working_directory, *message; /* borrowed, as all of these */
	const struct duct_files *files;
	const char *gpu;                    /* JSON; NULL: not known */
	const struct duct_summary *summary; /* NULL: the run goes on */
};

/* Writes the object, without a newline behind it: into its file, which is empty, or with a summary in place of it. Returns 0, or
 * -errno with a phrase. */
must_check_ int duct_info_write(const struct duct_info *info, struct strbuf *reterr);

/* Appends the words of a command with blanks between them, as con-duct has them. */
void duct_command_add(char *const *argv, struct strbuf *out);
