// SPDX-License-Identifier: GPL-2.0-or-later
#include "record-directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/output-place.h"
#include "base/trust.h"
#include "experiment/record.h"

/* Checks a file in the directory. */
static int check_file(int dir_fd, const char *name, struct strbuf *reterr)
{
	cleanup_(fd_closep) int fd = openat(dir_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int r = fd < 0 ? -errno : trust_check_file(fd, reterr);

	if (r < 0 && reterr->len == 0)
		strbuf_add_str(reterr, strerror(-r));
	return r;
}

/* Checks a directory that the caller has found at the path @directory. */
static int check_directory(int fd, const char *directory, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	bool is_file = false;
	int r = check_file(fd, ".", &phrase);

	if (r >= 0) {
		is_file = true;
		r = check_file(fd, EXPERIMENT_FILE, &phrase);
		/* There is none before the first unit. */
		r = r == -ENOENT ? 0 : r;
	}
	if (r < 0)
		strbuf_addf(reterr, "%s%s: %s", directory, is_file ? "/" EXPERIMENT_FILE : "",
		            strbuf_str(&phrase));
	return r;
}

/* Finds the directory or its place. Returns 0 or -errno with a sentence. */
static int find_place(struct output_place *place, const char *directory, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	int r = output_place_find_directory(place, AT_FDCWD, directory, &phrase);

	if (r < 0)
		strbuf_addf(reterr, "%s: %s", directory,
		            phrase.len > 0 ? strbuf_str(&phrase) : strerror(-r));
	return r;
}

int record_directory_open(const char *directory, struct strbuf *reterr)
{
	cleanup_(output_place_done) struct output_place place = OUTPUT_PLACE_INIT;
	int r = find_place(&place, directory, reterr);

	if (r < 0)
		return r;
	if (place.target_fd < 0) {
		strbuf_addf(reterr, "%s: %s", directory, strerror(ENOENT));
		return -ENOENT;
	}
	r = check_directory(place.target_fd, directory, reterr);
	if (r < 0)
		return r;
	r = place.target_fd;
	place.target_fd = -1;
	return r;
}

/* Makes the directory, and opens it by its name, which leads through no link. Returns 0 or -errno. */
static int make_in_place(struct output_place *place)
{
	const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

	if (mkdirat(place->dir_fd, place->name, 0700) < 0)
		return -errno;
	place->target_fd = openat(place->dir_fd, place->name, flags);
	return place->target_fd < 0 ? -errno : 0;
}

int experiment_make_directory(struct experiment *experiment, struct strbuf *reterr)
{
	cleanup_(output_place_done) struct output_place place = OUTPUT_PLACE_INIT;
	const char *directory = experiment->directory;
	int r = find_place(&place, directory, reterr);
	bool is_new = place.target_fd < 0;

	if (r < 0)
		return r;
	r = is_new ? make_in_place(&place) : 0;
	if (r < 0) {
		strbuf_addf(reterr, "%s: %s", directory, strerror(-r));
		return r;
	}
	r = check_directory(place.target_fd, directory, reterr);
	if (r < 0)
		return r;
	/* Also one that somebody has put in the place of the new one. */
	r = fd_check_empty(place.target_fd);
	if (r < 0) {
		strbuf_addf(reterr, "%s: %s", directory,
		            r == -EEXIST ? "it is there and is no empty directory" : strerror(-r));
		return r;
	}
	experiment_leave_directory(experiment);
	experiment->dir_fd = place.target_fd;
	place.target_fd = -1;
	if (is_new) {
		experiment->parent_fd = place.dir_fd;
		experiment->name = take_ptr(place.name);
		place.dir_fd = -1;
	}
	return 0;
}

/* Removes it by its name in the directory in which it was made, if it still has that. */
void experiment_drop_directory(const struct experiment *experiment)
{
	struct stat made, found;

	if (experiment->name && fstat(experiment->dir_fd, &made) == 0 &&
	    fstatat(experiment->parent_fd, experiment->name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
	    found.st_dev == made.st_dev && found.st_ino == made.st_ino)
		(void)unlinkat(experiment->parent_fd, experiment->name, AT_REMOVEDIR);
}

void experiment_leave_directory(struct experiment *experiment)
{
	fd_closep(&experiment->dir_fd);
	if (experiment->name)
		fd_closep(&experiment->parent_fd);
	free(experiment->name);
	experiment->name = NULL;
}
