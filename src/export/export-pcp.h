/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* export-pcp - windows and recordings as an archive of Performance Co-Pilot. */
#include "export/export-file.h"

/* Writes the windows of all paths to the files of an archive, @name.0, .index and .meta: all of them, or none. Returns an exit code, with
 * the error printed. */
int export_pcp(const struct export_plan *plan, char **paths, const char *name);
