// SPDX-License-Identifier: GPL-2.0-or-later
#include "host-names.h"

#include "host/host-read.h"
#include "select-processes.h"

void capture_read_containers(const struct capture_options *options,
                             const struct capture_roots *roots, struct host *host)
{
	if (!options->anonymous && roots->containers_fd >= 0)
		host_read_containers(roots->containers_fd, host);
}

void capture_read_names(const struct capture_options *options, const struct capture_roots *roots,
                        struct host *host)
{
	if (!options->anonymous && !options->proc_root)
		select_users(options->selection, roots->proc_fd, host);
	capture_read_containers(options, roots, host);
}
