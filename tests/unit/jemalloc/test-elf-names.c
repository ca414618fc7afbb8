// SPDX-License-Identifier: GPL-2.0-or-later
/* The names in ELF files: of files that the compiler makes, of some that no compiler makes, and of this test itself. */
#include "check.h"

#include <errno.h>

#include "base/fd.h"
#include "jemalloc/made-elf.h"

enum {
	NAME_LEN = 12,
	PIECE = 1 << 16, /* what is read at a time */
};

static const struct elf_names_limits no_limits = {UINT64_MAX, UINT64_MAX};

static bool finds(uint64_t strings_len, const char *name, uint64_t at)
{
	struct made made = make(strings_len);
	cleanup_(fd_closep) int fd = -1;
	struct elf_names names;

	made.sections[2] = made_table;
	fd = file_of(&made, name, at);
	assert_int_equal(elf_names_read(fd, &no_limits, &names), 0);
	return names.can_be_jemalloc;
}

static void names_at_every_place(void **state)
{
	(void)state;
	for (uint64_t at = 0; at <= 3; at++) {
		assert_true(finds(NAME_LEN + at, "mallctlbymib", at));
		assert_false(finds(NAME_LEN + at - 1, "mallctlbymib", at));
	}
	for (uint64_t at = PIECE - 24; at <= PIECE + 2; at++) {
		assert_true(finds(3 * PIECE, "_rjem_mallctlbymib", at));
		assert_true(finds(3 * PIECE, "thread_allocatedp_ctl.lto_priv.0", at + PIECE));
	}
	assert_false(finds(3 * PIECE, "mallctlbymi", PIECE - 3));
	assert_false(finds(3 * PIECE, "thread_deallocatedp_ctl", PIECE - 3));
	assert_false(finds(3 * PIECE, NULL, 0));
}

static int read_made(const struct made *made)
{
	cleanup_(fd_closep) int fd = file_of(made, "mallctlbymib", 0);
	struct elf_names names;

	return elf_names_read(fd, &no_limits, &names);
}

static void damage(void **state)
{
	struct made made = make(100);

	(void)state;
	assert_int_equal(read_made(&made), 0);
	made.sections[1].sh_size = UINT64_MAX;
	assert_int_equal(read_made(&made), -EINVAL);
	made.sections[1].sh_size = 200;
	made.sections[1].sh_offset = UINT64_MAX - 100;
	assert_int_equal(read_made(&made), -EINVAL);
	made = make(100);
	made.sections[1].sh_flags = SHF_COMPRESSED;
	assert_int_equal(read_made(&made), -EINVAL);
	made = make(100);
	made.header.e_shnum = 0xff00;
	assert_int_equal(read_made(&made), -EINVAL);
	made.header.e_shnum = 0;
	assert_int_equal(read_made(&made), -EINVAL);
	made = make(100);
	made.header.e_shoff = UINT64_MAX;
	assert_int_equal(read_made(&made), -EINVAL);
	made = make(100);
	made.header.e_shstrndx = 3;
	assert_int_equal(read_made(&made), -EINVAL);
	made = make(100);
	made.header.e_machine = EM_S390;
	assert_int_equal(read_made(&made), -EINVAL);
	made = make(100);
	made.sections[2] = (Elf64_Shdr){.sh_type = SHT_NOTE, .sh_size = 1 << 20};
	assert_int_equal(read_made(&made), -EINVAL);
	made.sections[2].sh_size = 13;
	assert_int_equal(read_made(&made), -EINVAL);
	made.header.e_ident[0] = 'M';
	assert_int_equal(read_made(&made), -ENOEXEC);
}

/* A hundred sections may name the same bytes of a sparse file, which takes nobody's disk. */
static void sections_above_each_other(void **state)
{
	struct made made = make(3 * PIECE);

	(void)state;
	made.sections[2] = made.sections[1];
	assert_int_equal(read_made(&made), -EINVAL);
	made.sections[2].sh_size = STRINGS_AT;
	assert_int_equal(read_made(&made), 0);
}

static void limits(void **state)
{
	static const struct {
		uint64_t bytes, until_ns;
		int result;
	} rows[] = {
	        {3 * PIECE, UINT64_MAX, 0},
	        {3 * PIECE - 1, UINT64_MAX, -EFBIG},
	        {3 * PIECE, 0, -ETIME},
	};
	struct made made = make(3 * PIECE);
	cleanup_(fd_closep) int fd = -1;

	(void)state;
	made.sections[2] = made_table;
	fd = file_of(&made, NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct elf_names_limits limits = {rows[i].bytes, rows[i].until_ns};
		struct elf_names names;

		assert_int_equal(elf_names_read(fd, &limits, &names), rows[i].result);
	}
}

/* A table of symbols that is not whole is none: the names may be in the file with debugging information. */
static void tables(void **state)
{
	static const struct {
		uint64_t offset, len, entry;
		bool is_table;
	} rows[] = {
	        {STRINGS_AT, 96, 24, true},  {STRINGS_AT, 96, 16, false},
	        {STRINGS_AT, 97, 24, false}, {STRINGS_AT, 0, 24, false},
	        {1 << 20, 96, 24, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_(fd_closep) int fd = -1;
		struct made made = make(100);
		struct elf_names names;

		made.sections[2] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
		                                .sh_offset = rows[i].offset,
		                                .sh_size = rows[i].len,
		                                .sh_entsize = rows[i].entry};
		fd = file_of(&made, NULL, 0);
		assert_int_equal(elf_names_read(fd, &no_limits, &names), 0);
		assert_int_equal(names.has_table, rows[i].is_table);
	}
}

static void build_ids(void **state)
{
	static const struct {
		Elf64_Nhdr other;
		char other_name[8];
		Elf64_Nhdr note;
		char name[4];
		uint8_t id[4];
	} notes = {{8, 0, 5}, "Linux", {4, 4, NT_GNU_BUILD_ID}, "GNU", {1, 2, 0xfe, 4}};
	cleanup_(fd_closep) int fd = -1;
	struct made made = make(100);
	struct elf_names names;

	(void)state;
	made.sections[2] = (Elf64_Shdr){.sh_type = SHT_NOTE,
	                                .sh_offset = 1024,
	                                .sh_size = sizeof(notes),
	                                .sh_addralign = 4};
	fd = file_of(&made, NULL, 0);
	assert_int_equal(pwrite(fd, &notes, sizeof(notes), 1024), sizeof(notes));
	assert_int_equal(elf_names_read(fd, &no_limits, &names), 0);
	assert_int_equal(names.build_id_len, 4);
	assert_memory_equal(names.build_id, notes.id, 4);
	assert_string_equal(names.link, "");
}

static int read_link(const void *section, uint64_t len, struct elf_names *ret_names)
{
	static const char wanted[] = ".gnu_debuglink";
	cleanup_(fd_closep) int fd = -1;
	struct made made = make(100);

	made.sections[2] = (Elf64_Shdr){
	        .sh_name = 7, .sh_type = SHT_PROGBITS, .sh_offset = 1024, .sh_size = len};
	fd = file_of(&made, wanted, 7);
	assert_int_equal(pwrite(fd, section, len, 1024), len);
	return elf_names_read(fd, &no_limits, ret_names);
}

static void links(void **state)
{
	char longest[300];
	struct elf_names names;

	(void)state;
	assert_int_equal(read_link("libx.debug\0\0sum.", 16, &names), 0);
	assert_string_equal(names.link, "libx.debug");
	memset(longest, 'x', sizeof(longest));
	assert_int_equal(read_link(longest, sizeof(longest), &names), -EINVAL);
	assert_int_equal(read_link("a/b\0sum.", 8, &names), -EINVAL);
	assert_int_equal(read_link("..\0\0sum.", 8, &names), -EINVAL);
}

/* These files are not to be executed. */
static void others(void **state)
{
	static const char *const texts[] = {"", "#!", "\177ELF",
	                                    "#!/bin/sh and more than a header "
	                                    "of an executable file would be"};
	struct elf_names names;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		cleanup_(fd_closep) int fd = memfd_create("other", MFD_CLOEXEC);

		assert_int_equal(fd_write_all(fd, texts[i], strlen(texts[i])), 0);
		assert_int_equal(elf_names_read(fd, &no_limits, &names), -ENOEXEC);
	}
	assert_int_equal(elf_names_read(-1, &no_limits, &names), -EBADF);
}

/* This program has its symbols, and in them no name of jemalloc's but those of the functions under test. */
static void this_program(void **state)
{
	cleanup_(fd_closep) int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct elf_names names;

	(void)state;
	assert_int_equal(elf_names_read(fd, &no_limits, &names), 0);
	assert_true(names.has_table);
	assert_false(names.can_be_jemalloc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(names_at_every_place),
	        cmocka_unit_test(damage),
	        cmocka_unit_test(sections_above_each_other),
	        cmocka_unit_test(limits),
	        cmocka_unit_test(tables),
	        cmocka_unit_test(build_ids),
	        cmocka_unit_test(links),
	        cmocka_unit_test(others),
	        cmocka_unit_test(this_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
