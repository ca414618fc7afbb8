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
	struct strmap known; /* struct known_cgroup, by the bytes of the number */
};

struct known_cgroup {
	struct strbuf path; /* empty: none was found */
	bool is_gone;
};

static void known_free(struct known_cgroup *known)
{
	strbuf_done(&known->path);
	free(known);
}

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
	for (size_t i = 0; i < ids->known.count; i++)
		known_free(ids->known.entries[i].value);
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

/* Leaves @found empty if there is no path. */
static void find_path(const struct cgroup_ids *ids, uint64_t id, struct strbuf *found)
{
	cleanup_(fd_closep) int fd = -1;
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	char link[sizeof("/proc/self/fd/-2147483648")];
	const char *below;

	if (ids->mount_fd < 0)
		return;
	fd = open_id(ids, id);
	if (fd < 0)
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (fd_read_link_at(AT_FDCWD, link, &path, PATH_BYTES_MAX) < 0 ||
	    !is_there(strbuf_str(&path), id))
		return;
	below = below_mount(ids, strbuf_str(&path));
	if (below)
		strbuf_add_str(found, below);
}

bool cgroup_ids_is_root(const struct cgroup_ids *ids, uint64_t id)
{
	return ids->root != 0 && id == ids->root;
}

static struct known_cgroup *add_known(struct strmap *map, uint64_t id)
{
	struct strmap_entry *entry = strmap_add(map, (const char *)&id, sizeof(id));

	if (!entry->value)
		entry->value = mem_calloc(1, sizeof(struct known_cgroup));
	return entry->value;
}

void cgroup_ids_add(struct cgroup_ids *ids, uint64_t id, const struct strbuf *path)
{
	struct known_cgroup *known = add_known(&ids->known, id);

	if (known->path.len == 0)
		strbuf_add(&known->path, path->data, path->len);
}

const struct strbuf *cgroup_ids_path(struct cgroup_ids *ids, uint64_t id)
{
	size_t count = ids->known.count;
	struct known_cgroup *known = add_known(&ids->known, id);

	if (ids->known.count != count)
		find_path(ids, id, &known->path);
	return known->path.len > 0 ? &known->path : NULL;
}

static bool has_directory(const struct cgroup_ids *ids, uint64_t id,
                          const struct known_cgroup *known)
{
	const char *path = strbuf_str(&known->path);
	struct stat status;

	if (cgroup_ids_is_root(ids, id))
		return true;
	return known->path.len > 1 && fstatat(ids->mount_fd, path + 1, &status, 0) == 0 &&
	       status.st_ino == id;
}

void cgroup_ids_forget(struct cgroup_ids *ids)
{
	struct strmap kept = STRMAP_INIT;

	for (size_t i = 0; i < ids->known.count; i++) {
		struct known_cgroup *known = ids->known.entries[i].value;
		uint64_t id;

		memcpy(&id, ids->known.entries[i].key, sizeof(id));
		if (known->is_gone) {
			known_free(known);
			continue;
		}
		known->is_gone = !has_directory(ids, id, known);
		strmap_add(&kept, (const char *)&id, sizeof(id))->value = known;
	}
	strmap_done(&ids->known);
	ids->known = kept;
}
