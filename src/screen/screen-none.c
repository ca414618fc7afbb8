// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes the place of the screen in a build without ncurses: it cannot be opened, and the other functions are never called. */
#include <errno.h>

#include "screen/screen.h"

int screen_open(bool with_colors, struct strbuf *reterr)
{
	(void)with_colors;
	strbuf_add_str(reterr, "this ctprof was built without ncurses");
	return -EOPNOTSUPP;
}

void screen_close(void)
{
}

void screen_leave(void)
{
}

void screen_enter(void)
{
}

bool screen_is_ours(void)
{
	return false;
}

bool screen_is_ascii(void)
{
	return true;
}

void screen_resize(size_t *ret_rows, size_t *ret_columns)
{
	*ret_rows = *ret_columns = 0;
}

void screen_put(size_t row, const char *text, size_t len, bool bar)
{
	(void)row;
	(void)text;
	(void)len;
	(void)bar;
}

void screen_show(bool all)
{
	(void)all;
}

int screen_key(void)
{
	return SCREEN_NO_KEY;
}
