/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* capture-roots - the trees that a capture reads. */
#include "capture/capture.h"
#include "cgroup/cgroup-mount.h"

/* Opens the root that is given, which must exist, or else the fallback, which need not: *ret_fd is below 0 then. Returns
 * 0, or -errno with a sentence. */
must_check_ int capture_open_root(const char *given, const char *fallback, int *ret_fd,
                                  struct strbuf *reterr);

/* Finds where cgroups are; a directory that the user named must exist. Another system's tree has none but the one
 * given. */
must_check_ int capture_find_cgroups(const struct capture_options *options, int proc_fd,
                                     struct cgroup_mounts *mounts, struct strbuf *reterr);
