/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* title - the title that a process has given itself by overwriting its arguments, as setproctitle(3) does: "postgres: walwriter",
 * "nginx: worker process". */
#include <stddef.h>

#include "ctprof/base/strbuf.h"

/* Appends the title in the first @len bytes of /proc/<tgid>/cmdline; nothing if there is none. Arguments, which may be secret, are
 * no title: it is the first string, and only if it has a blank, which names of programs hardly have. It has at most
 * SAMPLE_TITLE_BYTES, cut between characters of UTF-8, and no blanks at its end. */
void title_find(const char *text, size_t len, struct strbuf *out);
