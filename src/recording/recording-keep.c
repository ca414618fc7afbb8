// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording-keep.h"

#include <errno.h>
#include <unistd.h>

static uint64_t bytes_of(const struct recording_file *file)
{
	return saturating_add(file->bytes, file->sums_bytes);
}

size_t recording_keep_excess(const struct recording_keep *keep, const struct recording_files *files,
                             uint64_t now_unix_s)
{
	uint64_t bytes = 0;
	size_t excess = 0;

	for (size_t i = 0; i < files->count; i++)
		saturating_add_to(&bytes, bytes_of(&files->entries[i]));
	while (excess + 1 < files->count) {
		uint64_t end = files->entries[excess + 1].begin_unix_s;
		bool is_old = keep->seconds > 0 && now_unix_s > keep->seconds &&
		              end < now_unix_s - keep->seconds;

		if (!is_old && (keep->bytes == 0 || bytes <= keep->bytes))
			break;
		bytes -= bytes_of(&files->entries[excess]);
		excess++;
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
