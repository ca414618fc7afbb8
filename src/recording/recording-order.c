// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording-order.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/regular-file.h"
#include "base/scan.h"
#include "compression/zstd-stream.h"
#include "recording/frame-source.h"
#include "recording/frame.h"

/* The labels and the kernel's command line are before the boot's id. */
enum { HEAD_BYTES = 64 << 10, BOOT_ID_BYTES = 36 };

struct file_begin {
	char boot_id[BOOT_ID_BYTES]; /* the first byte is 0: not known */
	uint64_t boottime_ns;        /* the end of its first window */
};

/* Returns the text behind a key, or NULL if fewer than @min bytes follow. A key has no place in a string, where quotes are escaped. */
static const char *find_value(const char *head, size_t len, const char *key, size_t min)
{
	const char *at = memmem(head, len, key, strlen(key));

	if (!at)
		return NULL;
	at += strlen(key);
	return (size_t)(at - head) + min <= len ? at : NULL;
}

static void find_begin(const char *head, size_t len, struct file_begin *ret)
{
	const char *time = find_value(head, len, "\"captured_boottime_ns\":", 1);
	const char *boot = find_value(head, len, "\"boot_id\":\"", BOOT_ID_BYTES);
	size_t digits = 0;

	if (!time || !boot)
		return;
	while (time + digits < head + len && time[digits] >= '0' && time[digits] <= '9')
		digits++;
	if (scan_u64(time, digits, &ret->boottime_ns))
		memcpy(ret->boot_id, boot, BOOT_ID_BYTES);
}

/* Reads the begin of a file's first window. */
static void read_begin(int dir_fd, const char *name, char *head, struct file_begin *ret)
{
	cleanup_(fd_closep) int fd = regular_file_open_beside(dir_fd, name);
	struct zstd_decompressor *zstd;
	struct frame_source source;
	struct byte_source *text;
	uint64_t end = 0;
	size_t len = 0, more = 1;

	*ret = (struct file_begin){0};
	if (fd < 0 || frame_find_end(fd, 0, &end) <= 0)
		return;
	source = frame_source_make(fd, 0, end);
	zstd = zstd_decompressor_new(&source.source);
	text = zstd_decompressor_source(zstd);
	for (; more > 0 && len < HEAD_BYTES; len += more) {
		more = 0;
		if (text->read(text, head + len, HEAD_BYTES - len, &more) < 0)
			break;
	}
	zstd_decompressor_free(zstd);
	find_begin(head, len, ret);
}

static bool is_same_boot(const struct file_begin *a, const struct file_begin *b)
{
	return a->boot_id[0] != '\0' && memcmp(a->boot_id, b->boot_id, BOOT_ID_BYTES) == 0;
}

static bool is_behind(const struct file_begin *a, const struct file_begin *b)
{
	return is_same_boot(a, b) && a->boottime_ns > b->boottime_ns;
}

/* Sorts the files of each boot among the places that they have. */
static void sort(struct recording_files *files, struct file_begin *begins)
{
	for (size_t i = 0; i < files->count; i++)
		for (size_t j = i + 1; j < files->count; j++) {
			struct recording_file file = files->entries[i];
			struct file_begin begin = begins[i];

			if (!is_behind(&begin, &begins[j]))
				continue;
			files->entries[i] = files->entries[j];
			files->entries[j] = file;
			begins[i] = begins[j];
			begins[j] = begin;
		}
}

void recording_files_order(int dir_fd, struct recording_files *files)
{
	struct file_begin *begins = mem_calloc(files->count + 1, sizeof(*begins));
	char *head = mem_calloc(1, HEAD_BYTES);
	bool is_wrong = false;

	for (size_t i = 0; i < files->count; i++)
		read_begin(dir_fd, files->entries[i].name, head, &begins[i]);
	for (size_t i = 1; i < files->count && !is_wrong; i++)
		is_wrong = is_behind(&begins[i - 1], &begins[i]);
	if (is_wrong)
		sort(files, begins);
	free(head);
	free(begins);
}
