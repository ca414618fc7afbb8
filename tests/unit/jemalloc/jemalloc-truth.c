// SPDX-License-Identifier: GPL-2.0-or-later
/* The places of the counters by jemalloc itself: prints their offsets from the thread pointer, and the word at an
 * address of the shared object that has the jemalloc, which is the argument. MALLCTL is the name of its mallctl(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef MALLCTL
#define MALLCTL mallctl
#endif

int MALLCTL(const char *name, void *oldp, size_t *oldlenp, void *newp, size_t newlen);

static long from_thread_pointer(const char *name)
{
	char *address = NULL, *thread_pointer;
	size_t len = sizeof(address);

	if (MALLCTL(name, &address, &len, NULL, 0) != 0)
		exit(1);
	/* The word that it points to is the thread pointer itself. */
	__asm__("mov %%fs:0, %0" : "=r"(thread_pointer));
	return (long)(address - thread_pointer);
}

int main(int argc, char **argv)
{
	long word = 0;

	if (argc > 1) {
		Dl_info info;
		struct link_map *map = NULL;
		/* The executable's own name for it may be an address in the executable. */
		void *function = dlsym(RTLD_DEFAULT, argv[2]);

		if (!function ||
		    dladdr1(function, &info, (void **)(void *)&map, RTLD_DL_LINKMAP) == 0)
			return 1;
		word = *(long *)(map->l_addr + strtoul(argv[1], NULL, 16));
	}
	printf("%ld %ld %ld\n", from_thread_pointer("thread.allocatedp"),
	       from_thread_pointer("thread.deallocatedp"), word);
	return 0;
}
