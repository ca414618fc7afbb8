// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-log.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "ctprof/base/strbuf.h"

const char *const duct_level_names[] = {
        [DUCT_NONE] = "NONE",
        [DUCT_CRITICAL] = "CRITICAL",
        [DUCT_ERROR] = "ERROR",
        [DUCT_WARNING] = "WARNING",
        [DUCT_INFO_LEVEL] = "INFO",
        [DUCT_DEBUG] = "DEBUG",
        NULL,
};

void duct_log(enum duct_level shown, enum duct_level level, const char *format, ...)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;
	const time_t now = time(NULL);
	struct tm local;
	char text[64];
	va_list args;

	if (level > shown)
		return;
	if (localtime_r(&now, &local) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S%z", &local))
		strbuf_add_str(&line, text);
	strbuf_addf(&line, " [%-8s] ctprof: ", duct_level_names[level]);
	va_start(args, format);
	strbuf_vaddf(&line, format, args);
	va_end(args);
	strbuf_add_char(&line, '\n');
	/* In one piece, beside what the command prints. */
	fwrite(line.data, 1, line.len, stderr);
	fflush(stderr);
}
