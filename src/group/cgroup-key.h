/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-key - the keys made from the paths of cgroups: a pattern, a glob that they match, or the service, container,
 * pod or slice that they are in. Paths may hold any bytes. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Appends the pattern of a path. In segments NAME@INSTANCE.service the instance becomes {I}, unless it is empty or has
 * one of . - _ in it; a UUID, with dashes or underscores, also behind "pod", becomes {H}; then normalise_name() is
 * applied to the whole. The pattern of a pattern is itself. @scratch is the caller's, and overwritten. */
void cgroup_normalise(const char *path, size_t len, struct strbuf *out, struct strbuf *scratch);

/* Appends the text of the first of @count globs that matches the path. Returns false, appending nothing, if none does.
 * See glob_match_path(). */
must_check_ bool cgroup_flatten(const char *const *globs, size_t count, const char *path,
                                size_t len, struct strbuf *out);

/* Changes the path of a cgroup into that of the one above it: "/a/b" becomes "/a", and this "/". Above the root of a
 * cgroup namespace the kernel continues with "/..", "/../..". Returns false, and does not change it, if it is no path
 * from a root, or would become longer than a path of the kernel's. */
must_check_ bool cgroup_path_climb(struct strbuf *path);

/* Returns whether the path is that of a cgroup above the root of our cgroup namespace: "/..", "/../..". */
bool cgroup_path_is_above_root(const char *path);

/* The parts that a path can be in. The innermost of several counts: a container in a container is another container, but
 * cgroups that systemd makes in a container are still in that container.
 *
 * SERVICE    a segment that ends in .service, .scope, .socket, .mount or .swap, as it is
 * SLICE      a segment that ends in .slice, as it is
 * CONTAINER  the id of a container, out of
 *              RUNTIME-ID.scope and RUNTIME-ID, and SLICE:RUNTIME:ID of runtimes that are given a name for systemd but
 *              do not use it; RUNTIME is docker, cri-containerd, crio, libpod, libpod-payload or nerdctl
 *              ID as a segment, below /docker, /kubepods/.../podUID, /ecs/TASK, /actions_job and any other parent but
 *              /libpod_parent, if it is a pod
 *              /ecs/TASK/ID with 32 hexadecimal digits, a dash and a number
 *              /garden/ID, /garden/good/ID and /garden/bad/ID with groups of 8, 4, 4, 4 and 4 hexadecimal digits
 *              /buildkit/ID, docker-ID.scope and SLICE:docker:ID with 25 digits and letters, of builds
 *            or the name of one, with systemd's escapes, out of
 *              /lxc/NAME, /lxc.payload/NAME and lxc.payload.NAME
 *              machine-NAME.scope and systemd-nspawn@NAME.service: systemd-nspawn, and whatever else is registered
 *              with systemd-machined, but for virtual machines of libvirt
 *            An ID has 64 hexadecimal digits if nothing else is said. Monitors (conmon, lxc.monitor) are outside.
 * POD        the uid of a Kubernetes pod, with dashes, out of podUID and kubepods-...-podUID.slice; static pods have
 *            one of 32 digits without dashes; or the id of a pod of podman, out of libpod_pod_ID, with a slice in front
 *            and .slice behind it or not, and /libpod_parent/ID
 *
 * Digits and letters are lower-case everywhere. */
enum cgroup_part {
	CGROUP_PART_SERVICE,
	CGROUP_PART_CONTAINER,
	CGROUP_PART_POD,
	CGROUP_PART_SLICE,
};

/* Appends that part of a path. Returns false, appending nothing, if the path has none. */
must_check_ bool cgroup_part_of(enum cgroup_part part, const char *path, size_t len,
                                struct strbuf *out);
