// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording-status.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>

#include "base/fd.h"
#include "recording/frame-source.h"
#include "recording/frame.h"
#include "recording/recording-directory.h"

static void add_info(struct recording_status *status, const struct snapshot_info *info)
{
	uint64_t begin_ns = info->window.numbers[WINDOW_begin_unix_ns];

	if (status->newest_windows++ == 0) {
		status->begin_unix_ns = begin_ns;
	} else if (begin_ns > status->end_unix_ns) {
		status->gaps++;
		saturating_add_to(&status->gap_ns, begin_ns - status->end_unix_ns);
	}
	status->end_unix_ns = info->captured_at_unix_ns;
	saturating_add_to(&status->length_ns, info->window.numbers[WINDOW_length_ns]);
	saturating_add_to(&status->cpu_ns, info->cost[COST_user_cpu_ns]);
	saturating_add_to(&status->cpu_ns, info->cost[COST_system_cpu_ns]);
}

/* Counts the windows of a file, and reads them if it is the newest. */
static int read_file(struct recording_status *status, int fd, bool is_newest,
                     const struct snapshot_limits *limits, struct strbuf *reterr)
{
	struct snapshot_visitor visitor = {.thread = NULL};
	uint64_t begin = 0, end = 0;
	int r;

	while ((r = frame_find_end(fd, begin, &end)) > 0) {
		cleanup_(snapshot_info_done) struct snapshot_info info = {0};
		struct frame_source source = frame_source_make(fd, begin, end);

		status->windows++;
		if (is_newest)
			r = snapshot_read(&source.source, limits, &visitor, &info, reterr);
		if (r < 0)
			return r;
		if (is_newest)
			add_info(status, &info);
		begin = end;
	}
	if (is_newest)
		status->newest_bytes = end;
	return r;
}

static int read_files(struct recording_status *status, int dir_fd,
                      const struct snapshot_limits *limits, struct strbuf *reterr)
{
	cleanup_(recording_files_done) struct recording_files files = {0};
	int r = recording_files_list(dir_fd, &files);

	if (r == 0 && files.count > 0)
		status->first_unix_s = files.entries[0].begin_unix_s;
	for (size_t i = 0; r == 0 && i < files.count; i++) {
		const struct recording_file *file = &files.entries[i];
		cleanup_(fd_closep) int fd =
		        openat(dir_fd, file->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

		if (fd < 0 && errno == ENOENT)
			continue;
		status->files++;
		status->bytes += file->bytes;
		r = fd < 0 ? -errno : read_file(status, fd, i + 1 == files.count, limits, reterr);
	}
	return r;
}

int recording_status_read(int dir_fd, const struct snapshot_limits *limits,
                          struct recording_status *ret, struct strbuf *reterr)
{
	struct statvfs system;
	int r;

	*ret = (struct recording_status){0};
	if (fstatvfs(dir_fd, &system) == 0)
		ret->free_bytes = (uint64_t)system.f_bavail * system.f_frsize;
	r = recording_lock_owner(dir_fd, &ret->recorder);
	return r < 0 ? r : read_files(ret, dir_fd, limits, reterr);
}
