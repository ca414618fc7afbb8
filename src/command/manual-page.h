/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* manual-page - the manual page of a command, on a terminal. */
#include "command/command.h"

/* Becomes man(1) with the command's page. Returns if standard output is no terminal, man(1) is not there or does not have the
 * page, or the program is set-id. Nothing is printed then. In secure mode (pager-security.h) man's pager is less, unless the
 * environment may choose it. */
void manual_page_show(const struct command *command);
