/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* psi - pressure stall information of the host or of one cgroup (Linux 4.20 and newer with CONFIG_PSI; cgroups from
 * 5.2). registry/psi.def declares its parts. */
#include <stdbool.h>
#include <stdint.h>

enum psi_resource {
#define PSI_RESOURCE(id_, text_) PSI_##id_,
#include "psi.def"
	PSI_RESOURCE_COUNT,
};

enum psi_row {
#define PSI_ROW(id_, text_) PSI_ROW_##id_,
#include "psi.def"
	PSI_ROW_COUNT,
};

enum psi_average {
#define PSI_AVERAGE(id_, text_) PSI_AVERAGE_##id_,
#include "psi.def"
	PSI_AVERAGE_COUNT,
};

/* The whole time, in hundredths of a percent. */
enum { PSI_AVERAGE_MAX = 10000 };

/* One line of a pressure file. */
struct psi_line {
	bool seen;
	uint32_t averages[PSI_AVERAGE_COUNT]; /* in hundredths of a percent */
	uint64_t total_usec;
};

struct psi {
	struct psi_line lines[PSI_RESOURCE_COUNT][PSI_ROW_COUNT];
};

/* Names as the kernel and the snapshot spell them ("memory", "full", "avg60"). */
extern const char *const psi_resource_names[PSI_RESOURCE_COUNT];
extern const char *const psi_row_names[PSI_ROW_COUNT];
extern const char *const psi_average_names[PSI_AVERAGE_COUNT];

extern const char *const psi_resource_descriptions[PSI_RESOURCE_COUNT];
extern const char *const psi_row_descriptions[PSI_ROW_COUNT];
extern const char *const psi_average_descriptions[PSI_AVERAGE_COUNT];

/* Returns whether any line was seen. */
bool psi_seen(const struct psi *psi);

/* Adds a cgroup that shares a group: averages by the larger one, totals by the sum. */
void psi_merge(struct psi *into, const struct psi *from);
