// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/recording-operand.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/boot-clock.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/operand-open.h"
#include "when/local-time.h"
#include "when/time-range.h"

static bool exists(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0;
}

/* Takes apart at the last @ that has an existing path in front of it. */
static bool split(const char *text, struct recording_operand *ret)
{
	const char *at = strrchr(text, '@');

	if (exists(text)) {
		ret->path = mem_copy_text(text);
		return true;
	}
	if (!at || at == text)
		return false;
	ret->path = mem_copy(text, (size_t)(at - text));
	ret->range_text = at + 1;
	return exists(ret->path);
}

static uint64_t boot_time_ns(uint64_t now_ns)
{
	uint64_t up_ns = boot_clock_now_ns();

	return now_ns > up_ns ? now_ns - up_ns : 0;
}

static int parse_range(struct recording_operand *operand, struct strbuf *reterr)
{
	struct time_words words = {.now_ns = clock_now_ns(CLOCK_REALTIME)};
	struct time_range range;
	int r;

	operand->range = (struct recording_range){0, UINT64_MAX};
	if (!operand->range_text)
		return 0;
	words.boot_ns = boot_time_ns(words.now_ns);
	r = time_range_parse(operand->range_text, &words, &range, reterr);
	if (r == 0)
		operand->range = (struct recording_range){range.begin_ns, range.end_ns};
	return r;
}

/* Returns 1 if the path was opened and may be a recording, 0 if it is none, or -errno with a phrase. */
static int open_path(struct recording_operand *operand, const char *text, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	struct stat status;
	int fd;

	if (strcmp(text, "-") == 0 || !split(text, operand))
		return 0;
	fd = operand_open(AT_FDCWD, operand->path, OPERAND_FILE | OPERAND_DIRECTORY, &phrase);
	/* A pipe is no recording, and opening it would wait for a writer. */
	if (fd == -EMEDIUMTYPE)
		return 0;
	if (fd < 0) {
		strbuf_add_str(reterr, strbuf_str(&phrase));
		return fd;
	}
	operand->fd = fd;
	if (fstat(operand->fd, &status) < 0)
		return -errno;
	operand->is_directory = S_ISDIR(status.st_mode);
	return operand->range_text || operand->is_directory ? 1 : recording_is_file(operand->fd);
}

int recording_operand_open(struct recording_operand *operand, const char *text,
                           struct strbuf *reterr)
{
	int r = open_path(operand, text, reterr), parsed;

	if (r <= 0)
		return r;
	parsed = parse_range(operand, reterr);
	return parsed < 0 ? parsed : 1;
}

int recording_operand_is(const char *text)
{
	cleanup_(recording_operand_done) struct recording_operand operand = RECORDING_OPERAND_INIT;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	return open_path(&operand, text, &reason);
}

static void add_range(const struct recording_range *range, struct strbuf *out)
{
	bool is_moment = range->begin_ns == range->end_ns;

	strbuf_add_str(out, is_moment ? "no window in it is of "
	                              : "no window in it is of the time from ");
	local_time_add((time_t)(range->begin_ns / NS_PER_SECOND), out);
	if (is_moment)
		return;
	strbuf_add_str(out, " to ");
	local_time_add((time_t)(range->end_ns / NS_PER_SECOND), out);
}

static int add_windows(struct recording_operand *operand, const struct snapshot_limits *limits,
                       struct window_sum *sum, struct strbuf *reterr)
{
	int r = operand->is_directory
	                ? recording_read_directory(operand->fd, &operand->range, limits, sum,
	                                           &operand->bytes, reterr)
	                : recording_read_file(operand->fd, &operand->range, limits, sum,
	                                      &operand->bytes, reterr);

	/* The sentence is about frames, and there is one. */
	if (r == -EINVAL && !operand->is_directory && recording_is_file(operand->fd) == 0) {
		strbuf_clear(reterr);
		strbuf_add_str(reterr, "it has whole lives, and no windows of which a range could "
		                       "be taken");
	}
	if (r < 0 || window_sum_count(sum) > 0)
		return r;
	if (operand->range.end_ns == UINT64_MAX)
		strbuf_add_str(reterr, operand->is_directory
		                               ? "a directory without the windows of a recording"
		                               : "there is no window in it");
	else
		add_range(&operand->range, reterr);
	return -ENOENT;
}

int recording_operand_write(struct recording_operand *operand, const struct snapshot_limits *limits,
                            struct snapshot_writer *writer, struct snapshot_info *ret_info,
                            struct strbuf *reterr)
{
	cleanup_(window_sum_freep) struct window_sum *sum = window_sum_new();
	int r;

	if (operand->may_merge)
		window_sum_merge(sum);
	r = add_windows(operand, limits, sum, reterr);
	memset(ret_info, 0, sizeof(*ret_info));
	return r < 0 ? r : window_sum_write(sum, writer, ret_info);
}

int recording_operand_copy(struct recording_operand *operand, const struct snapshot_limits *limits,
                           struct memory_stream *ret, struct strbuf *reterr)
{
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer =
	        snapshot_writer_new(&ret->sink, SNAPSHOT_ZSTD_LEVEL);

	return recording_operand_write(operand, limits, writer, &info, reterr);
}

void recording_operand_done(struct recording_operand *operand)
{
	free(operand->path);
	operand->path = NULL;
	fd_closep(&operand->fd);
}
