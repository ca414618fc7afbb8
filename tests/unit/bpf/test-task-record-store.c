// SPDX-License-Identifier: GPL-2.0-or-later
/* The records of a pass by their kind, and what the kernel prints at the moment. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "bpf/task-record-store.h"
#include "task-record.h"
#include "temp-tree.h"

static struct task_record_store store;
static struct strbuf stream;

static int setup(void **state)
{
	const struct cpu_mask unknown = {0};

	(void)state;
	task_record_store_clear(&store, &unknown);
	strbuf_clear(&stream);
	return 0;
}

static int done(void **state)
{
	(void)state;
	task_record_store_done(&store);
	strbuf_done(&stream);
	return 0;
}

static void put_thread(uint32_t tgid, uint32_t tid, uint32_t flags)
{
	struct task_record values = values_thread();

	values.tgid = tgid;
	values.tid = tid;
	values.flags |= flags;
	strbuf_add(&stream, (const char *)&values, sizeof(values));
}

static void put_process(uint32_t tgid)
{
	const struct process_record values = {
	        .flags = TASK_RECORD_IS_PROCESS, .tgid = tgid, .uid = tgid + 1};

	strbuf_add(&stream, (const char *)&values, sizeof(values));
}

static void put_cpus(uint32_t bytes, uint64_t first, uint64_t second)
{
	const struct task_record_cpus cpus = {
	        .flags = TASK_RECORD_IS_CPUS, .bytes = bytes, .words = {first, second}};

	strbuf_add(&stream, (const char *)&cpus,
	           offsetof(struct task_record_cpus, words) +
	                   (bytes < sizeof(cpus.words) ? bytes : sizeof(cpus.words)));
}

static void put_name(const char *full, char mark, const char *work)
{
	struct task_record_name name = {.flags = TASK_RECORD_IS_NAME, .mark = (uint32_t)mark};

	memcpy(name.full, full, strnlen(full, sizeof(name.full)));
	memcpy(name.work, work, strnlen(work, sizeof(name.work)));
	strbuf_add(&stream, (const char *)&name, sizeof(name));
}

static struct task_record_pass finish(void)
{
	struct task_record_pass pass = {0};

	assert_int_equal(task_record_store_add(&store, strbuf_str(&stream), stream.len),
	                 stream.len);
	task_record_store_finish(&store, &pass);
	return pass;
}

static void test_order(void **state)
{
	static const uint32_t tgids[] = {30, 30, 30, 40, 40, 90};
	static const uint32_t tids[] = {30, 20, 50, 40, 35, 91};
	struct task_record_pass pass;

	(void)state;
	put_thread(30, 20, 0);
	put_process(30);
	put_thread(30, 30, 0);
	put_thread(40, 35, 0);
	put_process(40);
	put_thread(40, 40, 0);
	put_thread(30, 50, 0);
	put_thread(90, 91, 0);
	pass = finish();
	assert_int_equal(pass.thread_count, ARRAY_SIZE(tids));
	assert_int_equal(pass.process_count, 2);
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++) {
		assert_int_equal(pass.threads[pass.order[i]].tgid, tgids[i]);
		assert_int_equal(pass.threads[pass.order[i]].tid, tids[i]);
	}
	assert_int_equal(pass.threads[0].tid, 20);
	assert_int_equal(task_record_process(&pass, &(struct task_record){.tgid = 40})->uid, 41);
	assert_null(task_record_process(&pass, &(struct task_record){.tgid = 90}));
}

static void test_empty(void **state)
{
	struct task_record_pass pass = finish();

	(void)state;
	assert_int_equal(pass.thread_count, 0);
	assert_null(task_record_process(&pass, &(struct task_record){.tgid = 1}));
}

/* Wherever the kernel's buffer ends. */
static void test_pieces(void **state)
{
	struct task_record_pass pass;
	char *bytes;

	(void)state;
	put_cpus(8, 1, 0);
	put_process(30);
	put_name("", '-', "events");
	put_thread(30, 30, TASK_RECORD_KERNEL);
	put_thread(30, 31, 0);
	for (size_t cut = 0; cut <= stream.len; cut++) {
		struct strbuf whole = stream;
		ssize_t used;

		task_record_store_clear(&store, &(struct cpu_mask){0});
		bytes = exact_copy(strbuf_str(&whole), cut);
		used = task_record_store_add(&store, bytes, cut);
		free(bytes);
		assert_in_range(used, 0, cut);
		assert_true(used % 8 == 0);
		bytes = exact_copy(strbuf_str(&whole) + used, whole.len - (size_t)used);
		assert_int_equal(task_record_store_add(&store, bytes, whole.len - (size_t)used),
		                 whole.len - (size_t)used);
		free(bytes);
		task_record_store_finish(&store, &pass);
		assert_int_equal(pass.thread_count, 2);
		assert_int_equal(pass.process_count, 1);
		assert_string_equal(pass.names[pass.threads[0].name - 1].bytes, "worker-events");
	}
}

static void test_cpus(void **state)
{
	struct task_record_pass pass;
	struct cpu_mask online = {0};

	(void)state;
	assert_true(cpu_mask_parse(&online, "0-2", 3));
	task_record_store_clear(&store, &online);
	put_thread(1, 1, 0); /* before any set */
	put_cpus(16, 0xff, 1);
	put_thread(2, 2, 0);
	put_cpus(16, 2, 0);
	put_thread(3, 3, 0);
	put_thread(4, 4, 0);
	put_cpus(16, 0xff, 1);
	put_thread(5, 5, 0);
	pass = finish();
	assert_false(pass.threads[0].flags & TASK_RECORD_HAS_CPUS);
	assert_true(pass.threads[1].flags & TASK_RECORD_HAS_CPUS);
	assert_int_equal(pass.threads[1].cpus, pass.threads[4].cpus);
	assert_int_equal(pass.threads[2].cpus, pass.threads[3].cpus);
	assert_int_equal(store.cpus_count, 2);
	assert_true(cpu_mask_equal(&pass.cpus[pass.threads[1].cpus], &online));
	assert_int_equal(cpu_mask_count(&pass.cpus[pass.threads[3].cpus]), 1);
}

static void test_bad_cpus(void **state)
{
	static const uint32_t sizes[] = {0, 4, 12, sizeof(uint64_t[TASK_RECORD_CPUS_MAX / 64]) + 8,
	                                 UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		setup(NULL);
		put_cpus(sizes[i], 1, 1);
		assert_int_equal(task_record_store_add(&store, strbuf_str(&stream), stream.len),
		                 -EBADMSG);
	}
}

static void test_names(void **state)
{
	static const struct {
		const char *full;
		char mark;
		const char *work, *want;
	} cases[] = {
	        {"pool_workqueue_release", 0, "", "pool_workqueue_release"},
	        {"", '+', "mm_percpu_wq", "worker+mm_percpu_wq"},
	        {"", '-', "events", "worker-events"},
	        {"kworker/R-quite_long_one", '-', "quite_long_one",
	         "kworker/R-quite_long_one-quite_long_one"},
	        {"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", '+', "more",
	         "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"},
	        {"0123456789abcdef0123456789abcdef0123456789abcdef", '+',
	         "0123456789abcdef0123456789abcdef",
	         "0123456789abcdef0123456789abcdef0123456789abcdef+0123456789abcd"},
	        {"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcd", '+', "more",
	         "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcd+"},
	};
	struct task_record_pass pass;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_name(cases[i].full, cases[i].mark, cases[i].work);
		put_thread(2, 10 + (uint32_t)i, TASK_RECORD_KERNEL);
	}
	put_thread(2, 50, TASK_RECORD_KERNEL);
	put_thread(3, 51, 0);
	pass = finish();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(pass.threads[i].name, i + 1);
		assert_string_equal(pass.names[i].bytes, cases[i].want);
	}
	assert_int_equal(pass.threads[ARRAY_SIZE(cases)].name, 0);
	/* Its thread pointer. */
	assert_int_equal(pass.threads[ARRAY_SIZE(cases) + 1].pointer, values_thread().pointer);
}

static void test_many(void **state)
{
	enum { MANY = 3000 };
	struct task_record_pass pass;

	(void)state;
	for (int again = 0; again < 2; again++) {
		setup(NULL);
		for (uint32_t tid = MANY; tid > 0; tid--) {
			put_process(tid);
			put_thread(tid, tid, 0);
		}
		pass = finish();
		assert_int_equal(pass.thread_count, MANY);
		for (uint32_t i = 0; i < MANY; i++) {
			assert_int_equal(pass.threads[pass.order[i]].tid, i + 1);
			assert_int_equal(pass.processes[i].tgid, i + 1);
		}
	}
}

static uint32_t kept;

uint32_t __wrap_task_record_kept(const struct task_record_reader *reader);
uint32_t __wrap_task_record_kept(const struct task_record_reader *reader)
{
	assert_null(reader);
	return kept;
}

static struct task_record_rules rules_of(const struct temp_tree *tree)
{
	const struct taskstats_rules taskstats = {.irq = true};
	struct task_record_rules rules;
	char *root = temp_tree_path(tree, "");
	int proc_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(root);
	assert_true(proc_fd >= 0);
	task_record_rules_init(&rules, NULL, proc_fd, &taskstats);
	close(proc_fd);
	assert_true(rules.taskstats.irq);
	return rules;
}

#define SCHED_HEAD "a (1, #threads: 1)\n-------------------------------------------------------\n"

static void test_rules(void **state)
{
	struct task_record_rules rules;
	const struct temp_tree *tree = *state;

	temp_tree_make_dir(tree, "self");
	temp_tree_write_text(tree, "self/schedstat", "5 6 7\n");
	temp_tree_write_text(tree, "self/sched",
	                     SCHED_HEAD
	                     "se.nr_migrations : 5\nnr_wakeups : 3\nwait_max : 0.-000500\n");
	temp_tree_make_dir(tree, "2");
	temp_tree_write_text(tree, "2/sched", SCHED_HEAD "se.slice : 3000000\next.enabled : 0\n");
	temp_tree_write_text(tree, "self/io", "rchar: 1\nread_bytes: 5\n");
	kept = UINT32_MAX;
	rules = rules_of(tree);
	assert_true(metric_set_has(&rules.printed, METRIC_run_time_ns));
	assert_true(metric_set_has(&rules.printed, METRIC_nr_migrations));
	assert_true(metric_set_has(&rules.printed, METRIC_nr_wakeups));
	assert_true(metric_set_has(&rules.printed, METRIC_wait_max));
	assert_true(metric_set_has(&rules.printed, METRIC_fair_slice_ns));
	assert_true(metric_set_has(&rules.printed, METRIC_ext_enabled));
	assert_true(metric_set_has(&rules.printed, METRIC_rchar));
	assert_false(metric_set_has(&rules.printed, METRIC_wchar));
	assert_false(metric_set_has(&rules.printed, METRIC_wait_sum));
	for (enum metric_source source = SOURCE_stat; source <= SOURCE_io; source++)
		assert_int_equal(rules.outcomes[source],
		                 source == SOURCE_status ? OUTCOME_skipped : OUTCOME_read);
	assert_int_equal(rules.outcomes[SOURCE_process_io], OUTCOME_read);

	kept = TASK_RECORD_SCHED_INFO | TASK_RECORD_BYTES;
	rules = rules_of(tree);
	assert_int_equal(rules.outcomes[SOURCE_taskstats], OUTCOME_off);
	assert_int_equal(rules.outcomes[SOURCE_process_taskstats], OUTCOME_off);
}

static void test_rules_off(void **state)
{
	struct task_record_rules rules;
	const struct temp_tree *tree = *state;

	temp_tree_make_dir(tree, "self");
	temp_tree_write_text(tree, "self/schedstat", "0 0 0\n");
	temp_tree_write_text(tree, "self/sched", "no such thing\n");
	kept = UINT32_MAX;
	rules = rules_of(tree);
	assert_int_equal(rules.outcomes[SOURCE_schedstat], OUTCOME_off);
	assert_int_equal(rules.outcomes[SOURCE_sched], OUTCOME_malformed);
	assert_int_equal(rules.outcomes[SOURCE_io], OUTCOME_off);
	assert_int_equal(rules.outcomes[SOURCE_taskstats], OUTCOME_read);
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_source source = metric_table[i].source;
		bool is_file = source == SOURCE_schedstat || source == SOURCE_sched ||
		               source == SOURCE_io || source == SOURCE_status;

		assert_int_equal(metric_set_has(&rules.printed, (enum metric_id)i), !is_file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup(test_order, setup),
	        cmocka_unit_test_setup(test_empty, setup),
	        cmocka_unit_test_setup(test_pieces, setup),
	        cmocka_unit_test_setup(test_cpus, setup),
	        cmocka_unit_test_setup(test_bad_cpus, setup),
	        cmocka_unit_test_setup(test_names, setup),
	        cmocka_unit_test_setup(test_many, setup),
	        cmocka_unit_test_setup_teardown(test_rules, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_rules_off, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
