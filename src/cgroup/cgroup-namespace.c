// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroup-namespace.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "cgroup/cgroup.h"

enum {
	OWN_CGROUP_BYTES = 1 << 20,
	PROCESSES_BYTES = 16 << 20,
	SEARCH_DIRECTORIES = 10000, /* a tenth of a second */
};

/* Paths that begin with ".." count levels upwards, and nothing else names the cgroup that our namespace begins with.
 * But a process is in one cgroup of a hierarchy: a directory whose cgroup.procs lists us, and which is as many levels
 * down as the mount's root is up, can be no other. */
struct search {
	struct strbuf own;  /* our own cgroup from the namespace's root, without a slash in front */
	struct strbuf name; /* the name of the current directory, from the mount's root */
	struct strbuf text;
	unsigned directories;
};

static void search_done(struct search *search)
{
	strbuf_done(&search->own);
	strbuf_done(&search->name);
	strbuf_done(&search->text);
}

/* Returns how many times "/.." is at the beginning; @ret_rest is the text behind them. */
static unsigned levels_up(const char *path, const char **ret_rest)
{
	unsigned levels = 0;

	while (strncmp(path, "/..", 3) == 0 && (path[3] == '/' || path[3] == '\0')) {
		path += 3;
		levels++;
	}
	*ret_rest = path;
	return levels;
}

static bool has_us(struct search *search, int dir_fd)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	struct span rest, line;
	uint64_t pid;

	strbuf_addf(&path, "%s%scgroup.procs", strbuf_str(&search->own),
	            search->own.len > 0 ? "/" : "");
	if (fd_read_all_at(dir_fd, strbuf_str(&path), &search->text, PROCESSES_BYTES) < 0)
		return false;
	rest = (struct span){strbuf_str(&search->text), search->text.len};
	while (scan_line(&rest, &line))
		if (scan_u64(line.text, line.len, &pid) && pid == (uint64_t)getpid())
			return true;
	return false;
}

static bool search_below(struct search *search, int parent_fd, const char *name, unsigned levels);

/* The depth is bounded by the levels of the mount's root, which come from one path of the kernel's. */
static bool search_children(struct search *search, int fd, unsigned levels)
{
	cleanup_(fd_closedirp) DIR *dir = fdopendir(fd);
	size_t len = search->name.len;

	if (!dir) {
		fd_closep(&fd);
		return false;
	}
	for (const struct dirent *entry; (entry = readdir(dir));) {
		if ((entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) ||
		    strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		strbuf_addf(&search->name, "%s%s", len > 0 ? "/" : "", entry->d_name);
		if (search_below(search, dirfd(dir), entry->d_name, levels - 1))
			return true;
		search->name.len = len;
	}
	return false;
}

static bool search_below(struct search *search, int parent_fd, const char *name, unsigned levels)
{
	bool found;
	int fd;

	if (search->directories++ >= SEARCH_DIRECTORIES)
		return false;
	fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (levels > 0)
		return search_children(search, fd, levels);
	found = has_us(search, fd);
	fd_closep(&fd);
	return found;
}

/* Finds our path in a hierarchy in the text of our cgroup file. Fails if we are outside of our own namespace. */
static bool find_own(struct search *search, struct span text, int controller)
{
	struct cgroup_v1_controllers controllers;
	struct cgroup_line line;

	cgroup_v1_controllers_init(&controllers);
	while (cgroup_next_line(&controllers, &text, &line)) {
		cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
		const char *rest;

		if (controller < 0 ? !line.is_v2
		                   : !(line.controllers & (UINT32_C(1) << controller)))
			continue;
		strbuf_add(&path, line.path.text, line.path.len);
		if (strbuf_str(&path)[0] != '/' || levels_up(strbuf_str(&path), &rest) > 0)
			return false;
		strbuf_add_str(&search->own, rest + strspn(rest, "/"));
		return true;
	}
	return false;
}

static void find_namespace(struct cgroup_mount *mount, struct span own, int controller)
{
	cleanup_(search_done) struct search search = {0};
	const char *rest;
	unsigned levels = mount->found ? levels_up(strbuf_str(&mount->root), &rest) : 0;

	if (levels == 0 || *rest != '\0' || !find_own(&search, own, controller) ||
	    !search_below(&search, AT_FDCWD, strbuf_str(&mount->point), levels))
		return;
	mount->namespace_known = true;
	strbuf_clear(&mount->namespace_root);
	strbuf_add_str(&mount->namespace_root, strbuf_str(&search.name));
}

void cgroup_mounts_find_namespace(int proc_fd, struct cgroup_mounts *mounts)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span own;

	if (fd_read_all_at(proc_fd, "self/cgroup", &text, OWN_CGROUP_BYTES) < 0)
		return;
	own = (struct span){strbuf_str(&text), text.len};
	find_namespace(&mounts->unified, own, -1);
	for (int i = 0; i < CGROUP_V1_CONTROLLERS_MAX; i++)
		find_namespace(&mounts->v1[i], own, i);
}

/* Returns the length of the first parts of the namespace's name that are left after going up. */
static size_t parts_len(const struct strbuf *name, unsigned parts)
{
	size_t len = 0;

	for (unsigned i = 0; i < parts && len < name->len; i++) {
		const char *slash = memchr(name->data + len + 1, '/', name->len - len - 1);

		len = slash ? (size_t)(slash - name->data) : name->len;
	}
	return len;
}

static void add_below(struct strbuf *out, const char *rest)
{
	rest += strspn(rest, "/");
	if (*rest != '\0')
		strbuf_addf(out, "%s%s", out->len > 0 ? "/" : "", rest);
	if (out->len == 0)
		strbuf_add_char(out, '.');
}

bool cgroup_mount_locate(const struct cgroup_mount *mount, const char *path, struct strbuf *out)
{
	const char *root = strbuf_str(&mount->root);
	size_t root_len = strcmp(root, "/") == 0 ? 0 : mount->root.len;
	const char *rest;
	unsigned up, depth;

	if (path[0] != '/')
		return false;
	if (mount->namespace_known) {
		depth = levels_up(root, &rest);
		up = levels_up(path, &rest);
		if (up > depth)
			return false;
		strbuf_add(out, mount->namespace_root.data,
		           parts_len(&mount->namespace_root, depth - up));
		add_below(out, rest);
		return true;
	}
	if (strncmp(path, root, root_len) != 0 || (path[root_len] != '/' && path[root_len] != '\0'))
		return false;
	add_below(out, path + root_len);
	return true;
}
