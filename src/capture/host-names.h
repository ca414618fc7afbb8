/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* host-names - the names by which ids are shown: of users, and of containers. */
#include "capture-roots.h"
#include "ctprof/metric/host.h"

/* Adds the names that a capture with these options has to @host; none if it is anonymous. The name service may be slow. */
void capture_read_names(const struct capture_options *options, const struct capture_roots *roots,
                        struct host *host);

/* Adds those of containers alone, which begin and end all the time. */
void capture_read_containers(const struct capture_options *options,
                             const struct capture_roots *roots, struct host *host);
