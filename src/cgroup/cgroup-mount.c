// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroup/cgroup-mount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libcgroup.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mount-words.h"
#include "cgroup-namespace.h"

enum { MOUNTINFO_BYTES = 16 << 20 };

/* The answer of libcgroup. It names a hierarchy by its controllers only: a hierarchy without any is missing, and so is the part
 * of it that a mount shows. If mountinfo can be read, the answer only decides between mounts that are equally good, so that
 * we read where libcgroup's own tools do. If it cannot, because /proc is restricted, /proc/mounts and /proc/cgroups,
 * which libcgroup reads, are the second source. It is asked if it is needed: the library clears most of a megabyte. */
struct libcgroup_answer {
	bool is_known; /* it was asked, or may not be */
	struct cgroup_v1_controllers controllers;
	struct strbuf unified;
	struct strbuf v1[CGROUP_V1_CONTROLLERS_MAX];
};

static void answer_done(struct libcgroup_answer *answer)
{
	strbuf_done(&answer->unified);
	for (size_t i = 0; i < CGROUP_V1_CONTROLLERS_MAX; i++)
		strbuf_done(&answer->v1[i]);
}

static void ignore_message(void *unused_pointer, int level, const char *format, va_list args)
{
	(void)unused_pointer;
	(void)level;
	(void)format;
	(void)args;
}

static void answer_add(struct libcgroup_answer *answer, const struct cgroup_mount_point *found)
{
	struct span name = {found->name, strlen(found->name)};
	uint32_t bits = cgroup_v1_controllers_find(&answer->controllers, name);
	struct strbuf *into = NULL;
	struct statfs status;

	if (statfs(found->path, &status) < 0)
		return;
	if (status.f_type == CGROUP2_SUPER_MAGIC)
		into = &answer->unified;
	else if (status.f_type == CGROUP_SUPER_MAGIC && bits != 0)
		into = &answer->v1[__builtin_ctz(bits)];
	if (into && into->len == 0)
		strbuf_add_str(into, found->path);
}

/* Errors are ignored: the answer is empty then. */
static void ask_libcgroup(struct libcgroup_answer *answer)
{
	struct cgroup_mount_point found;
	void *handle = NULL;

	if (answer->is_known)
		return;
	answer->is_known = true;
	cgroup_set_logger(ignore_message, CGROUP_LOG_ERROR, NULL);
	if (cgroup_init() != 0)
		return;
	for (int r = cgroup_get_controller_begin(&handle, &found); r == 0;
	     r = cgroup_get_controller_next(&handle, &found))
		answer_add(answer, &found);
	cgroup_get_controller_end(&handle);
}

static void mount_set(struct cgroup_mount *mount, const char *point, const char *root)
{
	mount->found = true;
	strbuf_clear(&mount->point);
	strbuf_add_str(&mount->point, point);
	strbuf_clear(&mount->root);
	strbuf_add_str(&mount->root, root);
	mount->namespace_known = false;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* The kernel writes blanks, tabs, newlines and backslashes in paths as octal escapes. */
static void add_unescaped(struct strbuf *out, struct span path)
{
	for (size_t i = 0; i < path.len; i++) {
		const char *c = path.text + i;

		if (*c == '\\' && path.len - i > 3 && is_octal(c[1]) && is_octal(c[2]) &&
		    is_octal(c[3])) {
			strbuf_add_char(out, (char)(((c[1] - '0') << 6) | ((c[2] - '0') << 3) |
			                            (c[3] - '0')));
			i += 3;
		} else {
			strbuf_add_char(out, *c);
		}
	}
}

/* Returns whether a line of @rest mounts the same file system over the point of @line. */
static bool is_covered(const struct mount_words *line, struct span rest)
{
	struct mount_words later;
	struct span text;

	while (scan_line(&rest, &text))
		if (mount_words_scan(text, &later) && span_equal(later.point, line->point) &&
		    span_equal(later.device, line->device))
			return true;
	return false;
}

/* Returns whether @id is the kernel's id of the mount at @point. Returns -1 if that is unknown: before Linux 5.8,
 * and in containers whose filter refuses statx(2). */
static int has_mount_id(const char *point, uint64_t id)
{
	struct statx status;

	if (statx(AT_FDCWD, point, AT_NO_AUTOMOUNT, STATX_MNT_ID, &status) < 0 ||
	    !(status.stx_mask & STATX_MNT_ID))
		return -1;
	return status.stx_mnt_id == id;
}

/* Returns whether no other mount hides this one; mountinfo lists hidden ones, too. A bind mount of the same hierarchy
 * has the same device, so the device alone does not decide; without the id of the mount the last one at a point is the
 * visible one. */
static bool is_visible(const struct mount_words *line, const char *point, struct span rest)
{
	int same = has_mount_id(point, line->id);
	cleanup_(strbuf_done) struct strbuf device = STRBUF_INIT;
	struct stat status;

	if (same >= 0)
		return same == 1;
	if (stat(point, &status) < 0)
		return false;
	strbuf_addf(&device, "%u:%u", major(status.st_dev), minor(status.st_dev));
	return span_is(line->device, strbuf_str(&device)) && !is_covered(line, rest);
}

static bool ends_with(const struct strbuf *text, const char *end)
{
	size_t len = strlen(end);

	return text->len >= len && memcmp(text->data + text->len - len, end, len) == 0;
}

/* Returns a rank that is lower the more of our own paths are below the mount. */
static unsigned root_rank(const struct strbuf *root)
{
	const char *text = strbuf_str(root);

	if (strcmp(text, "/") == 0)
		return 0;
	if (ends_with(root, "//deleted"))
		return 3;
	return strncmp(text, "/..", 3) == 0 ? 2 : 1;
}

/* @of_mount is the part of the answer that is about it. */
static void mount_offer(struct cgroup_mount *mount, struct libcgroup_answer *answer,
                        const struct strbuf *of_mount, const struct strbuf *point,
                        const struct strbuf *root)
{
	unsigned here = root_rank(root);
	unsigned there = mount->found ? root_rank(&mount->root) : UINT32_MAX;

	if (here > there)
		return;
	if (here == there) {
		ask_libcgroup(answer);
		if (strcmp(strbuf_str(of_mount), strbuf_str(point)) != 0)
			return;
	}
	mount_set(mount, strbuf_str(point), strbuf_str(root));
}

static void add_line(struct cgroup_mounts *mounts, struct libcgroup_answer *answer,
                     struct span text, struct span rest, bool live)
{
	const struct cgroup_v1_controllers *controllers = &answer->controllers;
	cleanup_(strbuf_done) struct strbuf point = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf root = STRBUF_INIT;
	struct mount_words line;
	uint32_t bits;

	if (!mount_words_scan(text, &line) ||
	    (!span_is(line.type, "cgroup") && !span_is(line.type, "cgroup2")))
		return;
	add_unescaped(&point, line.point);
	add_unescaped(&root, line.root);
	if (live && !is_visible(&line, strbuf_str(&point), rest))
		return;
	if (span_is(line.type, "cgroup2")) {
		mount_offer(&mounts->unified, answer, &answer->unified, &point, &root);
		return;
	}
	mounts->any_v1 = true;
	bits = cgroup_v1_controllers_find(controllers, line.options);
	for (size_t i = 0; i < controllers->count; i++)
		if (bits & (UINT32_C(1) << i))
			mount_offer(&mounts->v1[i], answer, &answer->v1[i], &point, &root);
}

static void use_answer(struct cgroup_mounts *mounts, const struct libcgroup_answer *answer)
{
	if (answer->unified.len > 0)
		mount_set(&mounts->unified, strbuf_str(&answer->unified), "/");
	for (size_t i = 0; i < CGROUP_V1_CONTROLLERS_MAX; i++)
		if (answer->v1[i].len > 0) {
			mount_set(&mounts->v1[i], strbuf_str(&answer->v1[i]), "/");
			mounts->any_v1 = true;
		}
}

void cgroup_mounts_find(int proc_fd, bool live, struct cgroup_mounts *ret_mounts)
{
	cleanup_(answer_done) struct libcgroup_answer answer = {.is_known = !live};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest, line;
	int r;

	cgroup_v1_controllers_init(&answer.controllers);
	ret_mounts->is_system = true;
	r = fd_read_all_at(proc_fd, "self/mountinfo", &text, MOUNTINFO_BYTES);
	if (r < 0) {
		ask_libcgroup(&answer);
		use_answer(ret_mounts, &answer);
		ret_mounts->searched =
		        r == -ENOENT || ret_mounts->unified.found || ret_mounts->any_v1;
		return;
	}
	ret_mounts->searched = true;
	rest = (struct span){strbuf_str(&text), text.len};
	while (scan_line(&rest, &line))
		add_line(ret_mounts, &answer, line, rest, live);
	cgroup_mounts_find_namespace(proc_fd, ret_mounts);
}

static bool is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A directory for a controller alone comes before one for several, whatever the order of the names. */
static void add_entry(struct cgroup_mounts *mounts, const struct cgroup_v1_controllers *controllers,
                      const char *directory, const char *name)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	bool unified = strcmp(name, "unified") == 0;
	uint32_t bits = cgroup_v1_controllers_find(controllers, (struct span){name, strlen(name)});

	if (!unified && bits == 0 && strcmp(name, "systemd") != 0)
		return;
	strbuf_addf(&path, "%s/%s", directory, name);
	if (!is_directory(strbuf_str(&path)))
		return;
	mounts->any_v1 = mounts->any_v1 || !unified;
	if (unified)
		mount_set(&mounts->unified, strbuf_str(&path), "/");
	for (size_t i = 0; i < controllers->count; i++)
		if ((bits & (UINT32_C(1) << i)) &&
		    (!mounts->v1[i].found || strcmp(name, controllers->names[i]) == 0))
			mount_set(&mounts->v1[i], strbuf_str(&path), "/");
}

void cgroup_mounts_from_directory(const char *directory, struct cgroup_mounts *ret_mounts)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	cleanup_(fd_closedirp) DIR *dir = NULL;
	struct cgroup_v1_controllers controllers;

	cgroup_v1_controllers_init(&controllers);
	strbuf_addf(&path, "%s/cgroup.controllers", directory);
	if (faccessat(AT_FDCWD, strbuf_str(&path), F_OK, 0) == 0) {
		ret_mounts->searched = true;
		mount_set(&ret_mounts->unified, directory, "/");
		return;
	}
	/* A directory that cannot be read may have cgroups. */
	if (errno != ENOENT)
		return;
	dir = opendir(directory);
	while (dir) {
		const struct dirent *entry;

		errno = 0;
		entry = readdir(dir);
		if (!entry)
			break;
		add_entry(ret_mounts, &controllers, directory, entry->d_name);
	}
	ret_mounts->searched = dir && errno == 0;
}

enum cgroup_mode cgroup_mounts_mode(const struct cgroup_mounts *mounts)
{
	if (mounts->unified.found)
		return mounts->any_v1 ? CGROUP_MODE_HYBRID : CGROUP_MODE_V2;
	return mounts->any_v1 ? CGROUP_MODE_V1 : CGROUP_MODE_NONE;
}

void cgroup_mounts_set_host(const struct cgroup_mounts *mounts, struct host *host)
{
	static const char *const names[] = {
	        [CGROUP_MODE_NONE] = "none",
	        [CGROUP_MODE_V1] = "v1",
	        [CGROUP_MODE_HYBRID] = "hybrid",
	        [CGROUP_MODE_V2] = "v2",
	};
	const char *name = names[cgroup_mounts_mode(mounts)];

	if (mounts->searched)
		host_set_text(host, HOST_cgroup_mode, name, strlen(name));
}

static void mount_done(struct cgroup_mount *mount)
{
	strbuf_done(&mount->point);
	strbuf_done(&mount->root);
	strbuf_done(&mount->namespace_root);
}

void cgroup_mounts_done(struct cgroup_mounts *mounts)
{
	mount_done(&mounts->unified);
	for (size_t i = 0; i < CGROUP_V1_CONTROLLERS_MAX; i++)
		mount_done(&mounts->v1[i]);
	*mounts = (struct cgroup_mounts){0};
}
