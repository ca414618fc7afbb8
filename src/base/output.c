// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/output-place.h"

enum { NAME_TRIES = 32 };

static int output_write(struct byte_sink *sink, const void *bytes, size_t len)
{
	struct output *output = (struct output *)sink;
	int r = fd_write_all(output->fd, bytes, len);

	if (r == 0)
		output->bytes += len;
	return r;
}

/* Returns a fresh name beside the target, such as ".before.zst.3f2a91c07d18". */
static char *temporary_name(const struct output *output)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	unsigned char random[6];

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		memset(random, 0, sizeof(random));
	/* Leaves room for the suffix if the target's name is as long as names may be. */
	strbuf_addf(&name, ".%.200s.", output->target);
	for (size_t i = 0; i < sizeof(random); i++)
		strbuf_addf(&name, "%02x", random[i]);
	return mem_copy(strbuf_str(&name), name.len);
}

/* Returns the first permissions: a file that replaces another one is private until it gets that file's permissions. */
static mode_t first_mode(const struct output *output)
{
	return output->keeps ? 0600 : output->mode;
}

/* Makes the file, or a name for the open file, under a fresh temporary name. Returns 0 or -errno. */
typedef int name_function(struct output *output, const char *name);

/* Marks the name as gone; does not touch its memory. */
static void undo_temporary(struct mem_undo *undo)
{
	struct output *output =
	        (struct output *)(void *)((char *)undo - offsetof(struct output, undo));

	(void)unlinkat(output->dir_fd, output->temporary, 0);
}

static void forget_temporary(struct output *output)
{
	mem_undo_pop(&output->undo);
	signal_undo_pop(&output->signal_undo);
	free(output->temporary);
	output->temporary = NULL;
}

static int take_temporary_name(struct output *output, name_function *make)
{
	int r = -EEXIST;

	for (int i = 0; i < NAME_TRIES && r == -EEXIST; i++) {
		output->temporary = temporary_name(output);
		r = make(output, output->temporary);
		if (r < 0) {
			free(output->temporary);
			output->temporary = NULL;
		}
	}
	if (r == 0) {
		output->undo.undo = undo_temporary;
		mem_undo_push(&output->undo);
		output->signal_undo =
		        (struct signal_undo){.dir_fd = output->dir_fd, .name = output->temporary};
		signal_undo_push(&output->signal_undo);
	}
	return r;
}

/* No signal comes before the name is registered. */
static int with_temporary_name(struct output *output, name_function *make)
{
	sigset_t all, before;
	bool is_blocked;
	int r;

	sigfillset(&all);
	is_blocked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
	r = take_temporary_name(output, make);
	if (is_blocked)
		(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

static int create_file(struct output *output, const char *name)
{
	output->fd = openat(output->dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	                    first_mode(output));
	return output->fd < 0 ? -errno : 0;
}

static int link_file(struct output *output, const char *name)
{
	char proc_path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];

	snprintf(proc_path, sizeof(proc_path), "/proc/self/fd/%d", output->fd);
	if (linkat(AT_FDCWD, proc_path, output->dir_fd, name, AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	return 0;
}

/* Makes the file under a temporary name, to be renamed later. */
static int name_first(struct output *output)
{
	if (!output->only_adds)
		return with_temporary_name(output, create_file);
	strbuf_add_str(&output->reason,
	               "cannot be written: its directory is append-only, and there are no files "
	               "without names here");
	return -EPERM;
}

static int open_temporary(struct output *output)
{
	/* Without /proc an open file cannot be given a name. */
	if (access("/proc/self/fd", X_OK) < 0)
		return name_first(output);
	output->fd =
	        openat(output->dir_fd, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, first_mode(output));
	if (output->fd >= 0) {
		output->linkable = true;
		return 0;
	}
	/* EISDIR: the kernel or the file system does not support O_TMPFILE. */
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return -errno;
	return name_first(output);
}

/* Returns whether the directory is append-only (chattr +a): names can be added, and none can be changed or removed, not
 * even a temporary one. */
static bool is_append_only(int dir_fd)
{
	struct statx status;

	return statx(dir_fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &status) == 0 &&
	       (status.stx_attributes & STATX_ATTR_APPEND) != 0;
}

static int check_append_only(struct output *output, const struct output_place *place)
{
	output->only_adds = is_append_only(place->dir_fd);
	if (!output->only_adds || place->target_fd < 0)
		return 0;
	strbuf_add_str(&output->reason, "cannot be replaced: its directory is append-only");
	return -EPERM;
}

/* Writes to a descriptor of the process, from its position. */
static int use_descriptor(struct output *output, int descriptor)
{
	int flags = fcntl(descriptor, F_GETFL);

	output->in_place = true;
	/* A write would fail as well, but only once there is something to write. */
	if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	output->fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
	return output->fd < 0 ? -errno : 0;
}

static int reopen(struct output *output, const struct output_place *place, int flags)
{
	int fd = output_place_reopen(place, flags);

	if (fd == -ESTALE)
		strbuf_add_str(&output->reason, "was exchanged while it was opened");
	return fd;
}

static int open_in_place(struct output *output, const struct output_place *place)
{
	int fd = reopen(output, place, O_WRONLY);

	output->in_place = true;
	if (fd < 0)
		return fd;
	output->fd = fd;
	return 0;
}

/* Replacing must not bypass a file's own permissions, so the kernel is asked for the right to write. A lease on the
 * file does not delay it, and a program that is running may be replaced. */
static int check_replaceable(struct output *output, const struct output_place *place)
{
	int fd = reopen(output, place, O_WRONLY | O_NONBLOCK);

	if (fd < 0)
		return fd == -EAGAIN || fd == -ETXTBSY ? 0 : fd;
	fd_closep(&fd);
	return 0;
}

/* With an access control list the bits of the group are those of the list's mask, and do not describe the group. */
static bool has_acl(const struct output_place *place)
{
	char path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", place->target_fd);
	return getxattr(path, "system.posix_acl_access", NULL, 0) > 0;
}

/* Notes the group and the permissions of the file that is replaced. */
static void keep(struct output *output, const struct output_place *place)
{
	output->keeps = output_place_is_own(place);
	if (!output->keeps) {
		output->mode = output_place_narrow(place, output->mode);
		return;
	}
	output->gid = place->target.st_gid;
	output->mode = place->target.st_mode & 0777;
	if (has_acl(place))
		output->mode &= ~(mode_t)S_IRWXG;
}

static void begin(struct output *output, enum output_audience audience)
{
	*output = OUTPUT_INIT;
	output->sink.write = output_write;
	output->mode = audience == OUTPUT_PUBLIC ? 0666 : 0600;
}

int output_open(struct output *output, const char *path, enum output_audience audience)
{
	if (strcmp(path, "-") != 0)
		return output_open_at(output, AT_FDCWD, path, audience);
	begin(output, audience);
	return use_descriptor(output, STDOUT_FILENO);
}

int output_open_at(struct output *output, int dir_fd, const char *path,
                   enum output_audience audience)
{
	cleanup_(output_place_done) struct output_place place = OUTPUT_PLACE_INIT_OWN;
	int r;

	begin(output, audience);
	r = output_place_find(&place, dir_fd, path, &output->reason);
	if (r < 0)
		return r;
	if (place.descriptor >= 0)
		return use_descriptor(output, place.descriptor);
	if (place.target_fd >= 0 && !S_ISREG(place.target.st_mode))
		return open_in_place(output, &place);
	if (place.target_fd >= 0)
		r = check_replaceable(output, &place);
	if (r == 0)
		r = check_append_only(output, &place);
	if (r < 0)
		return r;
	output->is_new = place.target_fd < 0;
	keep(output, &place);
	output->dir_fd = place.dir_fd;
	place.dir_fd = -1;
	output->target = take_ptr(place.name);
	return open_temporary(output);
}

/* Gives the file the group and the permissions of the one that it replaces. */
static int hand_on(const struct output *output)
{
	struct stat status;
	mode_t mode = output->mode;

	if (!output->keeps)
		return 0;
	if (fstat(output->fd, &status) < 0)
		return -errno;
	/* The group is lost if this user is not in it, and with it the group's permissions. */
	if (status.st_gid != output->gid && fchown(output->fd, (uid_t)-1, output->gid) < 0)
		mode &= ~(mode_t)S_IRWXG;
	/* The directory may have an access control list for new files, and the bits of the group would open the file to
	 * its entries. */
	if (fremovexattr(output->fd, "system.posix_acl_access") < 0 && errno != ENODATA &&
	    errno != EOPNOTSUPP)
		mode &= ~(mode_t)S_IRWXG;
	return fchmod(output->fd, mode) < 0 ? -errno : 0;
}

/* Some directories may be written and not read, and some file systems flush none. */
static int flush_directory(struct output *output)
{
	cleanup_(fd_closep) int fd =
	        openat(output->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd >= 0 && fsync(fd) < 0 && errno != EINVAL ? -errno : 0;

	if (r < 0)
		strbuf_addf(&output->reason, "was written, but not its directory: %s",
		            strerror(-r));
	return r;
}

static int close_in_place(struct output *output)
{
	int fd = output->fd;

	output->fd = -1;
	/* Some file systems report a failed write only here. */
	return close(fd) < 0 ? -errno : 0;
}

/* Gives the file a temporary name if it has none, and then the target's. */
static int replace(struct output *output)
{
	if (output->linkable) {
		int r = with_temporary_name(output, link_file);

		if (r < 0)
			return r;
	}
	if (renameat(output->dir_fd, output->temporary, output->dir_fd, output->target) < 0)
		return -errno;
	forget_temporary(output);
	return 0;
}

/* linkat(2) does not replace. A file without a name gets the target's if nothing had that, else a temporary one, which no signal leaves
 * behind. */
static int name_file(struct output *output)
{
	sigset_t all, before;
	int r = -EEXIST;

	if (output->linkable && output->is_new)
		r = link_file(output, output->target);
	if (r != -EEXIST || output->only_adds)
		return r;
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return replace(output);
	r = replace(output);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

/* Does all that can fail before a name is taken. */
static int prepare(struct output *output)
{
	int r = hand_on(output);

	return r == 0 && fsync(output->fd) < 0 ? -errno : r;
}

int output_commit(struct output *output)
{
	int r;

	if (output->in_place)
		return close_in_place(output);
	r = prepare(output);
	if (r == 0)
		r = name_file(output);
	return r < 0 ? r : flush_directory(output);
}

static int move(const struct output *output, const char *from, const char *to, unsigned flags)
{
	return renameat2(output->dir_fd, from, output->dir_fd, to, flags) < 0 ? -errno : 0;
}

static bool has_directory_aside(const struct output *output)
{
	struct stat status;

	return fstatat(output->dir_fd, output->temporary, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(status.st_mode);
}

/* Takes the target's name in a way that can be taken back, if there is one. */
static int claim_name(struct output *output)
{
	int r;

	if (output->only_adds) {
		r = link_file(output, output->target);
		output->step = r == 0 ? OUTPUT_KEPT : OUTPUT_UNNAMED;
		return r;
	}
	r = move(output, output->temporary, output->target, RENAME_EXCHANGE);
	if (r == 0) {
		output->step = OUTPUT_EXCHANGED;
		/* A directory can be exchanged, and not replaced. */
		return has_directory_aside(output) ? -EISDIR : 0;
	}
	/* The last two: the file system, or the kernel, does not exchange names. */
	if (r != -ENOENT && r != -EINVAL && r != -ENOSYS)
		return r;
	output->step = r == -ENOENT || output->is_new ? OUTPUT_ADDED : OUTPUT_KEPT;
	r = renameat(output->dir_fd, output->temporary, output->dir_fd, output->target) < 0 ? -errno
	                                                                                    : 0;
	if (r < 0)
		output->step = OUTPUT_UNNAMED;
	return r;
}

static int revert(const struct output *output)
{
	switch (output->step) {
	case OUTPUT_EXCHANGED:
		return move(output, output->temporary, output->target, RENAME_EXCHANGE);
	case OUTPUT_ADDED:
		return move(output, output->target, output->temporary, 0);
	case OUTPUT_KEPT:
		return -EOPNOTSUPP;
	case OUTPUT_UNNAMED:
		break;
	}
	return 0;
}

/* Takes all names back after the error @error of the output @failed. */
static void revert_all(struct output *outputs, unsigned count, unsigned failed, int error)
{
	cleanup_(strbuf_done) struct strbuf kept = STRBUF_INIT;
	struct strbuf *reason = &outputs[failed].reason;

	for (unsigned i = count; i-- > 0;) {
		if (revert(&outputs[i]) == 0)
			outputs[i].step = OUTPUT_UNNAMED;
		/* The temporary name is all that is left of the old file, and want of memory must not remove it. */
		if (outputs[i].step == OUTPUT_EXCHANGED)
			mem_undo_pop(&outputs[i].undo);
	}
	for (unsigned i = 0; i < count; i++) {
		if (outputs[i].step == OUTPUT_UNNAMED)
			continue;
		strbuf_addf(&kept, "; '%s' is new, and cannot be taken back", outputs[i].target);
		if (outputs[i].step == OUTPUT_EXCHANGED)
			strbuf_addf(&kept, " ('%s' is the old one)", outputs[i].temporary);
		if (outputs[i].temporary)
			forget_temporary(&outputs[i]);
	}
	if (kept.len == 0)
		return;
	if (reason->len == 0)
		strbuf_add_str(reason, strerror(-error));
	strbuf_add_str(reason, strbuf_str(&kept));
}

/* Removes the files that were moved aside. Nothing before allocates memory while one is aside, since want of it would remove the file. */
static void drop_old(struct output *outputs, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (!outputs[i].temporary)
			continue;
		if (outputs[i].step == OUTPUT_EXCHANGED)
			(void)unlinkat(outputs[i].dir_fd, outputs[i].temporary, 0);
		forget_temporary(&outputs[i]);
	}
}

static int name_all(struct output *outputs, unsigned count, unsigned *ret_failed)
{
	int r = 0;

	for (unsigned i = 0; r == 0 && i < count; i++) {
		*ret_failed = i;
		if (outputs[i].linkable && !outputs[i].only_adds)
			r = with_temporary_name(&outputs[i], link_file);
	}
	if (r < 0)
		return r;
	for (unsigned i = 0; r == 0 && i < count; i++) {
		*ret_failed = i;
		if (!outputs[i].in_place)
			r = claim_name(&outputs[i]);
	}
	if (r < 0)
		revert_all(outputs, count, *ret_failed, r);
	else
		drop_old(outputs, count);
	return r;
}

int output_commit_all(struct output *outputs, unsigned count, unsigned *ret_failed)
{
	sigset_t all, before;
	bool is_blocked;
	int r = 0;

	for (unsigned i = 0; r == 0 && i < count; i++) {
		*ret_failed = i;
		r = outputs[i].in_place ? close_in_place(&outputs[i]) : prepare(&outputs[i]);
	}
	if (r < 0)
		return r;
	sigfillset(&all);
	is_blocked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
	r = name_all(outputs, count, ret_failed);
	if (is_blocked)
		(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	for (unsigned i = 0; r == 0 && i < count; i++) {
		*ret_failed = i;
		r = outputs[i].in_place ? 0 : flush_directory(&outputs[i]);
	}
	return r;
}

const char *output_reason(const struct output *output, int error)
{
	return output->reason.len > 0 ? strbuf_str(&output->reason) : strerror(-error);
}

void output_done(struct output *output)
{
	if (output->temporary) {
		unlinkat(output->dir_fd, output->temporary, 0);
		forget_temporary(output);
	}
	free(output->target);
	strbuf_done(&output->reason);
	fd_closep(&output->fd);
	fd_closep(&output->dir_fd);
	*output = OUTPUT_INIT;
}
