// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroup/cgroup-id.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/strmap.h"

enum {
	FILE_HANDLE_KERNFS = 0xfe, /* the kernel's FILEID_KERNFS: the number, and nothing else */
	PATH_BYTES_MAX = 1 << 16,
};

struct cgroup_ids {
	int mount_fd;        /* -1 if there is no mount */
	uint64_t root;       /* the number of what it shows as its root; 0: not known */
	struct strbuf point; /* of the mount */
	struct strmap known; /* by the bytes of the number; the values are strbufs, or NULL */
};

struct cgroup_ids *cgroup_ids_new(const struct cgroup_mounts *mounts)
{
	struct cgroup_ids *ids = mem_calloc(1, sizeof(*ids));
	struct stat status;

	ids->mount_fd = -1;
	if (!mounts || !mounts->unified.found ||
	    strcmp(strbuf_str(&mounts->unified.root), "/") != 0)
		return ids;
	strbuf_add_str(&ids->point, strbuf_str(&mounts->unified.point));
	ids->mount_fd = open(strbuf_str(&ids->point), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ids->mount_fd >= 0 && fstat(ids->mount_fd, &status) == 0)
		ids->root = status.st_ino;
	return ids;
}

void cgroup_ids_freep(struct cgroup_ids **ids_ref)
{
	struct cgroup_ids *ids = *ids_ref;

	if (!ids)
		return;
	for (size_t i = 0; i < ids->known.count; i++) {
		struct strbuf *path = ids->known.entries[i].value;

		if (path)
			strbuf_done(path);
		free(path);
	}
	strmap_done(&ids->known);
	strbuf_done(&ids->point);
	fd_closep(&ids->mount_fd);
	free(ids);
	*ids_ref = NULL;
}

static int open_id(const struct cgroup_ids *ids, uint64_t id)
{
	union {
		struct file_handle handle;
		char bytes[sizeof(struct file_handle) + sizeof(id)];
	} of = {.handle = {.handle_bytes = sizeof(id), .handle_type = FILE_HANDLE_KERNFS}};

	memcpy(of.handle.f_handle, &id, sizeof(id));
	return open_by_handle_at(ids->mount_fd, &of.handle, O_PATH | O_CLOEXEC);
}

/* Returns the part of @path below the mount, "/" for the mount itself; NULL if it is not below it. */
static const char *below_mount(const struct cgroup_ids *ids, const char *path)
{
	size_t len = ids->point.len;

	while (len > 0 && ids->point.data[len - 1] == '/')
		len--;
	if (strncmp(path, strbuf_str(&ids->point), len) != 0)
		return NULL;
	return path[len] == '\0' ? "/" : path[len] == '/' ? path + len : NULL;
}

/* Returns whether the path is that of the cgroup. The kernel's name of a cgroup that is gone, or outside of the mount,
 * is the path of no directory, or of another one. */
static bool is_there(const char *path, uint64_t id)
{
	struct stat status;

	return stat(path, &status) == 0 && status.st_ino == id;
}

static struct strbuf *find_path(const struct cgroup_ids *ids, uint64_t id)
{
	cleanup_(fd_closep) int fd = -1;
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	char link[sizeof("/proc/self/fd/-2147483648")];
	const char *below;
	struct strbuf *found;

	if (ids->mount_fd < 0)
		return NULL;
	fd = open_id(ids, id);
	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (fd_read_link_at(AT_FDCWD, link, &path, PATH_BYTES_MAX) < 0 ||
	    !is_there(strbuf_str(&path), id))
		return NULL;
	below = below_mount(ids, strbuf_str(&path));
	if (!below)
		return NULL;
	found = mem_calloc(1, sizeof(*found));
	strbuf_add_str(found, below);
	return found;
}

const struct strbuf *cgroup_ids_path(struct cgroup_ids *ids, uint64_t id)
{
	size_t known = ids->known.count;
	struct strmap_entry *entry = strmap_add(&ids->known, (const char *)&id, sizeof(id));

	if (ids->known.count != known)
		entry->value = find_path(ids, id);
	return entry->value;
}

static const struct strbuf *known_path(const struct cgroup_ids *ids, uint64_t id)
{
	return strmap_get(&ids->known, (const char *)&id, sizeof(id));
}

void cgroup_ids_add(struct cgroup_ids *ids, uint64_t id, uint64_t above, const char *name)
{
	const struct strbuf *parent = known_path(ids, above);
	struct strbuf *path;

	if (known_path(ids, id) || (id != ids->root && !parent))
		return;
	path = mem_calloc(1, sizeof(*path));
	if (id != ids->root && parent->len > 1)
		strbuf_add(path, parent->data, parent->len);
	strbuf_add_char(path, '/');
	if (id != ids->root)
		strbuf_add_str(path, name);
	strmap_add(&ids->known, (const char *)&id, sizeof(id))->value = path;
}
