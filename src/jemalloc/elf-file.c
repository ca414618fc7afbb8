// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf-file.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "ctprof/base/macro.h"

enum { SECTIONS_MAX = 1 << 20, SECTION_BYTES_MAX = 1 << 29 };

static bool is_native(const unsigned char *ident)
{
	return ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == ELFDATA2LSB;
}

/* A table of more segments than anybody makes is read in part, which says no less than one without sense. */
static void read_segments(struct elf_file *file)
{
	size_t count = 0;

	if (elf_getphdrnum(file->elf, &count) != 0)
		return;
	if (count > ELF_SEGMENTS_MAX)
		count = ELF_SEGMENTS_MAX;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(file->elf, (int)i, &file->segments[file->segment_count]))
			return;
		file->segment_count++;
	}
}

int elf_file_open(int fd, struct elf_file *ret_file)
{
	unsigned char ident[EI_NIDENT];
	struct stat status;
	GElf_Ehdr header;
	ssize_t len;

	*ret_file = ELF_FILE_INIT;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -ENOEXEC;
	len = pread(fd, ident, sizeof(ident), 0);
	if (len < 0)
		return -errno;
	if (len != (ssize_t)sizeof(ident) || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	ret_file->fd = fd;
	ret_file->is_foreign = !is_native(ident);
	if (ret_file->is_foreign)
		return 0;
	mem_watch();
	(void)elf_version(EV_CURRENT);
	ret_file->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!ret_file->elf || !gelf_getehdr(ret_file->elf, &header)) {
		mem_watch_end();
		elf_file_close(ret_file);
		return -ENOEXEC;
	}
	ret_file->machine = header.e_machine;
	ret_file->type = header.e_type;
	read_segments(ret_file);
	mem_watch_end();
	return 0;
}

void elf_file_close(struct elf_file *file)
{
	if (file->elf)
		(void)elf_end(file->elf);
	*file = ELF_FILE_INIT;
}

static Elf_Scn *next_section(const struct elf_file *file, uint32_t type, const char *name,
                             Elf_Scn *after, GElf_Shdr *ret_header)
{
	Elf_Scn *section = after;
	size_t names = 0;

	if (!file->elf || elf_getshdrstrndx(file->elf, &names) != 0)
		return NULL;
	for (size_t i = 0; i < SECTIONS_MAX; i++) {
		const char *its_name;

		section = elf_nextscn(file->elf, section);
		if (!section || !gelf_getshdr(section, ret_header))
			return NULL;
		if (ret_header->sh_type != type || ret_header->sh_size > SECTION_BYTES_MAX)
			continue;
		if (!name)
			return section;
		its_name = elf_strptr(file->elf, names, ret_header->sh_name);
		if (its_name && strcmp(its_name, name) == 0)
			return section;
	}
	return NULL;
}

static bool has_debugging_information(const struct elf_file *file, size_t names,
                                      const GElf_Shdr *header)
{
	const char *name = elf_strptr(file->elf, names, header->sh_name);

	return header->sh_type != SHT_NOBITS && name &&
	       (strncmp(name, ".debug_", strlen(".debug_")) == 0 ||
	        strncmp(name, ".zdebug_", strlen(".zdebug_")) == 0);
}

/* Adds up the sections as they are in the file, or those that are compressed as they will be in memory. */
static uint64_t add_debug_bytes(const struct elf_file *file, bool compressed)
{
	Elf_Scn *section = NULL;
	uint64_t bytes = 0;
	GElf_Shdr header;
	GElf_Chdr inside;
	size_t names = 0;

	if (!file->elf || elf_getshdrstrndx(file->elf, &names) != 0)
		return 0;
	for (size_t i = 0; i < SECTIONS_MAX; i++) {
		section = elf_nextscn(file->elf, section);
		if (!section || !gelf_getshdr(section, &header))
			break;
		if (!has_debugging_information(file, names, &header))
			continue;
		if (!compressed)
			saturating_add_to(&bytes, header.sh_size);
		else if ((header.sh_flags & SHF_COMPRESSED) && gelf_getchdr(section, &inside))
			saturating_add_to(&bytes, inside.ch_size);
	}
	return bytes;
}

/* libelf reads a section as a whole to say how large it is inside. */
bool elf_file_has_debug_bytes_within(const struct elf_file *file, uint64_t most)
{
	uint64_t bytes;

	mem_watch();
	bytes = add_debug_bytes(file, false);
	if (bytes <= most)
		saturating_add_to(&bytes, add_debug_bytes(file, true));
	mem_watch_end();
	return bytes <= most;
}

/* The first section of a type, or with a name where there is one. */
static Elf_Scn *find_section(const struct elf_file *file, uint32_t type, const char *name,
                             Elf_Scn *after, GElf_Shdr *ret_header)
{
	Elf_Scn *section;

	mem_watch();
	section = next_section(file, type, name, after, ret_header);
	mem_watch_end();
	return section;
}

static Elf_Data *section_bytes(Elf_Scn *section)
{
	Elf_Data *data;

	mem_watch();
	data = section ? elf_getdata(section, NULL) : NULL;
	mem_watch_end();
	return data && data->d_buf && data->d_size > 0 ? data : NULL;
}

bool elf_file_each_symbol(const struct elf_file *file, uint32_t table,
                          void (*take)(void *context, const char *name, const Elf64_Sym *symbol),
                          void *context)
{
	GElf_Shdr header;
	Elf_Data *data = section_bytes(find_section(file, table, NULL, NULL, &header));
	size_t count = data ? data->d_size / sizeof(Elf64_Sym) : 0;

	mem_watch();
	for (size_t i = 0; i < count; i++) {
		const char *name;
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol))
			break;
		name = elf_strptr(file->elf, header.sh_link, symbol.st_name);
		if (name && name[0] != '\0')
			take(context, name, &symbol);
	}
	mem_watch_end();
	return data != NULL;
}

static size_t build_id_in(Elf_Data *notes, uint8_t build_id[ELF_BUILD_ID_MAX])
{
	const char *bytes = notes->d_buf;
	size_t offset = 0, name, desc;
	GElf_Nhdr note;

	for (;;) {
		offset = gelf_getnote(notes, offset, &note, &name, &desc);
		if (offset == 0)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    memcmp(bytes + name, "GNU", sizeof("GNU")) == 0 && note.n_descsz > 0 &&
		    note.n_descsz <= ELF_BUILD_ID_MAX) {
			memcpy(build_id, bytes + desc, note.n_descsz);
			return note.n_descsz;
		}
	}
}

size_t elf_file_build_id(const struct elf_file *file, uint8_t build_id[ELF_BUILD_ID_MAX])
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = find_section(file, SHT_NOTE, NULL, section, &header))) {
		Elf_Data *data = section_bytes(section);
		size_t len = data ? build_id_in(data, build_id) : 0;

		if (len > 0)
			return len;
	}
	return 0;
}

const char *elf_file_debuglink(const struct elf_file *file, uint32_t *ret_checksum)
{
	GElf_Shdr header;
	Elf_Data *data =
	        section_bytes(find_section(file, SHT_PROGBITS, ".gnu_debuglink", NULL, &header));
	const char *name;
	size_t len, at;

	if (!data)
		return NULL;
	name = data->d_buf;
	len = strnlen(name, data->d_size);
	at = (len + 4) & ~(size_t)3;
	if (len == 0 || len > 255 || memchr(name, '/', len) || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0 || at + sizeof(*ret_checksum) > data->d_size)
		return NULL;
	memcpy(ret_checksum, name + at, sizeof(*ret_checksum));
	return name;
}

const Elf64_Phdr *elf_file_segment(const struct elf_file *file, uint32_t type)
{
	for (size_t i = 0; i < file->segment_count; i++)
		if (file->segments[i].p_type == type)
			return &file->segments[i];
	return NULL;
}

bool elf_file_is_in_segment(const struct elf_file *file, uint64_t address, uint32_t flags)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const Elf64_Phdr *segment = &file->segments[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & flags) == flags &&
		    address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_memsz)
			return true;
	}
	return false;
}
