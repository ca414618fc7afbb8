// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/regular-file.h"
#include "base/text.h"
#include "base/trust.h"

static const char *const suffixes[DUCT_FILE_COUNT] = {
        [DUCT_STDOUT] = "stdout",
        [DUCT_STDERR] = "stderr",
        [DUCT_USAGE] = "usage.jsonl",
        [DUCT_INFO] = "info.json",
};

void duct_files_init(struct duct_files *files, const char *prefix)
{
	*files = (struct duct_files){.prefix = mem_copy_text(prefix), .dir_fd = -1};
	for (unsigned i = 0; i < DUCT_FILE_COUNT; i++) {
		cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

		strbuf_add_str(&path, prefix);
		strbuf_add_str(&path, suffixes[i]);
		files->files[i] = (struct duct_file){
		        .path = mem_copy(path.data, path.len),
		        .place = OUTPUT_PLACE_INIT,
		        .fd = -1,
		};
	}
}

static void add_name(struct strbuf *out, const char *path, size_t len)
{
	text_add_escaped(out, path, len);
}

static int fail(struct strbuf *reterr, const char *path, size_t len, int error,
                const struct strbuf *reason)
{
	add_name(reterr, path, len);
	strbuf_addf(reterr, ": %s", reason->len > 0 ? strbuf_str(reason) : strerror(-error));
	return error;
}

/* Nobody has named the directory, and others may have made it, or exchange it. */
static int check_place(const struct output_place *place, struct strbuf *reason)
{
	int r = place->descriptor >= 0 ? 0 : trust_check_directory(place->dir_fd, reason);

	if (r == -EPERM)
		strbuf_add_str(reason, "; name another one with --output-prefix");
	return r;
}

/* Makes the directory at the place, which has none, and opens it by its name, which leads through no link. */
static int make_in_place(struct output_place *place, bool needs_own_place, struct strbuf *reason)
{
	const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int r = needs_own_place ? check_place(place, reason) : 0;

	if (r < 0)
		return r;
	/* check_place() refuses one that others may write, which a umask of 0 would make. */
	if (mkdirat(place->dir_fd, place->name, needs_own_place ? 0755 : 0777) < 0 &&
	    errno != EEXIST)
		return -errno;
	place->target_fd = openat(place->dir_fd, place->name, flags);
	return place->target_fd < 0 ? -errno : 0;
}

/* Goes into the directory @name of the one that is held, or of the working directory; makes it if it is not there. */
static int enter(struct duct_files *files, const char *name, struct strbuf *reason)
{
	cleanup_(output_place_done) struct output_place place = OUTPUT_PLACE_INIT;
	int start = files->dir_fd < 0 ? AT_FDCWD : files->dir_fd, r;

	place.uses_own = !files->needs_own_place;
	r = output_place_find_directory(&place, start, name, reason);
	if (r == 0 && place.target_fd < 0)
		r = make_in_place(&place, files->needs_own_place, reason);
	if (r < 0)
		return r;
	fd_closep(&files->dir_fd);
	files->dir_fd = place.target_fd;
	place.target_fd = -1;
	return 0;
}

/* Makes all that the prefix names in front of its last "/", and holds the last of it. */
static int make_directories(struct duct_files *files, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	const char *prefix = files->prefix, *at = prefix, *end;
	int r = *prefix == '/' ? enter(files, "/", &reason) : 0;

	for (; r == 0 && (end = strchr(at, '/')); at = end + 1) {
		cleanup_(mem_freep) char *name = mem_copy(at, (size_t)(end - at));

		/* An absolute path begins with a slash, and others may stand twice. */
		if (*name != '\0')
			r = enter(files, name, &reason);
		if (r < 0)
			return fail(reterr, prefix, (size_t)(end - prefix), r, &reason);
	}
	return r < 0 ? fail(reterr, "/", 1, r, &reason) : 0;
}

/* Returns the name of a file in the directory that is held. */
static const char *last_name(const struct duct_file *file)
{
	const char *slash = strrchr(file->path, '/');

	return slash ? slash + 1 : file->path;
}

/* Looks for files that are there. */
static int find_conflicts(const struct duct_files *files, struct strbuf *reterr)
{
	int dir_fd = files->dir_fd < 0 ? AT_FDCWD : files->dir_fd;

	for (unsigned i = 0; i < DUCT_FILE_COUNT; i++) {
		const char *path = files->files[i].path;
		struct stat status;

		if (fstatat(dir_fd, last_name(&files->files[i]), &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		strbuf_add_str(reterr, reterr->len > 0 ? ", " : "files are there already: ");
		add_name(reterr, path, strlen(path));
	}
	if (reterr->len == 0)
		return 0;
	strbuf_add_str(reterr, "; --clobber overwrites them");
	return -EEXIST;
}

/* A file that is emptied and written in place must be one that nobody else has put there: neither a link to a file elsewhere, nor
 * one whose owner reads on. Returns 0; 1 if the name is free now; or -errno. */
static int check_target(const struct output_place *place, struct strbuf *reason)
{
	const struct stat *target = &place->target;

	if (!S_ISREG(target->st_mode)) {
		strbuf_add_str(reason, "it is no regular file");
		return -EINVAL;
	}
	if (!trust_others_may_choose(place->dir_fd, &place->dir))
		return 0;
	if (trust_is_own_user(target->st_uid) && target->st_nlink == 1)
		/* Others may have moved it there, so it is not written, and another one gets its name. */
		return unlinkat(place->dir_fd, place->name, 0) < 0 ? -errno : 1;
	if (target->st_nlink == 1)
		strbuf_addf(reason, "it belongs to user %u", (unsigned)target->st_uid);
	else
		strbuf_addf(reason, "it has %lu names", (unsigned long)target->st_nlink);
	strbuf_addf(reason, ", and others may %s its directory",
	            trust_others_may_add(place->dir_fd, &place->dir) ? "write" : "exchange");
	return -EACCES;
}

static int open_place(struct duct_file *file, struct strbuf *reason)
{
	const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY;
	struct output_place *place = &file->place;
	int r = 1;

	if (place->descriptor >= 0) {
		strbuf_add_str(reason, "it is no regular file");
		return -EINVAL;
	}
	if (place->target_fd >= 0)
		r = check_target(place, reason);
	if (r < 0)
		return r;
	if (r == 0) {
		file->fd = output_place_reopen(place, flags & ~O_NOFOLLOW);
		if (file->fd >= 0 && ftruncate(file->fd, 0) < 0)
			return -errno;
		return file->fd < 0 ? file->fd : 0;
	}
	file->fd = openat(place->dir_fd, place->name, flags | O_CREAT | O_EXCL,
	                  output_place_narrow(place, 0666));
	file->is_new = file->fd >= 0;
	return file->fd < 0 ? -errno : 0;
}

static int open_file(const struct duct_files *files, struct duct_file *file, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r;

	file->place.uses_own = !files->needs_own_place;
	r = output_place_find(&file->place, files->dir_fd < 0 ? AT_FDCWD : files->dir_fd,
	                      last_name(file), &reason);
	if (r == 0 && files->needs_own_place)
		r = check_place(&file->place, &reason);
	if (r == 0)
		r = open_place(file, &reason);
	return r < 0 ? fail(reterr, file->path, strlen(file->path), r, &reason) : 0;
}

int duct_files_open(struct duct_files *files, const bool wanted[DUCT_FILE_COUNT], bool clobber,
                    struct strbuf *reterr)
{
	int r = make_directories(files, reterr);

	if (r == 0 && !clobber)
		r = find_conflicts(files, reterr);
	for (unsigned i = 0; i < DUCT_FILE_COUNT && r == 0; i++)
		if (wanted[i])
			r = open_file(files, &files->files[i], reterr);
	if (r < 0)
		duct_files_remove(files);
	return r;
}

/* Returns whether the name in the directory is that of the open file. */
static bool has_name(const struct duct_file *file, int fd)
{
	struct stat ours, named;

	return fstat(fd, &ours) == 0 &&
	       fstatat(file->place.dir_fd, file->place.name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

int duct_file_open_reader(const struct duct_file *file)
{
	int fd = regular_file_open_beside(file->place.dir_fd, file->place.name);

	if (fd < 0)
		return fd;
	if (!has_name(file, file->fd) || !has_name(file, fd)) {
		fd_closep(&fd);
		return -ESTALE;
	}
	return fd;
}

int duct_file_append(const struct duct_file *file, const struct strbuf *text)
{
	struct stat status;
	int r;

	if (fstat(file->fd, &status) < 0)
		return -errno;
	/* The kernel has the reason of a short write in the next one. */
	r = fd_write_all(file->fd, text->data, text->len);
	/* Readers refuse a file whose last line is cut. */
	if (r < 0 && ftruncate(file->fd, status.st_size) < 0)
		r = -errno;
	return r;
}

int duct_file_replace(const struct duct_file *file, const struct strbuf *text,
                      struct strbuf *reterr)
{
	cleanup_(output_done) struct output output = OUTPUT_INIT;
	int r = output_open_at(&output, file->place.dir_fd, file->place.name, OUTPUT_PUBLIC);

	if (r == 0)
		r = output.sink.write(&output.sink, text->data, text->len);
	if (r == 0)
		r = output_commit(&output);
	if (r < 0)
		strbuf_add_str(reterr, output_reason(&output, r));
	return r;
}

void duct_files_remove(struct duct_files *files)
{
	for (unsigned i = 0; i < DUCT_FILE_COUNT; i++) {
		struct duct_file *file = &files->files[i];

		if (file->is_new && has_name(file, file->fd))
			(void)unlinkat(file->place.dir_fd, file->place.name, 0);
		file->is_new = false;
	}
}

void duct_files_done(struct duct_files *files)
{
	for (unsigned i = 0; i < DUCT_FILE_COUNT; i++) {
		struct duct_file *file = &files->files[i];

		/* One that was never set is all zero. */
		if (!file->path)
			continue;
		fd_closep(&file->fd);
		output_place_done(&file->place);
		free(file->path);
	}
	if (files->prefix)
		fd_closep(&files->dir_fd);
	free(files->prefix);
	*files = (struct duct_files){0};
}
