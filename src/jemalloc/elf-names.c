// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf-names.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/watch.h"

enum {
	CHUNK = 1 << 16,
	SECTIONS_MAX = 512,
	NOTES_MAX = 4096,
	TABLE_MAX = 1 << 28, /* no table of symbols is longer */
};

/* One of these is in every file in which jemalloc can be found, see jemalloc_symbols_are_found(). */
static const char by_mib[] = "mallctlbymib", function[] = "thread_allocatedp_ctl";

struct source {
	int fd;
	const struct elf_names_limits *limits;
	Elf64_Ehdr header;
	size_t section_count;
	Elf64_Shdr sections[SECTIONS_MAX];
};

/* The thread may be given up in this call, which then writes into @bytes at any time: they lie on its stack. */
static int read_at(int fd, uint64_t offset, void *bytes, size_t len)
{
	ssize_t got;

	if (offset > INT64_MAX / 2)
		return -EINVAL;
	watch_enter();
	got = pread(fd, bytes, len, (off_t)offset);
	watch_leave();
	if (got < 0)
		return -errno;
	return (size_t)got == len ? 0 : -EINVAL;
}

/* A file that is shorter than a header is no ELF file either. */
static int read_header(struct source *source)
{
	Elf64_Ehdr *header = &source->header;
	ssize_t got;

	watch_enter();
	got = pread(source->fd, header, sizeof(*header), 0);
	watch_leave();
	if (got < 0)
		return -errno;
	if (got < (ssize_t)sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return got >= EI_NIDENT && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 ? -EINVAL
		                                                                         : -ENOEXEC;
	if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
	    header->e_machine != OWN_MACHINE ||
	    (header->e_type != ET_EXEC && header->e_type != ET_DYN))
		return -EINVAL;
	return 0;
}

static int read_sections(struct source *source)
{
	const Elf64_Ehdr *header = &source->header;

	source->section_count = header->e_shnum;
	if (header->e_shentsize != sizeof(source->sections[0]) || header->e_shnum == 0 ||
	    header->e_shnum > SECTIONS_MAX || header->e_shstrndx >= header->e_shnum)
		return -EINVAL;
	return read_at(source->fd, header->e_shoff, source->sections,
	               source->section_count * sizeof(source->sections[0]));
}

/* The sections that are read can only be longer than the file if they lie one above the other, as no linker puts them, so
 * that the same bytes would be read again and again. */
static int check_sections(const struct source *source)
{
	struct stat status;
	uint64_t left, sum = 0;

	if (fstat(source->fd, &status) < 0)
		return -errno;
	left = status.st_size > 0 ? (uint64_t)status.st_size : 0;
	for (size_t i = 0; i < source->section_count; i++) {
		const Elf64_Shdr *section = &source->sections[i];

		if (section->sh_type != SHT_STRTAB && section->sh_type != SHT_NOTE)
			continue;
		if (section->sh_size > left)
			return -EINVAL;
		left -= section->sh_size;
		sum += section->sh_size;
	}
	return sum > source->limits->bytes ? -EFBIG : 0;
}

static bool has_name(const char *bytes, size_t len)
{
	return memmem(bytes, len, by_mib, strlen(by_mib)) ||
	       memmem(bytes, len, function, strlen(function));
}

/* The end of each piece is kept before the next one, for a name that lies in both. */
static int search_strings(const struct source *source, const Elf64_Shdr *section, bool *ret_found)
{
	enum { KEPT = sizeof(function) - 1 };
	char bytes[KEPT + CHUNK];
	size_t kept = 0;

	if (section->sh_flags & SHF_COMPRESSED)
		return -EINVAL;
	for (uint64_t done = 0; done < section->sh_size && !*ret_found;) {
		uint64_t left = section->sh_size - done;
		size_t len = left < CHUNK ? (size_t)left : CHUNK;
		int r = clock_now_ns(CLOCK_MONOTONIC) < source->limits->until_ns
		                ? read_at(source->fd, section->sh_offset + done, bytes + kept, len)
		                : -ETIME;

		if (r < 0)
			return r;
		done += len;
		len += kept;
		*ret_found = has_name(bytes, len);
		kept = len < KEPT ? len : KEPT;
		memmove(bytes, bytes + len - kept, kept);
	}
	return 0;
}

/* Stores the build id if it is in these notes. */
static int read_notes(const struct source *source, const Elf64_Shdr *section,
                      struct elf_names *names)
{
	_Alignas(Elf64_Nhdr) char bytes[NOTES_MAX];
	uint64_t len = section->sh_size, padding = section->sh_addralign == 8 ? 7 : 3;
	int r = len > sizeof(bytes) ? -EINVAL
	                            : read_at(source->fd, section->sh_offset, bytes, (size_t)len);

	for (uint64_t at = 0; r == 0 && names->build_id_len == 0 && at < len;) {
		const Elf64_Nhdr *note = (const void *)(bytes + at);
		uint64_t name = at + sizeof(*note), desc;

		if (name > len)
			return -EINVAL;
		desc = (name + note->n_namesz + padding) & ~padding;
		at = (desc + note->n_descsz + padding) & ~padding;
		if (at > len)
			return -EINVAL;
		if (note->n_type != NT_GNU_BUILD_ID || note->n_namesz != sizeof("GNU") ||
		    memcmp(bytes + name, "GNU", sizeof("GNU")) != 0 ||
		    note->n_descsz > ELF_BUILD_ID_MAX)
			continue;
		memcpy(names->build_id, bytes + desc, note->n_descsz);
		names->build_id_len = note->n_descsz;
	}
	return r;
}

/* A name that is unusual belongs to a file that is. */
static int read_link(const struct source *source, const Elf64_Shdr *section,
                     struct elf_names *names)
{
	char bytes[ELF_LINK_MAX + 1 + 3 + sizeof(uint32_t)];
	size_t len = section->sh_size < sizeof(bytes) ? (size_t)section->sh_size : sizeof(bytes);
	int r = read_at(source->fd, section->sh_offset, bytes, len);

	if (r < 0)
		return r;
	len = strnlen(bytes, len);
	if (len > ELF_LINK_MAX || memchr(bytes, '/', len) || (len > 0 && bytes[0] == '.'))
		return -EINVAL;
	memcpy(names->link, bytes, len);
	names->link[len] = '\0';
	return 0;
}

/* Finds the first section .gnu_debuglink. */
static int find_link(const struct source *source, struct elf_names *names)
{
	static const char wanted[] = ".gnu_debuglink";
	const Elf64_Shdr *strings = &source->sections[source->header.e_shstrndx];
	char bytes[CHUNK];
	int r = strings->sh_size > sizeof(bytes) || strings->sh_type != SHT_STRTAB
	                ? -EINVAL
	                : read_at(source->fd, strings->sh_offset, bytes, (size_t)strings->sh_size);

	for (size_t i = 0; r == 0 && i < source->section_count; i++) {
		const Elf64_Shdr *section = &source->sections[i];

		if (section->sh_type == SHT_PROGBITS && section->sh_name < strings->sh_size &&
		    strings->sh_size - section->sh_name >= sizeof(wanted) &&
		    memcmp(bytes + section->sh_name, wanted, sizeof(wanted)) == 0)
			return read_link(source, section, names);
	}
	return r;
}

/* Returns whether it is a table of all symbols, and whole. */
static bool is_table(const struct source *source, const Elf64_Shdr *section)
{
	char last;

	return section->sh_type == SHT_SYMTAB && section->sh_size > 0 &&
	       section->sh_size <= TABLE_MAX && section->sh_entsize == sizeof(Elf64_Sym) &&
	       section->sh_size % sizeof(Elf64_Sym) == 0 && !(section->sh_flags & SHF_COMPRESSED) &&
	       section->sh_offset <= INT64_MAX / 2 &&
	       read_at(source->fd, section->sh_offset + section->sh_size - 1, &last, 1) == 0;
}

int elf_names_read(int fd, const struct elf_names_limits *limits, struct elf_names *ret_names)
{
	struct source source;
	int r;

	*ret_names = (struct elf_names){0};
	source.fd = fd;
	source.limits = limits;
	r = read_header(&source);
	if (r == 0)
		r = read_sections(&source);
	if (r == 0)
		r = check_sections(&source);
	for (size_t i = 0; r == 0 && i < source.section_count; i++) {
		const Elf64_Shdr *section = &source.sections[i];

		ret_names->has_table |= is_table(&source, section);
		if (section->sh_type == SHT_STRTAB)
			r = search_strings(&source, section, &ret_names->can_be_jemalloc);
		else if (section->sh_type == SHT_NOTE)
			r = read_notes(&source, section, ret_names);
	}
	if (r == 0 && !ret_names->has_table && !ret_names->can_be_jemalloc)
		r = find_link(&source, ret_names);
	return r;
}
