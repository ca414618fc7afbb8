// SPDX-License-Identifier: GPL-2.0-or-later
/* thread-pass - what reading all threads in one pass by BPF costs: reads them RUNS times, and prints microseconds of CPU a
 * thread as median (minimum..maximum): of the pass, of making samples of its records, and of both. Ends with 77, and
 * a line, if there is no such pass. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "bpf/task-record.h"

enum { RUNS_MAX = 1000, CANNOT = 77 };

static double microseconds_now(void)
{
	return (double)clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e3;
}

static int compare(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static void print(const char *what, double *costs, size_t runs)
{
	qsort(costs, runs, sizeof(costs[0]), compare);
	printf("%-24s %.3f us a thread (%.3f..%.3f)\n", what, costs[runs / 2], costs[0],
	       costs[runs - 1]);
}

static void make_samples(const struct task_record_rules *rules, const struct task_record_pass *pass,
                         struct thread_sample *sample)
{
	const struct process_record *process = NULL;

	for (size_t i = 0; i < pass->thread_count; i++) {
		const struct task_record *values = &pass->threads[pass->order[i]];

		if (i == 0 || !task_record_same_process(&pass->threads[pass->order[i - 1]], values))
			process = task_record_process(pass, values);
		sample_reset(sample);
		task_record_sample(rules, pass, values, process, sample);
	}
}

int main(int argc, char **argv)
{
	size_t runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 20;
	static double passes[RUNS_MAX], samples[RUNS_MAX], both[RUNS_MAX], spreads[RUNS_MAX];
	const struct taskstats_rules taskstats = {.cpu_delay = true,
	                                          .delays = TASKSTATS_DELAYS_LATER};
	int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;
	double begin = microseconds_now();
	struct task_record_reader *reader;
	struct task_record_rules rules;
	struct task_record_pass pass;
	struct thread_sample sample = {0};
	struct rusage usage;

	r = task_record_open(&reader);
	if (r < 0) {
		printf("no pass by BPF: %s\n", strerror(-r));
		return CANNOT;
	}
	printf("loading                  %.1f ms of CPU\n", (microseconds_now() - begin) / 1e3);
	runs = runs > 0 && runs <= RUNS_MAX ? runs : RUNS_MAX;
	for (size_t i = 0; i < runs; i++) {
		double start = microseconds_now(), middle, end;

		r = task_record_read(reader, &pass);
		if (r < 0) {
			printf("the pass failed: %s\n", strerror(-r));
			return 1;
		}
		middle = microseconds_now();
		if (i == 0) {
			task_record_rules_init(&rules, reader, proc_fd, &taskstats);
			middle = microseconds_now();
			start = middle;
			r = task_record_read(reader, &pass);
			middle = microseconds_now();
		}
		make_samples(&rules, &pass, &sample);
		end = microseconds_now();
		passes[i] = (middle - start) / (double)pass.thread_count;
		samples[i] = (end - middle) / (double)pass.thread_count;
		both[i] = (end - start) / (double)pass.thread_count;
		spreads[i] = (double)(pass.end_boottime_ns - pass.begin_boottime_ns) / 1e6;
	}
	qsort(spreads, runs, sizeof(spreads[0]), compare);
	getrusage(RUSAGE_SELF, &usage);
	printf("threads                  %zu, peak %ld KiB resident\n", pass.thread_count,
	       usage.ru_maxrss);
	print("the pass", passes, runs);
	print("samples", samples, runs);
	print("both", both, runs);
	printf("first to last            %.1f ms (%.1f..%.1f)\n", spreads[runs / 2], spreads[0],
	       spreads[runs - 1]);
	sample_done(&sample);
	task_record_freep(&reader);
	return 0;
}
