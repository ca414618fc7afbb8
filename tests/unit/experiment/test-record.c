// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "experiment/record.h"
#include "temp-tree.h"

static const char text[] = "[experiment]\nname = \xc3\xa4 \"x\"\nblocks = 3\nseed = 4\n"
                           "workload = true\noutcome n = x\n[arm A]\n[arm B]\nenv X = 1\n";

static struct experiment experiment, again;

static int teardown(void **state)
{
	experiment_done(&experiment);
	experiment_done(&again);
	return temp_tree_teardown(state);
}

static void make(const struct temp_tree *tree)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct plan plan;

	experiment_plan_init(&plan, NULL);
	assert_int_equal(plan_parse(&plan, text, strlen(text), &reason), 0);
	experiment_init(&experiment, tree->path, &plan);
	experiment.dir_fd = fd_open_path_at(AT_FDCWD, tree->path);
	*array_add(experiment.sessions, experiment.session_count, experiment.session_capacity) =
	        (struct session){mem_copy("boot", 4), mem_copy("host", 4), 17};
	*array_add(experiment.before, experiment.before_count, experiment.before_capacity) =
	        (struct setting_before){mem_copy("/a/b", 4), mem_copy("5", 1)};
}

static struct unit *add(unsigned block, unsigned position, enum unit_state state)
{
	struct unit *unit =
	        array_add(experiment.units, experiment.unit_count, experiment.unit_capacity);

	*unit = (struct unit){.file = mem_copy("unit-0001.zst", 13),
	                      .arm = position == 2 || position == 3,
	                      .block = block,
	                      .position = position,
	                      .session = 1,
	                      .state = state,
	                      .start_unix_ns = UINT64_C(1795387018592433425),
	                      .length_ns = 1000};
	return unit;
}

static void add_block(unsigned block, unsigned units, enum unit_state state)
{
	for (unsigned i = 1; i <= units; i++)
		add(block, i, state);
}

static void write_and_read(const struct temp_tree *tree)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	if (experiment_write(&experiment, &reason) < 0 ||
	    experiment_read(&again, tree->path, NULL, &reason) < 0)
		fail_msg("%s", strbuf_str(&reason));
}

/* All of it comes back. */
static void test_round_trip(void **state)
{
	const struct temp_tree *tree = *state;
	struct unit *unit;

	make(tree);
	experiment.state = EXPERIMENT_INTERRUPTED;
	assert_int_equal(experiment_next_block(&experiment), 1);
	experiment.is_enough = true;
	add_block(0, 4, UNIT_DISCARDED);
	unit = add(2, 1, UNIT_VOID);
	unit->reason = mem_copy("no\nluck", 7);
	unit->has_exit_status = true;
	unit->exit_status = 137;
	mem_freep(&unit->file);
	unit->file = NULL;
	unit_add_outcome(unit, "n", 1.25e-3);
	write_and_read(tree);
	assert_string_equal(again.plan.name, "\xc3\xa4 \"x\"");
	assert_int_equal(again.state, EXPERIMENT_INTERRUPTED);
	assert_int_equal(experiment_next_block(&again), 0);
	assert_int_equal(again.schedule.seed, 4);
	assert_int_equal(again.schedule.blocks, 3);
	assert_int_equal(again.plan.arm_count, 2);
	assert_int_equal(again.session_count, 1);
	assert_string_equal(again.sessions[0].boot_id, "boot");
	assert_int_equal(again.sessions[0].start_unix_ns, 17);
	assert_string_equal(again.before[0].value, "5");
	assert_int_equal(again.unit_count, 5);
	assert_int_equal(again.units[1].arm, 1);
	assert_int_equal(again.units[3].start_unix_ns, UINT64_C(1795387018592433425));
	unit = &again.units[4];
	assert_null(unit->file);
	assert_int_equal(unit->state, UNIT_VOID);
	assert_string_equal(unit->reason, "no\nluck");
	assert_true(unit->has_exit_status);
	assert_int_equal(unit->exit_status, 137);
	assert_int_equal(unit->outcome_count, 1);
	assert_true(fabs(unit->outcomes[0].value - 1.25e-3) <= 0);
}

/* Blocks that were not tried come before those that were given up, and of these the one with the fewest tries. */
static void test_next_block(void **state)
{
	make(*state);
	add_block(0, 4, UNIT_DISCARDED);
	assert_int_equal(experiment_next_block(&experiment), 1);
	add_block(1, 3, UNIT_VOID);
	assert_int_equal(experiment_next_block(&experiment), 2);
	add_block(2, 4, UNIT_DONE);
	assert_true(experiment_has_block(&experiment, 2));
	assert_int_equal(experiment_next_block(&experiment), 3);
	add_block(3, 1, UNIT_VOID);
	assert_int_equal(experiment_next_block(&experiment), 1);
	add_block(1, 2, UNIT_VOID);
	assert_int_equal(experiment_voids(&experiment, 1), 2);
	assert_int_equal(experiment_next_block(&experiment), 3);
	add_block(3, 3, UNIT_DONE);
	assert_false(experiment_has_block(&experiment, 3));
	experiment_void_block(&experiment, 3, "it was interrupted");
	assert_int_equal(experiment_voids(&experiment, 3), 2);
	assert_int_equal(experiment_next_block(&experiment), 1);
	add_block(3, 4, UNIT_DONE);
	add_block(1, 4, UNIT_DONE);
	assert_int_equal(experiment_next_block(&experiment), 0);
	assert_int_equal(experiment_blocks_done(&experiment), 3);
}

static void assert_refused(const struct temp_tree *tree, const char *json)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	temp_tree_write_text(tree, "experiment.json", json);
	assert_int_equal(experiment_read(&again, tree->path, NULL, &reason), -EBADMSG);
	assert_true(reason.len > 0);
	experiment_done(&again);
}

/* Another file, one that was cut, and one whose numbers point nowhere. */
static void test_refused(void **state)
{
	const struct temp_tree *tree = *state;
	static const char *const changes[][2] = {
	        {"\"session\": 1", "\"session\": 2"},   {"\"block\": 0", "\"block\": 4"},
	        {"\"position\": 4", "\"position\": 5"}, {"\"arm\": \"B\"", "\"arm\": \"C\""},
	        {"\"discarded\"", "\"kept\""},          {"[arm B]", "[arm A]"},
	        {"\"seed\": 4", "\"seed\": -4"},
	};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT, path = STRBUF_INIT;
	char whole[16384];
	size_t len;
	FILE *file;

	assert_refused(tree, "");
	assert_refused(tree, "[]");
	assert_refused(tree, "{\"ctprof_experiment\": 2}");
	make(tree);
	add_block(0, 4, UNIT_DISCARDED);
	assert_int_equal(experiment_write(&experiment, &reason), 0);
	strbuf_addf(&path, "%s/experiment.json", tree->path);
	file = fopen(strbuf_str(&path), "r");
	assert_non_null(file);
	len = fread(whole, 1, sizeof(whole) - 1, file);
	fclose(file);
	assert_in_range(len, 100, sizeof(whole) - 2);
	whole[len] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		const char *at = NULL, *next = whole;
		cleanup_(strbuf_done) struct strbuf changed = STRBUF_INIT;

		/* The last one: the first session is one of the list of sessions. */
		for (; (next = strstr(next, changes[i][0])); next++)
			at = next;
		assert_non_null(at);
		strbuf_add(&changed, whole, (size_t)(at - whole));
		strbuf_add_str(&changed, changes[i][1]);
		strbuf_add_str(&changed, at + strlen(changes[i][0]));
		assert_refused(tree, strbuf_str(&changed));
	}
	whole[len / 2] = '\0';
	assert_refused(tree, whole);
}

/* An experiment that has no directory yet. */
static void make_at(const struct temp_tree *tree, const char *name)
{
	make(tree);
	fd_closep(&experiment.dir_fd);
	mem_freep(&experiment.directory);
	experiment.directory = temp_tree_path(tree, name);
}

/* A directory with files is somebody else's. */
static void test_directory(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	make_at(tree, "new");
	assert_int_equal(experiment_make_directory(&experiment, &reason), 0);
	assert_int_equal(experiment_make_directory(&experiment, &reason), 0);
	temp_tree_write_text(tree, "new/file", "");
	assert_int_equal(experiment_make_directory(&experiment, &reason), -EEXIST);
}

/* Files of an experiment stay in its directory, whatever the path leads to meanwhile. */
static void test_exchanged(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	temp_tree_make_dir(tree, "up");
	make_at(tree, "up/new/");
	assert_int_equal(experiment_make_directory(&experiment, &reason), 0);
	assert_int_equal(renameat(tree->fd, "up", tree->fd, "away"), 0);
	temp_tree_make_dir(tree, "up");
	temp_tree_make_dir(tree, "up/new");
	assert_int_equal(experiment_write(&experiment, &reason), 0);
	assert_int_equal(temp_tree_count(tree, "up/new"), 0);
	assert_int_equal(temp_tree_count(tree, "away/new"), 1);
	temp_tree_remove(tree, "away/new/experiment.json");
	experiment_drop_directory(&experiment);
	assert_int_equal(temp_tree_count(tree, "up"), 1);
	assert_int_equal(temp_tree_count(tree, "away"), 0);
}

static void make_link(const struct temp_tree *tree, const char *target, const char *name)
{
	assert_int_equal(symlinkat(target, tree->fd, name), 0);
	assert_int_equal(fchownat(tree->fd, name, 65534, 65534, AT_SYMLINK_NOFOLLOW), 0);
}

/* In a directory that others may write, their links lead neither to an empty directory of this user's, nor to one with an
 * experiment, nor to where none is. */
static void test_links_of_others(void **state)
{
	static const char *const names[] = {"shared/exp", "shared/exp/", "shared/up/victim"};
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	if (geteuid() != 0)
		skip();
	temp_tree_make_dir(tree, "shared");
	temp_tree_make_dir(tree, "victim");
	assert_int_equal(fchmodat(tree->fd, "shared", 01777, 0), 0);
	assert_int_equal(fchmodat(tree->fd, "victim", 0700, 0), 0);
	make_link(tree, "../victim", "shared/exp");
	make_link(tree, "..", "shared/up");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		make_at(tree, names[i]);
		assert_int_equal(experiment_make_directory(&experiment, &reason), -EACCES);
		assert_non_null(strstr(strbuf_str(&reason), "is a symbolic link of user 65534"));
		assert_int_equal(experiment_read(&again, experiment.directory, NULL, &reason),
		                 -EACCES);
		strbuf_clear(&reason);
		experiment_done(&experiment);
	}
	make_at(tree, "shared/up/missing");
	assert_int_equal(experiment_make_directory(&experiment, &reason), -EACCES);
	assert_int_equal(faccessat(tree->fd, "missing", F_OK, 0), -1);
	experiment_done(&experiment);

	/* Others may have moved one of this user's there. All are followed where nobody else may write. */
	assert_int_equal(symlinkat("../victim", tree->fd, "shared/own"), 0);
	make_link(tree, "victim", "exp");
	make_at(tree, "shared/own");
	assert_int_equal(experiment_make_directory(&experiment, &reason), -EACCES);
	experiment_done(&experiment);
	make_at(tree, "exp");
	assert_int_equal(experiment_make_directory(&experiment, &reason), 0);
}

/* Only a directory that was made is removed, and nothing that has its name meanwhile. */
static void test_drop(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	temp_tree_make_dir(tree, "here");
	make_at(tree, "here");
	assert_int_equal(experiment_make_directory(&experiment, &reason), 0);
	experiment_drop_directory(&experiment);
	assert_int_equal(faccessat(tree->fd, "here", F_OK, 0), 0);
	experiment_done(&experiment);
	make_at(tree, "new");
	assert_int_equal(experiment_make_directory(&experiment, &reason), 0);
	assert_int_equal(renameat(tree->fd, "new", tree->fd, "away"), 0);
	temp_tree_make_dir(tree, "new");
	experiment_drop_directory(&experiment);
	assert_int_equal(faccessat(tree->fd, "new", F_OK, 0), 0);
	assert_int_equal(faccessat(tree->fd, "away", F_OK, 0), 0);
}

/* A plan has commands: it is not read from where another user could have written it. */
static void test_others(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(mem_freep) char *file = temp_tree_path(tree, "experiment.json");
	const char *empty;

	make(tree);
	add_block(0, 4, UNIT_DISCARDED);
	assert_int_equal(experiment_write(&experiment, &reason), 0);
	assert_int_equal(chmod(tree->path, 0757), 0);
	assert_int_equal(experiment_read(&again, tree->path, NULL, &reason), -EPERM);
	assert_true(reason.len > 0);
	assert_int_equal(chmod(tree->path, 0755), 0);
	assert_int_equal(chmod(file, 0646), 0);
	assert_int_equal(experiment_read(&again, tree->path, NULL, &reason), -EPERM);
	assert_int_equal(chmod(file, 0644), 0);
	assert_int_equal(experiment_read(&again, tree->path, NULL, &reason), 0);
	experiment_done(&again);
	experiment_done(&experiment);
	make_at(tree, "empty");
	empty = experiment.directory;
	assert_int_equal(mkdir(empty, 0700), 0);
	assert_int_equal(chmod(empty, 01777), 0);
	assert_int_equal(experiment_make_directory(&experiment, &reason), -EPERM);
	if (geteuid() != 0)
		return;
	assert_int_equal(chmod(empty, 0700), 0);
	assert_int_equal(chown(empty, 65534, 65534), 0);
	assert_int_equal(experiment_make_directory(&experiment, &reason), -EPERM);
	assert_int_equal(chown(tree->path, 65534, 65534), 0);
	assert_int_equal(experiment_read(&again, tree->path, NULL, &reason), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_round_trip, temp_tree_setup, teardown),
	        cmocka_unit_test_setup_teardown(test_next_block, temp_tree_setup, teardown),
	        cmocka_unit_test_setup_teardown(test_refused, temp_tree_setup, teardown),
	        cmocka_unit_test_setup_teardown(test_directory, temp_tree_setup, teardown),
	        cmocka_unit_test_setup_teardown(test_exchanged, temp_tree_setup, teardown),
	        cmocka_unit_test_setup_teardown(test_links_of_others, temp_tree_setup, teardown),
	        cmocka_unit_test_setup_teardown(test_drop, temp_tree_setup, teardown),
	        cmocka_unit_test_setup_teardown(test_others, temp_tree_setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
