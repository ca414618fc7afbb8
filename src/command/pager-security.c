// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/pager-security.h"

#include <stdlib.h>
#include <string.h>

#include "command/privileged.h"

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words && strcasecmp(word, *words) != 0)
		words++;
	return *words != NULL;
}

bool pager_security_choose(bool *ret_secure)
{
	static const char *const off[] = {"0", "no", "n", "false", "f", "off", NULL};
	static const char *const on[] = {"1", "yes", "y", "true", "t", "on", NULL};
	const char *wish = getenv("CTPROF_PAGERSECURE");

	*ret_secure = process_is_set_id();
	if (*ret_secure)
		return false;
	if (wish && is_one_of(wish, off))
		return true;
	/* A word that is neither asks for something, and it is not to have less. */
	*ret_secure = wish || process_is_privileged();
	return wish ? is_one_of(wish, on) : !*ret_secure;
}

void pager_security_set(void)
{
	setenv("LESSSECURE", "1", 1);
	/* It would allow some of it again. */
	unsetenv("LESSSECURE_ALLOW");
}
