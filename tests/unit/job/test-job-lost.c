// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes of a tree whose ids the kernel gives to none: one without a file has ended. */
#include "job/job-lost.h"

#include <stdio.h>
#include <unistd.h>

#include "check.h"
#include "temp-tree.h"

/* Above the highest id that a kernel can be told to give. */
enum { SHELL = 5000010, PARENT = 5000020, CHILD = 5000030, INIT = 1 };

struct scene {
	const struct temp_tree *proc;
	struct job_reader reader;
	struct job_lost lost;
	struct job_tally tally;
	unsigned ticks; /* of each process that is put */
};

static void scene_done(struct scene *scene)
{
	job_lost_done(&scene->lost);
	job_reader_done(&scene->reader);
}

static void put(const struct scene *scene, uint32_t pid, uint32_t parent, char state, unsigned own,
                unsigned waited)
{
	char name[32], text[128];

	snprintf(name, sizeof(name), "%u/stat", pid);
	snprintf(text, sizeof(text), "%u (a) b) %c %u 0 0 0 -1 0 %u %u 0 0 %u 0 0 0 20 0 1 0 99\n",
	         pid, state, parent, own, waited, scene->ticks);
	temp_tree_write_text(scene->proc, name, text);
}

static void end(const struct scene *scene, uint32_t pid)
{
	char name[32];

	snprintf(name, sizeof(name), "%u", pid);
	temp_tree_remove(scene->proc, name);
}

/* Returns whether a process was lost. The list has one that is not there. */
static bool check(struct scene *scene)
{
	const struct id_list pids = {.ids = (uint32_t[]){INIT, SHELL, PARENT, CHILD, CHILD + 1},
	                             .count = 5};

	scene->reader.proc_fd = scene->proc->fd;
	job_lost_check(&scene->lost, &scene->reader, &pids, &scene->tally);
	return scene->lost.found;
}

/* A shell, which is our child, its child, and a child of that. */
static void begin(struct scene *scene, const struct temp_tree *proc)
{
	scene->proc = proc;
	scene->tally.minor_faults = 1000;
	put(scene, SHELL, (uint32_t)getpid(), 'S', 70, 7);
	put(scene, PARENT, SHELL, 'S', 50, 3);
	put(scene, CHILD, PARENT, 'R', 20, 1);
	assert_false(check(scene));
	assert_false(check(scene));
}

/* The parent goes on: exactly the faults of the child must have come to it. */
static void test_parent_goes_on(void **state)
{
	for (unsigned waited = 23; waited <= 24; waited++) {
		cleanup_(scene_done) struct scene scene = {0};

		begin(&scene, *state);
		end(&scene, CHILD);
		put(&scene, PARENT, SHELL, 'S', 90, waited);
		/* They do not go elsewhere. */
		put(&scene, SHELL, (uint32_t)getpid(), 'S', 90, 90);
		scene.tally.minor_faults += 100;
		assert_int_equal(check(&scene), waited < 3 + 21);
	}
}

/* A parent that ends first leaves an orphan, which is waited for further up. */
static void test_parent_is_gone(void **state)
{
	static const struct {
		unsigned shell, reaped;
		bool is_found;
	} cases[] = {
	        {53 + 21, 0, false}, {53, 21, false}, {53, 20, true},
	        {53 + 20, 0, true},  {53, 0, true},   {0, 100, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(scene_done) struct scene scene = {0};

		begin(&scene, *state);
		end(&scene, CHILD);
		end(&scene, PARENT);
		put(&scene, SHELL, (uint32_t)getpid(), 'S', 70, 7 + cases[i].shell);
		scene.tally.minor_faults += cases[i].reaped;
		assert_int_equal(check(&scene), cases[i].is_found);
	}
}

/* A zombie has left orphans as well, and nobody has its faults yet. */
static void test_zombie(void **state)
{
	for (unsigned reaped = 20; reaped <= 21; reaped++) {
		cleanup_(scene_done) struct scene scene = {0};

		begin(&scene, *state);
		end(&scene, CHILD);
		put(&scene, PARENT, SHELL, 'Z', 50, 3);
		scene.tally.minor_faults += reaped;
		assert_int_equal(check(&scene), reaped < 21);
		/* It may be reaped then. */
		if (reaped < 21)
			continue;
		end(&scene, PARENT);
		put(&scene, SHELL, (uint32_t)getpid(), 'S', 70, 7 + 53);
		assert_false(check(&scene));
	}
}

/* All of the job has ended. */
static void test_end(void **state)
{
	const unsigned all = 77 + 53 + 21;

	for (unsigned reaped = all - 1; reaped <= all; reaped++) {
		cleanup_(scene_done) struct scene scene = {0};

		begin(&scene, *state);
		end(&scene, CHILD);
		end(&scene, PARENT);
		end(&scene, SHELL);
		scene.tally.minor_faults += reaped;
		assert_int_equal(check(&scene), reaped < all);
	}
}

/* CPU time is less exact, and lacks what the faults of another one hide. */
static void test_cpu_time(void **state)
{
	const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);

	for (unsigned lost = 10; lost <= 20; lost += 10) {
		cleanup_(scene_done) struct scene scene = {.ticks = 10};

		begin(&scene, *state);
		end(&scene, CHILD);
		end(&scene, PARENT);
		end(&scene, SHELL);
		scene.tally.minor_faults += 5000;
		scene.tally.user_time += (30 - lost) * tick / 2;
		scene.tally.system_time += (30 - lost) * tick / 2;
		assert_int_equal(check(&scene), lost > 16);
	}
}

/* One that cannot be read, or that is of nobody in the job, proves nothing. */
static void test_no_proof(void **state)
{
	cleanup_(scene_done) struct scene scene = {0};

	begin(&scene, *state);
	/* Its reading came before that of its parent. */
	put(&scene, SHELL, CHILD, 'S', 70, 7);
	put(&scene, INIT, PARENT, 'S', 40, 0);
	assert_false(check(&scene));
	end(&scene, SHELL);
	assert_false(check(&scene));
	/* It is there, and has no file. */
	end(&scene, INIT);
	assert_false(check(&scene));
	/* One that is being removed has no counters. */
	put(&scene, PARENT, SHELL, 'X', 0, 0);
	assert_false(check(&scene));
	put(&scene, PARENT, SHELL, 'Z', 0, 0);
	assert_false(check(&scene));
	end(&scene, CHILD);
	temp_tree_write_text(scene.proc, "5000020/stat", "5000020 (a");
	assert_false(check(&scene));
}

static void test_values(void **state)
{
	struct job_lost lost = {0};
	struct job_values values = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	(void)state;
	job_set(&values, JOB_cpu_time, JOB_SOURCE_wait, 1);
	job_set(&values, JOB_minor_faults, JOB_SOURCE_exits, 1);
	job_set(&values, JOB_rchar, JOB_SOURCE_wait, 1);
	job_set(&values, JOB_processes_left, JOB_SOURCE_wait, 0);
	job_lost_forget(&lost, &values);
	assert_true(values.seen[JOB_cpu_time]);
	lost.found = true;
	job_lost_say(&lost, &values, &reason);
	assert_text(&reason, "");
	job_lost_forget(&lost, &values);
	assert_false(values.seen[JOB_cpu_time]);
	assert_true(values.seen[JOB_minor_faults]);
	assert_false(values.seen[JOB_rchar]);
	assert_true(values.seen[JOB_processes_left]);
	strbuf_add_str(&reason, "no cgroup");
	job_lost_say(&lost, &values, &reason);
	assert_text(&reason, "no cgroup; a process ended that nobody waited for, so the sums of "
	                     "wait4(2) are not known");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_parent_goes_on, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_parent_is_gone, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_zombie, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_end, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_cpu_time, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_no_proof, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
