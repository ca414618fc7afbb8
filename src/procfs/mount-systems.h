/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* mount-systems - whether the file system that a mapped file is on is local. The answer comes from /proc/<pid>/mountinfo, so
 * that a file system which does not answer is not asked for it. */
#include "base/regular-file.h"
#include "base/scan.h"
#include "base/strmap.h"
#include "ctprof/base/strbuf.h"

struct mount_systems {
	struct strmap by_device; /* device number to enum file_system_kind */
	struct strbuf text;
};

/* Reads our own mounts and those of process 1. mount_systems_done() it. */
void mount_systems_init(struct mount_systems *systems);
void mount_systems_done(struct mount_systems *systems);

/* The kind of the file system with the device number @device, two hexadecimal numbers with a colon between them, as lines of
 * /proc/<pid>/maps have it. Where it is not known yet, the mountinfo in @process_fd, the directory of a process that maps the
 * file, is read. UNKNOWN is the kind of a file system that is mounted in none of these places, as one that was unmounted
 * while the file was in use. A device with mounts of several types is REMOTE unless all of them are local. */
enum file_system_kind mount_systems_find(struct mount_systems *systems, int process_fd,
                                         struct span device);

/* Takes in the text of a mountinfo. Lines that make no sense are passed over. */
void mount_systems_add(struct mount_systems *systems, const char *text, size_t len);
