// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/output-place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/trust.h"

/* The kernel follows as many links in one path. */
enum { LINKS_MAX = 40 };

struct walk {
	struct output_place *place;
	int start_fd; /* the directory that a relative path begins in; or AT_FDCWD */
	char *rest;   /* the rest of the path; owned */
	unsigned links;
	bool last_is_link; /* the last name comes from a link, which was the last name before */
	bool to_directory; /* the last name is to be a directory's */
	char *lead; /* the first link that others may have put there, and that was followed; owned */
	uid_t lead_owner;
	const char *lead_right; /* what others may do with its directory */
	struct strbuf *reterr;
};

/* /dev/null, /dev/zero and /dev/full do the same under any name, whoever owns them. */
static bool is_harmless_device(const struct stat *status)
{
	enum { MEMORY = 1, NULL_DEVICE = 3, ZERO = 5, FULL = 7 };

	return S_ISCHR(status->st_mode) && major(status->st_rdev) == MEMORY &&
	       (minor(status->st_rdev) == NULL_DEVICE || minor(status->st_rdev) == ZERO ||
	        minor(status->st_rdev) == FULL);
}

/* Others can also move such a file of this user's or root's there, out of a directory of theirs, or exchange directories above. */
static bool is_chosen_by_others(const struct walk *walk, int fd, const struct stat *status)
{
	const struct output_place *place = walk->place;

	return trust_others_may_choose(place->dir_fd, &place->dir) &&
	       !(place->uses_own && trust_was_made_there(place->dir_fd, &place->dir, fd, status));
}

static const char *kind_name(mode_t mode)
{
	return S_ISLNK(mode)    ? "symbolic link"
	       : S_ISFIFO(mode) ? "FIFO"
	       : S_ISSOCK(mode) ? "socket"
	                        : "device";
}

/* Returns what others may do with the directory, in which they may choose files. */
static const char *right_of_others(const struct output_place *place)
{
	return trust_others_may_add(place->dir_fd, &place->dir) ? "write" : "exchange";
}

static int refuse(const struct walk *walk, const char *name, const struct stat *status)
{
	strbuf_addf(walk->reterr, "'%s' is a %s of user %u in a directory that others may %s; %s",
	            name, kind_name(status->st_mode), (unsigned)status->st_uid,
	            right_of_others(walk->place),
	            S_ISLNK(status->st_mode) ? "name what it leads to"
	                                     : "open it in the shell, and name /dev/fd/N");
	return -EACCES;
}

static int refuse_lead(const struct walk *walk)
{
	strbuf_addf(walk->reterr,
	            "'%s' is a symbolic link of user %u in a directory that others may %s, and "
	            "leads to no plain file; name what it leads to",
	            walk->lead, (unsigned)walk->lead_owner, walk->lead_right);
	return -EACCES;
}

/* Continues in another directory, which the place owns from then on. */
static int move_to(struct walk *walk, int dir_fd)
{
	struct output_place *place = walk->place;

	if (dir_fd < 0)
		return -errno;
	fd_closep(&place->dir_fd);
	place->dir_fd = dir_fd;
	return fstat(dir_fd, &place->dir) < 0 ? -errno : 0;
}

/* Returns the descriptor that an absolute path names, or -1. These names mean descriptors that the caller has open, and
 * are not looked up. */
static int named_descriptor(const char *path)
{
	static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/"};
	uint64_t number;

	if (strcmp(path, "/dev/stdin") == 0)
		return STDIN_FILENO;
	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		const char *name = path + strlen(directories[i]);

		if (strncmp(path, directories[i], strlen(directories[i])) == 0 &&
		    scan_u64(name, strlen(name), &number) && number <= INT_MAX)
			return (int)number;
	}
	return -1;
}

/* Begins at the root or in the first directory. A path that names a descriptor ends here. */
static int move_to_start(struct walk *walk)
{
	walk->place->descriptor = walk->to_directory ? -1 : named_descriptor(walk->rest);
	if (walk->place->descriptor >= 0)
		return 0;
	return move_to(walk, openat(walk->start_fd, walk->rest[0] == '/' ? "/" : ".",
	                            O_PATH | O_DIRECTORY | O_CLOEXEC));
}

static bool is_procfs(int fd)
{
	struct statfs status;

	return fstatfs(fd, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

/* Replaces the link by its text, in front of the rest of the path. */
static int follow_text(struct walk *walk, int link_fd, const char *behind)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	/* An empty name is the link itself, since Linux 2.6.39. */
	int r = fd_read_link_at(link_fd, "", &text, PATH_MAX);

	if (r < 0)
		return r;
	if (text.len == 0)
		return -ENOENT;
	walk->last_is_link |= *behind == '\0';
	strbuf_add_str(&text, behind);
	free(walk->rest);
	walk->rest = mem_copy(strbuf_str(&text), text.len);
	return walk->rest[0] == '/' ? move_to_start(walk) : 0;
}

/* A link of procfs is more than its text: the kernel leads to the open file itself. Returns 1 after following it, 0 if
 * the text is to be followed, or -errno. */
static int follow_in_procfs(struct walk *walk, const char *name, bool is_last)
{
	struct output_place *place = walk->place;
	bool to_directory = !is_last || walk->to_directory;
	int flags = O_PATH | O_CLOEXEC | (to_directory ? O_DIRECTORY : 0), r;
	cleanup_(fd_closep) int fd = openat(place->dir_fd, name, flags);

	if (fd >= 0 && !is_last) {
		r = move_to(walk, fd);
		fd = -1;
		return r < 0 ? r : 1;
	}
	if (fd < 0 || fstat(fd, &place->target) < 0)
		return -errno;
	if (S_ISDIR(place->target.st_mode) && !walk->to_directory && !place->reads)
		return -EISDIR;
	/* A regular file is replaced, and so needs a name. */
	if (S_ISREG(place->target.st_mode) && !place->reads)
		return 0;
	place->target_fd = fd;
	fd = -1;
	return 1;
}

/* Decides on a link that others may have put there. */
static int judge_link(struct walk *walk, const struct stat *status, const char *name)
{
	const struct output_place *place = walk->place;

	if (!place->reads || !trust_follows_link(&place->dir, status))
		return refuse(walk, name, status);
	if (!walk->lead) {
		walk->lead = mem_copy(name, strlen(name));
		walk->lead_owner = status->st_uid;
		walk->lead_right = right_of_others(place);
	}
	return 0;
}

/* Follows the link @name. Returns 1 if the place has moved already, 0 if the link's text is now in the path, or
 * -errno. */
static int follow(struct walk *walk, int link_fd, const struct stat *status, const char *name,
                  const char *behind)
{
	bool in_procfs = is_procfs(walk->place->dir_fd);
	int r = 0;

	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	if (in_procfs && walk->lead)
		return refuse_lead(walk);
	if (is_chosen_by_others(walk, link_fd, status))
		r = judge_link(walk, status, name);
	if (r == 0 && in_procfs)
		r = follow_in_procfs(walk, name, *behind == '\0');
	return r != 0 ? r : follow_text(walk, link_fd, behind);
}

/* Goes into the directory @name, or follows the link of that name; @behind is the path from the slash on. Returns 1, 0
 * as follow() does, or -errno. */
static int enter(struct walk *walk, const char *name, const char *behind)
{
	cleanup_(fd_closep) int link_fd = -1;
	struct stat status;
	int fd = openat(walk->place->dir_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r;

	if (fd >= 0 || (errno != ENOTDIR && errno != ELOOP)) {
		r = move_to(walk, fd);
		return r < 0 ? r : 1;
	}
	link_fd = openat(walk->place->dir_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (link_fd < 0 || fstat(link_fd, &status) < 0)
		return -errno;
	return S_ISLNK(status.st_mode) ? follow(walk, link_fd, &status, name, behind) : -ENOTDIR;
}

/* Examines what has the last name. Returns 1 if it is the place, 0 as follow() does, or -errno. */
static int find_last(struct walk *walk, const char *name)
{
	struct output_place *place = walk->place;
	cleanup_(fd_closep) int fd = openat(place->dir_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int r = 1;

	if (fd < 0)
		/* A dangling link is neither replaced nor followed. */
		return errno == ENOENT && !walk->last_is_link ? 1 : -errno;
	if (fstat(fd, &place->target) < 0)
		return -errno;
	if (S_ISLNK(place->target.st_mode)) {
		struct stat link = place->target;

		return follow(walk, fd, &link, name, "");
	}
	if (S_ISDIR(place->target.st_mode) != walk->to_directory &&
	    (walk->to_directory || !place->reads))
		return walk->to_directory ? -ENOTDIR : -EISDIR;
	if (!S_ISDIR(place->target.st_mode) && !S_ISREG(place->target.st_mode) &&
	    !is_harmless_device(&place->target) && is_chosen_by_others(walk, fd, &place->target))
		r = refuse(walk, name, &place->target);
	place->target_fd = fd;
	fd = -1;
	return r;
}

/* Processes the next name of the path. Returns 1 if it was the last one and the place is found, 0, or -errno. */
static int next_name(struct walk *walk)
{
	const char *start = walk->rest + strspn(walk->rest, "/"), *behind;
	cleanup_(mem_freep) char *name = NULL;
	int r;

	behind = start + strcspn(start, "/");
	/* Nothing but slashes is the root. */
	name = behind == start ? mem_copy(".", 1) : mem_copy(start, (size_t)(behind - start));
	/* A directory's name may end in slashes. */
	if ((walk->to_directory || walk->place->reads) && behind[strspn(behind, "/")] == '\0') {
		walk->to_directory |= *behind != '\0';
		behind += strlen(behind);
	}
	if (!walk->to_directory && !walk->place->reads && *behind == '\0' &&
	    (strcmp(name, ".") == 0 || strcmp(name, "..") == 0))
		return -EISDIR;
	r = *behind == '\0' ? find_last(walk, name) : enter(walk, name, behind);
	if (r <= 0)
		return r;
	if (*behind == '\0') {
		walk->place->name = take_ptr(name);
		return 1;
	}
	memmove(walk->rest, behind, strlen(behind) + 1);
	return 0;
}

/* Checks what a link of others has led to. */
static int check_led(const struct walk *walk)
{
	const struct output_place *place = walk->place;

	if (!walk->lead || (place->descriptor < 0 && place->target_fd < 0))
		return 0;
	return place->descriptor < 0 && trust_is_stored(place->target_fd, &place->target)
	               ? 0
	               : refuse_lead(walk);
}

static int find(struct walk *walk, const char *path)
{
	int r;

	if (path[0] == '\0')
		return -ENOENT;
	walk->rest = mem_copy(path, strlen(path));
	r = move_to_start(walk);
	while (r == 0 && walk->place->descriptor < 0)
		r = next_name(walk);
	if (r >= 0)
		r = check_led(walk);
	free(walk->rest);
	free(walk->lead);
	return r < 0 ? r : 0;
}

int output_place_find(struct output_place *place, int dir_fd, const char *path,
                      struct strbuf *reterr)
{
	struct walk walk = {.place = place, .start_fd = dir_fd, .reterr = reterr};

	return find(&walk, path);
}

int output_place_find_directory(struct output_place *place, int dir_fd, const char *path,
                                struct strbuf *reterr)
{
	struct walk walk = {
	        .place = place, .start_fd = dir_fd, .to_directory = true, .reterr = reterr};

	return find(&walk, path);
}

int output_place_reopen(const struct output_place *place, int flags)
{
	char path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
	struct stat status, held;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", place->target_fd);
	fd = open(path, flags | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 && errno == ENOENT && !trust_others_may_add(place->dir_fd, &place->dir))
		fd = openat(place->dir_fd, place->name, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	/* Overlayfs copies a file when it is opened for writing, and one with several names gets another number then. The descriptor
	 * that is held shows that one, too. */
	if (fstat(fd, &status) == 0 && fstat(place->target_fd, &held) == 0 &&
	    status.st_dev == held.st_dev && status.st_ino == held.st_ino)
		return fd;
	fd_closep(&fd);
	return -ESTALE;
}

bool output_place_is_own(const struct output_place *place)
{
	const struct stat *dir = &place->dir, *target = &place->target;

	if (place->target_fd < 0 || !S_ISREG(target->st_mode) || !trust_is_own_user(target->st_uid))
		return false;
	if ((dir->st_mode & (S_IWGRP | S_IWOTH)) != 0 && target->st_nlink != 1)
		return false;
	return !trust_others_may_choose(place->dir_fd, dir);
}

mode_t output_place_narrow(const struct output_place *place, mode_t mode)
{
	const struct stat *dir = &place->dir, *target = &place->target;

	if (place->target_fd < 0 || !S_ISREG(target->st_mode) ||
	    !trust_is_own_user(target->st_uid) || !trust_user(dir->st_uid) ||
	    (dir->st_mode & S_ISVTX) == 0 || target->st_nlink != 1)
		return mode;
	return mode & target->st_mode;
}

void output_place_done(struct output_place *place)
{
	free(place->name);
	fd_closep(&place->dir_fd);
	fd_closep(&place->target_fd);
	*place = OUTPUT_PLACE_INIT;
}
