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

/* Returns whether the number is that of the cgroup which the mount shows as its root. */
bool cgroup_ids_is_root(const struct cgroup_ids *ids, uint64_t id);

/* Says that a cgroup has this path below the root, for cgroups that may be gone when their path is asked for. A path that is known is
 * kept. */
void cgroup_ids_add(struct cgroup_ids *ids, uint64_t id, const struct strbuf *path);

/* Returns the path as /proc/<pid>/cgroup has it for version 2, or NULL if there is none: the cgroup is gone, or out of
 * reach. The answer is kept, since the path is needed after the cgroup is gone. Borrowed until the next call of
 * cgroup_ids_forget(). */
const struct strbuf *cgroup_ids_path(struct cgroup_ids *ids, uint64_t id);

/* Forgets the cgroups that were gone at the call before. Looks at the directory of each of the others. */
void cgroup_ids_forget(struct cgroup_ids *ids);
