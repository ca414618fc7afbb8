/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* kernel-config - parses the configuration of a kernel, for the options in registry/kernel-options.def. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/host.h"
#include "ctprof/metric/sample.h"

/* The options of the kernel's configuration that metrics, or their sources, depend on. */
enum kernel_option {
#define KERNEL_OPTION(id_, absent_, text_) KERNEL_OPTION_##id_,
#include "kernel-options.def"
#undef KERNEL_OPTION
	KERNEL_OPTION_COUNT,
};

struct kernel_option_desc {
	const char *name;   /* without CONFIG_; the key in the host's kernel_config */
	bool absent_is_off; /* off if a configuration does not mention it */
	const char *description;
};
extern const struct kernel_option_desc kernel_option_table[KERNEL_OPTION_COUNT];

/* Copies the options of a kernel's configuration into @host's kernel_config. Returns OUTCOME_read, or OUTCOME_malformed
 * if the text is not a whole configuration; @host is not touched then. */
must_check_ enum source_outcome kernel_config_parse(const char *text, size_t len,
                                                    struct host *host);

/* Does so for a gzip file, of which at most 16 MiB are unpacked. */
must_check_ enum source_outcome kernel_config_parse_gzip(const void *bytes, size_t len,
                                                         struct host *host);
