// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory is taken for names and groups, and not for rows: three times as many rows ask for none more. */
#include "check.h"

#include "group/group-filter.h"
#include "group/group.h"
#include "memory-stream.h"
#include "snapshots.h"

enum { FEW_ROWS = 4000, MANY_ROWS = 3 * FEW_ROWS, THREADS_OF_PROCESS = 5, NAMES = 7 };

static size_t allocations;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
	allocations++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	allocations++;
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	allocations++;
	return __real_realloc(old, size);
}

/* Writes without keeping anything, so that what is counted is the writer's. */
struct no_sink {
	struct byte_sink base; /* must stay the first member */
};

static int write_nowhere(struct byte_sink *self, const void *bytes, size_t len)
{
	(void)self;
	(void)bytes;
	(void)len;
	return 0;
}

static void set_name(struct strbuf *name, const char *kind, unsigned number)
{
	strbuf_clear(name);
	strbuf_addf(name, "%s-%c", kind, 'a' + (char)number);
}

/* Every metric of a number, and names that come again and again. */
static void make_row(uint32_t row, struct thread_sample *sample)
{
	uint32_t process = row / THREADS_OF_PROCESS;
	struct cpu_set cpus;

	sample_reset(sample);
	sample->tid = 1000 + row;
	sample->tgid = 1000 + process * THREADS_OF_PROCESS;
	sample->start_time_clock_ticks = 1 + process;
	set_name(&sample->pcomm, "process", process % NAMES);
	set_name(&sample->comm, "thread", row % NAMES);
	set_name(&sample->cgroup, "/slice/of-some-length/service", process % NAMES);
	sample->has_cgroup = true;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_table[i].source != SOURCE_synthetic)
			(void)!sample_set_integer(sample, (enum metric_id)i, row * i % 1000 % 2);
	(void)!sample_set_label(sample, METRIC_policy, "SCHED_OTHER", strlen("SCHED_OTHER"));
	cpu_mask_clear(&cpus.v);
	(void)!cpu_mask_add(&cpus.v, row % 2);
	sample_set(sample, cpu_affinity, cpus);
	sample->has_process_totals = row % THREADS_OF_PROCESS == THREADS_OF_PROCESS - 1;
	sample->process_totals_seen = (UINT32_C(1) << PROCESS_TOTAL_COUNT) - 1;
}

static size_t count_writing(struct byte_sink *sink, uint32_t rows)
{
	struct snapshot_writer *writer;
	struct snapshot_info info = {0};
	struct thread_sample sample = {0};

	make_row(0, &sample);
	allocations = 0;
	writer = snapshot_writer_new(sink, SNAPSHOT_ZSTD_LEVEL);
	assert_int_equal(snapshot_write_begin(writer, &info), 0);
	for (uint32_t row = 0; row < rows; row++) {
		make_row(row, &sample);
		assert_int_equal(snapshot_write_thread(writer, &sample), 0);
	}
	assert_int_equal(snapshot_write_end(writer, &info), 0);
	snapshot_writer_freep(&writer);
	sample_done(&sample);
	return allocations;
}

static void test_writing(void **state)
{
	struct no_sink sink = {{write_nowhere}};
	size_t few = count_writing(&sink.base, FEW_ROWS);

	(void)state;
	assert_in_range(few, 1, FEW_ROWS / 10);
	assert_int_equal(count_writing(&sink.base, MANY_ROWS), few);
}

struct grouping {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct group_table groups;
	struct group_filter filter;
	uint32_t rows;
};

static int group_row(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct grouping *grouping = (struct grouping *)self;

	if (!grouping->filter.label || group_filter_wants(&grouping->filter, sample, NULL))
		group_table_add(&grouping->groups, sample);
	grouping->rows++;
	return 0;
}

/* @label may be NULL: all groups. */
static size_t count_reading(struct group_by by, const char *label, uint32_t rows)
{
	struct memory_sink file = memory_sink_make(SIZE_MAX);
	struct memory_source source;
	struct grouping grouping = {.visitor = {.thread = group_row},
	                            .filter = {.by = by, .label = label}};
	struct snapshot_info info;
	struct strbuf reason = STRBUF_INIT;
	size_t counted;

	(void)count_writing(&file.base, rows);
	source = memory_source_make(file.bytes.data, file.bytes.len, SIZE_MAX);
	group_table_init(&grouping.groups, by);
	allocations = 0;
	assert_int_equal(snapshot_read(&source.base, &snapshot_default_limits, &grouping.visitor,
	                               &info, &reason),
	                 0);
	group_table_finish(&grouping.groups);
	counted = allocations;
	assert_int_equal(grouping.rows, rows);
	group_table_done(&grouping.groups);
	group_filter_done(&grouping.filter);
	snapshot_info_done(&info);
	strbuf_done(&reason);
	strbuf_done(&file.bytes);
	return counted;
}

static void test_reading(void **state)
{
	static const enum group_key keys[] = {GROUP_KEY_pcomm, GROUP_KEY_comm, GROUP_KEY_cgroup};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct group_by by = group_by_key(keys[i], false);
		size_t few = count_reading(by, NULL, FEW_ROWS);

		assert_in_range(few, 1, FEW_ROWS / 4);
		assert_int_equal(count_reading(by, NULL, MANY_ROWS), few);
		assert_int_equal(count_reading(by, "some name", FEW_ROWS),
		                 count_reading(by, "some name", MANY_ROWS));
	}
}

static void test_reading_with_globs(void **state)
{
	static const char *const globs[] = {"/slice/*/nothing*"};
	struct group_by by = group_by_key(GROUP_KEY_cgroup, false);

	(void)state;
	by.flatten = globs;
	by.flatten_count = ARRAY_SIZE(globs);
	assert_int_equal(count_reading(by, NULL, FEW_ROWS), count_reading(by, NULL, MANY_ROWS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_writing),
	        cmocka_unit_test(test_reading),
	        cmocka_unit_test(test_reading_with_globs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
