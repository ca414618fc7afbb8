// SPDX-License-Identifier: GPL-2.0-or-later
#include "database-data.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/regular-file.h"
#include "ctprof/base/strbuf.h"

uint64_t database_data_bytes(int fd)
{
	struct stat status;
	uint64_t bytes = 0;
	off_t at = 0;

	if (fd < 0 || fstat(fd, &status) < 0)
		return 0;
	while (at < status.st_size) {
		off_t begin = lseek(fd, at, SEEK_DATA);

		if (begin < 0)
			/* ENXIO: nothing but a hole is left. */
			return errno == ENXIO ? bytes : (uint64_t)status.st_size;
		at = lseek(fd, begin, SEEK_HOLE);
		if (at <= begin)
			return (uint64_t)status.st_size;
		bytes += (uint64_t)(at - begin);
	}
	return bytes;
}

uint64_t database_data_wal_bytes(const char *path)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	cleanup_(fd_closep) int fd = -1;

	strbuf_addf(&name, "%s-wal", path);
	fd = regular_file_open_link(AT_FDCWD, strbuf_str(&name), FILE_SYSTEMS_ALL);
	return database_data_bytes(fd);
}
