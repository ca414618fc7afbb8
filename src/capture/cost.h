/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cost - measures the cost of the capture itself. */
#include <stdint.h>

#include "ctprof/snapshot/snapshot.h"

/* The state of the meters when the capture began. */
struct cost_meter {
	uint64_t monotonic_ns;
	bool has_calls;
	uint64_t read_calls;
	uint64_t write_calls;
};

void cost_begin(struct cost_meter *meter);

/* Fills info->cost, all but walk_spread_ns and json_bytes. CPU time and memory are the process's own, from its start. */
void cost_end(const struct cost_meter *meter, struct snapshot_info *info);

void cost_set(struct snapshot_info *info, enum capture_cost cost, uint64_t value);
