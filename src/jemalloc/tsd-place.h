/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* tsd-place - where a thread's data of jemalloc (its struct tsd_s) are, seen from the thread pointer. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/metric/probe.h"
#include "elf-image.h"
#include "jemalloc-symbols.h"

struct tsd_place {
	bool has_slot; /* the offset is to be added to the word at slot_address */
	uint64_t slot_address;
	int64_t offset;
};

/* The place of the counters in the data. */
struct tsd_counters {
	uint64_t allocated;
	uint64_t deallocated;
};

/* @variable is NULL where no symbol names the data. Returns PROBE_TAG_ok, or why they cannot be found. @image may be NULL
 * for an executable. */
enum probe_tag tsd_place_find(const struct elf_file *file, const struct elf_image *image,
                              const struct jemalloc_variable *variable,
                              const struct tsd_counters *counters, struct tsd_place *ret_place);
