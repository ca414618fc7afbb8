/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-prefix - the prefix of a run's files: a text with {datetime}, {datetime_filesafe}, {pid}, and {{ and }} for
 * braces. */
#include <sys/types.h>
#include <time.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Appends the prefix. A "~" or "~/" in front is the home directory if @home is not NULL. The date is that of local time. Returns 0, or
 * -EINVAL with a phrase. */
must_check_ int duct_prefix_expand(const char *template, const char *home, time_t time, pid_t pid,
                                   struct strbuf *out, struct strbuf *reason);
