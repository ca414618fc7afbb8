// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording-keep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

static uint64_t bytes_of(const struct recording_file *file)
{
	return saturating_add(file->bytes, file->sums_bytes);
}

/* Moves the files of later times to the front: a clock that was wrong gave them their names. Returns how many there are. */
static size_t move_future(struct recording_files *files, uint64_t now_unix_s)
{
	enum { SLACK_SECONDS = 3600 };
	struct recording_file *entries = files->entries;
	size_t past = 0;
	struct recording_file *moved;

	while (past < files->count &&
	       entries[past].begin_unix_s <= saturating_add(now_unix_s, SLACK_SECONDS))
		past++;
	if (past == 0 || past == files->count)
		return 0;
	moved = mem_calloc(past, sizeof(*moved));
	memcpy(moved, entries, past * sizeof(*moved));
	memmove(entries, entries + past, (files->count - past) * sizeof(*moved));
	memcpy(entries + files->count - past, moved, past * sizeof(*moved));
	free(moved);
	return files->count - past;
}

size_t recording_keep_excess(const struct recording_keep *keep, struct recording_files *files,
                             uint64_t now_unix_s)
{
	size_t future = move_future(files, now_unix_s), excess = 0;
	uint64_t bytes = 0;

	for (size_t i = 0; i < files->count; i++)
		saturating_add_to(&bytes, bytes_of(&files->entries[i]));
	for (size_t i = 0; i + 1 < files->count; i++) {
		uint64_t end = files->entries[i + 1].begin_unix_s;
		bool is_old = i >= future && keep->seconds > 0 && now_unix_s > keep->seconds &&
		              end < now_unix_s - keep->seconds;

		if (!is_old && (keep->bytes == 0 || bytes <= keep->bytes)) {
			if (i >= future)
				break;
			continue;
		}
		bytes -= bytes_of(&files->entries[i]);
		files->entries[excess++] = files->entries[i];
	}
	return excess;
}

static void remove_file(int dir_fd, const char *name, int *r)
{
	if (unlinkat(dir_fd, name, 0) < 0 && errno != ENOENT && *r == 0)
		*r = -errno;
}

int recording_keep_apply(const struct recording_keep *keep, int dir_fd, uint64_t now_unix_s)
{
	cleanup_(recording_files_done) struct recording_files files = {0};
	int r = recording_files_list(dir_fd, &files);
	size_t excess = r < 0 ? 0 : recording_keep_excess(keep, &files, now_unix_s);

	for (size_t i = 0; i < excess; i++) {
		char sums[RECORDING_NAME_BYTES];

		if (recording_name_of_sums(files.entries[i].name, sums))
			remove_file(dir_fd, sums, &r);
		remove_file(dir_fd, files.entries[i].name, &r);
	}
	return r;
}
