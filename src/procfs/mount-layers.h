/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* mount-layers - whether the layers of overlays are on local file systems, by the mounts of the namespace that has mounted them. Nothing is
 * asked but the text of its mountinfo, since a layer may lie on a file system that does not answer. */
#include "base/strmap.h"
#include "procfs/mount-line.h"

struct mount_layers {
	struct strmap by_point; /* struct mounted, owned */
};

/* Reads the text of a mountinfo, which is borrowed. Malformed lines are skipped. Free with mount_layers_done(). */
void mount_layers_init(struct mount_layers *layers, const char *text, size_t len);
void mount_layers_done(struct mount_layers *layers);

/* Returns whether all layers of an overlay of this text lie on file systems that are local, or on overlays of which that is true. It is
 * not true of paths that are not absolute, that have empty names, "." or "..", or that the kernel writes with escapes. A root directory counts as local: programs that run there
 * need it anyway. */
must_check_ bool mount_layers_are_local(const struct mount_layers *layers,
                                        const struct mount_line *overlay);
