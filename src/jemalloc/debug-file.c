// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug-file.h"

#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/fd.h"
#include "base/mem.h"

enum { CHECKSUM_CHUNK = 1 << 16 };

static bool has_checksum(int fd, uint32_t expected)
{
	cleanup_(mem_freep) uint8_t *bytes = mem_calloc(1, CHECKSUM_CHUNK);
	uLong checksum = crc32(0, NULL, 0);
	off_t offset = 0;
	ssize_t len;

	while ((len = pread(fd, bytes, CHECKSUM_CHUNK, offset)) > 0) {
		checksum = crc32(checksum, bytes, (uInt)len);
		offset += len;
	}
	return len == 0 && checksum == expected;
}

/* The checksum only where there is no build id on either side. */
static bool belongs_to(const struct debug_file *debug, const struct elf_file *file,
                       const uint32_t *checksum)
{
	uint8_t here[ELF_BUILD_ID_MAX], there[ELF_BUILD_ID_MAX];
	size_t len = elf_file_build_id(file, here);
	size_t its_len = elf_file_build_id(&debug->elf, there);

	if (debug->elf.is_foreign || debug->elf.machine != file->machine)
		return false;
	if (len > 0 || its_len > 0)
		return len == its_len && memcmp(here, there, len) == 0;
	return checksum && has_checksum(debug->fd, *checksum);
}

static bool take(struct debug_file *debug, const struct elf_file *file, int fd,
                 const uint32_t *checksum)
{
	if (fd < 0)
		return false;
	debug->fd = fd;
	if (elf_file_open(fd, &debug->elf) == 0 && belongs_to(debug, file, checksum))
		return true;
	elf_file_close(&debug->elf);
	fd_closep(&debug->fd);
	return false;
}

static bool find_file(struct debug_file *debug, const struct elf_file *file,
                      struct jemalloc_debug_files *files)
{
	uint8_t build_id[ELF_BUILD_ID_MAX];
	size_t len = elf_file_build_id(file, build_id);
	uint32_t checksum;
	const char *link;

	if (len > 0 && take(debug, file, files->open(files, build_id, len, NULL), NULL))
		return true;
	link = elf_file_debuglink(file, &checksum);
	return link && take(debug, file, files->open(files, NULL, 0, link), &checksum);
}

bool debug_file_find(struct debug_file *debug, const struct elf_file *file,
                     struct jemalloc_debug_files *files)
{
	if (!debug->was_looked_for && files)
		(void)find_file(debug, file, files);
	debug->was_looked_for = true;
	return debug->fd >= 0;
}

void debug_file_done(struct debug_file *debug)
{
	elf_file_close(&debug->elf);
	fd_closep(&debug->fd);
}
