// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "check.h"
#include "fleet/folded.h"
#include "samples.h"

static const struct metric_set run_time = {
        {[METRIC_run_time_ns / 64] = UINT64_C(1) << METRIC_run_time_ns % 64}};

static const struct snapshot_info info = {.kind = KIND_lifetime};

static struct group_by by_stack(void)
{
	struct group_by by = group_by_key(GROUP_KEY_cgroup, false);

	by.keys[by.count++] = GROUP_KEY_pcomm;
	by.keys[by.count++] = GROUP_KEY_comm;
	return by;
}

/* A thread that leads its process; below 0 its run time was not seen. */
static void add(struct fleet_groups *groups, const char *cgroup, const char *comm, int64_t run_ns)
{
	static struct thread_sample sample;
	static uint32_t tid;

	sample_reset(&sample);
	sample.tid = sample.tgid = ++tid;
	sample_name(&sample.pcomm, comm);
	sample_name(&sample.comm, comm);
	sample_name(&sample.cgroup, cgroup);
	sample.has_cgroup = true;
	if (run_ns >= 0)
		assert_true(sample_set_integer(&sample, METRIC_run_time_ns, (uint64_t)run_ns));
	fleet_groups_add(groups, &info, &sample);
	sample_done(&sample);
}

static void assert_folded(const struct fleet_groups *a, const struct fleet_groups *b, size_t unseen,
                          size_t partial, const char *expected)
{
	const struct fleet_groups *const tables[] = {a, b};
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);
	struct folded_counts counts;

	assert_non_null(file);
	counts = folded_print(file, tables, b ? 2 : 1, METRIC_run_time_ns);
	assert_int_equal(counts.unseen, unseen);
	assert_int_equal(counts.partial, partial);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void one_column_or_two(void **state)
{
	cleanup_(fleet_groups_done) struct fleet_groups a, b;
	struct group_by by = by_stack();

	(void)state;
	fleet_groups_init(&a, &by, &run_time);
	fleet_groups_init(&b, &by, &run_time);
	add(&a, "/app", "web", 5);
	add(&a, "/app", "web", 6);
	add(&a, "/", "idle", 0);
	/* There are summaries of wanted metrics alone. */
	assert_int_equal(fleet_groups_summary(&a, &a.threads.entries[0], METRIC_run_time_ns)->seen,
	                 2);
	assert_int_equal(fleet_groups_summary(&a, &a.threads.entries[0], METRIC_minflt)->threads,
	                 0);
	add(&a, "/", "only a; 7", 3);
	add(&b, "/app", "web", 20);
	add(&b, "/", "only\nb", 4);
	fleet_groups_finish(&a, &info);
	fleet_groups_finish(&b, &info);
	assert_folded(&a, NULL, 0, 0,
	              "/;only_a:_{N};only_a:_{N} 3\n"
	              "/app;web;web 11\n");
	assert_folded(&a, &b, 0, 0,
	              "/;only\\x0ab;only\\x0ab 0 4\n"
	              "/;only_a:_{N};only_a:_{N} 3 0\n"
	              "/app;web;web 11 20\n");
}

/* A value that was not seen is no 0, in neither column. */
static void unseen_is_left_out(void **state)
{
	cleanup_(fleet_groups_done) struct fleet_groups a, b;
	struct group_by by = by_stack();

	(void)state;
	fleet_groups_init(&a, &by, &run_time);
	fleet_groups_init(&b, &by, &run_time);
	add(&a, "/app", "web", 5);
	add(&a, "/app", "db", 7);
	add(&b, "/app", "web", -1);
	add(&b, "/app", "db", 8);
	fleet_groups_finish(&a, &info);
	fleet_groups_finish(&b, &info);
	assert_folded(&b, NULL, 1, 0, "/app;db;db 8\n");
	assert_folded(&a, &b, 1, 0, "/app;db;db 7 8\n");
}

/* A sum of some of the group's threads has its line, and is counted. */
static void partial_is_counted(void **state)
{
	cleanup_(fleet_groups_done) struct fleet_groups a, b;
	struct group_by by = by_stack();

	(void)state;
	fleet_groups_init(&a, &by, &run_time);
	fleet_groups_init(&b, &by, &run_time);
	add(&a, "/app", "web", 5);
	add(&a, "/app", "db", 7);
	add(&b, "/app", "web", 6);
	add(&b, "/app", "web", -1);
	add(&b, "/app", "db", -1);
	fleet_groups_finish(&a, &info);
	fleet_groups_finish(&b, &info);
	assert_folded(&b, NULL, 1, 1, "/app;web;web 6\n");
	assert_folded(&a, &b, 1, 1, "/app;web;web 5 6\n");
}

static void frames_have_no_separators(void **state)
{
	static const char name[] = "a;b c\td\x7f"
	                           "e";
	cleanup_(strbuf_done) struct strbuf frame = STRBUF_INIT;

	(void)state;
	folded_add_frame((struct span){name, strlen(name)}, &frame);
	assert_text(&frame, "a:b_c_d_e");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(one_column_or_two),
	        cmocka_unit_test(unseen_is_left_out),
	        cmocka_unit_test(partial_is_counted),
	        cmocka_unit_test(frames_have_no_separators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
