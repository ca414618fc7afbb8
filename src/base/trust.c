// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mount-maker.h"
#include "base/regular-file.h"
#include "base/scan.h"

/* A map of all ids has so many. */
#define ALL_IDS UINT32_MAX

enum { PROC_ROOT_INODE = 1, MAP_BYTES = 1 << 16, STATUS_BYTES = 1 << 14 };

/* The id of whoever has none in a user namespace: of users, or of groups. */
struct overflow {
	const char *id_path, *map_path;
	bool is_known, is_ambiguous;
	uint64_t id;
};

/* Returns how many ids the namespace has. */
static uint64_t count_mapped(const char *text)
{
	struct span rest = {text, strlen(text)}, line;
	uint64_t length, all = 0;

	/* The first id inside, the first one outside, and how many. */
	while (scan_line(&rest, &line)) {
		struct span last = {0}, word;

		while (scan_word(&line, &word))
			last = word;
		if (scan_u64(last.text, last.len, &length))
			all += length;
	}
	return all;
}

/* Returns whether the id may stand for others than the one whose number it is. Without procfs it is taken to. */
static bool is_overflow(struct overflow *overflow, uint32_t id)
{
	enum { DEFAULT = 65534 };

	if (!overflow->is_known) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
		struct span rest, word;
		uint64_t number;

		overflow->id = DEFAULT;
		overflow->is_ambiguous = true;
		if (fd_read_all_at(AT_FDCWD, overflow->id_path, &text, MAP_BYTES) == 0) {
			rest = (struct span){strbuf_str(&text), text.len};
			if (scan_word(&rest, &word) && scan_u64(word.text, word.len, &number))
				overflow->id = number;
		}
		if (fd_read_all_at(AT_FDCWD, overflow->map_path, &text, MAP_BYTES) == 0)
			overflow->is_ambiguous = count_mapped(strbuf_str(&text)) < ALL_IDS;
		overflow->is_known = true;
	}
	return overflow->is_ambiguous && overflow->id == id;
}

static bool is_known_user(uid_t uid)
{
	static struct overflow overflow = {.id_path = "/proc/sys/kernel/overflowuid",
	                                   .map_path = "/proc/self/uid_map"};

	return !is_overflow(&overflow, uid);
}

static bool is_known_group(gid_t gid)
{
	static struct overflow overflow = {.id_path = "/proc/sys/kernel/overflowgid",
	                                   .map_path = "/proc/self/gid_map"};

	return !is_overflow(&overflow, gid);
}

bool trust_is_own_user(uid_t uid)
{
	return uid == geteuid() && is_known_user(uid);
}

bool trust_user(uid_t uid)
{
	return (uid == 0 || uid == geteuid()) && is_known_user(uid);
}

/* Returns whether all ids of the line "Uid:" of a process's status, real, effective, saved and that of the file system, are trusted. */
static bool has_trusted_ids(const char *status)
{
	enum { IDS = 4 };
	const char *line = strstr(status, "\nUid:");
	struct span rest, word;

	if (!line)
		return false;
	line += strlen("\nUid:");
	rest = (struct span){line, strcspn(line, "\n")};
	for (unsigned i = 0; i < IDS; i++) {
		uint64_t id;

		if (!scan_word(&rest, &word) || !scan_u64(word.text, word.len, &id) ||
		    !trust_user((uid_t)id))
			return false;
	}
	return true;
}

/* Returns whether the process in whose directory this is runs as this user or root by all its ids. A set-id program has its user's place
 * among them. */
static bool is_trusted_process(int dir_fd)
{
	cleanup_(fd_closep) int fd = openat(dir_fd, "status", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char text[STATUS_BYTES];
	struct statfs system;
	ssize_t len;

	/* A directory in that of the process, such as the one of its descriptors. */
	if (fd < 0)
		fd = openat(dir_fd, "../status", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstatfs(fd, &system) < 0 || system.f_type != PROC_SUPER_MAGIC)
		return false;
	len = read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		return false;
	text[len] = '\0';
	return has_trusted_ids(text);
}

/* @fd is of procfs. Its own files and directories, such as those below /proc/sys, are root's. */
static bool shows_owner_in_procfs(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0 || !S_ISDIR(status.st_mode))
		return false;
	return status.st_ino == PROC_ROOT_INODE || is_trusted_process(fd);
}

/* The server of the root directory, such as fuse-overlayfs in containers without root, decides about this program as well. */
static bool is_on_root_system(int fd)
{
	struct stat status, root;

	return fstat(fd, &status) == 0 && stat("/", &root) == 0 && status.st_dev == root.st_dev;
}

/* A user's image shows what that user has written into it. Others than root work on images of their own, which are mounted in places that
 * nobody else enters. */
static bool is_made_by_user(int fd)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(fd_closep) int image_fd = -1;

	if (geteuid() != 0)
		return false;
	switch (mount_maker_of(fd, &image_fd)) {
	case MOUNT_BY_USER:
		return true;
	case MOUNT_OF_IMAGE:
		return trust_check_file(image_fd, &reason) < 0;
	case MOUNT_BY_SYSTEM:
		break;
	}
	return false;
}

bool trust_shows_owner(int fd)
{
	struct statfs system;

	if (fstatfs(fd, &system) < 0)
		return false;
	if (system.f_type == PROC_SUPER_MAGIC)
		return shows_owner_in_procfs(fd);
	if (is_on_root_system(fd))
		return true;
	return file_system_check(fd, FILE_SYSTEMS_ADMINISTERED) == 0 && !is_made_by_user(fd);
}

static bool has_access_control_list(int fd)
{
	char path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return getxattr(path, "system.posix_acl_access", NULL, 0) >= 0 ||
	       (errno != ENODATA && errno != EOPNOTSUPP);
}

/* Returns whether the permissions let others write the file or the directory @fd, whose status is @status. A group with the number of
 * its user is that user's own, as pam_umask(8) has it, but for root's, and unless the file has an access control list. */
static bool others_may_write(int fd, const struct stat *status)
{
	bool own_group = status->st_gid == getegid() && getegid() == geteuid() && geteuid() != 0 &&
	                 is_known_group(status->st_gid);

	if ((status->st_mode & S_IWOTH) != 0)
		return true;
	/* With a list, the bits of the group are the most that anybody gets by it. */
	return (status->st_mode & S_IWGRP) != 0 && (!own_group || has_access_control_list(fd));
}

static bool is_root_directory(const struct stat *status)
{
	struct stat root;

	return stat("/", &root) == 0 && root.st_dev == status->st_dev &&
	       root.st_ino == status->st_ino;
}

static bool has_trusted_owner(int dir_fd, const struct stat *status)
{
	return (trust_user(status->st_uid) || is_root_directory(status)) &&
	       trust_shows_owner(dir_fd);
}

bool trust_others_may_add(int dir_fd, const struct stat *status)
{
	return others_may_write(dir_fd, status) || !has_trusted_owner(dir_fd, status);
}

bool trust_follows_link(const struct stat *dir_status, const struct stat *status)
{
	enum { SHARED = S_ISVTX | S_IWOTH };

	if ((dir_status->st_mode & SHARED) != SHARED || trust_is_own_user(status->st_uid))
		return true;
	return status->st_uid == dir_status->st_uid && is_known_user(status->st_uid);
}

bool trust_is_stored(int fd, const struct stat *status)
{
	return (S_ISREG(status->st_mode) || S_ISDIR(status->st_mode)) &&
	       (is_on_root_system(fd) || file_system_check(fd, FILE_SYSTEMS_STORED) == 0);
}

void trust_add_reason(int dir_fd, const struct stat *status, struct strbuf *out)
{
	if (!trust_user(status->st_uid) && !is_known_user(status->st_uid))
		strbuf_add_str(out, " (whose it is cannot be known in a user namespace that does "
		                    "not map all users)");
	else if (!trust_user(status->st_uid))
		strbuf_addf(out, " (it belongs to user %u)", (unsigned)status->st_uid);
	else if (!trust_shows_owner(dir_fd))
		strbuf_add_str(out, " (its file system does not vouch for owners)");
	else if ((status->st_mode & S_IWOTH) != 0)
		strbuf_add_str(out, " (all users have the right: chmod o-w)");
	else if (has_access_control_list(dir_fd))
		strbuf_add_str(out, " (an access control list gives the right: setfacl -b)");
	else
		strbuf_addf(out, " (group %u has the right: chmod g-w)", (unsigned)status->st_gid);
}

static int refuse(struct strbuf *reterr, const char *phrase)
{
	strbuf_add_str(reterr, phrase);
	return -EPERM;
}

static int refuse_directory(struct strbuf *reterr, const char *phrase, int dir_fd,
                            const struct stat *status)
{
	strbuf_add_str(reterr, phrase);
	trust_add_reason(dir_fd, status, reterr);
	return -EPERM;
}

static bool others_may_exchange(int dir_fd, const struct stat *status)
{
	return !has_trusted_owner(dir_fd, status) ||
	       ((status->st_mode & S_ISVTX) == 0 && others_may_write(dir_fd, status));
}

/* Checks the directories above @dir_fd. To move one to another directory takes the right to write it, so the owner of one in a sticky
 * directory is who put it there, unless others may write that one as well. */
static int check_above(int dir_fd, struct strbuf *reterr)
{
	cleanup_(fd_closep) int fd = -1;
	struct stat below, status;
	bool others_may_move;
	int at = dir_fd;

	if (fstat(dir_fd, &below) < 0)
		return -errno;
	for (;;) {
		int above = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (above < 0)
			return -errno;
		others_may_move = others_may_write(at, &below);
		fd_closep(&fd);
		at = fd = above;
		if (fstat(fd, &status) < 0)
			return -errno;
		if (status.st_dev == below.st_dev && status.st_ino == below.st_ino)
			return 0;
		if (others_may_exchange(fd, &status) ||
		    (others_may_move && others_may_write(fd, &status)))
			return refuse_directory(
			        reterr, "other users may rename a directory that it lies in", fd,
			        &status);
		below = status;
	}
}

static bool others_may_exchange_above(int dir_fd)
{
	cleanup_(strbuf_done) struct strbuf ignored = STRBUF_INIT;

	return check_above(dir_fd, &ignored) < 0;
}

bool trust_others_may_choose(int dir_fd, const struct stat *status)
{
	return trust_others_may_add(dir_fd, status) || others_may_exchange_above(dir_fd);
}

/* Returns whether nothing but the content has changed from a second behind its last change on: no name either. */
static bool keeps_its_name(const struct stat *status)
{
	int64_t seconds = status->st_ctim.tv_sec - status->st_mtim.tv_sec;
	int64_t ns = status->st_ctim.tv_nsec - status->st_mtim.tv_nsec;

	return (seconds == 0 && ns >= 0) || (seconds == 1 && ns <= 0);
}

bool trust_was_made_there(int dir_fd, const struct stat *dir_status, int fd,
                          const struct stat *status)
{
	if (!trust_is_own_user(status->st_uid) || !has_trusted_owner(dir_fd, dir_status) ||
	    !keeps_its_name(status) || others_may_exchange_above(dir_fd))
		return false;
	return S_ISLNK(status->st_mode) ||
	       (S_ISFIFO(status->st_mode) && !others_may_write(fd, status));
}

int trust_check_directory(int dir_fd, struct strbuf *reterr)
{
	struct stat status;

	if (fstat(dir_fd, &status) < 0)
		return -errno;
	if (trust_others_may_add(dir_fd, &status))
		return refuse_directory(reterr, "other users may write its directory", dir_fd,
		                        &status);
	return check_above(dir_fd, reterr);
}

int trust_check_file(int fd, struct strbuf *reterr)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (S_ISLNK(status.st_mode))
		return refuse(reterr, "it is a symbolic link");
	if (!trust_user(status.st_uid)) {
		strbuf_addf(reterr, "it belongs to user %u", (unsigned)status.st_uid);
		return -EPERM;
	}
	if (!trust_shows_owner(fd))
		return refuse(reterr, "its file system does not vouch for its owner");
	if (!others_may_write(fd, &status))
		return 0;
	return refuse_directory(reterr,
	                        S_ISDIR(status.st_mode) ? "other users may write there"
	                                                : "other users may write it",
	                        fd, &status);
}
