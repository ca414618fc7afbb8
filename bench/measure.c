// SPDX-License-Identifier: GPL-2.0-or-later
/* measure - runs commands several times and prints a line for each: its label, then wall time, user time and system
 * time in milliseconds and the peak resident set in MiB, each as median (minimum..maximum). The commands' standard
 * output is thrown away. Nothing here passes or fails by a time.
 *
 *   measure [-n THREADS [-b BASES]] [-o FILE] RUNS LABEL COMMAND [ARGUMENT...] [:: RUNS LABEL COMMAND [ARGUMENT...]]...
 *
 * Several commands run in turns, so that whatever else this machine does hits all of them alike. With -n lines are
 * shorter: wall time, CPU time, CPU time for each of so many threads, the peak, and wall and CPU time as multiples of
 * those of each of the first BASES commands. With -o the medians are added to FILE, with tabs in between: label, wall,
 * user and system time, peak.
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
#include <unistd.h>

#include "base/clock.h"

enum { WALL, USER, SYSTEM, PEAK, CPU, FIGURES, RUNS_MAX = 1000, COMMANDS_MAX = 32 };

struct command {
	const char *label;
	char **arguments;
	unsigned long runs;
	bool failed; /* it is not run again */
	double figures[FIGURES][RUNS_MAX];
};

struct wishes {
	unsigned long threads, bases;
	const char *file;
};

static double seconds_now(void)
{
	return (double)clock_now_ns(CLOCK_MONOTONIC) / 1e9;
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
static int run_once(struct command *command, unsigned long run)
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
		become(command->arguments);
	while (wait4(child, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -1;
	command->figures[WALL][run] = (seconds_now() - start) * 1e3;
	command->figures[USER][run] = milliseconds(usage.ru_utime);
	command->figures[SYSTEM][run] = milliseconds(usage.ru_stime);
	command->figures[CPU][run] = command->figures[USER][run] + command->figures[SYSTEM][run];
	command->figures[PEAK][run] = (double)usage.ru_maxrss / 1024;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	fprintf(stderr, "measure: %s ended with %s %d\n", command->label,
	        WIFEXITED(status) ? "status" : "signal",
	        WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return -1;
}

static void run_in_turns(struct command *commands, size_t count)
{
	bool any = true;

	for (unsigned long run = 0; any; run++) {
		any = false;
		for (size_t i = 0; i < count; i++) {
			if (commands[i].failed || run >= commands[i].runs)
				continue;
			any = true;
			commands[i].failed = run_once(&commands[i], run) < 0;
		}
	}
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(const struct command *command, unsigned figure)
{
	const double *sorted = command->figures[figure];

	return (sorted[(command->runs - 1) / 2] + sorted[command->runs / 2]) / 2;
}

static void print_figure(const struct command *command, unsigned figure)
{
	char span[64];

	snprintf(span, sizeof(span), "(%.1f..%.1f)", command->figures[figure][0],
	         command->figures[figure][command->runs - 1]);
	printf(" %8.1f %-*s", median(command, figure), figure == PEAK ? 0 : 17, span);
}

static void print_long(const struct command *command)
{
	printf("%-42s", command->label);
	for (unsigned i = WALL; i <= PEAK; i++)
		print_figure(command, i);
	putchar('\n');
}

static void print_ratio(const struct command *command, const struct command *base, unsigned figure)
{
	if (base->failed)
		printf(" %7s", "-");
	else
		printf(" %7.2f", median(command, figure) / median(base, figure));
}

static void print_short(const struct command *command, const struct command *commands,
                        const struct wishes *wishes)
{
	printf("%-30s", command->label);
	print_figure(command, WALL);
	printf(" %8.1f %8.2f %8.1f", median(command, CPU),
	       median(command, CPU) * 1e3 / (double)wishes->threads, median(command, PEAK));
	for (unsigned long i = 0; i < wishes->bases; i++) {
		print_ratio(command, &commands[i], WALL);
		print_ratio(command, &commands[i], CPU);
	}
	putchar('\n');
}

static void sort(struct command *command)
{
	for (size_t i = 0; i < FIGURES; i++)
		qsort(command->figures[i], command->runs, sizeof(double), by_size);
}

static void add_to_file(const struct command *commands, size_t count, const char *path)
{
	FILE *file = fopen(path, "ae");

	if (!file) {
		fprintf(stderr, "measure: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	for (size_t i = 0; i < count; i++)
		if (!commands[i].failed)
			fprintf(file, "%s\t%.3f\t%.3f\t%.3f\t%.3f\n", commands[i].label,
			        median(&commands[i], WALL), median(&commands[i], USER),
			        median(&commands[i], SYSTEM), median(&commands[i], PEAK));
	fclose(file);
}

/* Returns how many could not be measured. */
static int report(struct command *commands, size_t count, const struct wishes *wishes)
{
	int failed = 0;

	for (size_t i = 0; i < count; i++)
		sort(&commands[i]);
	for (size_t i = 0; i < count; i++) {
		if (commands[i].failed)
			printf("%-30s not measured\n", commands[i].label);
		else if (wishes->threads > 0)
			print_short(&commands[i], commands, wishes);
		else
			print_long(&commands[i]);
		failed += commands[i].failed;
	}
	if (wishes->file)
		add_to_file(commands, count, wishes->file);
	return failed;
}

static int usage(void)
{
	fputs("Usage: measure [-n THREADS [-b BASES]] [-o FILE] RUNS LABEL COMMAND [ARGUMENT...]\n"
	      "               [:: RUNS LABEL COMMAND [ARGUMENT...]]...\n",
	      stderr);
	return 2;
}

static bool parse_number(const char *text, unsigned long most, unsigned long *ret)
{
	char *end;

	*ret = strtoul(text, &end, 10);
	return *end == '\0' && *ret > 0 && *ret <= most;
}

/* Ends each command with NULL. Returns how many there are, or 0 where one makes no sense. */
static size_t parse_commands(char **arguments, struct command *commands)
{
	size_t count = 0;

	while (*arguments) {
		struct command *command = &commands[count];

		if (count == COMMANDS_MAX ||
		    !parse_number(arguments[0], RUNS_MAX, &command->runs) || !arguments[1] ||
		    !arguments[2])
			return 0;
		command->label = arguments[1];
		command->arguments = arguments + 2;
		for (arguments += 2; *arguments && strcmp(*arguments, "::") != 0; arguments++)
			;
		if (*arguments)
			*arguments++ = NULL;
		if (!command->arguments[0])
			return 0;
		count++;
	}
	return count;
}

int main(int argc, char **argv)
{
	static struct command commands[COMMANDS_MAX];
	struct wishes wishes = {0};
	size_t count;
	int option;

	while ((option = getopt(argc, argv, "+n:b:o:")) >= 0) {
		if (option == 'o')
			wishes.file = optarg;
		else if (option == 'n' && !parse_number(optarg, 10000000, &wishes.threads))
			return usage();
		else if (option == 'b' && !parse_number(optarg, COMMANDS_MAX, &wishes.bases))
			return usage();
		else if (option == '?')
			return usage();
	}
	count = parse_commands(argv + optind, commands);
	if (count == 0 || wishes.bases > count)
		return usage();
	run_in_turns(commands, count);
	return report(commands, count, &wishes) > 0;
}
