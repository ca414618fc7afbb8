// SPDX-License-Identifier: GPL-2.0-or-later
/* no-tmpfile - a library for LD_PRELOAD in which no file system has files without names: openat(2) with O_TMPFILE fails with EOPNOTSUPP, as
 * it does on NFS. */
/* Both names of the function are defined below. */
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>

typedef int open_function(int dir_fd, const char *path, int flags, ...);

int openat(int dir_fd, const char *path, int flags, ...)
{
	void *symbol = dlsym(RTLD_NEXT, "openat");
	open_function *next;
	va_list arguments;
	int mode = 0;

	memcpy(&next, &symbol, sizeof(next));
	va_start(arguments, flags);
	if ((flags & (O_CREAT | O_TMPFILE)) != 0)
		mode = va_arg(arguments, int);
	va_end(arguments);
	if ((flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return next(dir_fd, path, flags, mode);
}

/* The same function where file offsets are made 64 bits wide. */
int openat64(int dir_fd, const char *path, int flags, ...) __attribute__((alias("openat")));
