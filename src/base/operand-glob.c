// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/operand-glob.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/operand-open.h"

void operand_names_done(struct operand_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct operand_names){0};
}

static void add(struct operand_names *names, const struct strbuf *before, const char *name,
                size_t len)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_add(&path, strbuf_str(before), before->len);
	strbuf_add(&path, name, len);
	*array_add(names->names, names->count, names->capacity) =
	        mem_copy(strbuf_str(&path), path.len);
	strbuf_done(&path);
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the descriptor of a directory; -ENOENT if it is none, or none is there. */
static int open_directory(const struct strbuf *path, struct strbuf *reterr)
{
	int fd = operand_open(AT_FDCWD, path->len > 0 ? strbuf_str(path) : ".", OPERAND_DIRECTORY,
	                      reterr);

	return fd == -ENOTDIR || fd == -EMEDIUMTYPE ? -ENOENT : fd;
}

/* Adds the entries of a directory that fit one part of the pattern. */
static int add_entries(const struct strbuf *directory, int dir_fd, const char *part,
                       struct operand_names *names)
{
	DIR *dir = fdopendir(dir_fd);
	const struct dirent *entry;
	int r = dir ? 1 : -errno;

	if (!dir) {
		close(dir_fd);
		return r;
	}
	while ((r = fd_next_entry(dir, &entry)) > 0) {
		const char *name = entry->d_name;

		if ((name[0] != '.' || part[0] == '.') && strcmp(name, ".") != 0 &&
		    strcmp(name, "..") != 0 && glob_match_name(part, name, strlen(name)))
			add(names, directory, name, strlen(name));
	}
	closedir(dir);
	return r;
}

/* Returns whether the part is a name. One that is no whole pattern, such as "a[b", stands for itself. */
static bool is_name(const char *part)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	return !strpbrk(part, "*?[\\") || !glob_check(part, &reason);
}

/* Finds the paths in one directory that fit a part of the pattern. A name is not looked for: the directory may be one that cannot be
 * listed. */
static int find_in(const struct strbuf *directory, const char *part, struct operand_names *names,
                   struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int fd, r;

	if (is_name(part)) {
		add(names, directory, part, strlen(part));
		return 0;
	}
	fd = open_directory(directory, &reason);
	if (fd == -ENOENT)
		return 0;
	r = fd < 0 ? fd : add_entries(directory, fd, part, names);
	if (r < 0)
		strbuf_addf(reterr, "%s: %s", directory->len > 0 ? strbuf_str(directory) : ".",
		            reason.len > 0 ? strbuf_str(&reason) : strerror(-r));
	return r;
}

/* Puts what fits the next part of the pattern in the place of the directories so far. */
static int step(struct operand_names *names, const char *part, struct strbuf *reterr)
{
	struct operand_names before = *names;
	int r = 0;

	*names = (struct operand_names){0};
	for (size_t i = 0; r == 0 && i < before.count; i++) {
		cleanup_(strbuf_done) struct strbuf directory = STRBUF_INIT;

		strbuf_add_str(&directory, before.names[i]);
		if (directory.len > 0 && directory.data[directory.len - 1] != '/')
			strbuf_add_char(&directory, '/');
		r = find_in(&directory, part, names, reterr);
	}
	operand_names_done(&before);
	return r;
}

/* Behind a slash there is nothing but in a directory. */
static void drop_missing(struct operand_names *names, bool only_directories)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->count; i++) {
		struct stat status;

		if (lstat(names->names[i], &status) == 0 &&
		    (!only_directories ||
		     (stat(names->names[i], &status) == 0 && S_ISDIR(status.st_mode))))
			names->names[kept++] = names->names[i];
		else
			free(names->names[i]);
	}
	names->count = kept;
}

int operand_glob(const char *pattern, struct operand_names *ret, struct strbuf *reterr)
{
	const struct strbuf nothing = STRBUF_INIT;
	cleanup_(operand_names_done) struct operand_names names = {0};
	size_t root = strspn(pattern, "/");
	int r = 0;

	add(&names, &nothing, pattern, root > 0 ? 1 : 0);
	for (const char *at = pattern + root; r == 0 && *at != '\0'; at += strspn(at, "/")) {
		size_t len = strcspn(at, "/");
		cleanup_(mem_freep) char *part = mem_copy(at, len);

		r = step(&names, part, reterr);
		at += len;
	}
	if (r < 0)
		return r;
	drop_missing(&names, pattern[0] != '\0' && pattern[strlen(pattern) - 1] == '/');
	if (names.count > 1)
		qsort(names.names, names.count, sizeof(names.names[0]), by_bytes);
	*ret = names;
	names = (struct operand_names){0};
	return 0;
}
