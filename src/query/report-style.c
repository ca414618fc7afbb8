// SPDX-License-Identifier: GPL-2.0-or-later
/* The width, colour and characters of tables, by the terminal, the locale and the environment. */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/scan.h"
#include "ctprof/base/macro.h"
#include "query/report-options.h"

/* Returns whether the name of the locale is one of UTF-8; the first variable that is set decides, as in locale(7). */
static bool is_named_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && value[0] != '\0')
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

/* Returns whether the terminal is likely to show UTF-8. A session by ssh may have a locale that is not installed here; its name
 * is enough. */
static bool locale_is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", NULL);
	bool is_utf8;

	if (!locale)
		return is_named_utf8();
	is_utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
	freelocale(locale);
	return is_utf8;
}

struct table_style report_style(int color)
{
	enum { AUTO, ALWAYS, COLUMNS_MOST = 10000 };
	struct table_style style = {0};
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool terminal = isatty(STDOUT_FILENO);
	const char *columns = getenv("COLUMNS");
	uint64_t width;
	struct winsize size;

	style.color = color == ALWAYS ||
	              (color == AUTO && terminal && !(no_color && no_color[0] != '\0') &&
	               !(term && strcmp(term, "dumb") == 0));
	if (columns && scan_u64(columns, strlen(columns), &width) && width <= COLUMNS_MOST)
		style.width = (unsigned)width;
	if (style.width == 0 && terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		style.width = size.ws_col;
	style.ascii = !locale_is_utf8();
	return style;
}
