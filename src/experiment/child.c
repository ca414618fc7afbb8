// SPDX-License-Identifier: GPL-2.0-or-later
#include "child.h"

#include <fcntl.h>
#include <unistd.h>

#include "ctprof/base/macro.h"

enum { FDS_MAX = 8, ABOVE = 16 };

/* Moves them in two steps: dup2() to one of the numbers must not close another one. */
bool child_keep(const int *fds, unsigned count)
{
	int raised[FDS_MAX];

	for (unsigned i = 0; i < count; i++) {
		raised[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, ABOVE);
		if (raised[i] < 0)
			return false;
	}
	for (unsigned i = 0; i < count; i++)
		if (dup2(raised[i], CHILD_FIRST + (int)i) < 0)
			return false;
	return close_range(CHILD_FIRST + count, ~0U, 0) == 0;
}
