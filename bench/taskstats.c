// SPDX-License-Identifier: GPL-2.0-or-later
/* taskstats - what the taskstats of a thread cost: asks RUNS times for every thread of the system, in batches as
 * a capture does, and prints microseconds of CPU a thread as median (minimum..maximum): of the system calls alone, which
 * is what the kernel takes, of our asking, and with the parsing. Without the privilege it says so and ends with 77. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "ctprof/metric/sample.h"
#include "taskstats-floor.h"
#include "taskstats/taskstats.h"

enum { RUNS_MAX = 1000, CANNOT = 77 };

struct ids {
	uint32_t *ids;
	size_t count;
};

static void add_threads(struct ids *ids, const char *process)
{
	char path[64];
	const struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%.32s/task", process);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.') {
			ids->ids = mem_realloc(ids->ids, ids->count + 1, sizeof(ids->ids[0]));
			ids->ids[ids->count++] = (uint32_t)strtoul(entry->d_name, NULL, 10);
		}
	if (tasks)
		closedir(tasks);
}

static struct ids list_threads(void)
{
	struct ids ids = {0};
	const struct dirent *entry;
	DIR *proc = opendir("/proc");

	while (proc && (entry = readdir(proc)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			add_threads(&ids, entry->d_name);
	if (proc)
		closedir(proc);
	return ids;
}

static double microseconds_now(void)
{
	return (double)clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e3;
}

/* Returns how many threads answered, or -errno. */
static long ask_all(struct taskstats_client *client, const struct ids *ids, bool parse,
                    struct thread_sample *sample)
{
	static const struct taskstats_rules rules = {.cpu_delay = true,
	                                             .delays = TASKSTATS_DELAYS_BOOT};
	static struct taskstats_reply replies[TASKSTATS_BATCH];
	long answered = 0;

	for (size_t first = 0; first < ids->count; first += TASKSTATS_BATCH) {
		size_t count = ids->count - first;
		int r;

		if (count > TASKSTATS_BATCH)
			count = TASKSTATS_BATCH;
		r = taskstats_ask(client, false, ids->ids + first, count, replies);
		if (r < 0)
			return r;
		for (size_t i = 0; i < count; i++) {
			if (replies[i].error == -EPERM)
				return -EPERM;
			if (replies[i].error != 0)
				continue;
			answered++;
			memset(&sample->seen, 0, sizeof(sample->seen));
			if (parse && taskstats_parse(replies[i].payload, replies[i].len, &rules,
			                             sample) != OUTCOME_read)
				return -EBADMSG;
		}
	}
	return answered;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The ways that are measured. */
enum part { PART_FLOOR, PART_ASK, PART_PARSE, PART_COUNT };

struct subjects {
	struct taskstats_client *client;
	struct taskstats_floor floor;
	struct ids ids;
};

static long floor_all(const struct subjects *subjects)
{
	const struct ids *ids = &subjects->ids;
	long answered = 0;

	for (size_t first = 0; first < ids->count; first += TASKSTATS_BATCH) {
		size_t left = ids->count - first;
		int r = taskstats_floor_ask(&subjects->floor, ids->ids + first,
		                            left < TASKSTATS_BATCH ? left : TASKSTATS_BATCH);

		if (r < 0)
			return r;
		answered += r;
	}
	return answered;
}

static int measure(const struct subjects *subjects, size_t runs, enum part part)
{
	static const char *const names[PART_COUNT] = {"taskstats, system calls alone",
	                                              "taskstats, asked for",
	                                              "taskstats, asked for and parsed"};
	static struct thread_sample sample;
	static double costs[RUNS_MAX];
	long answered = 0;

	for (size_t run = 0; run < runs; run++) {
		double start = microseconds_now();

		answered = part == PART_FLOOR ? floor_all(subjects)
		                              : ask_all(subjects->client, &subjects->ids,
		                                        part == PART_PARSE, &sample);
		if (answered <= 0) {
			fprintf(stderr, "taskstats: %s\n", strerror((int)-answered));
			return answered == -EPERM ? CANNOT : 1;
		}
		costs[run] = (microseconds_now() - start) / (double)answered;
	}
	qsort(costs, runs, sizeof(costs[0]), by_size);
	printf("%-42s %ld threads: %.2f us of CPU a thread (%.2f..%.2f)\n", names[part], answered,
	       costs[runs / 2], costs[0], costs[runs - 1]);
	return 0;
}

int main(int argc, char **argv)
{
	struct subjects subjects = {.floor = {.fd = -1}};
	size_t runs = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	int r;

	if (runs == 0 || runs > RUNS_MAX) {
		fputs("Usage: taskstats RUNS\n", stderr);
		return 2;
	}
	r = taskstats_open(&subjects.client);
	if (r == 0)
		r = taskstats_floor_open(&subjects.floor);
	if (r < 0) {
		fprintf(stderr, "taskstats: %s\n", strerror(-r));
		taskstats_freep(&subjects.client);
		return CANNOT;
	}
	subjects.ids = list_threads();
	/* Without the privilege ours says so, and the bare calls would not notice. */
	r = measure(&subjects, runs, PART_ASK);
	if (r == 0)
		r = measure(&subjects, runs, PART_PARSE);
	if (r == 0)
		r = measure(&subjects, runs, PART_FLOOR);
	free(subjects.ids.ids);
	taskstats_floor_close(&subjects.floor);
	taskstats_freep(&subjects.client);
	return r;
}
