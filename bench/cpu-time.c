// SPDX-License-Identifier: GPL-2.0-or-later
/* cpu-time PID... - prints the CPU time in ns that these processes have used, with their ended threads and without their children.
 * /proc/PID/stat has it in clock ticks, which are too long for a recorder that needs less than one a sample. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	for (int i = 1; i < argc; i++) {
		clockid_t clock;
		struct timespec used;
		int error = clock_getcpuclockid((pid_t)strtol(argv[i], NULL, 10), &clock);

		if (error || clock_gettime(clock, &used)) {
			fprintf(stderr, "cpu-time: %s: %s\n", argv[i],
			        error ? strerror(error) : "it has ended");
			return 1;
		}
		sum += (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
	}
	printf("%" PRIu64 "\n", sum);
	return 0;
}
