/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* jemalloc-like - what a jemalloc in miniature keeps for each thread: the members by the names of the original. */
#include <stdint.h>

#ifdef PLAIN_NAMES
#define MEMBER(name_) name_
#elif defined(OLD_NAMES)
#define MEMBER(name_) use_a_getter_or_setter_instead_##name_
#else
#define MEMBER(name_) cant_access_tsd_items_directly_use_a_getter_or_setter_##name_
#endif

struct tsd_s {
	char state;
	uint64_t before[37];
	uint64_t MEMBER(thread_allocated);
	uint64_t between;
	uint64_t MEMBER(thread_deallocated);
	uint64_t behind[150];
};
