/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* made-elf - ELF files that no compiler makes. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "jemalloc/elf-names.h"

enum { STRINGS_AT = 4096 };

/* A file with one table of strings, which is that of the names of sections as well, of zeros but for one name. */
struct made {
	Elf64_Ehdr header;
	Elf64_Shdr sections[3];
};

/* A table of one symbol. */
static const Elf64_Shdr made_table = {
        .sh_type = SHT_SYMTAB, .sh_size = sizeof(Elf64_Sym), .sh_entsize = sizeof(Elf64_Sym)};

static inline struct made make(uint64_t strings_len)
{
	return (struct made){
	        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
	                               EV_CURRENT},
	                   .e_type = ET_DYN,
	                   .e_machine = OWN_MACHINE,
	                   .e_version = EV_CURRENT,
	                   .e_ehsize = sizeof(Elf64_Ehdr),
	                   .e_shoff = offsetof(struct made, sections),
	                   .e_shentsize = sizeof(Elf64_Shdr),
	                   .e_shnum = 3,
	                   .e_shstrndx = 1},
	        .sections = {[1] = {.sh_type = SHT_STRTAB,
	                            .sh_offset = STRINGS_AT,
	                            .sh_size = strings_len},
	                     [2] = {.sh_type = SHT_NULL}},
	};
}

static inline int file_of(const struct made *made, const char *name, uint64_t at)
{
	int fd = memfd_create("made", MFD_CLOEXEC);
	uint64_t end = STRINGS_AT + made->sections[1].sh_size;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)(end < 1 << 30 ? end : STRINGS_AT)), 0);
	assert_int_equal(pwrite(fd, made, sizeof(*made), 0), sizeof(*made));
	if (name)
		assert_int_equal(pwrite(fd, name, strlen(name), (off_t)(STRINGS_AT + at)),
		                 strlen(name));
	return fd;
}
