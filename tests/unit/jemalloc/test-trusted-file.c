// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that this test maps as code: those that others can write are left to a helper, as are those that can have jemalloc, or
 * whose debugging information can. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/regular-file.h"
#include "jemalloc/made-elf.h"
#include "jemalloc/trusted-file.h"
#include "temp-tree.h"

enum { BYTES = 2 * STRINGS_AT };

/* The code of a file in this process. */
struct code {
	void *bytes;
	struct strbuf maps;
	struct mapped_file mapped;
};

static void code_done(struct code *code)
{
	munmap(code->bytes, STRINGS_AT);
	strbuf_done(&code->maps);
}

static void map_code(struct code *code, int fd)
{
	struct maps_reader reader;

	*code = (struct code){
	        .bytes = mmap(NULL, STRINGS_AT, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0)};
	assert_ptr_not_equal(code->bytes, MAP_FAILED);
	assert_int_equal(fd_read_all_at(AT_FDCWD, "/proc/self/maps", &code->maps, 1 << 24), 0);
	maps_begin(&reader, strbuf_str(&code->maps), code->maps.len);
	do
		assert_true(maps_next(&reader, &code->mapped));
	while (code->mapped.start != (uintptr_t)code->bytes);
}

static bool ask(struct trusted_files *files, int process_fd, const struct mapped_file *mapped)
{
	return trusted_file_lacks_jemalloc(files, &(struct trusted_file_question){
	                                                  .tgid = (uint32_t)getpid(),
	                                                  .thread_fd = process_fd,
	                                                  .mapped = mapped,
	                                                  .until_ns = UINT64_MAX,
	                                          });
}

/* Maps a file as code, and asks of it. */
static bool lacks(const struct temp_tree *tree, const char *name)
{
	cleanup_(trusted_files_done) struct trusted_files files = TRUSTED_FILES_INIT;
	cleanup_(fd_closep) int fd = openat(tree->fd, name, O_RDONLY | O_CLOEXEC);
	cleanup_(fd_closep) int process_fd = fd_open_path_at(AT_FDCWD, "/proc/self");
	cleanup_(code_done) struct code code;
	bool first;

	map_code(&code, fd);
	first = ask(&files, process_fd, &code.mapped);
	assert_int_equal(ask(&files, process_fd, &code.mapped), first);
	return first;
}

/* Writes a file with a table of symbols or without, with this name among its strings. */
static void write_file(const struct temp_tree *tree, const char *file, bool has_table,
                       const char *name)
{
	struct made made = make(100);
	char bytes[BYTES] = {0};

	if (has_table)
		made.sections[2] = made_table;
	else
		made.sections[2] = (Elf64_Shdr){
		        .sh_name = 50, .sh_type = SHT_PROGBITS, .sh_offset = 1024, .sh_size = 16};
	memcpy(bytes, &made, sizeof(made));
	strcpy(bytes + 1024, "some.debug");
	strcpy(bytes + STRINGS_AT + 1, name);
	strcpy(bytes + STRINGS_AT + 50, ".gnu_debuglink");
	temp_tree_write(tree, file, bytes, sizeof(bytes));
	assert_int_equal(fchmodat(tree->fd, file, 0755, 0), 0);
}

static void need_map_files(void)
{
	void *code = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cleanup_(fd_closep) int fd = -1;

	assert_ptr_not_equal(code, MAP_FAILED);
	fd = regular_file_find_link(AT_FDCWD, "/proc/self/map_files/1-2");
	if (fd != -ENOENT) {
		print_message("skipped: this user may not open what is mapped\n");
		skip();
	}
}

static void what_is_in_the_file(void **state)
{
	const struct temp_tree *tree = *state;

	need_map_files();
	write_file(tree, "program", true, "malloc");
	assert_true(lacks(tree, "program"));
	write_file(tree, "program", true, "je_mallctlbymib");
	assert_false(lacks(tree, "program"));
	temp_tree_write_text(tree, "text",
	                     "some bytes that a program has mapped as code, and no more "
	                     "than that: they are no header\n");
	assert_true(lacks(tree, "text"));
}

static void who_can_write_it(void **state)
{
	static const struct {
		mode_t mode;
		bool is_trusted;
	} rows[] = {{0755, true}, {0555, true}, {0775, false}, {0757, false}, {0777, false}};
	const struct temp_tree *tree = *state;

	need_map_files();
	write_file(tree, "program", true, "malloc");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(fchmodat(tree->fd, "program", rows[i].mode, 0), 0);
		assert_int_equal(lacks(tree, "program"), rows[i].is_trusted);
	}
	assert_int_equal(fchmodat(tree->fd, "program", 0755, 0), 0);
	if (fchownat(tree->fd, "program", 65534, 65534, 0) == 0 && geteuid() != 65534)
		assert_false(lacks(tree, "program"));
}

/* Without a table of all symbols they may be in another file. Only what the kernel has in memory is looked for, and not every file
 * system keeps there what does not exist. */
static void debugging_information(void **state)
{
	static const char *const places[] = {"some.debug", ".debug", ".debug/some.debug"};
	const struct temp_tree *tree = *state;
	char *path = temp_tree_path(tree, "some.debug"), *below;
	cleanup_(fd_closep) int root_fd = -1;
	int cached;

	need_map_files();
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		assert_int_equal(faccessat(tree->fd, places[i], F_OK, 0), -1);
	assert_true(asprintf(&below, "/usr/lib/debug%s", path) > 0);
	assert_int_equal(access(below, F_OK), -1);
	root_fd = fd_open_path_at(AT_FDCWD, "/");
	cached = regular_file_find_cached(root_fd, path);
	write_file(tree, "program", false, "malloc");
	assert_int_equal(lacks(tree, "program"), cached == -ENOENT);

	write_file(tree, ".debug/some.debug", true, "mallctlbymib");
	assert_false(lacks(tree, "program"));
	write_file(tree, ".debug/some.debug", true, "malloc");
	assert_int_equal(lacks(tree, "program"), cached == -ENOENT);
	write_file(tree, "some.debug", true, "thread_allocatedp_ctl");
	assert_false(lacks(tree, "program"));
	free(path);
	free(below);
}

/* The mapping is not that of the question any more. */
static void another_file(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(trusted_files_done) struct trusted_files files = TRUSTED_FILES_INIT;
	cleanup_(fd_closep) int process_fd = fd_open_path_at(AT_FDCWD, "/proc/self"), fd = -1;
	cleanup_(code_done) struct code code;
	struct mapped_file other;

	need_map_files();
	write_file(tree, "program", true, "malloc");
	fd = openat(tree->fd, "program", O_RDONLY | O_CLOEXEC);
	map_code(&code, fd);
	other = code.mapped;
	other.inode++;
	assert_false(ask(&files, process_fd, &other));
	other = code.mapped;
	other.file = (struct span){"fe:ffffe 1 /x", 13};
	assert_false(ask(&files, process_fd, &other));
	assert_true(ask(&files, process_fd, &code.mapped));
}

/* It lies on no mount, and is judged by its owner and its mode as any other. */
static void memory_file(void **state)
{
	static const struct {
		mode_t mode;
		const char *name;
		bool lacks;
	} rows[] = {{0700, "malloc", true},
	            {0555, "malloc", true},
	            {0777, "malloc", false},
	            {0555, "mallctlbymib", false}};

	(void)state;
	need_map_files();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_(trusted_files_done) struct trusted_files files = TRUSTED_FILES_INIT;
		cleanup_(fd_closep) int process_fd = fd_open_path_at(AT_FDCWD, "/proc/self"),
		                        fd = -1;
		cleanup_(code_done) struct code code;
		struct made made = make(100);
		struct mapped_file other;

		made.sections[2] = made_table;
		fd = file_of(&made, rows[i].name, 1);
		assert_int_equal(fchmod(fd, rows[i].mode), 0);
		map_code(&code, fd);
		assert_int_equal(ask(&files, process_fd, &code.mapped), rows[i].lacks);
		other = code.mapped;
		other.file = (struct span){"fe:ffffe 1 /x", 13};
		trusted_files_done(&files);
		files = TRUSTED_FILES_INIT;
		assert_false(ask(&files, process_fd, &other));
	}
}

/* Writes a file without a table of symbols, with a build id that ends in this byte, and with this name among its strings. */
static void write_file_with_id(const struct temp_tree *tree, const char *file, unsigned char last,
                               const char *name)
{
	struct {
		Elf64_Nhdr header;
		char name[4];
		unsigned char id[4];
	} note = {{4, 4, NT_GNU_BUILD_ID}, "GNU", {0xab, 0xcd, 0xef, last}};
	struct made made = make(100);
	char bytes[BYTES] = {0};

	made.sections[2] =
	        (Elf64_Shdr){.sh_type = SHT_NOTE, .sh_offset = 1024, .sh_size = sizeof(note)};
	memcpy(bytes, &made, sizeof(made));
	memcpy(bytes + 1024, &note, sizeof(note));
	strcpy(bytes + STRINGS_AT + 1, name);
	temp_tree_write(tree, file, bytes, sizeof(bytes));
	assert_int_equal(fchmodat(tree->fd, file, 0755, 0), 0);
}

/* The first file that has the program's build id is the one, and no other is looked for. */
static void debugging_information_by_build_id(void **state)
{
	static const char first[] = "1/root/usr/lib/debug/.build-id/ab/cdef01.debug",
	                  second[] = "2/root/usr/lib/debug/.build-id/ab/cdef01.debug";
	const struct temp_tree *tree = *state;
	cleanup_(fd_closep) int fd = -1, process_fd = -1;
	cleanup_(code_done) struct code code;

	need_map_files();
	write_file_with_id(tree, "program", 1, "malloc");
	fd = openat(tree->fd, "program", O_RDONLY | O_CLOEXEC);
	map_code(&code, fd);
	for (unsigned char last = 0; last < 2; last++) {
		cleanup_(trusted_files_done) struct trusted_files files = TRUSTED_FILES_INIT;

		write_file_with_id(tree, first, last, "malloc");
		write_file_with_id(tree, second, 1, "mallctlbymib");
		fd_closep(&process_fd);
		process_fd = fd_open_path_at(tree->fd, "1");
		files.own_root_fd = openat(tree->fd, "2/root", O_PATH | O_CLOEXEC);
		assert_int_equal(ask(&files, process_fd, &code.mapped), last == 1);
	}
}

/* A program is a file of two processes, and has its debugging information in the root directory of either. */
static void another_root(void **state)
{
	static const char *const places[] = {"d/some.debug", "d/.debug/some.debug",
	                                     "usr/lib/debug/d/some.debug"};
	const struct temp_tree *tree = *state;
	cleanup_(trusted_files_done) struct trusted_files files = TRUSTED_FILES_INIT;
	cleanup_(fd_closep) int fd = -1, process_fd = -1, other_fd = -1;
	cleanup_(code_done) struct code code;

	need_map_files();
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char name[64];

		snprintf(name, sizeof(name), "1/root/%s", places[i]);
		write_file(tree, name, true, "malloc");
		snprintf(name, sizeof(name), "2/root/%s", places[i]);
		write_file(tree, name, true, "mallctlbymib");
	}
	write_file(tree, "program", false, "malloc");
	fd = openat(tree->fd, "program", O_RDONLY | O_CLOEXEC);
	map_code(&code, fd);
	code.mapped.path = (struct span){"/d/program", 10};
	process_fd = fd_open_path_at(tree->fd, "1");
	other_fd = fd_open_path_at(tree->fd, "2");
	files.own_root_fd = fd_open_path_at(process_fd, "root");
	assert_true(ask(&files, process_fd, &code.mapped));
	assert_false(ask(&files, other_fd, &code.mapped));
	assert_true(ask(&files, process_fd, &code.mapped));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(what_is_in_the_file, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(who_can_write_it, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(debugging_information, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(another_file, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test(memory_file),
	        cmocka_unit_test_setup_teardown(debugging_information_by_build_id, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(another_root, temp_tree_setup, temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
