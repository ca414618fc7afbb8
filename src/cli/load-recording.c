// SPDX-License-Identifier: GPL-2.0-or-later
#include "load-recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "recording/recording-read.h"
#include "when/local-time.h"
#include "when/time-range.h"

struct operand {
	char *path;        /* owned */
	const char *range; /* behind the @, borrowed; NULL: all of it */
};

static void operand_done(struct operand *operand)
{
	free(operand->path);
}

static bool exists(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0;
}

/* Takes apart at the last @ that has an existing path in front of it. */
static bool split(const char *text, struct operand *ret)
{
	const char *at = strrchr(text, '@');

	if (exists(text)) {
		ret->path = mem_copy(text, strlen(text));
		return true;
	}
	if (!at || at == text)
		return false;
	ret->path = mem_copy(text, (size_t)(at - text));
	ret->range = at + 1;
	return exists(ret->path);
}

static uint64_t boot_time_ns(uint64_t now_ns)
{
	uint64_t up_ns = clock_now_ns(CLOCK_BOOTTIME);

	return now_ns > up_ns ? now_ns - up_ns : 0;
}

static int parse_range(const struct operand *operand, struct recording_range *ret,
                       struct strbuf *reterr)
{
	struct time_words words = {.now_ns = clock_now_ns(CLOCK_REALTIME)};
	struct time_range range;
	int r;

	*ret = (struct recording_range){0, UINT64_MAX};
	if (!operand->range)
		return 0;
	words.boot_ns = boot_time_ns(words.now_ns);
	r = time_range_parse(operand->range, &words, &range, reterr);
	if (r == 0)
		*ret = (struct recording_range){range.begin_ns, range.end_ns};
	return r;
}

static void add_range(const struct recording_range *range, struct strbuf *out)
{
	strbuf_add_str(out, "no window in it is of the time from ");
	local_time_add((time_t)(range->begin_ns / NS_PER_SECOND), out);
	strbuf_add_str(out, " to ");
	local_time_add((time_t)(range->end_ns / NS_PER_SECOND), out);
}

static int add_windows(struct load *load, int fd, bool is_directory,
                       const struct recording_range *range, struct window_sum *sum)
{
	int r = is_directory ? recording_read_directory(fd, range, load->limits, sum,
	                                                &load->file_bytes, &load->error)
	                     : recording_read_file(fd, range, load->limits, sum, &load->file_bytes,
	                                           &load->error);

	if (r < 0 || window_sum_count(sum) > 0)
		return r;
	if (range->end_ns == UINT64_MAX)
		strbuf_add_str(&load->error,
		               is_directory ? "a directory without the windows of a recording"
		                            : "there is no window in it");
	else
		add_range(range, &load->error);
	return -ENOENT;
}

static int fill(struct load *load, int fd, bool is_directory, const struct recording_range *range)
{
	cleanup_(window_sum_freep) struct window_sum *sum = window_sum_new();
	cleanup_(load_filler_freep) struct load_filler *filler = NULL;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	int r = add_windows(load, fd, is_directory, range, sum);

	if (r < 0)
		return r;
	filler = load_filler_new(load);
	r = window_sum_write(sum, load_filler_writer(filler), &info);
	if (r == 0)
		load_filler_finish(filler, &info);
	return r;
}

int recording_load(struct load *load)
{
	cleanup_(operand_done) struct operand operand = {0};
	cleanup_(fd_closep) int fd = -1;
	struct recording_range range;
	struct stat status;
	int r;

	if (strcmp(load->path, "-") == 0 || !split(load->path, &operand))
		return 0;
	/* A pipe is no recording, and opening it would wait for a writer. */
	if (stat(operand.path, &status) < 0 ||
	    (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
		return 0;
	fd = open(operand.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	if (!operand.range && !S_ISDIR(status.st_mode) && !recording_is_file(fd))
		return 0;
	r = parse_range(&operand, &range, &load->error);
	if (r == 0)
		r = fill(load, fd, S_ISDIR(status.st_mode), &range);
	return r < 0 ? r : 1;
}
