// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "procfs/maps.h"
#include "temp-tree.h"

static void assert_span(struct span span, const char *want)
{
	assert_int_equal(span.len, strlen(want));
	assert_memory_equal(span.text, want, span.len);
}

static const char program[] =
        "55d0c0000000-55d0c0002000 r--p 00000000 fd:00 77         /usr/bin/some program\n"
        "55d0c0002000-55d0c0009000 r-xp 00002000 fd:00 77         /usr/bin/some program\n"
        "55d0c0009000-55d0c000a000 rw-p 00009000 fd:00 77         /usr/bin/some program\n"
        "55d0c1000000-55d0c1021000 rw-p 00000000 00:00 0          [heap]\n"
        "7f0000000000-7f0000021000 rwxp 00000000 00:00 0 \n"
        "7f1000000000-7f1000001000 r--p 00000000 fd:00 78         /lib/data.so (deleted)\n"
        "7f1000001000-7f1000002000 r-xp 00001000 fd:00 78         /lib/data.so (deleted)\n"
        "7f2000000000-7f2000002000 r-xp 00000000 08:01 99         /lib/old style.so\n"
        "7f2000002000-7f2000003000 rw-p 00001000 08:01 99         /lib/old style.so\n"
        "7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0          [stack]\n"
        "7ffd00100000-7ffd00102000 r-xp 00000000 00:00 0          [vdso]\n"
        "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]\n";

static void files_with_code(void **state)
{
	struct maps_reader reader;
	struct mapped_file file;

	(void)state;
	maps_begin(&reader, program, strlen(program));
	assert_true(maps_next(&reader, &file));
	assert_int_equal(file.start, 0x55d0c0002000);
	assert_int_equal(file.end, 0x55d0c0009000);
	assert_int_equal(file.first_start, 0x55d0c0000000);
	assert_int_equal(file.first_offset, 0);
	assert_int_equal(file.inode, 77);
	assert_span(file.path, "/usr/bin/some program");
	assert_span(file.file, "fd:00 77         /usr/bin/some program");
	assert_true(maps_next(&reader, &file));
	assert_int_equal(file.first_start, 0x7f1000000000);
	assert_span(file.path, "/lib/data.so (deleted)");
	assert_true(maps_next(&reader, &file));
	assert_int_equal(file.start, 0x7f2000000000);
	assert_int_equal(file.first_start, 0x7f2000000000);
	assert_false(maps_next(&reader, &file));
}

/* dlmopen() loads a file once more. Between segments there may be gaps, of any length in the file's own terms. */
static void each_loading_by_itself(void **state)
{
	static const char text[] = "100000-102000 r--p 00000000 fd:00 5 /a\n"
	                           "102000-150000 ---p 00002000 fd:00 5 /a\n"
	                           "150000-170000 r-xp 00001000 fd:00 5 /a\n"
	                           "170000-180000 rw-p 00020000 fd:00 5 /a\n"
	                           "180000-182000 r--p 00000000 fd:00 5 /a\n"
	                           "182000-192000 r-xp 00001000 fd:00 5 /a\n"
	                           "192000-193000 r-xp 00011000 fd:00 5 /a\n";
	struct maps_reader reader;
	struct mapped_file file;

	(void)state;
	maps_begin(&reader, text, strlen(text));
	assert_true(maps_next(&reader, &file));
	assert_int_equal(file.first_start, 0x100000);
	assert_true(maps_next(&reader, &file));
	assert_int_equal(file.first_start, 0x180000);
	assert_int_equal(file.start, 0x182000);
	assert_false(maps_next(&reader, &file));
}

/* A process that has mapped a file to read it, as programs that print stack traces do, has not loaded it there. */
static void copies_to_read_are_no_loading(void **state)
{
	static const char text[] = "100000-190000 r--p 00000000 fd:00 5 /a\n"
	                           "190000-191000 rw-p 00000000 00:00 0\n"
	                           "191000-192000 r--p 00000000 fd:00 5 /a\n"
	                           "192000-1a2000 r-xp 00001000 fd:00 5 /a\n"
	                           "1a2000-1b2000 rw-p 00011000 fd:00 5 /a\n";
	struct maps_reader reader;
	struct mapped_file file;

	(void)state;
	maps_begin(&reader, text, strlen(text));
	assert_true(maps_next(&reader, &file));
	assert_int_equal(file.first_start, 0x191000);
	assert_false(maps_next(&reader, &file));
}

static void nonsense_is_passed_over(void **state)
{
	static const char text[] = "\n"
	                           "1000\n"
	                           "1000-\n"
	                           "1000-2000 r-x\n"
	                           "1000-2000 r-xp 0 fd:00\n"
	                           "1000-2000 r-xp 0 fd:00 minus /a\n"
	                           "12345678123456789-2000 r-xp 0 fd:00 3 /a\n"
	                           "g-2000 r-xp 0 fd:00 3 /a\n"
	                           "1000-2000 r-xp 0 fd:00 4";
	struct maps_reader reader;
	struct mapped_file file;

	(void)state;
	maps_begin(&reader, text, strlen(text));
	assert_true(maps_next(&reader, &file));
	assert_int_equal(file.inode, 4);
	assert_int_equal(file.path.len, 0);
	assert_false(maps_next(&reader, &file));
	maps_begin(&reader, NULL, 0);
	assert_false(maps_next(&reader, &file));
}

/* The kernel's answers are those of the text: the mappings of this test do not change in between. */
static void asking_and_reading(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(fd_closep) int fd = fd_open_file_at(AT_FDCWD, "/proc/self/maps");
	struct maps_query query = {.fd = fd};
	struct maps_reader reader;
	struct mapped_file asked, read;
	int r = maps_query_next(&query, &asked);
	size_t files = 0;

	(void)state;
	if (r == -ENOTTY) {
		print_message("skipped: this kernel has no PROCMAP_QUERY\n");
		skip();
	}
	assert_int_equal(fd_read_all_at(AT_FDCWD, "/proc/self/maps", &text, 1 << 20), 0);
	maps_begin(&reader, strbuf_str(&text), text.len);
	for (; maps_next(&reader, &read); files++) {
		while (r == 1 && asked.start < read.start)
			r = maps_query_next(&query, &asked);
		assert_int_equal(r, 1);
		assert_int_equal(asked.start, read.start);
		assert_int_equal(asked.end, read.end);
		assert_int_equal(asked.inode, read.inode);
		assert_int_equal(asked.path.len, read.path.len);
		assert_memory_equal(asked.path.text, read.path.text, read.path.len);
		assert_int_equal(strcspn(asked.file.text, " "), strcspn(read.file.text, " "));
		assert_memory_equal(asked.file.text, read.file.text, strcspn(read.file.text, " "));
		assert_int_equal(asked.path.text + asked.path.len,
		                 asked.file.text + asked.file.len);
	}
	assert_true(files >= 2);
	while (r == 1)
		r = maps_query_next(&query, &asked);
	assert_int_equal(r, 0);
}

/* Maps a file as code in a directory whose path is longer than the kernel writes, and removes all that again. */
static void *map_far_away(const struct temp_tree *tree)
{
	enum { LEVELS = 17, NAME = 250 };
	char name[NAME + 1];
	int fds[LEVELS + 1] = {tree->fd}, fd;
	void *code;

	memset(name, 'd', NAME);
	name[NAME] = '\0';
	for (int i = 0; i < LEVELS; i++) {
		assert_int_equal(mkdirat(fds[i], name, 0700), 0);
		fds[i + 1] = fd_open_path_at(fds[i], name);
		assert_true(fds[i + 1] >= 0);
	}
	fd = openat(fds[LEVELS], "far", O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	code = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(code, MAP_FAILED);
	close(fd);
	assert_int_equal(unlinkat(fds[LEVELS], "far", 0), 0);
	for (int i = LEVELS; i > 0; i--) {
		close(fds[i]);
		assert_int_equal(unlinkat(fds[i - 1], name, AT_REMOVEDIR), 0);
	}
	return code;
}

/* A path that is too long is none, and the files behind it are told. */
static void asking_for_long_names(void **state)
{
	const struct temp_tree *tree = *state;
	void *code = map_far_away(tree);
	cleanup_(fd_closep) int fd = fd_open_file_at(AT_FDCWD, "/proc/self/maps");
	struct maps_query query = {.fd = fd};
	struct mapped_file asked;
	bool is_told = false;
	int r = maps_query_next(&query, &asked);
	size_t behind = 0;

	if (r == -ENOTTY) {
		print_message("skipped: this kernel has no PROCMAP_QUERY\n");
		skip();
	}
	for (; r == 1; r = maps_query_next(&query, &asked)) {
		behind += is_told;
		if (asked.start != (uintptr_t)code)
			continue;
		is_told = true;
		assert_int_equal(asked.path.len, 0);
		assert_true(asked.inode != 0);
	}
	assert_int_equal(r, 0);
	assert_true(is_told);
	assert_true(behind > 0);
	munmap(code, 1);
}

/* A file that is no maps has no answer, so that its text is read. */
static void asking_another_file(void **state)
{
	cleanup_(fd_closep) int fd = fd_open_file_at(AT_FDCWD, "/proc/self/stat");
	struct maps_query query = {.fd = fd};
	struct mapped_file asked;

	(void)state;
	assert_int_equal(maps_query_next(&query, &asked), -ENOTTY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(asking_and_reading),
	        cmocka_unit_test(asking_another_file),
	        cmocka_unit_test_setup_teardown(asking_for_long_names, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test(files_with_code),
	        cmocka_unit_test(each_loading_by_itself),
	        cmocka_unit_test(copies_to_read_are_no_loading),
	        cmocka_unit_test(nonsense_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
