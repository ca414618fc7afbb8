// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf-image.h"

/* The image is not moved: relocations that are packed (RELR) hold the addresses already, and only those with an addend
 * of their own have to be applied. */

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* More than the code that is looked for reaches of what is not in the file. */
enum { ZEROS_MAX = 1 << 24 };

static uint64_t page_below(uint64_t address)
{
	return address & ~(uint64_t)(ELF_IMAGE_PAGE - 1);
}

static uint64_t page_above(uint64_t address)
{
	return page_below(address + ELF_IMAGE_PAGE - 1);
}

static bool makes_sense(const Elf64_Phdr *segment)
{
	uint64_t end;

	return segment->p_filesz <= segment->p_memsz && segment->p_offset <= INT64_MAX &&
	       !__builtin_add_overflow(segment->p_vaddr, segment->p_memsz, &end) &&
	       end <= UINT64_MAX - ELF_IMAGE_PAGE;
}

/* Widens the image to hold a segment. One without bytes of the file has nothing that anybody looks for. */
static void span_segment(const Elf64_Phdr *segment, uint64_t *low, uint64_t *high)
{
	uint64_t zeros = segment->p_memsz - segment->p_filesz, end;

	if (segment->p_filesz == 0)
		return;
	if (zeros > ZEROS_MAX)
		zeros = ZEROS_MAX;
	end = page_above(segment->p_vaddr + segment->p_filesz + zeros);
	if (page_below(segment->p_vaddr) < *low)
		*low = page_below(segment->p_vaddr);
	if (end > *high)
		*high = end;
}

static int span(const struct elf_file *file, struct elf_image *image)
{
	uint64_t low = UINT64_MAX, high = 0, bytes = 0;

	for (size_t i = 0; i < file->segment_count; i++) {
		const Elf64_Phdr *segment = &file->segments[i];

		if (segment->p_type != PT_LOAD)
			continue;
		if (!makes_sense(segment))
			return -ENOEXEC;
		if (segment->p_filesz > ELF_IMAGE_BYTES_MAX - bytes)
			return -EFBIG;
		bytes += segment->p_filesz;
		span_segment(segment, &low, &high);
	}
	if (low >= high)
		return -ENOEXEC;
	if (high - low > ELF_IMAGE_SPAN_MAX)
		return -EFBIG;
	image->address = low;
	image->size = high - low;
	return 0;
}

static int read_fully(int fd, uint8_t *bytes, uint64_t len, uint64_t offset)
{
	while (len > 0) {
		ssize_t count = pread(fd, bytes, len, (off_t)offset);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -errno;
		if (count == 0)
			return -ENOEXEC;
		bytes += count;
		len -= (uint64_t)count;
		offset += (uint64_t)count;
	}
	return 0;
}

static int read_segments(struct elf_image *image)
{
	for (size_t i = 0; i < image->file->segment_count; i++) {
		const Elf64_Phdr *segment = &image->file->segments[i];
		int r;

		if (segment->p_type != PT_LOAD || segment->p_filesz == 0)
			continue;
		r = read_fully(image->file->fd, image->bytes + (segment->p_vaddr - image->address),
		               segment->p_filesz, segment->p_offset);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool is_relative(const struct elf_image *image, uint64_t type)
{
	return type == (image->file->machine == EM_AARCH64 ? (uint64_t)R_AARCH64_RELATIVE
	                                                   : (uint64_t)R_X86_64_RELATIVE);
}

static void apply(void *context, const Elf64_Rela *relocation, const Elf64_Sym *symbol)
{
	const struct elf_image *image = context;
	uint8_t *word;

	(void)symbol;
	if (!is_relative(image, ELF64_R_TYPE(relocation->r_info)))
		return;
	word = elf_image_at(image, relocation->r_offset, sizeof(relocation->r_addend));
	if (word)
		memcpy(word, &relocation->r_addend, sizeof(relocation->r_addend));
}

int elf_image_load(const struct elf_file *file, struct elf_image *ret_image)
{
	void *bytes;
	int r;

	*ret_image = ELF_IMAGE_INIT;
	ret_image->file = file;
	r = span(file, ret_image);
	if (r < 0)
		return r;
	/* Pages that nobody touches cost nothing, and a file cannot ask for more than there is. */
	bytes = mmap(NULL, ret_image->size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	ret_image->bytes = bytes;
	r = read_segments(ret_image);
	if (r < 0) {
		elf_image_done(ret_image);
		return r;
	}
	elf_image_each_relocation(ret_image, apply, ret_image);
	return 0;
}

void elf_image_done(struct elf_image *image)
{
	if (image->bytes)
		(void)munmap(image->bytes, image->size);
	*image = ELF_IMAGE_INIT;
}

const uint8_t *elf_image_segment(const struct elf_image *image, size_t index, uint64_t *ret_len)
{
	const Elf64_Phdr *segment = &image->file->segments[index];

	*ret_len = segment->p_type == PT_LOAD ? segment->p_filesz : 0;
	return *ret_len > 0 ? elf_image_at(image, segment->p_vaddr, *ret_len) : NULL;
}

uint8_t *elf_image_at(const struct elf_image *image, uint64_t address, uint64_t len)
{
	uint64_t at = address - image->address;

	if (address < image->address || at >= image->size || len > image->size - at)
		return NULL;
	return image->bytes + at;
}

uint64_t elf_image_dynamic(const struct elf_image *image, int64_t tag)
{
	const Elf64_Phdr *segment = elf_file_segment(image->file, PT_DYNAMIC);
	uint64_t count = segment ? segment->p_filesz / sizeof(Elf64_Dyn) : 0;
	const uint8_t *bytes =
	        segment ? elf_image_at(image, segment->p_vaddr, segment->p_filesz) : NULL;

	for (uint64_t i = 0; bytes && i < count; i++) {
		Elf64_Dyn entry;

		memcpy(&entry, bytes + i * sizeof(entry), sizeof(entry));
		if (entry.d_tag == DT_NULL)
			return 0;
		if (entry.d_tag == tag)
			return entry.d_un.d_val;
	}
	return 0;
}

static bool find_symbol(const struct elf_image *image, uint64_t table, uint64_t index,
                        Elf64_Sym *ret_symbol)
{
	const uint8_t *bytes;
	uint64_t address;

	if (index == 0 || __builtin_add_overflow(table, index * sizeof(*ret_symbol), &address))
		return false;
	bytes = elf_image_at(image, address, sizeof(*ret_symbol));
	if (!bytes)
		return false;
	memcpy(ret_symbol, bytes, sizeof(*ret_symbol));
	return ret_symbol->st_shndx != SHN_UNDEF;
}

static void each_in_table(const struct elf_image *image, int64_t address_tag, int64_t size_tag,
                          void (*take)(void *context, const Elf64_Rela *relocation,
                                       const Elf64_Sym *symbol),
                          void *context)
{
	uint64_t size = elf_image_dynamic(image, size_tag);
	uint64_t symbols = elf_image_dynamic(image, DT_SYMTAB);
	const uint8_t *bytes = elf_image_at(image, elf_image_dynamic(image, address_tag), size);

	for (uint64_t i = 0; bytes && i < size / sizeof(Elf64_Rela); i++) {
		Elf64_Rela relocation;
		Elf64_Sym symbol;
		bool has_symbol;

		memcpy(&relocation, bytes + i * sizeof(relocation), sizeof(relocation));
		has_symbol = find_symbol(image, symbols, ELF64_R_SYM(relocation.r_info), &symbol);
		take(context, &relocation, has_symbol ? &symbol : NULL);
	}
}

void elf_image_each_relocation(const struct elf_image *image,
                               void (*take)(void *context, const Elf64_Rela *relocation,
                                            const Elf64_Sym *symbol),
                               void *context)
{
	each_in_table(image, DT_RELA, DT_RELASZ, take, context);
	if (elf_image_dynamic(image, DT_PLTREL) == DT_RELA)
		each_in_table(image, DT_JMPREL, DT_PLTRELSZ, take, context);
}
