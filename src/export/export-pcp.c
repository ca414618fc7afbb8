// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/export-pcp.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/output-place.h"
#include "base/output.h"
#include "base/own-directory.h"
#include "base/signal-undo.h"
#include "command/command.h"
#include "export/export-child.h"
#include "export/export-trace.h"
#include "fleet/pcp-archive.h"

static const char inner_name[] = "archive";

/* The library writes under names. It gets a directory that nobody else can enter, beside the
 * archive, and what it has written is copied. */
struct workshop {
	struct output_place place; /* of the archive's first file */
	char name[32];             /* in place.dir_fd */
	bool is_made;
	int fd;                                                /* -1: it is not entered */
	char files[PCP_ARCHIVE_FILES][sizeof(inner_name) + 8]; /* in it */
	struct mem_undo undo;
	struct signal_undo signal_undo, file_undo[PCP_ARCHIVE_FILES];
};

#define WORKSHOP_INIT ((struct workshop){.place = OUTPUT_PLACE_INIT_OWN, .fd = -1})

/* Removes the files of what was entered. The name removes an empty directory at most, as whoever
 * can exchange the name can do. */
static void remove_all(struct workshop *workshop)
{
	for (unsigned i = 0; workshop->fd >= 0 && i < PCP_ARCHIVE_FILES; i++)
		(void)unlinkat(workshop->fd, workshop->files[i], 0);
	(void)unlinkat(workshop->place.dir_fd, workshop->name, AT_REMOVEDIR);
}

static void undo(struct mem_undo *self)
{
	remove_all((struct workshop *)((char *)self - offsetof(struct workshop, undo)));
}

static void clear(struct workshop *workshop)
{
	if (!workshop->is_made)
		return;
	mem_undo_pop(&workshop->undo);
	remove_all(workshop);
	workshop->is_made = false;
}

static void workshop_done(struct workshop *workshop)
{
	clear(workshop);
	fd_closep(&workshop->fd);
	output_place_done(&workshop->place);
}

/* The names of the other files are made of that of the first one, to which links may lead. */
static bool is_first_name(const char *name)
{
	size_t len = strlen(name), end = strlen(pcp_archive_suffixes[0]);

	return len > end && strcmp(name + len - end, pcp_archive_suffixes[0]) == 0;
}

/* Others may exchange names in a directory that they can write. An empty directory of this user's
 * that nobody else can write will do: all that is in it from now on is ours to remove. */
static int enter(struct workshop *workshop)
{
	cleanup_(fd_closep) int fd = openat(workshop->place.dir_fd, workshop->name,
	                                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (!fd_is_own(fd, S_IFDIR) || fd_check_empty(fd) < 0)
		return -EACCES;
	workshop->fd = fd;
	fd = -1;
	return 0;
}

static int make(struct workshop *workshop, const char *file, struct strbuf *reterr)
{
	uint64_t number;
	int r = output_place_find(&workshop->place, AT_FDCWD, file, reterr);

	if (r == 0 && workshop->place.dir_fd < 0)
		r = -ENOTDIR;
	if (r == 0 && !is_first_name(workshop->place.name)) {
		strbuf_addf(reterr,
		            "the name of a file of an archive ends in %s, and this one is a link "
		            "to another",
		            pcp_archive_suffixes[0]);
		r = -EINVAL;
	}
	if (r < 0)
		return r;
	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return -EIO;
	snprintf(workshop->name, sizeof(workshop->name), ".ctprof-%016llx",
	         (unsigned long long)number);
	for (unsigned i = 0; i < PCP_ARCHIVE_FILES; i++)
		snprintf(workshop->files[i], sizeof(workshop->files[i]), "%s%s", inner_name,
		         pcp_archive_suffixes[i]);
	if (mkdirat(workshop->place.dir_fd, workshop->name, 0700) < 0)
		return -errno;
	workshop->is_made = true;
	workshop->undo.undo = undo;
	mem_undo_push(&workshop->undo);
	return enter(workshop);
}

static int copy_bytes(int from, struct output *to)
{
	char bytes[1 << 16];
	ssize_t got;
	int r = 0;

	while (r == 0 && (got = read(from, bytes, sizeof(bytes))) != 0)
		r = got < 0 ? -errno : to->sink.write(&to->sink, bytes, (size_t)got);
	return r;
}

struct copies {
	struct output files[PCP_ARCHIVE_FILES];
};

static void copies_done(struct copies *copies)
{
	for (unsigned i = PCP_ARCHIVE_FILES; i-- > 0;)
		output_done(&copies->files[i]);
}

/* Appends the name of a file of the archive in the directory that was found for the first one. */
static void add_name(const struct workshop *workshop, unsigned file, struct strbuf *out)
{
	const char *first = workshop->place.name;

	strbuf_add(out, first, strlen(first) - strlen(pcp_archive_suffixes[0]));
	strbuf_add_str(out, pcp_archive_suffixes[file]);
}

static int copy_file(const struct workshop *workshop, struct output *copy, const char *path,
                     unsigned file)
{
	cleanup_(fd_closep) int from = -1;
	cleanup_(strbuf_done) struct strbuf to = STRBUF_INIT;
	int r;

	add_name(workshop, file, &to);
	from = openat(workshop->fd, workshop->files[file], O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (from < 0) {
		cli_error("%s: %s", path, strerror(errno));
		return -errno;
	}
	r = output_open_at(copy, workshop->place.dir_fd, strbuf_str(&to), OUTPUT_PRIVATE);
	if (r == 0)
		r = copy_bytes(from, copy);
	if (r < 0)
		cli_error("%s: %s", path, output_reason(copy, r));
	return r;
}

/* All files take their names or none does, and the one that readers open first is the last. */
static int copy_all(const struct workshop *workshop, const char *name)
{
	cleanup_(copies_done) struct copies copies;
	unsigned failed = 0;
	int r = 0;

	for (unsigned i = 0; i < PCP_ARCHIVE_FILES; i++)
		copies.files[i] = OUTPUT_INIT;
	for (unsigned i = 0; r == 0 && i < PCP_ARCHIVE_FILES; i++) {
		cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

		strbuf_addf(&path, "%s%s", name, pcp_archive_suffixes[i]);
		r = copy_file(workshop, &copies.files[i], strbuf_str(&path), i);
	}
	if (r < 0)
		return r;
	r = output_commit_all(copies.files, PCP_ARCHIVE_FILES, &failed);
	if (r < 0)
		cli_error("%s%s: %s", name, pcp_archive_suffixes[failed],
		          output_reason(&copies.files[failed], r));
	return r;
}

struct task {
	const struct export_plan *plan;
	char **paths;
	const struct workshop *workshop;
	const char *name;
};

/* Returns 0, or -errno with the error printed. */
static int write_archive(void *context)
{
	const struct task *task = context;
	cleanup_(pcp_archive_freep) struct pcp_archive *archive = NULL;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = 0;

	archive = pcp_archive_new(task->workshop->fd, inner_name, &task->plan->wanted, &reason);
	if (!archive) {
		cli_error("%s: %s", task->name, strbuf_str(&reason));
		return -EIO;
	}
	for (char **path = task->paths; r == 0 && *path; path++)
		r = export_trace(task->plan, *path, pcp_archive_writer(archive));
	if (r < 0)
		return r;
	r = pcp_archive_end(archive, &reason);
	if (r < 0)
		cli_error("%s: %s", task->name, strbuf_str(&reason));
	else
		export_say_missing(&pcp_archive_writer(archive)->rates);
	return r;
}

/* A target or its file system may not answer, so signals end the process here. */
static int copy_released(struct workshop *workshop, const char *name,
                         const struct held_signals *held)
{
	int r;

	workshop->signal_undo = (struct signal_undo){
	        .dir_fd = workshop->place.dir_fd, .name = workshop->name, .flags = AT_REMOVEDIR};
	signal_undo_push(&workshop->signal_undo);
	for (unsigned i = 0; i < PCP_ARCHIVE_FILES; i++) {
		workshop->file_undo[i] =
		        (struct signal_undo){.dir_fd = workshop->fd, .name = workshop->files[i]};
		signal_undo_push(&workshop->file_undo[i]);
	}
	export_child_release(held);
	r = copy_all(workshop, name);
	clear(workshop);
	for (unsigned i = PCP_ARCHIVE_FILES; i-- > 0;)
		signal_undo_pop(&workshop->file_undo[i]);
	signal_undo_pop(&workshop->signal_undo);
	return r;
}

/* The library ends the process where it lacks memory. */
static int export_in(struct workshop *workshop, struct task *task, const struct held_signals *held,
                     int *ret_signal)
{
	int r = export_child_run(write_archive, task, held, ret_signal);

	if (r == EXPORT_CHILD_DONE && *ret_signal == 0)
		r = copy_released(workshop, task->name, held);
	else if (r < 0)
		cli_error("%s: %s", task->name, strerror(-r));
	else if (r == EXPORT_CHILD_ENDED && *ret_signal == 0)
		cli_error("%s: libpcp_import ended its process: out of memory?", task->name);
	return r == 0 ? EXIT_DONE : EXIT_FAILED;
}

int export_pcp(const struct export_plan *plan, char **paths, const char *name)
{
	struct workshop workshop = WORKSHOP_INIT;
	struct task task = {plan, paths, &workshop, name};
	cleanup_(strbuf_done) struct strbuf first = STRBUF_INIT, reason = STRBUF_INIT;
	struct held_signals held;
	int r, signal = 0;

	strbuf_addf(&first, "%s%s", name, pcp_archive_suffixes[0]);
	export_child_hold_signals(&held);
	r = make(&workshop, strbuf_str(&first), &reason);
	if (r < 0) {
		cli_error("%s: %s", name, reason.len > 0 ? strbuf_str(&reason) : strerror(-r));
		r = EXIT_FAILED;
	} else {
		r = export_in(&workshop, &task, &held, &signal);
	}
	workshop_done(&workshop);
	export_child_raise(&held, signal);
	return r;
}
