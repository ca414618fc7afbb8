// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of a jemalloc that ctprof uses, and nothing else of it: built by the tests, in many ways. PREFIX stands
 * before the public names, PRIVATE before the others. */
#include "jemalloc-like.h"

#include <stdbool.h>
#include <stddef.h>

#ifndef PREFIX
#define PREFIX
#endif
#ifndef PRIVATE
#define PRIVATE je_
#endif
#define PASTE_(before_, name_) before_##name_
#define PASTE(before_, name_) PASTE_(before_, name_)
#define PUBLIC_NAME(name_) PASTE(PREFIX, name_)
#define TSD PASTE(PRIVATE, tsd_tls)
#define HIDDEN __attribute__((visibility("hidden")))

enum { NO_ENTRY = 2 };

#ifdef NEIGHBOURS
/* On both sides of the data, and reached in the same way. */
HIDDEN __thread uint64_t first_neighbour[3] = {1, 2, 3};
HIDDEN __thread uint64_t second_neighbour;
HIDDEN __thread _Alignas(256) char aligned_neighbour[5];
#endif
#ifdef LARGE
HIDDEN char large[LARGE << 20];
#endif
#ifdef FAR
HIDDEN __attribute__((section(".far"))) int far_away = 1;
#endif
#ifdef STATS
/* It belongs to the program, which reaches it by the thread pointer however it reaches the data; STATS is its linkage. */
#ifndef STATS_WORDS
#define STATS_WORDS 8
#endif
STATS __thread uint64_t own_stats[STATS_WORDS]
        __attribute__((tls_model("initial-exec"))) = {111, 22, 3333, 444, 5, 66, 77, 8};
#endif
#ifdef OWN_NAMESAKE
__thread uint64_t tsd_tls[200] = {1, 2, 3};
#endif
#ifdef NO_STORAGE
/* jemalloc keeps them like this if the compiler has no thread-local storage. */
#define __thread
#endif
HIDDEN __thread struct tsd_s TSD = {6};

/* The names end up in the tree. */
struct node {
	bool named;
	const char *name;
	size_t nchildren;
	const void *children;
	int (*ctl)(struct tsd_s *tsd, const size_t *mib, size_t miblen, void *oldp, size_t *oldlenp,
	           void *newp, size_t newlen);
};

static int give(uint64_t *counter, void *oldp, size_t *oldlenp)
{
	volatile char stack[64];

	stack[0] = 0;
#ifdef NO_COUNTERS
	return NO_ENTRY;
#endif
	if (*oldlenp != sizeof(counter))
		return NO_ENTRY + stack[0];
	*(uint64_t **)oldp = counter;
	return 0;
}

static int thread_allocatedp_ctl(struct tsd_s *tsd, const size_t *mib, size_t miblen, void *oldp,
                                 size_t *oldlenp, void *newp, size_t newlen)
{
	(void)mib;
	(void)miblen;
	return newp || newlen ? 1 : give(&tsd->MEMBER(thread_allocated), oldp, oldlenp);
}

static int thread_deallocatedp_ctl(struct tsd_s *tsd, const size_t *mib, size_t miblen, void *oldp,
                                   size_t *oldlenp, void *newp, size_t newlen)
{
	(void)mib;
	(void)miblen;
	return newp || newlen ? 1 : give(&tsd->MEMBER(thread_deallocated), oldp, oldlenp);
}

#ifdef NO_TREE
#define ALLOCATEDP "allocated address"
#define DEALLOCATEDP "deallocated address"
#else
#define ALLOCATEDP "allocatedp"
#define DEALLOCATEDP "deallocatedp"
#endif

HIDDEN extern const struct node thread_nodes[];
const struct node thread_nodes[] = {
        {true, ALLOCATEDP, 0, NULL, thread_allocatedp_ctl},
        {true, "idle", 0, NULL, NULL},
        {true, DEALLOCATEDP, 0, NULL, thread_deallocatedp_ctl},
};

int PUBLIC_NAME(mallctlbymib)(const size_t *mib, size_t miblen, void *oldp, size_t *oldlenp,
                              void *newp, size_t newlen);
int PUBLIC_NAME(mallctl)(const char *name, void *oldp, size_t *oldlenp, void *newp, size_t newlen);

int PUBLIC_NAME(mallctlbymib)(const size_t *mib, size_t miblen, void *oldp, size_t *oldlenp,
                              void *newp, size_t newlen)
{
	return thread_nodes[mib[0]].ctl(&TSD, mib, miblen, oldp, oldlenp, newp, newlen);
}

/* "thread.allocatedp" or "thread.deallocatedp". */
int PUBLIC_NAME(mallctl)(const char *name, void *oldp, size_t *oldlenp, void *newp, size_t newlen)
{
	size_t index = name[7] == 'd' ? 2 : 0;

#ifdef NEIGHBOURS
	first_neighbour[1]++;
	second_neighbour++;
	aligned_neighbour[2]++;
#endif
#ifdef LARGE
	large[oldp ? 1 : 0]++;
#endif
#ifdef FAR
	far_away++;
#endif
#ifdef STATS
	own_stats[1]++;
#endif
#ifdef OWN_NAMESAKE
	tsd_tls[1]++;
#endif
	return PUBLIC_NAME(mallctlbymib)(&index, 1, oldp, oldlenp, newp, newlen);
}
