// SPDX-License-Identifier: GPL-2.0-or-later
/* Two threads of a set speak for all of it, unless one of them has left since. */
#include "check.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/css-sets.h"
#include "temp-tree.h"

enum { THREADS_MAX = 16 };

struct scene {
	const struct temp_tree *tree;
	struct task_record threads[THREADS_MAX];
	uint32_t order[THREADS_MAX];
	struct task_record_pass pass;
	struct cgroup_mounts mounts;
	struct css_sets sets;
	struct css_reader reader;
};

static void scene_init(struct scene *scene, void **state)
{
	memset(scene, 0, sizeof(*scene));
	scene->tree = *state;
	scene->pass.threads = scene->threads;
	scene->pass.order = scene->order;
}

/* A thread that was born in the order of these calls; its file now says @text, or is gone where that is NULL. */
static struct task_record *add(struct scene *scene, uint32_t tgid, uint32_t tid, const char *text)
{
	size_t place = scene->pass.thread_count++;
	struct task_record *thread = &scene->threads[place];
	char name[64];

	scene->order[place] = (uint32_t)place;
	*thread = (struct task_record){
	        .tgid = tgid, .tid = tid, .css_set = 99, .born_boottime_ns = 1000 + place};
	snprintf(name, sizeof(name), "%u/task/%u/cgroup", tgid, tid);
	if (text)
		temp_tree_write_text(scene->tree, name, text);
	return thread;
}

static void look(struct scene *scene)
{
	css_sets_init(&scene->sets, scene->tree->fd, &scene->mounts, NULL, &scene->pass);
}

static void check_cgroup(struct scene *scene, size_t place, const char *path)
{
	cleanup_(sample_done) struct thread_sample sample = {0};

	css_sets_fill(&scene->sets, &scene->reader, &scene->threads[place], &sample);
	if (!path) {
		assert_int_equal(sample.outcomes[SOURCE_cgroup], OUTCOME_gone);
		assert_false(sample.has_cgroup);
		return;
	}
	assert_int_equal(sample.outcomes[SOURCE_cgroup], OUTCOME_read);
	assert_true(sample.has_cgroup);
	assert_string_equal(strbuf_str(&sample.cgroup), path);
}

static void scene_done(struct scene *scene)
{
	css_sets_done(&scene->sets);
	strbuf_done(&scene->reader.text);
	cgroup_mounts_done(&scene->mounts);
}

static void test_two_speak_for_all(void **state)
{
	struct scene scene;

	scene_init(&scene, state);
	add(&scene, 7, 7, "0::/a\n");
	add(&scene, 7, 8, NULL);
	add(&scene, 9, 9, "0::/a\n");
	add(&scene, 9, 10, "0::/elsewhere\n"); /* nobody asks this one */
	add(&scene, 11, 11, "0::/b\n")->css_set = 98;
	look(&scene);
	for (size_t i = 0; i < 4; i++)
		check_cgroup(&scene, i, "/a");
	check_cgroup(&scene, 4, "/b");
	scene_done(&scene);
}

/* The newest ones have been moved together; the oldest of other processes are asked. */
static void test_newest_have_moved(void **state)
{
	struct scene scene;

	scene_init(&scene, state);
	for (uint32_t tid = 20; tid < 24; tid++)
		add(&scene, tid, tid, "0::/moved\n")->born_boottime_ns = 5000;
	add(&scene, 30, 30, "0::/a\n");
	add(&scene, 30, 31, "0::/a\n");
	add(&scene, 40, 40, "0::/a\n");
	add(&scene, 41, 41, NULL);
	look(&scene);
	check_cgroup(&scene, 4, "/a");
	check_cgroup(&scene, 5, "/a");
	check_cgroup(&scene, 7, "/a");
	scene_done(&scene);
}

static void test_two_differ(void **state)
{
	struct scene scene;

	scene_init(&scene, state);
	add(&scene, 7, 7, "0::/moved\n");
	add(&scene, 8, 8, "0::/a\n");
	add(&scene, 9, 9, "0::/a\n");
	add(&scene, 10, 10, NULL);
	look(&scene);
	check_cgroup(&scene, 0, "/moved");
	check_cgroup(&scene, 1, "/a");
	check_cgroup(&scene, 2, "/a");
	check_cgroup(&scene, 3, NULL);
	scene_done(&scene);
}

/* Threads that are gone are passed over, and nothing is known if all are gone. */
static void test_gone(void **state)
{
	struct scene scene;

	scene_init(&scene, state);
	add(&scene, 7, 7, NULL);
	add(&scene, 8, 8, NULL);
	add(&scene, 9, 9, "0::/a\n");
	add(&scene, 10, 10, NULL)->css_set = 98;
	look(&scene);
	check_cgroup(&scene, 0, "/a");
	check_cgroup(&scene, 3, NULL);
	scene_done(&scene);
}

/* The file has something else for threads that are about to exit. */
static void test_exiting_are_apart(void **state)
{
	struct scene scene;

	scene_init(&scene, state);
	add(&scene, 7, 7, "1:memory:/\n")->flags = TASK_RECORD_EXITING;
	add(&scene, 8, 8, "1:memory:/\n")->flags = TASK_RECORD_EXITING;
	add(&scene, 9, 9, "1:memory:/z\n");
	look(&scene);
	check_cgroup(&scene, 0, "/");
	check_cgroup(&scene, 2, "/z");
	scene_done(&scene);
}

/* All of them were moved, but for one that is not asked: the number of the cgroup gives it away. */
static void test_number_is_another(void **state)
{
	struct scene scene;
	struct stat status;

	scene_init(&scene, state);
	temp_tree_write_text(scene.tree, "unified/cgroup.controllers", "");
	temp_tree_make_dir(scene.tree, "unified/a");
	temp_tree_make_dir(scene.tree, "unified/moved");
	cgroup_mounts_from_directory(scene.tree->path, &scene.mounts);
	assert_int_equal(fstatat(scene.tree->fd, "unified/a", &status, 0), 0);
	add(&scene, 7, 7, "0::/moved\n")->cgroup_id = status.st_ino;
	add(&scene, 8, 8, "0::/moved\n")->cgroup_id = status.st_ino;
	add(&scene, 9, 9, "0::/a\n")->cgroup_id = status.st_ino;
	add(&scene, 10, 10, "0::/a\n")->cgroup_id = status.st_ino;
	scene.threads[3].css_set = 98;
	look(&scene);
	check_cgroup(&scene, 0, "/moved");
	check_cgroup(&scene, 2, "/a");
	check_cgroup(&scene, 3, "/a");
	/* A number is one set, and is asked for once. */
	assert_int_equal(scene.sets.count, 2);
	scene_done(&scene);
}

static void check_cgroups_v1(struct scene *scene, size_t place, const char *text)
{
	cleanup_(sample_done) struct thread_sample sample = {0};

	strbuf_add_str(&sample.cgroups_v1, "of another");
	css_sets_fill(&scene->sets, &scene->reader, &scene->threads[place], &sample);
	assert_string_equal(strbuf_str(&sample.cgroups_v1), text);
}

/* For those that are on their way out the kernel says "/". */
static void test_version_1(void **state)
{
	static const char text[] = "3:memory:/m\n2:cpuacct:/c\n1:cpu:/c\n0::/a\n";
	static const char ending[] = "3:memory:/\n2:cpuacct:/\n1:cpu:/\n0::/a\n";
	struct scene scene;

	scene_init(&scene, state);
	add(&scene, 7, 7, text);
	add(&scene, 7, 8, NULL);
	add(&scene, 9, 9, text);
	add(&scene, 10, 10, ending)->flags = TASK_RECORD_EXITING;
	/* These do not agree, so each of them is read. */
	add(&scene, 11, 11, text)->css_set = 98;
	add(&scene, 12, 12, "1:cpu:/d\n0::/a\n")->css_set = 98;
	add(&scene, 13, 13, "0::/a\n")->css_set = 97;
	look(&scene);
	for (size_t i = 0; i < 3; i++)
		check_cgroups_v1(&scene, i, "memory:/m\ncpuacct:/c\ncpu:/c\n");
	check_cgroups_v1(&scene, 3, "");
	check_cgroups_v1(&scene, 4, "memory:/m\ncpuacct:/c\ncpu:/c\n");
	check_cgroups_v1(&scene, 5, "cpu:/d\n");
	check_cgroups_v1(&scene, 6, "");
	scene_done(&scene);
}

int main(void)
{
#define TEST(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)
	const struct CMUnitTest tests[] = {
	        TEST(test_two_speak_for_all), TEST(test_newest_have_moved),
	        TEST(test_two_differ),        TEST(test_gone),
	        TEST(test_exiting_are_apart), TEST(test_number_is_another),
	        TEST(test_version_1),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
