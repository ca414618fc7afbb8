/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* privileged - whether this process may do more than the person who started it. */
#include <stdbool.h>

/* Returns whether the program file gave the process rights: it is set-user-id, set-group-id, or has capabilities (AT_SECURE). The
 * environment cannot be trusted then. */
bool process_is_set_id(void);

/* Returns whether the process has special rights: it is root's, is set-id, or has a capability, also an ambient one. */
bool process_is_privileged(void);
