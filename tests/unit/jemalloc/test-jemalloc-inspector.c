// SPDX-License-Identifier: GPL-2.0-or-later
/* The helper process: what it may, what becomes of files that are broken or never end, and of the helper itself when it
 * is killed or hangs; and that nothing is left of it. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "jemalloc-files.h"
#include "kernel-ability.h"

static struct jemalloc_object look_fd(struct jemalloc_inspector *inspector, int fd)
{
	struct jemalloc_object object;

	jemalloc_inspector_run(inspector, fd, &(struct local_root){.fd = -1}, NULL, &object);
	return object;
}

static enum probe_tag look(struct jemalloc_inspector *inspector, const struct temp_tree *tree,
                           const char *name)
{
	cleanup_(fd_closep) int fd = jemalloc_files_open(tree, name);

	return look_fd(inspector, fd).tag;
}

/* A file with a jemalloc, for any machine that has a compiler. */
static void build(const struct temp_tree *tree)
{
	jemalloc_files_run(tree, "$CC -w -g -O2 -fPIC -shared -ftls-model=initial-exec -o like.so "
	                         "$SOURCES/jemalloc-like.c");
}

/* The memory that the helper may have is enough for files that have few bytes at addresses far apart. */
static void test_large(void **state)
{
	static const char *const flags[] = {"-DLARGE=700", "-DLARGE=1800",
	                                    "-DFAR -Wl,--section-start=.far=0x7f000000"};
	cleanup_(jemalloc_inspector_freep) struct jemalloc_inspector *inspector =
	        jemalloc_inspector_new();

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		jemalloc_files_run(*state,
		                   "$CC -w -O2 -fPIC -shared -ftls-model=initial-exec %s "
		                   "-o like.so $SOURCES/jemalloc-like.c && strip like.so",
		                   flags[i]);
		assert_int_equal(look(inspector, *state, "like.so"), PROBE_TAG_ok);
	}
}

static pid_t child_of_us(void)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;

	strbuf_addf(&path, "/proc/self/task/%d/children", (int)gettid());
	if (fd_read_all_at(AT_FDCWD, strbuf_str(&path), &text, 4096) < 0)
		return 0;
	return (pid_t)strtol(strbuf_str(&text), NULL, 10);
}

static size_t count_descriptors(void)
{
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT;
	cleanup_(fd_closep) int fd = fd_open_dir_at(AT_FDCWD, "/proc/self/fd");
	struct id_list list = {0};
	size_t count;

	assert_int_equal(fd_list_ids(fd, &list, &scratch), 0);
	count = list.count;
	id_list_done(&list);
	return count;
}

static void test_looks_as_without_helper(void **state)
{
	cleanup_(jemalloc_inspector_freep) struct jemalloc_inspector *inspector =
	        jemalloc_inspector_new();
	cleanup_(fd_closep) int fd = -1;
	struct jemalloc_object with, without;

	build(*state);
	fd = jemalloc_files_open(*state, "like.so");
	for (int i = 0; i < 3; i++) {
		with = look_fd(inspector, fd);
		without = jemalloc_files_look(*state, "like.so", 0, NULL);
		assert_int_equal(with.tag, PROBE_TAG_ok);
		assert_true(with.is_found && with.has_slot);
		assert_int_equal(with.slot_address, without.slot_address);
		assert_int_equal(with.allocated, without.allocated);
		assert_int_equal(with.deallocated, without.deallocated);
		assert_int_equal(with.first_address, without.first_address);
		assert_int_equal(with.first_offset, without.first_offset);
	}
}

static void test_nothing_is_left(void **state)
{
	size_t before = count_descriptors();
	struct jemalloc_inspector *inspector = jemalloc_inspector_new();
	int status;

	build(*state);
	assert_int_equal(count_descriptors(), before);
	assert_int_equal(look(inspector, *state, "like.so"), PROBE_TAG_ok);
	assert_true(child_of_us() > 0);
	inspector = jemalloc_inspector_free(inspector);
	assert_null(inspector);
	assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(count_descriptors(), before);
	assert_null(jemalloc_inspector_free(jemalloc_inspector_new()));
	assert_null(jemalloc_inspector_free(NULL));
}

static void expect_status(const char *status, const char *line)
{
	assert_contains(status, line);
}

/* Its own system calls would be refused. */
static bool is_sanitized(void)
{
	cleanup_(strbuf_done) struct strbuf maps = STRBUF_INIT;

	assert_int_equal(fd_read_all_at(AT_FDCWD, "/proc/self/statm", &maps, 4096), 0);
	return strtoull(strbuf_str(&maps), NULL, 10) > (uint64_t)1 << 30;
}

static void test_helper_has_no_rights(void **state)
{
	cleanup_(jemalloc_inspector_freep) struct jemalloc_inspector *inspector =
	        jemalloc_inspector_new();
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;

	need_seccomp();
	build(*state);
	assert_int_equal(look(inspector, *state, "like.so"), PROBE_TAG_ok);
	strbuf_addf(&path, "/proc/%d/status", (int)child_of_us());
	assert_int_equal(fd_read_all_at(AT_FDCWD, strbuf_str(&path), &text, 1 << 16), 0);
	expect_status(strbuf_str(&text), "\nCapPrm:\t0000000000000000\n");
	expect_status(strbuf_str(&text), "\nCapEff:\t0000000000000000\n");
	expect_status(strbuf_str(&text), "\nNoNewPrivs:\t1\n");
	if (!is_sanitized())
		expect_status(strbuf_str(&text), "\nSeccomp:\t2\n");
	if (geteuid() == 0) {
		unsigned id = UINT32_C(0xf0000000) | ((unsigned)child_of_us() & 0x3fffff);

		strbuf_clear(&path);
		strbuf_addf(&path, "\nUid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\n", id, id, id, id,
		            id, id, id, id);
		expect_status(strbuf_str(&text), strbuf_str(&path));
		expect_status(strbuf_str(&text), "\nGroups:\t \n");
	}
}

static void test_killed_helper(void **state)
{
	cleanup_(jemalloc_inspector_freep) struct jemalloc_inspector *inspector =
	        jemalloc_inspector_new();

	build(*state);
	for (int i = 0; i < 20; i++) {
		pid_t child;

		assert_int_equal(look(inspector, *state, "like.so"), PROBE_TAG_ok);
		child = child_of_us();
		assert_true(child > 0);
		assert_int_equal(kill(child, SIGKILL), 0);
	}
	assert_int_equal(look(inspector, *state, "like.so"), PROBE_TAG_ok);
}

static void test_stopped_helper(void **state)
{
	cleanup_(jemalloc_inspector_freep) struct jemalloc_inspector *inspector =
	        jemalloc_inspector_new();
	pid_t child;

	build(*state);
	assert_int_equal(look(inspector, *state, "like.so"), PROBE_TAG_ok);
	child = child_of_us();
	assert_int_equal(kill(child, SIGSTOP), 0);
	assert_int_equal(look(inspector, *state, "like.so"), PROBE_TAG_worker_panic);
	assert_true(child_of_us() != child);
	assert_int_equal(look(inspector, *state, "like.so"), PROBE_TAG_ok);
}

/* The signals of a terminal reach the helper as well. */
static void test_signals(void **state)
{
	cleanup_(jemalloc_inspector_freep) struct jemalloc_inspector *inspector =
	        jemalloc_inspector_new();
	static const int signals[] = {SIGINT, SIGTSTP, SIGHUP, SIGQUIT, SIGTERM, SIGUSR1};
	pid_t child;

	build(*state);
	assert_int_equal(look(inspector, *state, "like.so"), PROBE_TAG_ok);
	child = child_of_us();
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		assert_int_equal(kill(child, signals[i]), 0);
	assert_int_equal(look(inspector, *state, "like.so"), PROBE_TAG_ok);
	assert_int_equal(child_of_us(), child);
}

/* Looks into a file with a helper that may map no more than @more bytes on top of what this process has. */
static enum probe_tag look_within(const struct temp_tree *tree, const char *name, rlim_t more)
{
	cleanup_(jemalloc_inspector_freep) struct jemalloc_inspector *inspector =
	        jemalloc_inspector_new();
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(fd_closep) int fd = jemalloc_files_open(tree, name);
	struct rlimit before, lower;
	struct jemalloc_object object;

	assert_int_equal(fd_read_all_at(AT_FDCWD, "/proc/self/statm", &text, 4096), 0);
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	lower = before;
	lower.rlim_cur =
	        more + strtoull(strbuf_str(&text), NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
	assert_int_equal(setrlimit(RLIMIT_AS, &lower), 0);
	object = look_fd(inspector, fd);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	return object.tag;
}

/* A lack of memory has its own tag: for the image of a file, whose segments lie far apart, and for the
 * emulator, which reserves a gigabyte. */
static void test_out_of_memory(void **state)
{
	if (is_sanitized())
		skip();
	jemalloc_files_run(*state, "$CC -w -fPIC -shared -ftls-model=initial-exec -o far.so -DFAR "
	                           "-Wl,--section-start=.far=0x60000000 $SOURCES/jemalloc-like.c");
	assert_int_equal(look_within(*state, "far.so", (rlim_t)3 << 30), PROBE_TAG_ok);
	assert_int_equal(look_within(*state, "far.so", (rlim_t)1 << 30), PROBE_TAG_out_of_memory);
	build(*state);
	assert_int_equal(look_within(*state, "like.so", (rlim_t)256 << 20),
	                 PROBE_TAG_out_of_memory);
}

static void test_no_fork(void **state)
{
	cleanup_(jemalloc_inspector_freep) struct jemalloc_inspector *inspector =
	        jemalloc_inspector_new();
	struct rlimit before, none;

	build(*state);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 3;
	cleanup_(fd_closep) int fd = jemalloc_files_open(*state, "like.so");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(look_fd(inspector, fd).tag, PROBE_TAG_worker_panic);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(look_fd(inspector, fd).tag, PROBE_TAG_ok);
}

static enum probe_tag look_below(struct jemalloc_inspector *inspector, const struct temp_tree *tree)
{
	cleanup_(fd_closep) int fd = jemalloc_files_open(tree, "opt/like");
	cleanup_(strbuf_done) struct strbuf mounts = STRBUF_INIT;
	const struct local_root root = {.fd = tree->fd, .mounts = &mounts};
	struct jemalloc_object object;

	assert_int_equal(local_mounts_read("/proc/self/mountinfo", &mounts), 0);
	jemalloc_inspector_run(inspector, fd, &root, "/opt", &object);
	return object.tag;
}

/* An executable that has no names of its own, and its debugging information. */
static void build_stripped(const struct temp_tree *tree, const char *flags)
{
	temp_tree_write_text(tree, "main.c", "int main(void) { return 0; }\n");
	temp_tree_make_dir(tree, "opt/.debug");
	temp_tree_make_dir(tree, "usr/lib/debug/opt");
	temp_tree_make_dir(tree, "usr/lib/debug/.build-id/ab");
	jemalloc_files_run(tree,
	                   "$CC -w -g %s -o like main.c $SOURCES/jemalloc-like.c && "
	                   "objcopy --only-keep-debug like like.debug && "
	                   "strip -o opt/like like && "
	                   "objcopy --add-gnu-debuglink=like.debug opt/like",
	                   flags);
}

/* Debugging information is looked for below the process's own root, and links do not lead out of it. */
static void test_root(void **state)
{
	static const char *const places[] = {
	        "opt/like.debug",
	        "opt/.debug/like.debug",
	        "usr/lib/debug/opt/like.debug",
	        "usr/lib/debug/.build-id/ab/cdef0123456789.debug",
	};
	const struct temp_tree *tree = *state;
	cleanup_(jemalloc_inspector_freep) struct jemalloc_inspector *inspector =
	        jemalloc_inspector_new();

	build_stripped(tree, "-Wl,--build-id=0xabcdef0123456789");
	assert_int_equal(look_below(inspector, tree), PROBE_TAG_jemalloc_not_found);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		assert_int_equal(linkat(tree->fd, "like.debug", tree->fd, places[i], 0), 0);
		assert_int_equal(look_below(inspector, tree), PROBE_TAG_ok);
		temp_tree_remove(tree, places[i]);
		/* The link is resolved below the root, and no further up than that. */
		assert_int_equal(symlinkat("/../../like.debug", tree->fd, places[i]), 0);
		assert_int_equal(look_below(inspector, tree), PROBE_TAG_ok);
		temp_tree_remove(tree, places[i]);
		/* Nobody writes into it. */
		assert_int_equal(mkfifoat(tree->fd, places[i], 0600), 0);
		assert_int_equal(look_below(inspector, tree), PROBE_TAG_jemalloc_not_found);
		temp_tree_remove(tree, places[i]);
	}
}

static void test_odd_files(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(jemalloc_inspector_freep) struct jemalloc_inspector *inspector =
	        jemalloc_inspector_new();

	assert_int_equal(mkfifoat(tree->fd, "fifo", 0600), 0);
	temp_tree_make_dir(tree, "directory");
	temp_tree_write_text(tree, "empty", "");
	temp_tree_write_text(tree, "short", "\177ELF");
	temp_tree_write_text(tree, "script", "#!/bin/sh\nexit 0 # mallctl mallctlbymib\n");
	temp_tree_write_text(tree, "archive", "!<arch>\nmallctl\n");
	assert_int_equal(look(inspector, tree, "fifo"), PROBE_TAG_jemalloc_not_found);
	assert_int_equal(look(inspector, tree, "directory"), PROBE_TAG_jemalloc_not_found);
	assert_int_equal(look(inspector, tree, "empty"), PROBE_TAG_jemalloc_not_found);
	assert_int_equal(look(inspector, tree, "short"), PROBE_TAG_jemalloc_not_found);
	assert_int_equal(look(inspector, tree, "script"), PROBE_TAG_jemalloc_not_found);
	assert_int_equal(look(inspector, tree, "archive"), PROBE_TAG_jemalloc_not_found);
	assert_int_equal(look(inspector, tree, "/dev/null"), PROBE_TAG_jemalloc_not_found);
	assert_int_equal(look(inspector, tree, "/dev/zero"), PROBE_TAG_jemalloc_not_found);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Some bytes of the file at random, more often where its tables are. */
static void spoil(uint8_t *bytes, size_t len, uint64_t *random)
{
	uint64_t count = 1 + next_random(random) % 8;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t kind = next_random(random) % 4;
		size_t range = kind == 0 ? 64 : kind == 1 ? 1024 : kind == 2 ? 16384 : len;
		size_t at = next_random(random) % (range < len ? range : len);

		/* Section headers are at the end. */
		if (next_random(random) % 3 == 0)
			at = len - 1 - at;
		bytes[at] = next_random(random) % 3 == 0 ? 0xff : (uint8_t)next_random(random);
	}
}

static void check_answer(const struct jemalloc_object *object)
{
	assert_true(object->tag < PROBE_TAG_COUNT);
	assert_true(object->tag != PROBE_TAG_ok || object->is_found);
	assert_true(object->tag != PROBE_TAG_ok || object->allocated != object->deallocated);
	/* The helper itself never dies of a file. */
	assert_int_not_equal(object->tag, PROBE_TAG_worker_panic);
}

enum { SPOILT = 300, CUT = 60 };

static void look_at_bytes(struct jemalloc_inspector *inspector, const struct temp_tree *tree,
                          const void *bytes, size_t len)
{
	cleanup_(fd_closep) int fd = -1;
	struct jemalloc_object object;

	temp_tree_write(tree, "spoilt", bytes, len);
	fd = jemalloc_files_open(tree, "spoilt");
	object = look_fd(inspector, fd);
	check_answer(&object);
}

static void test_spoilt_files(void **state)
{
	cleanup_(jemalloc_inspector_freep) struct jemalloc_inspector *inspector =
	        jemalloc_inspector_new();
	cleanup_(strbuf_done) struct strbuf good = STRBUF_INIT, bad = STRBUF_INIT;
	const struct temp_tree *tree = *state;
	uint64_t random = 0x9e3779b97f4a7c15;

	build(tree);
	assert_int_equal(fd_read_all_at(tree->fd, "like.so", &good, 1 << 24), 0);
	for (int i = 0; i < SPOILT; i++) {
		strbuf_clear(&bad);
		strbuf_add(&bad, good.data, good.len);
		spoil((uint8_t *)bad.data, bad.len, &random);
		look_at_bytes(inspector, tree, bad.data, bad.len);
	}
	for (size_t i = 0; i < CUT; i++)
		look_at_bytes(inspector, tree, good.data, i < 20 ? i * 8 : i * good.len / CUT);
}

#define IN_TREE(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        IN_TREE(test_looks_as_without_helper),
	        IN_TREE(test_large),
	        IN_TREE(test_nothing_is_left),
	        IN_TREE(test_helper_has_no_rights),
	        IN_TREE(test_killed_helper),
	        IN_TREE(test_stopped_helper),
	        IN_TREE(test_signals),
	        IN_TREE(test_out_of_memory),
	        IN_TREE(test_no_fork),
	        IN_TREE(test_root),
	        IN_TREE(test_odd_files),
	        IN_TREE(test_spoilt_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
