// SPDX-License-Identifier: GPL-2.0-or-later
/* snapshot-io - writes and reads the rows of a snapshot in memory and prints what each costs: CPU time and wall time
 * for a row, and MB of JSON for a second of CPU time. Medians of several runs.
 *
 *   snapshot-io RUNS FILE
 *
 * Writing takes as many rows as the file has, from the first ones again and again; its JSON is made by one thread and
 * compressed by another. Grouping is by process name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "ctprof/metric/sample.h"
#include "ctprof/snapshot/snapshot.h"
#include "group/group.h"

enum { ROWS_KEPT = 500, RUNS_MAX = 100 };

struct memory_source {
	struct byte_source source; /* must stay the first member */
	const struct strbuf *bytes;
	size_t at;
};

static int read_memory(struct byte_source *self, void *buffer, size_t size, size_t *ret_len)
{
	struct memory_source *source = (struct memory_source *)self;
	size_t left = source->bytes->len - source->at;

	*ret_len = size < left ? size : left;
	memcpy(buffer, source->bytes->data + source->at, *ret_len);
	source->at += *ret_len;
	return 0;
}

struct counting_sink {
	struct byte_sink sink; /* must stay the first member */
	uint64_t bytes;
};

static int count_bytes(struct byte_sink *self, const void *bytes, size_t len)
{
	(void)bytes;
	((struct counting_sink *)self)->bytes += len;
	return 0;
}

struct visit {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct thread_sample *kept;      /* NULL where rows are not kept */
	size_t kept_count;
	struct group_table *groups; /* NULL where rows are not grouped */
	uint64_t rows;
};

static void copy_text(struct strbuf *to, const struct strbuf *from)
{
	*to = STRBUF_INIT;
	strbuf_add(to, strbuf_str(from), from->len);
}

static void keep(struct thread_sample *to, const struct thread_sample *from)
{
	*to = *from;
	copy_text(&to->pcomm, &from->pcomm);
	copy_text(&to->comm, &from->comm);
	copy_text(&to->cgroup, &from->cgroup);
	copy_text(&to->exe, &from->exe);
	to->has_smaps = false;
	to->smaps_rollup_kib = (struct keyed_values){0};
}

static int take_row(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct visit *visit = (struct visit *)self;

	if (visit->kept && visit->kept_count < ROWS_KEPT)
		keep(&visit->kept[visit->kept_count++], sample);
	if (visit->groups)
		group_table_add(visit->groups, sample);
	visit->rows++;
	return 0;
}

enum figure { WALL, CPU, FIRST_THREAD, FIGURES };

static double seconds_of(clockid_t clock)
{
	return (double)clock_now_ns(clock) / 1e9;
}

static void start(double figures[FIGURES])
{
	figures[WALL] = -seconds_of(CLOCK_MONOTONIC);
	figures[CPU] = -seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	figures[FIRST_THREAD] = -seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static void stop(double figures[FIGURES])
{
	figures[WALL] += seconds_of(CLOCK_MONOTONIC);
	figures[CPU] += seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	figures[FIRST_THREAD] += seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static void fail(const char *what, int r)
{
	fprintf(stderr, "snapshot-io: %s: %s\n", what, strerror(-r));
	exit(1);
}

/* Reads all of the snapshot; returns the bytes of its JSON as they would be written again, 0 where it is not kept. */
static void read_rows(const struct strbuf *bytes, struct visit *visit, struct snapshot_info *info,
                      double figures[FIGURES])
{
	struct memory_source source = {{read_memory}, bytes, 0};
	struct strbuf reason = STRBUF_INIT;
	int r;

	visit->visitor.thread = take_row;
	start(figures);
	r = snapshot_read(&source.source, &snapshot_default_limits, &visit->visitor, info, &reason);
	if (visit->groups)
		group_table_finish(visit->groups);
	stop(figures);
	if (r < 0)
		fail(reason.len > 0 ? strbuf_str(&reason) : "reading", r);
	strbuf_done(&reason);
}

static uint64_t write_rows(const struct visit *from, const struct snapshot_info *info,
                           double figures[FIGURES], uint64_t *ret_bytes)
{
	struct counting_sink sink = {{count_bytes}, 0};
	struct snapshot_writer *writer = snapshot_writer_new(&sink.sink, SNAPSHOT_ZSTD_LEVEL);
	uint64_t json;
	int r;

	start(figures);
	r = snapshot_write_begin(writer, info);
	for (uint64_t i = 0; r == 0 && i < from->rows; i++)
		r = snapshot_write_thread(writer, &from->kept[i % from->kept_count]);
	if (r == 0)
		r = snapshot_write_end(writer, info);
	stop(figures);
	if (r < 0)
		fail("writing", r);
	json = snapshot_writer_json_bytes(writer);
	*ret_bytes = sink.bytes;
	snapshot_writer_freep(&writer);
	return json;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

struct measurement {
	double figures[FIGURES][RUNS_MAX];
	unsigned runs;
};

static void add(struct measurement *measurement, const double figures[FIGURES])
{
	for (unsigned i = 0; i < FIGURES; i++)
		measurement->figures[i][measurement->runs] = figures[i];
	measurement->runs++;
}

static void print(const char *label, struct measurement *measurement, uint64_t rows, uint64_t json)
{
	double each = 1e9 / (double)rows,
	       cpu = median(measurement->figures[CPU], measurement->runs);

	printf("%-26s %8.0f ns of CPU a row (%.0f in the first thread), %8.0f ns wall, %7.0f MB of "
	       "JSON "
	       "a second of CPU\n",
	       label, cpu * each,
	       median(measurement->figures[FIRST_THREAD], measurement->runs) * each,
	       median(measurement->figures[WALL], measurement->runs) * each,
	       (double)json / 1e6 / cpu);
}

static void measure(const struct strbuf *bytes, unsigned runs)
{
	static struct measurement reading, grouping, writing;
	static struct thread_sample kept[ROWS_KEPT];
	struct visit first = {.kept = kept};
	struct snapshot_info info;
	double figures[FIGURES];
	uint64_t json = 0, written = 0;

	read_rows(bytes, &first, &info, figures);
	if (first.rows == 0)
		fail("no rows", -ENODATA);
	for (unsigned i = 0; i < runs; i++) {
		struct group_table groups;
		struct visit plain = {.rows = 0}, grouped = {.groups = &groups};
		struct snapshot_info again;

		json = write_rows(&first, &info, figures, &written);
		add(&writing, figures);
		read_rows(bytes, &plain, &again, figures);
		snapshot_info_done(&again);
		add(&reading, figures);
		group_table_init(&groups, group_by_key(GROUP_KEY_pcomm, false));
		read_rows(bytes, &grouped, &again, figures);
		snapshot_info_done(&again);
		group_table_done(&groups);
		add(&grouping, figures);
	}
	printf("%llu rows, %llu bytes a row, %llu of JSON\n", (unsigned long long)first.rows,
	       (unsigned long long)(bytes->len / first.rows),
	       (unsigned long long)(json / first.rows));
	print("write", &writing, first.rows, json);
	print("read", &reading, first.rows, json);
	print("read and group", &grouping, first.rows, json);
	for (size_t i = 0; i < first.kept_count; i++)
		sample_done(&kept[i]);
	snapshot_info_done(&info);
}

int main(int argc, char **argv)
{
	struct strbuf bytes = STRBUF_INIT;
	unsigned long runs = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	FILE *file;
	size_t len;

	if (runs == 0 || runs > RUNS_MAX) {
		fputs("Usage: snapshot-io RUNS FILE\n", stderr);
		return 2;
	}
	file = fopen(argv[2], "re");
	if (!file)
		fail(argv[2], -errno);
	do {
		len = fread(strbuf_reserve(&bytes, 1 << 20), 1, 1 << 20, file);
		bytes.len += len;
	} while (len > 0);
	fclose(file);
	measure(&bytes, (unsigned)runs);
	strbuf_done(&bytes);
	return 0;
}
