/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* pager-security - whether a pager may do more than show its text. */
#include <stdbool.h>

/* Sets whether the pager must be one that neither opens files nor starts programs. Returns whether the environment may choose it: in
 * secure mode it does only where somebody asked for that mode, and so knows of it; only less is known to have it. */
bool pager_security_choose(bool *ret_secure);

/* Sets the secure mode of less in the environment. */
void pager_security_set(void);
