/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-id - finds the path of a cgroup of version 2 by the kernel's number of it. */
#include <stdbool.h>
#include <stdint.h>

#include "cgroup/cgroup-mount.h"
#include "ctprof/base/strbuf.h"

struct cgroup_ids;

/* Never returns NULL. Numbers are looked up below the mount of version 2 in @mounts, if it shows the whole hierarchy;
 * without one, no number has a path. */
struct cgroup_ids *cgroup_ids_new(const struct cgroup_mounts *mounts);
void cgroup_ids_freep(struct cgroup_ids **ids);

/* Says that the cgroup @id is called @name, below the cgroup @above. Its path is known from now on, if that of @above is, or if it is
 * the one that the mount shows as its root. */
void cgroup_ids_add(struct cgroup_ids *ids, uint64_t id, uint64_t above, const char *name);

/* Returns the path as /proc/<pid>/cgroup has it for version 2, or NULL if there is none: the cgroup is gone, or out of
 * reach. The first answer for a number is kept, since the path is needed after the cgroup is gone. Borrowed until @ids
 * are freed. */
const struct strbuf *cgroup_ids_path(struct cgroup_ids *ids, uint64_t id);
