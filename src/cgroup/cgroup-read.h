/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-read - reads one cgroup after the other: the files that registry/cgroup.def and registry/cgroup-lists.def name, and
 * its pressure. */
#include <stddef.h>
#include <stdint.h>

#include "base/scan.h"
#include "cgroup/cgroup-mount.h"
#include "cgroup/cgroup-states.h"
#include "ctprof/base/macro.h"
#include "ctprof/metric/cgroup-stats.h"

enum {
	CGROUP_FILES_MAX = CGROUP_VALUE_COUNT + CGROUP_LIST_COUNT + PSI_RESOURCE_COUNT,
	PRESSURE_NAME_BYTES = 32,
};

/* A file that is read once, whatever is in it: values by cgroup_file_parse(), and the lists and pressure named here. */
struct cgroup_file {
	const char *name;
	size_t controller; /* version 1: the controller whose directory has it */
	int list;          /* enum cgroup_list_id, or -1 */
	int resource;      /* enum psi_resource, or -1 */
};

struct cgroup_plan {
	struct cgroup_file files[CGROUP_FILES_MAX];
	size_t count;
};

struct cgroup_reader {
	const struct cgroup_mounts *mounts;              /* borrowed */
	const struct cgroup_v1_controllers *controllers; /* borrowed */
	const uint64_t *tree_boottime_ns;                /* as in struct cgroup_walk */
	struct cgroup_plan plans[2];                     /* of version 1 and of version 2 */
	int unified_fd;
	int v1_fds[CGROUP_V1_CONTROLLERS_MAX];
	char pressure_names[PSI_RESOURCE_COUNT][PRESSURE_NAME_BYTES];
	struct cgroup_states states;
	struct strbuf text;
	struct cgroup_stats stats; /* of the cgroup read last */
	bool denied;               /* a file of the current cgroup was denied */
	bool any;                  /* a file could be read */
	bool was_there;            /* the last file in the directory could be read */
};

/* The outcome of a cgroup, in bits: CGROUP_READ_DENIED may come with CGROUP_READ_DONE, if some files were denied. */
enum cgroup_read_outcome {
	CGROUP_READ_DONE = 1,    /* it is in reader->stats */
	CGROUP_READ_DENIED = 2,  /* to this user */
	CGROUP_READ_OUTSIDE = 4, /* of the mount */
	CGROUP_READ_GONE = 8,
	CGROUP_READ_END = 16, /* no bit of this enum */
};

void cgroup_reader_init(struct cgroup_reader *reader, const struct cgroup_mounts *mounts,
                        const struct cgroup_v1_controllers *controllers,
                        const uint64_t *tree_boottime_ns);
/* For cleanup_(cgroup_reader_done). */
void cgroup_reader_done(struct cgroup_reader *reader);

/* Reads the cgroup of that path, with CLOCK_BOOTTIME at the middle of its first file's reading. Returns bits of enum
 * cgroup_read_outcome; 0 if there was no search, since the hierarchy is not mounted in a tree that was given; or
 * -EMFILE, -ENFILE or -ENOMEM. In version 1 one path may stand for a cgroup in each of several hierarchies:
 * @controllers has their bits. */
must_check_ int cgroup_read_v2(struct cgroup_reader *reader, struct span path);
must_check_ int cgroup_read_v1(struct cgroup_reader *reader, struct span path,
                               uint32_t controllers);
