// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric/outcome.h"

#include <errno.h>

#include "base/error.h"

static bool is_absent(int r)
{
	switch (-r) {
	case ENOENT:
	case ENOSYS:
	case EOPNOTSUPP:
	case EAFNOSUPPORT:
	case EPROTONOSUPPORT:
		return true;
	default:
		return false;
	}
}

enum source_outcome outcome_of_error(enum error_policy policy, int r)
{
	if (r == 0)
		return OUTCOME_read;
	if (error_is_denied(r))
		return OUTCOME_denied;
	if (policy == ERROR_OF_KERNEL)
		return OUTCOME_off;
	if (r == -ESRCH || (policy == ERROR_OF_THREAD && r == -ENOENT))
		return OUTCOME_gone;
	return is_absent(r) ? OUTCOME_off : OUTCOME_malformed;
}
