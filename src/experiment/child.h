/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* child - processes that do something for the runner, and must not keep what it holds. */
#include <stdbool.h>

/* The first descriptor of a child behind the standard ones. */
enum { CHILD_FIRST = 3 };

/* Moves descriptors to the numbers from CHILD_FIRST on, in their order, and closes all others behind these: the lock and the
 * guardian's pipe must be released when the runner ends. Returns false where that is impossible. */
bool child_keep(const int *fds, unsigned count);
