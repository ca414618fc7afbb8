// SPDX-License-Identifier: GPL-2.0-or-later
/* measure - runs a command several times and prints one line: its label, then wall time, user time and system
 * time in milliseconds and the peak resident set in MiB, each as median (minimum..maximum). The command's
 * standard output is thrown away. Nothing here passes or fails by a time.
 *
 * The peak is the kernel's ru_maxrss of the command alone. It starts at what this program has at the fork,
 * which is below 2 MiB. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WALL, USER, SYSTEM, PEAK, FIGURES, RUNS_MAX = 1000 };

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double milliseconds(struct timeval time)
{
	return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static void become(char **command)
{
	int null = open("/dev/null", O_WRONLY);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
		_exit(126);
	execvp(command[0], command);
	fprintf(stderr, "measure: %s: %s\n", command[0], strerror(errno));
	_exit(127);
}

/* Returns 0, or -1 where the command did not end with status 0. */
static int run_once(char **command, double ret_figures[FIGURES])
{
	double start = seconds_now();
	struct rusage usage;
	pid_t child = fork();
	int status;

	if (child < 0) {
		fprintf(stderr, "measure: fork: %s\n", strerror(errno));
		return -1;
	}
	if (child == 0)
		become(command);
	while (wait4(child, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -1;
	ret_figures[WALL] = (seconds_now() - start) * 1e3;
	ret_figures[USER] = milliseconds(usage.ru_utime);
	ret_figures[SYSTEM] = milliseconds(usage.ru_stime);
	ret_figures[PEAK] = (double)usage.ru_maxrss / 1024;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	fprintf(stderr, "measure: %s ended with %s %d\n", command[0],
	        WIFEXITED(status) ? "status" : "signal",
	        WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return -1;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void print_figure(double *values, size_t runs, bool last)
{
	char span[64];

	qsort(values, runs, sizeof(values[0]), by_size);
	snprintf(span, sizeof(span), "(%.1f..%.1f)", values[0], values[runs - 1]);
	printf(" %8.1f %-*s", values[runs / 2], last ? 0 : 17, span);
}

static int usage(void)
{
	fputs("Usage: measure RUNS LABEL COMMAND [ARGUMENT...]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	double figures[FIGURES][RUNS_MAX];
	char *end;
	unsigned long runs;

	if (argc < 4)
		return usage();
	runs = strtoul(argv[1], &end, 10);
	if (*end != '\0' || runs == 0 || runs > RUNS_MAX)
		return usage();
	for (size_t run = 0; run < runs; run++) {
		double once[FIGURES];

		if (run_once(argv + 3, once) < 0)
			return 1;
		for (size_t i = 0; i < FIGURES; i++)
			figures[i][run] = once[i];
	}
	printf("%-42s", argv[2]);
	for (size_t i = 0; i < FIGURES; i++)
		print_figure(figures[i], runs, i + 1 == FIGURES);
	putchar('\n');
	return 0;
}
