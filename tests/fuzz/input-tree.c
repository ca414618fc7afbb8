// SPDX-License-Identifier: GPL-2.0-or-later
#include "input-tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "fuzz.h"

enum { FILES_MAX = 300, DEPTH_MAX = 10, PATH_BYTES_MAX = 200, DIRECTORY_MODE = 0700 };

static const char link_arrow[] = " -> ";

static bool is_plain(const char *path)
{
	size_t depth = 0;

	if (path[0] == '\0' || path[0] == '/' || strlen(path) > PATH_BYTES_MAX)
		return false;
	for (const char *part = path;; part++) {
		size_t len = strcspn(part, "/");

		if (len == 0 || ++depth > DEPTH_MAX || (len == 2 && strncmp(part, "..", 2) == 0))
			return false;
		part += len;
		if (*part == '\0')
			return true;
	}
}

/* Relative ones stay within the tree; absolute ones lead to nothing that there is. */
static bool is_harmless_target(const char *target)
{
	return target[0] != '\0' && !strstr(target, "..") &&
	       (target[0] != '/' || strncmp(target, "/nowhere", strlen("/nowhere")) == 0);
}

static void make_parents(int directory, char *path)
{
	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)!mkdirat(directory, path, DIRECTORY_MODE);
		*slash = '/';
	}
}

static void unpack_file(int directory, const char *path, const char *bytes, size_t len)
{
	cleanup_(fd_closep) int fd = openat(
	        directory, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0)
		require(fd_write_all(fd, bytes, len) == 0, "a file of the tree is written");
}

static void unpack_part(int directory, struct command_input part)
{
	const char *text = (const char *)part.data;
	const char *newline = part.size > 0 ? memchr(text, '\n', part.size) : NULL;
	size_t len = newline ? (size_t)(newline - text) : part.size;
	cleanup_(mem_freep) char *path = mem_copy(text ? text : "", len);
	char *arrow = strstr(path, link_arrow);

	if (arrow)
		*arrow = '\0';
	if (!is_plain(path))
		return;
	make_parents(directory, path);
	if (!arrow)
		unpack_file(directory, path, newline ? newline + 1 : "",
		            newline ? part.size - len - 1 : 0);
	else if (is_harmless_target(arrow + strlen(link_arrow)))
		(void)!symlinkat(arrow + strlen(link_arrow), directory, path);
}

void input_tree_unpack(int directory, struct command_input input)
{
	for (unsigned i = 0; i < FILES_MAX && input.size > 0; i++)
		unpack_part(directory, command_next_part(&input));
}

static void close_directory(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

void input_tree_clear(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cleanup_(close_directory) DIR *entries = fdopendir(fd);
	const struct dirent *entry;

	require(entries != NULL, "the tree is listed");
	while ((entry = readdir(entries))) {
		cleanup_(fd_closep) int below = -1;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (unlinkat(directory, entry->d_name, 0) == 0)
			continue;
		below = openat(directory, entry->d_name,
		               O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		require(below >= 0, "a directory of the tree is opened");
		input_tree_clear(below);
		require(unlinkat(directory, entry->d_name, AT_REMOVEDIR) == 0,
		        "a directory of the tree is removed");
	}
}
