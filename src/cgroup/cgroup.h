/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup - parses /proc/<tgid>/task/<tid>/cgroup: the cgroups that a thread is in. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scan.h"
#include "cgroup/cgroup-mount.h"
#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"

/* Parses /proc/<tgid>/task/<tid>/cgroup: the path of the line "0::", byte for byte. If the kernel has no cgroup2
 * hierarchy, it is that of the first version 1 controller of registry/cgroup.def, or of name=systemd, and cgroup_is_v1
 * is set. cgroups_v1 has all lines of version 1, known ones or not. Returns OUTCOME_read; OUTCOME_off if there is none
 * of these; or OUTCOME_malformed if a line is not the kernel's, or if cgroup_path_is_cut(). */
must_check_ enum source_outcome cgroup_parse(const char *text, size_t len,
                                             struct thread_sample *sample);

/* Returns whether a path in that text is as long as the kernel's longest, so that its end may have been cut off: then
 * it names another cgroup, if any. */
bool cgroup_path_is_cut(struct span path);

/* A line of the text: of version 2, or of a hierarchy of version 1. */
struct cgroup_line {
	bool is_v2;
	bool is_systemd;      /* the hierarchy name=systemd */
	uint32_t controllers; /* of version 1, as cgroup_v1_controllers_find() has them */
	struct span list;     /* of version 1: "cpu,cpuacct" or "name=systemd"; from the text */
	struct span path;     /* borrowed from the text */
};

/* Removes lines from the front of @rest until one is valid. Returns false at the end. */
bool cgroup_next_line(const struct cgroup_v1_controllers *controllers, struct span *rest,
                      struct cgroup_line *ret);
