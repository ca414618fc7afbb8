// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/scan.h"
#include "kernel-ability.h"
#include "random.h"
#include "temp-tree.h"

static void test_read_all_contents(void **state)
{
	const struct temp_tree *tree = *state;
	struct strbuf text = STRBUF_INIT;

	temp_tree_write(tree, "binary", "a\0b\n", 4);
	strbuf_add_str(&text, "what was there before");
	assert_int_equal(fd_read_all_at(tree->fd, "binary", &text, 100), 0);
	assert_int_equal(text.len, 4);
	assert_memory_equal(text.data, "a\0b\n\0", 5);
	strbuf_done(&text);
}

/* An empty file is an empty text, also in a buffer that was never used. */
static void test_read_all_empty(void **state)
{
	const struct temp_tree *tree = *state;
	struct strbuf text = STRBUF_INIT;

	temp_tree_write_text(tree, "empty", "");
	assert_int_equal(fd_read_all_at(tree->fd, "empty", &text, 0), 0);
	assert_text(&text, "");
	strbuf_add_str(&text, "old");
	assert_int_equal(fd_read_all_at(tree->fd, "empty", &text, 0), 0);
	assert_text(&text, "");
	strbuf_done(&text);
}

/* A file without an end takes no longer than it may. */
static void test_read_until(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(fd_closep) int fd = fd_open_path_at(AT_FDCWD, "/dev");
	struct strbuf text = STRBUF_INIT;
	uint64_t until_ns = clock_now_ns(CLOCK_MONOTONIC) + NS_PER_MS;

	temp_tree_write_text(tree, "short", "text");
	assert_int_equal(fd_read_all_until(tree->fd, "short", &text, 100, UINT64_MAX), 0);
	assert_text(&text, "text");
	assert_int_equal(fd_read_all_until(tree->fd, "short", &text, 3, UINT64_MAX), -EFBIG);
	assert_int_equal(fd_read_all_until(tree->fd, "none", &text, 100, 1), -ENOENT);
	assert_int_equal(fd_read_all_until(tree->fd, "short", &text, 100, 1), -ETIME);
	assert_int_equal(fd_read_all_until(fd, "zero", &text, 1 << 30, until_ns), -ETIME);
	assert_true(clock_now_ns(CLOCK_MONOTONIC) >= until_ns);
	strbuf_done(&text);
}

static void test_read_all_sizes(void **state)
{
	static const size_t sizes[] = {1, 4095, 4096, 8191, 8192, 8193, 16384, 100000};
	static char bytes[100000];
	const struct temp_tree *tree = *state;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7 + i / 251);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct strbuf text = STRBUF_INIT;

		temp_tree_write(tree, "sized", bytes, sizes[i]);
		assert_int_equal(fd_read_all_at(tree->fd, "sized", &text, sizes[i]), 0);
		assert_int_equal(text.len, sizes[i]);
		assert_memory_equal(text.data, bytes, sizes[i]);
		assert_int_equal(text.data[text.len], '\0');
		assert_int_equal(fd_read_all_at(tree->fd, "sized", &text, sizes[i] - 1), -EFBIG);
		strbuf_done(&text);
	}
}

/* The part that does not change while it is being read: the first lines of the mappings. */
static void keep_headings(const char *text, size_t len, struct strbuf *out)
{
	struct span rest = {text, len}, line, word;

	strbuf_clear(out);
	while (scan_line(&rest, &line)) {
		struct span words = line;

		if (!scan_word(&words, &word) || word.text[word.len - 1] == ':')
			continue;
		strbuf_add(out, line.text, line.len);
		strbuf_add_char(out, '\n');
	}
}

static size_t read_in_small_steps(char *buffer, size_t size)
{
	int fd = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC);
	size_t total = 0;
	ssize_t len;

	assert_true(fd >= 0);
	do {
		len = read(fd, buffer + total, 1000);
		assert_true(len >= 0);
		total += (size_t)len;
		assert_true(total + 1000 < size);
	} while (len > 0);
	close(fd);
	return total;
}

/* The kernel returns this file in pieces, however large the buffer is. */
static void test_read_all_several_reads(void **state)
{
	static char independent[4 << 20];
	struct strbuf text = STRBUF_INIT, expected = STRBUF_INIT, found = STRBUF_INIT;
	size_t len;

	(void)state;
	/* The memory for all this is mapped before anybody looks. */
	strbuf_reserve(&text, sizeof(independent));
	strbuf_reserve(&expected, sizeof(independent));
	strbuf_reserve(&found, sizeof(independent));
	memset(independent, 0, sizeof(independent));

	len = read_in_small_steps(independent, sizeof(independent));
	assert_true(len > 4096);
	keep_headings(independent, len, &expected);
	assert_int_equal(fd_read_all_at(AT_FDCWD, "/proc/self/smaps", &text, 4 << 20), 0);
	keep_headings(text.data, text.len, &found);
	assert_string_equal(found.data, expected.data);
	assert_int_equal(fd_read_all_at(AT_FDCWD, "/proc/self/smaps", &text, 4096), -EFBIG);
	strbuf_done(&text);
	strbuf_done(&expected);
	strbuf_done(&found);
}

static void test_read_all_errors(void **state)
{
	const struct temp_tree *tree = *state;
	struct strbuf text = STRBUF_INIT;

	temp_tree_make_dir(tree, "dir");
	temp_tree_write_text(tree, "file", "x");
	assert_int_equal(fd_read_all_at(tree->fd, "missing", &text, 100), -ENOENT);
	assert_int_equal(fd_read_all_at(tree->fd, "dir", &text, 100), -EISDIR);
	assert_int_equal(fd_read_all_at(tree->fd, "file/below", &text, 100), -ENOTDIR);
	assert_int_equal(fd_read_all_at(-1, "file", &text, 100), -EBADF);
	assert_text(&text, "");
	strbuf_add_str(&text, "old");
	assert_int_equal(fd_read_all_at(tree->fd, "missing", &text, 100), -ENOENT);
	assert_text(&text, "");
	strbuf_done(&text);
}

/* A pipe that nobody writes to must not hold a capture up. */
static void test_read_begin(void **state)
{
	const struct temp_tree *tree = *state;
	char bytes[8];
	size_t len = 9;

	temp_tree_write(tree, "ten", "0123456789", 10);
	assert_int_equal(fd_read_begin_at(tree->fd, "ten", bytes, sizeof(bytes), &len), 0);
	assert_int_equal(len, 8);
	assert_memory_equal(bytes, "01234567", 8);
	temp_tree_write(tree, "none", "", 0);
	assert_int_equal(fd_read_begin_at(tree->fd, "none", bytes, sizeof(bytes), &len), 0);
	assert_int_equal(len, 0);
	assert_int_equal(fd_read_begin_at(tree->fd, "missing", bytes, sizeof(bytes), &len),
	                 -ENOENT);
}

static void test_read_all_fifo_does_not_block(void **state)
{
	const struct temp_tree *tree = *state;
	struct strbuf text = STRBUF_INIT;

	assert_int_equal(mkfifoat(tree->fd, "fifo", 0600), 0);
	assert_int_equal(fd_read_all_at(tree->fd, "fifo", &text, 100), 0);
	assert_text(&text, "");
	strbuf_done(&text);
}

static void test_open_directories(void **state)
{
	const struct temp_tree *tree = *state;
	struct strbuf text = STRBUF_INIT;
	struct id_list list = {0};
	int path_fd, dir_fd;

	temp_tree_write_text(tree, "dir/12", "found");
	path_fd = fd_open_path_at(tree->fd, "dir");
	dir_fd = fd_open_dir_at(tree->fd, "dir");
	assert_true(path_fd >= 0 && dir_fd >= 0);
	assert_int_equal(fcntl(path_fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(dir_fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fd_read_all_at(path_fd, "12", &text, 100), 0);
	assert_text(&text, "found");
	assert_int_equal(fd_list_ids(path_fd, &list, &text), -EBADF);
	assert_int_equal(list.count, 0);
	assert_int_equal(fd_list_ids(dir_fd, &list, &text), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(fd_open_path_at(tree->fd, "dir/12"), -ENOTDIR);
	assert_int_equal(fd_open_dir_at(tree->fd, "dir/12"), -ENOTDIR);
	assert_int_equal(fd_open_path_at(tree->fd, "missing"), -ENOENT);
	assert_int_equal(fd_open_dir_at(tree->fd, "missing"), -ENOENT);
	id_list_done(&list);
	strbuf_done(&text);
	fd_closep(&path_fd);
	fd_closep(&dir_fd);
}

static void test_check_empty(void **state)
{
	const struct temp_tree *tree = *state;
	int fd;

	temp_tree_make_dir(tree, "d");
	fd = openat(tree->fd, "d", O_PATH | O_CLOEXEC);
	assert_int_equal(fd_check_empty(fd), 0);
	temp_tree_write_text(tree, "d/.hidden", "");
	assert_int_equal(fd_check_empty(fd), -EEXIST);
	temp_tree_remove(tree, "d/.hidden");
	assert_int_equal(fd_check_empty(fd), 0);
	close(fd);
	assert_true(fd_check_empty(fd) < 0);
}

static void test_list_ids_names(void **state)
{
	static const char *const names[] = {
	        "300",
	        "2",
	        "10",
	        "9",
	        "4294967295",
	        "4294967296",
	        "1",
	        "0",
	        "00",
	        "007",
	        "-5",
	        "+3",
	        "5x",
	        "x5",
	        "3 ",
	        " 3",
	        "0x7",
	        "1.0",
	        "self",
	        "12345678901234567890123",
	        "18446744073709551617",
	};
	static const uint32_t expected[] = {1, 2, 9, 10, 300, UINT32_MAX};
	const struct temp_tree *tree = *state;
	struct strbuf scratch = STRBUF_INIT;
	struct id_list list = {0};
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		cleanup_(mem_freep) char *name = NULL;
		struct strbuf path = STRBUF_INIT;

		strbuf_addf(&path, "ids/%s", names[i]);
		name = path.data;
		temp_tree_write_text(tree, name, "");
	}
	fd = fd_open_dir_at(tree->fd, "ids");
	assert_int_equal(fd_list_ids(fd, &list, &scratch), 0);
	assert_int_equal(list.count, ARRAY_SIZE(expected));
	assert_memory_equal(list.ids, expected, sizeof(expected));
	id_list_done(&list);
	assert_null(list.ids);
	strbuf_done(&scratch);
	close(fd);
}

/* More than one buffer of entries, in no order; then the same list for a directory with fewer. */
static void test_list_ids_many(void **state)
{
	enum { IDS = 3000, SEED = 4 };
	static size_t order[IDS];
	const struct temp_tree *tree = *state;
	struct random random = random_start(SEED, 0);
	struct strbuf scratch = STRBUF_INIT;
	struct id_list list = {0};
	int fd;

	random_shuffle(&random, order, IDS);
	temp_tree_write_text(tree, "file", "");
	temp_tree_make_dir(tree, "many");
	for (size_t i = 0; i < IDS; i++) {
		char name[32];

		/* Links to one file: new files take their time. */
		snprintf(name, sizeof(name), "many/%zu", 5 * order[i] + 3);
		assert_int_equal(linkat(tree->fd, "file", tree->fd, name, 0), 0);
	}
	fd = fd_open_dir_at(tree->fd, "many");
	assert_int_equal(fd_list_ids(fd, &list, &scratch), 0);
	close(fd);
	assert_int_equal(list.count, IDS);
	for (size_t i = 0; i < IDS; i++)
		assert_int_equal(list.ids[i], 5 * i + 3);

	temp_tree_write_text(tree, "few/8", "");
	fd = fd_open_dir_at(tree->fd, "few");
	assert_int_equal(fd_list_ids(fd, &list, &scratch), 0);
	close(fd);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.ids[0], 8);
	id_list_done(&list);
	strbuf_done(&scratch);
}

static void test_list_ids_finds_us(void **state)
{
	struct strbuf scratch = STRBUF_INIT;
	struct id_list list = {0};
	int fd = fd_open_dir_at(AT_FDCWD, "/proc/self/task");

	(void)state;
	need_own_process();
	assert_int_equal(fd_list_ids(fd, &list, &scratch), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.ids[0], getpid());
	close(fd);
	id_list_done(&list);
	strbuf_done(&scratch);
}

struct drain {
	int fd;
	struct strbuf bytes;
};

static void *drain_pipe(void *context)
{
	struct drain *drain = context;
	ssize_t len;

	do {
		len = read(drain->fd, strbuf_reserve(&drain->bytes, 777), 777);
		drain->bytes.len += len > 0 ? (size_t)len : 0;
	} while (len > 0);
	return NULL;
}

/* More than a pipe holds, so that it goes in several writes. */
static void test_write_all_to_pipe(void **state)
{
	enum { BYTES = 300000 };
	struct drain drain = {.bytes = STRBUF_INIT};
	char *bytes = mem_calloc(BYTES, 1);
	pthread_t thread;
	int ends[2];

	(void)state;
	for (size_t i = 0; i < BYTES; i++)
		bytes[i] = (char)(i % 253);
	assert_int_equal(pipe(ends), 0);
	drain.fd = ends[0];
	assert_int_equal(pthread_create(&thread, NULL, drain_pipe, &drain), 0);
	assert_int_equal(fd_write_all(ends[1], bytes, BYTES), 0);
	close(ends[1]);
	pthread_join(thread, NULL);
	assert_int_equal(drain.bytes.len, BYTES);
	assert_memory_equal(drain.bytes.data, bytes, BYTES);
	close(ends[0]);
	strbuf_done(&drain.bytes);
	free(bytes);
}

static void test_write_all_errors(void **state)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(fd_write_all(-1, "x", 1), -EBADF);
	assert_int_equal(fd_write_all(-1, "", 0), 0);
	assert_int_equal(fd_write_all(full, "x", 1), -ENOSPC);
	close(full);
}

/* Links of every length around the steps of the buffer, up to the longest that a link can have. */
static void test_read_link_sizes(void **state)
{
	static const size_t sizes[] = {1, 255, 256, 257, 511, 512, 513, 4095};
	const struct temp_tree *tree = *state;
	struct strbuf out = STRBUF_INIT;
	char target[4096];

	for (size_t i = 0; i < sizeof(target) - 1; i++)
		target[i] = (char)(1 + i % 255);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t len = sizes[i];

		target[len] = '\0';
		assert_int_equal(symlinkat(target, tree->fd, "link"), 0);
		assert_int_equal(fd_read_link_at(tree->fd, "link", &out, 4096), 0);
		assert_text(&out, target);
		assert_int_equal(fd_read_link_at(tree->fd, "link", &out, len), 0);
		assert_int_equal(fd_read_link_at(tree->fd, "link", &out, len - 1), -EFBIG);
		temp_tree_remove(tree, "link");
		target[len] = (char)(1 + len % 255);
	}
	strbuf_done(&out);
}

static void test_read_link_errors(void **state)
{
	const struct temp_tree *tree = *state;
	struct strbuf out = STRBUF_INIT;

	temp_tree_write_text(tree, "file", "text");
	assert_int_equal(fd_read_link_at(tree->fd, "file", &out, 100), -EINVAL);
	assert_int_equal(fd_read_link_at(tree->fd, "nothing", &out, 100), -ENOENT);
	strbuf_done(&out);
}

static void test_await_input(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(fd_await_input(ends[0], 0), -ETIME);
	assert_int_equal(fd_await_input(ends[0], clock_now_ns(CLOCK_MONOTONIC) + 2 * NS_PER_MS),
	                 -ETIME);
	assert_int_equal(fd_write_all(ends[1], "x", 1), 0);
	assert_int_equal(fd_await_input(ends[0], UINT64_MAX), 0);
	assert_int_equal(read(ends[0], &(char){0}, 1), 1);
	close(ends[1]);
	assert_int_equal(fd_await_input(ends[0], UINT64_MAX), 0);
	close(ends[0]);
}

static void interrupted(int number)
{
	(void)number;
}

/* A signal neither ends the wait nor makes it longer. */
static void test_await_input_through_signals(void **state)
{
	const struct sigaction action = {.sa_handler = interrupted};
	const struct itimerval often = {.it_interval = {.tv_usec = 1000},
	                                .it_value = {.tv_usec = 1000}};
	const struct itimerval never = {0};
	uint64_t until = clock_now_ns(CLOCK_MONOTONIC) + 30 * NS_PER_MS;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	assert_int_equal(fd_await_input(ends[0], until), -ETIME);
	assert_true(clock_now_ns(CLOCK_MONOTONIC) >= until);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	close(ends[0]);
	close(ends[1]);
}

static void test_closep_keeps_errno(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), closed = fd;

	(void)state;
	errno = EDOM;
	fd_closep(&fd);
	assert_int_equal(fd, -1);
	assert_int_equal(errno, EDOM);
	assert_int_equal(fcntl(closed, F_GETFD), -1);
	fd_closep(&fd);
	assert_int_equal(fd, -1);
}

static void test_is_removed(void **state)
{
	const struct temp_tree *tree = *state;
	int fd;

	temp_tree_write_text(tree, "file", "text");
	fd = openat(tree->fd, "file", O_RDONLY | O_CLOEXEC);
	assert_false(fd_is_removed(fd));
	assert_int_equal(unlinkat(tree->fd, "file", 0), 0);
	assert_true(fd_is_removed(fd));
	close(fd);
	assert_false(fd_is_removed(-1));
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_read_all_contents),
	        in_tree(test_read_all_empty),
	        in_tree(test_read_until),
	        in_tree(test_read_all_sizes),
	        cmocka_unit_test(test_read_all_several_reads),
	        in_tree(test_read_all_errors),
	        in_tree(test_read_begin),
	        in_tree(test_read_all_fifo_does_not_block),
	        in_tree(test_open_directories),
	        in_tree(test_check_empty),
	        in_tree(test_list_ids_names),
	        in_tree(test_list_ids_many),
	        cmocka_unit_test(test_list_ids_finds_us),
	        cmocka_unit_test(test_write_all_to_pipe),
	        cmocka_unit_test(test_write_all_errors),
	        in_tree(test_read_link_sizes),
	        in_tree(test_read_link_errors),
	        cmocka_unit_test(test_await_input),
	        cmocka_unit_test(test_await_input_through_signals),
	        in_tree(test_is_removed),
	        cmocka_unit_test(test_closep_keeps_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
