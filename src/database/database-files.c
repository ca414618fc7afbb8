// SPDX-License-Identifier: GPL-2.0-or-later
#include "database-files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct database_files {
	sqlite3_vfs vfs; /* must stay the first member */
	sqlite3_vfs *base;
	char *path; /* owned */
	char name[48];
	bool has_refused;
};

static bool is_own(const struct database_files *files, const char *path)
{
	static const char *const ends[] = {"", "-journal", "-wal"};
	size_t len = strlen(files->path);

	if (strncmp(path, files->path, len) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (strcmp(path + len, ends[i]) == 0)
			return true;
	return false;
}

/* A temporary file has no name. */
static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags,
                     int *ret_flags)
{
	struct database_files *files = (struct database_files *)vfs;

	if (!path || is_own(files, path))
		return files->base->xOpen(files->base, path, file, flags, ret_flags);
	files->has_refused = true;
	file->pMethods = NULL;
	return SQLITE_CANTOPEN;
}

static int remove_file(sqlite3_vfs *vfs, const char *path, int flush)
{
	struct database_files *files = (struct database_files *)vfs;

	if (is_own(files, path))
		return files->base->xDelete(files->base, path, flush);
	files->has_refused = true;
	return SQLITE_IOERR_DELETE;
}

struct database_files *database_files_new(const char *path)
{
	struct database_files *files = mem_calloc(1, sizeof(*files));

	files->base = sqlite3_vfs_find(NULL);
	if (!files->base)
		mem_exhausted();
	files->vfs = *files->base;
	files->path = mem_copy(path, strlen(path));
	snprintf(files->name, sizeof(files->name), "ctprof-%p", (void *)files);
	files->vfs.zName = files->name;
	files->vfs.pNext = NULL;
	files->vfs.xOpen = open_file;
	files->vfs.xDelete = remove_file;
	sqlite3_vfs_register(&files->vfs, 0);
	return files;
}

void database_files_freep(struct database_files **pointer)
{
	struct database_files *files = *pointer;

	if (!files)
		return;
	sqlite3_vfs_unregister(&files->vfs);
	free(files->path);
	free(files);
	*pointer = NULL;
}

const char *database_files_name(const struct database_files *files)
{
	return files->name;
}

const char *database_files_path(const struct database_files *files)
{
	return files->path;
}

bool database_files_refused(const struct database_files *files)
{
	return files->has_refused;
}
