/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-info - info.json: the host, the run and its summary, in con-duct's schema 0.2.3. */
#include "ctprof/base/strbuf.h"
#include "duct/duct-files.h"
#include "duct/duct-summary.h"

struct duct_info {
	const char *command, *working_directory, *message; /* borrowed, as all of these */
	const struct duct_files *files;
	const char *gpu;                    /* JSON; NULL: not known */
	const struct duct_summary *summary; /* NULL: the run goes on */
};

/* Appends the object, without a newline behind it. */
void duct_info_add(const struct duct_info *info, struct strbuf *out);
