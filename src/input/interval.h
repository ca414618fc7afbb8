/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* interval - two lifetime snapshots of one boot as the window between them. */
#include "input/load.h"

/* Returns whether the two can be the ends of one interval: both are lifetime snapshots, the second one is later, and they have the
 * same boot id, or none. */
bool interval_is_between(const struct load loads[2]);

/* Makes the window between the two and loads it into @ret, whose tables the caller has initialised. The loads keep their
 * bytes, from which the threads are read again: there are some 200 bytes in memory for each thread meanwhile. Returns 1; 0 if
 * the two have no window between them, as of two pid namespaces; or -errno, with a sentence appended to @reterr. */
must_check_ int interval_load(struct load loads[2], struct load *ret, struct strbuf *reterr);
