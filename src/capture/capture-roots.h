/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* capture-roots - the trees that a capture reads. */
#include "capture/capture.h"
#include "cgroup/cgroup-mount.h"

struct capture_roots {
	int proc_fd;
	int sys_fd;        /* below 0: another system's tree without one */
	int containers_fd; /* below which runtimes keep the files of containers; below 0: nowhere */
	struct cgroup_mounts mounts;
};
#define CAPTURE_ROOTS_INIT \
	((struct capture_roots){.proc_fd = -1, .sys_fd = -1, .containers_fd = -1})

/* Raises the rights of this thread for reading (base/rights.h), but not for a tree that the user named. Returns whether they were lower. */
bool capture_raise_rights(const struct capture_options *options);

/* Opens the roots that @options name, which must exist, or this system's, and finds the mounts of cgroups; another
 * system's tree has only those of a given directory. Returns 0, or -errno with a sentence. */
must_check_ int capture_roots_open(const struct capture_options *options,
                                   struct capture_roots *roots, struct strbuf *reterr);
/* For cleanup_(capture_roots_done). */
void capture_roots_done(struct capture_roots *roots);
