/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* taskstats-floor - the least that taskstats can cost on this machine: the same requests in the same batches, sent and
 * received by two system calls a batch, with no look at what comes back. */
#include <stddef.h>
#include <stdint.h>

struct taskstats_floor {
	int fd; /* -1: there is none */
	uint16_t family;
};

/* Returns 0 or -errno. */
int taskstats_floor_open(struct taskstats_floor *ret_floor);
void taskstats_floor_close(struct taskstats_floor *floor);

/* Returns how many datagrams came for up to TASKSTATS_BATCH threads, or -errno. */
int taskstats_floor_ask(const struct taskstats_floor *floor, const uint32_t *ids, size_t count);
