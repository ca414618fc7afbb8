/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-open - opens the directory of a cgroup by its path, and nothing outside of the mount. */
#include <stdbool.h>

#include "cgroup/cgroup-mount.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Returns whether the mount shows the cgroup with this path. */
bool cgroup_is_below(const struct cgroup_mount *mount, const struct strbuf *path);

/* Opens the cgroup with this path below the mount, whose point is @mount_fd. Returns a descriptor or -errno; -EXDEV if
 * the path is outside of the mount. */
must_check_ int cgroup_walk_open(int mount_fd, const struct cgroup_mount *mount,
                                 const struct strbuf *path);
