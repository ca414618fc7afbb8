// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <string.h>

#include "memory-stream.h"
#include "samples.h"
#include "window/window-reading.h"
#include "window/window-sum.h"
#include "windows.h"

/* The rows of a snapshot, a line for each. */
struct row_lines {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct strbuf text;
};

static int add_line(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct row_lines *lines = (struct row_lines *)self;

	strbuf_addf(&lines->text, "%u '%s' %s %llu\n", sample->tid, strbuf_str(&sample->boot_id),
	            strbuf_str(&sample->pcomm),
	            (unsigned long long)(sample->run_time_ns.v / MILLISECONDS(1)));
	return 0;
}

static int add_cgroup_line(struct snapshot_visitor *self, const struct cgroup_stats *stats)
{
	struct row_lines *lines = (struct row_lines *)self;

	strbuf_addf(&lines->text, "%s %s", strbuf_str(&stats->path), stats->is_gone ? "gone" : "");
	if (!stats->is_gone)
		strbuf_addf(&lines->text, "%lld %lld %llu s",
		            (long long)stats->values[CGROUP_VALUE_cpu_usage_usec].number,
		            (long long)stats->values[CGROUP_VALUE_memory_peak].number,
		            (unsigned long long)(stats->interval_ns / SECONDS(1)));
	strbuf_add_char(&lines->text, '\n');
	return 0;
}

/* The peak of memory rises to less after each boot. */
static void add_cgroup(struct reading *reading, const char *path, unsigned boot, unsigned i)
{
	struct cgroup_stats *stats = reading_add_cgroup(reading, path);

	stats->read_boottime_ns = reading->info.captured_boottime_ns;
	keyed_values_set(&stats->ids, CGROUP_ID_UNIFIED, strlen(CGROUP_ID_UNIFIED), 7 + boot);
	fact_set_number(&stats->values[CGROUP_VALUE_cpu_usage_usec], 1000 + 10 * (boot + 1) * i);
	fact_set_number(&stats->values[CGROUP_VALUE_memory_peak], 500 - 100 * (int)boot + (int)i);
}

/* Adds a window of a boot, in which 14 and 15 of one clock tick have these names. Each boot is an hour behind the one before. */
static void add_boot(struct window_sum *sum, unsigned boot, const char *const names[2])
{
	static const char *const boots[] = {"first", "second", "third"};
	struct memory_sink packed = memory_sink_make(SIZE_MAX);
	cleanup_(window_reading_done) struct window_reading first = {0}, last = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct reading readings[2];

	for (unsigned i = 0; i < 2; i++) {
		struct snapshot_info *info = &readings[i].info;

		reading_init(&readings[i], SECONDS(100 - 20 * boot + 30 * i));
		info->captured_at_unix_ns += SECONDS(3600 * boot);
		host_set_text(&info->host, HOST_boot_id, boots[boot], strlen(boots[boot]));
		for (unsigned p = 0; p < 2; p++) {
			struct thread_sample *sample =
			        reading_add(&readings[i], 14 + p, 14 + p, 32);

			sample_name(&sample->pcomm, names[p]);
			sample_set(sample, run_time_ns,
			           (struct counter_ns){MILLISECONDS(i * (10 * boot + p + 1))});
		}
		add_cgroup(&readings[i], "/all", boot, i);
		if (boot != 1)
			add_cgroup(&readings[i], boot == 0 ? "/first" : "/third", boot, i);
	}
	reading_load(&readings[0], &first);
	reading_load(&readings[1], &last);
	window_pack(&first, &last, NULL, NULL, &packed);
	assert_int_equal(window_add(sum, &packed, &reason), 0);
	for (unsigned i = 0; i < 2; i++)
		reading_done(&readings[i]);
	strbuf_done(&packed.bytes);
}

/* Writes the sum as a file, and checks its rows and the number of its boots. */
static void check_boots(struct window_sum *sum, struct memory_sink *packed, uint64_t boots,
                        const char *expected)
{
	struct row_lines lines = {.visitor = {.thread = add_line, .cgroup = add_cgroup_line}};
	cleanup_(snapshot_info_done) struct snapshot_info written = {0}, info = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct snapshot_writer *writer = snapshot_writer_new(&packed->base, 1);
	struct memory_source source;

	assert_int_equal(window_sum_write(sum, writer, &written), 0);
	snapshot_writer_freep(&writer);
	source = memory_source_make(packed->bytes.data, packed->bytes.len, packed->bytes.len);
	assert_int_equal(snapshot_read(&source.base, &snapshot_default_limits, &lines.visitor,
	                               &info, &reason),
	                 0);
	assert_string_equal(strbuf_str(&lines.text), expected);
	assert_window(&info, boots, boots);
	assert_window(&info, gaps, boots - 1);
	assert_false(info.window.seen[WINDOW_begin_boottime_ns]);
	assert_string_equal(host_text(&info.host, HOST_boot_id), boots == 2 ? "second" : "third");
	strbuf_done(&lines.text);
}

/* Kernel threads are born within a few ticks of each boot: their ids and start times may be those of others in the next one. A sum, and a
 * sum of that, says which rows are of a boot before. A cgroup is one over all boots. */
static void boots_stay_apart(void **state)
{
	static const char *const names[][2] = {{"ksoftirqd", "rcu"}, {"rcu", "ksoftirqd"}};
	struct memory_sink two = memory_sink_make(SIZE_MAX), three = memory_sink_make(SIZE_MAX);
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct window_sum *sum = window_sum_new();

	(void)state;
	add_boot(sum, 0, names[0]);
	add_boot(sum, 1, names[1]);
	check_boots(sum, &two, 2,
	            "14 '' rcu 11\n15 '' ksoftirqd 12\n14 'first' ksoftirqd 1\n"
	            "15 'first' rcu 2\n/all 30 501 60 s\n/first gone\n");
	window_sum_freep(&sum);
	sum = window_sum_new();
	assert_int_equal(window_add(sum, &two, &reason), 0);
	add_boot(sum, 2, names[0]);
	check_boots(sum, &three, 3,
	            "14 '' ksoftirqd 21\n15 '' rcu 22\n14 'second' rcu 11\n"
	            "14 'first' ksoftirqd 1\n15 'second' ksoftirqd 12\n15 'first' rcu 2\n"
	            "/all 60 501 90 s\n/first gone\n/third 30 301 30 s\n");
	window_sum_freep(&sum);
	strbuf_done(&two.bytes);
	strbuf_done(&three.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(boots_stay_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
