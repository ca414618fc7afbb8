// SPDX-License-Identifier: GPL-2.0-or-later
/* capture-phases - where the CPU time of a capture goes: reading threads, making JSON of them, compressing it. Each run
 * captures by each source and in each of three ways, in turns: rows are dropped, or made and dropped, or compressed too.
 * The difference between a way and the one before it is the phase's time, by medians. The snapshot itself goes nowhere.
 *
 *   capture-phases RUNS [FILE]
 *
 * To FILE lines are added with tabs in between: source, threads, milliseconds of CPU for loading the program, for
 * reading, for JSON, for compressing, milliseconds from the first thread read to the last, peak MiB. A source that does
 * not work here has no line.
 *
 * The linker puts functions of this file before some of ctprof's (see meson.build): they look at the clock where a
 * phase begins or ends, and leave out what is not wanted. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "bpf/task-record.h"
#include "capture/capture.h"
#include "capture/cgroup-walk.h"
#include "compression/zstd-thread.h"
#include "snapshot/snapshot-row-write.h"

enum { RUNS_MAX = 100 };

enum way { WAY_READ, WAY_WRITE, WAY_COMPRESS, WAYS };
enum figure { HOST, LOAD, WALK, REST, SPREAD, PEAK, THREADS, FIGURES };

/* One capture of this process, which makes only one. The wrapped functions have no other way to know it. */
static struct {
	enum way way;
	double last_ms;
	double figures[FIGURES];
} run;

static double cpu_ms(void)
{
	return (double)clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e6;
}

/* Adds the use since the last call to that phase. */
static void phase_ends(enum figure phase)
{
	double now = cpu_ms();

	run.figures[phase] += now - run.last_ms;
	run.last_ms = now;
}

void __real_cgroup_mounts_set_host(const struct cgroup_mounts *mounts, struct host *host);
void __wrap_cgroup_mounts_set_host(const struct cgroup_mounts *mounts, struct host *host);
void __wrap_cgroup_mounts_set_host(const struct cgroup_mounts *mounts, struct host *host)
{
	__real_cgroup_mounts_set_host(mounts, host);
	phase_ends(HOST);
}

int __real_task_record_open(struct task_record_reader **ret_reader);
int __wrap_task_record_open(struct task_record_reader **ret_reader);
int __wrap_task_record_open(struct task_record_reader **ret_reader)
{
	int r;

	phase_ends(WALK);
	r = __real_task_record_open(ret_reader);
	phase_ends(LOAD);
	return r;
}

int __real_cgroup_walk_read(const struct cgroup_walk *walk, const struct cgroup_mounts *mounts,
                            struct snapshot_writer *writer, struct snapshot_tally *tally);
int __wrap_cgroup_walk_read(const struct cgroup_walk *walk, const struct cgroup_mounts *mounts,
                            struct snapshot_writer *writer, struct snapshot_tally *tally);
int __wrap_cgroup_walk_read(const struct cgroup_walk *walk, const struct cgroup_mounts *mounts,
                            struct snapshot_writer *writer, struct snapshot_tally *tally)
{
	phase_ends(WALK);
	return __real_cgroup_walk_read(walk, mounts, writer, tally);
}

void __real_thread_row_write(struct thread_row_writer *rows, struct json_writer *out,
                             const struct thread_sample *sample);
void __wrap_thread_row_write(struct thread_row_writer *rows, struct json_writer *out,
                             const struct thread_sample *sample);
void __wrap_thread_row_write(struct thread_row_writer *rows, struct json_writer *out,
                             const struct thread_sample *sample)
{
	if (run.way != WAY_READ)
		__real_thread_row_write(rows, out, sample);
}

int __real_zstd_thread_add(struct zstd_thread *thread, struct strbuf *bytes);
int __wrap_zstd_thread_add(struct zstd_thread *thread, struct strbuf *bytes);
int __wrap_zstd_thread_add(struct zstd_thread *thread, struct strbuf *bytes)
{
	if (run.way == WAY_COMPRESS)
		return __real_zstd_thread_add(thread, bytes);
	strbuf_clear(bytes);
	return 0;
}

static int drop_bytes(struct byte_sink *self, const void *bytes, size_t len)
{
	(void)self;
	(void)bytes;
	(void)len;
	return 0;
}

static int capture(enum capture_source source, enum way way)
{
	struct capture_options options = {.source = source};
	struct byte_sink sink = {drop_bytes};
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer =
	        snapshot_writer_new(&sink, SNAPSHOT_ZSTD_LEVEL);
	cleanup_(snapshot_info_done) struct snapshot_info info;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct rusage usage;
	int r;

	run.way = way;
	run.last_ms = cpu_ms();
	r = capture_run(&options, writer, &info, &reason);
	/* Compressing ends behind the walk. */
	phase_ends(REST);
	if (r < 0 && way == WAY_READ)
		fprintf(stderr, "capture-phases: %s\n",
		        reason.len > 0 ? strbuf_str(&reason) : strerror(-r));
	getrusage(RUSAGE_SELF, &usage);
	run.figures[SPREAD] = (double)info.cost[COST_walk_spread_ns] / 1e6;
	run.figures[PEAK] = (double)usage.ru_maxrss / 1024;
	run.figures[THREADS] = (double)info.tally.threads;
	return r;
}

/* In a process of its own, for memory that was used before is not there again. Returns 0, or -1 where it failed. */
static int capture_once(enum capture_source source, enum way way, double ret_figures[FIGURES])
{
	int ends[2], status;
	ssize_t n;
	pid_t child;

	fflush(stdout);
	if (pipe(ends) < 0 || (child = fork()) < 0) {
		perror("capture-phases");
		exit(1);
	}
	if (child == 0) {
		if (capture(source, way) < 0)
			_exit(1);
		n = write(ends[1], run.figures, sizeof(run.figures));
		_exit(n == (ssize_t)sizeof(run.figures) ? 0 : 1);
	}
	close(ends[1]);
	n = read(ends[0], ret_figures, sizeof(run.figures));
	close(ends[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return n == (ssize_t)sizeof(run.figures) && WIFEXITED(status) && WEXITSTATUS(status) == 0
	               ? 0
	               : -1;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_size);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

struct source {
	enum capture_source id;
	const char *name;
	bool failed;
	double figures[WAYS][FIGURES][RUNS_MAX];
};

/* In another order each time: what a capture finds in caches is what the one before it has left there. */
static void run_source(struct source *source, size_t index)
{
	for (size_t turn = 0; turn < WAYS && !source->failed; turn++) {
		enum way way = (enum way)((index + turn) % WAYS);
		double once[FIGURES];

		source->failed = capture_once(source->id, way, once) < 0;
		for (size_t i = 0; i < FIGURES && !source->failed; i++)
			source->figures[way][i][index] = once[i];
	}
}

static void report(struct source *source, size_t runs, const char *path)
{
	double medians[WAYS][FIGURES], each, threads, reading, json, compressing;
	FILE *file;

	for (enum way way = 0; way < WAYS; way++)
		for (size_t i = 0; i < FIGURES; i++)
			medians[way][i] = median(source->figures[way][i], runs);
	threads = medians[WAY_COMPRESS][THREADS];
	each = 1e3 / threads;
	reading = medians[WAY_READ][WALK];
	/* The data that is not compressed when the walk ends is compressed behind it. */
	json = medians[WAY_WRITE][WALK] - reading;
	compressing = medians[WAY_COMPRESS][WALK] + medians[WAY_COMPRESS][REST] -
	              medians[WAY_WRITE][WALK] - medians[WAY_WRITE][REST];
	printf("%-8s %8.0f %8.1f %8.1f %10.2f %10.2f %10.2f %8.1f %10.1f %8.1f\n", source->name,
	       threads, medians[WAY_READ][HOST], medians[WAY_READ][LOAD], reading * each,
	       json * each, compressing * each, medians[WAY_READ][REST],
	       medians[WAY_COMPRESS][SPREAD], medians[WAY_COMPRESS][PEAK]);
	if (!path)
		return;
	file = fopen(path, "ae");
	if (!file) {
		perror(path);
		exit(1);
	}
	fprintf(file, "%s\t%.0f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\n", source->name, threads,
	        medians[WAY_READ][LOAD], reading, json, compressing, medians[WAY_COMPRESS][SPREAD],
	        medians[WAY_COMPRESS][PEAK]);
	fclose(file);
}

int main(int argc, char **argv)
{
	static struct source sources[] = {{.id = CAPTURE_SOURCE_BPF, .name = "bpf"},
	                                  {.id = CAPTURE_SOURCE_PROCFS, .name = "procfs"}};
	unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	if (argc > 3 || runs == 0 || runs > RUNS_MAX) {
		fputs("Usage: capture-phases RUNS [FILE]\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < runs; i++)
		for (size_t s = 0; s < ARRAY_SIZE(sources); s++)
			run_source(&sources[s], i);
	printf("%-8s %8s %8s %8s %10s %10s %10s %8s %10s %8s\n%-8s %8s %8s %8s %10s %10s %10s %8s "
	       "%10s %8s\n",
	       "CPU", "", "host", "loading", "reading", "JSON", "zstd", "rest", "walk spread",
	       "peak", "source", "threads", "ms", "ms", "us/thread", "us/thread", "us/thread", "ms",
	       "ms wall", "MiB");
	for (size_t s = 0; s < ARRAY_SIZE(sources); s++) {
		if (sources[s].failed)
			printf("%-8s not measured\n", sources[s].name);
		else
			report(&sources[s], runs, argc > 2 ? argv[2] : NULL);
	}
	return 0;
}
