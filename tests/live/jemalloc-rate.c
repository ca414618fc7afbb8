// SPDX-License-Identifier: GPL-2.0-or-later
/* jemalloc-rate - allocates and frees the same number of bytes each millisecond, by the clock: 64 KiB. Prints "LATE NS" for
 * a step that comes later behind its time than all before it. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BYTES = 65536, PERIOD_NS = 1000000, NS_PER_SECOND = 1000000000 };

int main(void)
{
	struct timespec next, now;
	long long late_ns, latest_ns = 0;
	void *volatile memory;

	clock_gettime(CLOCK_MONOTONIC, &next);
	puts("READY");
	fflush(stdout);
	for (;;) {
		memory = malloc(BYTES);
		free(memory);
		next.tv_nsec += PERIOD_NS;
		if (next.tv_nsec >= NS_PER_SECOND) {
			next.tv_nsec -= NS_PER_SECOND;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
		late_ns = (now.tv_sec - next.tv_sec) * (long long)NS_PER_SECOND +
		          (now.tv_nsec - next.tv_nsec);
		if (late_ns > latest_ns) {
			latest_ns = late_ns;
			printf("LATE %lld\n", late_ns);
			fflush(stdout);
		}
	}
}
