/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* privileged - whether this process may do more than the person who started it. */
#include <stdbool.h>

/* Whether the program file gave rights away: it is set-user-id, set-group-id, or has capabilities (AT_SECURE). Then the
 * environment is somebody else's. */
bool process_is_set_id(void);

/* Whether the process has rights that other users' do not have: it is root's, is set-id, or has a capability, also by
 * inheritance (ambient). */
bool process_is_privileged(void);
