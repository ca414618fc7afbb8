/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* mount-systems - finds out whether the file system of a mapped file is local, from /proc/<pid>/mountinfo, so that a
 * file system which does not answer cannot delay that. */
#include "base/regular-file.h"
#include "base/scan.h"
#include "base/strmap.h"
#include "ctprof/base/strbuf.h"

struct mount_systems {
	struct strmap by_device; /* device number to enum file_system_kind */
	struct strbuf text;
	/* Our own mountinfo and that of process 1, for news of them; below 0: not opened. */
	int own_fd, first_fd;
};

#define MOUNT_SYSTEMS_INIT ((struct mount_systems){.own_fd = -1, .first_fd = -1})

/* Reads our own mounts and those of process 1, which are ours as well. Free with mount_systems_done(). */
void mount_systems_init(struct mount_systems *systems);
void mount_systems_done(struct mount_systems *systems);

/* Returns the kind of the file system with the device number @device, two hexadecimal numbers with a colon between
 * them, as in lines of /proc/<pid>/maps. If it is not known yet, reads the mountinfo in @process_fd, the directory of a
 * process that maps the file, until @until_ns of CLOCK_MONOTONIC: nothing is known of mounts that were not read to their
 * end by then. The kind is UNKNOWN for a file system that is mounted in none of these places, as one
 * that was unmounted while the file was in use. A device with mounts of several types is LOCAL only
 * where all of them are, and REMOTE where one of them is. An overlay is STACKED where it is one of our mounts and all of its layers are on
 * local file systems (procfs/mount-layers.h), and REMOTE in all other cases: anybody may have mounted it in another namespace. All is
 * forgotten as soon as our mounts change, for a device number may have become another one's. */
enum file_system_kind mount_systems_find(struct mount_systems *systems, int process_fd,
                                         struct span device, uint64_t until_ns);

/* Adds the mounts in the text of a mountinfo. Malformed lines are skipped. */
void mount_systems_add(struct mount_systems *systems, const char *text, size_t len, bool are_ours);
