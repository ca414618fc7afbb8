/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* parity-load - threads in as many states as this user may have, in this process and in children of it. */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A thread that stands still, and where it has its thread-local storage. */
struct parity_anchor {
	uint32_t tid;
	uint64_t pointer;
};

/* Starts everything; it goes on until the end of the program. Returns how many threads there are. */
unsigned parity_load_start(void);

/* Lets go of the children. */
void parity_load_stop(void);

/* Threads of this process that stand still. */
const struct parity_anchor *parity_load_anchors(size_t *ret_count);
