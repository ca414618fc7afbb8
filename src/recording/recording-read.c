// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording-read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/regular-file.h"
#include "base/scan.h"
#include "compression/zstd-stream.h"
#include "recording/frame-source.h"
#include "recording/frame.h"
#include "recording/recording-directory.h"
#include "recording/recording-order.h"
#include "recording/recording-sums.h"
#include "snapshot/frame-base.h"

/* The end of a window, by the wall clock and by the boot's. */
struct window_end {
	uint64_t unix_ns, boottime_ns; /* 0: not known */
};

struct reading {
	int fd;
	const struct recording_range *range;
	const struct snapshot_limits *limits;
	struct frame_budget *budget;
	struct recording_picker
	        *picker; /* chooses the sum of each window; NULL: all have this one */
	struct window_sum *sum;
	uint64_t *bytes;
	struct strbuf *reterr;
	bool has_facts; /* the first window of the file is in the sum, or its facts are */
	uint64_t whole; /* begin of the last frame that does not depend on those before */
	uint64_t known; /* end of the last frame that is in the base; 0: none of this file */
	struct frame_base base;
	bool knows_facts; /* those of the first window of the file, which are: */
	struct snapshot_info facts;
	struct recording_sums sums; /* of the file */
	bool is_closed;             /* no window will follow in the file */
	struct window_end last;     /* of the frame before, if it was looked at */
};

static void reading_done(struct reading *reading)
{
	frame_base_done(&reading->base);
	snapshot_info_done(&reading->facts);
}

int recording_is_file(int fd)
{
	struct stat status;
	uint64_t end = 0;
	int r;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return 0;
	/* A snapshot is not decompressed for this. */
	r = frame_find_headers(fd, 0, &end);
	if (r <= 0)
		return r;
	return (uint64_t)status.st_size > end;
}

/* Finds the number behind a key at the begin of a window's text. Returns 0 if there is none. */
static uint64_t find_time(const char *head, size_t len, const char *key)
{
	const char *at = memmem(head, len, key, strlen(key)), *digits;
	uint64_t ns = 0;

	if (!at)
		return 0;
	digits = at + strlen(key);
	len -= (size_t)(digits - head);
	for (at = digits; len > 0 && *at >= '0' && *at <= '9'; at++)
		len--;
	return scan_u64(digits, (size_t)(at - digits), &ns) ? ns : 0;
}

/* The key is before all values of the host's making. */
static bool has_changes(const char *head, size_t len)
{
	static const char key[] = "\"version\":2,";
	const char *end = memmem(head, len, "\"kind\"", 6);

	return end && memmem(head, (size_t)(end - head), key, sizeof(key) - 1);
}

/* Reads the end of the window in a frame, which is in the first bytes of the text. */
static int read_end(struct reading *reading, uint64_t begin, uint64_t end, struct window_end *ret)
{
	enum { HEAD_BYTES = 4096 };
	struct frame_source source = frame_source_make(reading->fd, begin, end);
	struct zstd_decompressor **spare = &reading->budget->spare;
	struct zstd_decompressor *zstd = zstd_decompressor_reuse(spare, &source.source);
	struct byte_source *text = zstd_decompressor_source(zstd);
	char head[HEAD_BYTES];
	size_t len = 0;
	int r = text->read(text, head, sizeof(head), &len);

	*ret = (struct window_end){0};
	if (r == 0) {
		ret->unix_ns = find_time(head, len, "\"captured_at_unix_ns\":");
		ret->boottime_ns = find_time(head, len, "\"captured_boottime_ns\":");
	}
	if (r == 0 && !has_changes(head, len))
		reading->whole = begin;
	zstd_decompressor_keep(spare, zstd);
	if (ret->unix_ns > 0)
		return 0;
	strbuf_add_str(reading->reterr, "a frame in it is no window");
	return r < 0 ? r : -EBADMSG;
}

/* Reads the info of a window, without its rows. */
static int read_info(const struct reading *reading, uint64_t begin, uint64_t end,
                     struct snapshot_info *ret_info)
{
	struct frame_source source = frame_source_make(reading->fd, begin, end);
	struct snapshot_limits limits = frame_limits(reading->budget, reading->limits, end - begin);
	struct snapshot_visitor visitor = {.thread = NULL};

	return snapshot_read(&source.source, &limits, &visitor, ret_info, reading->reterr);
}

/* The windows behind the first one of a file leave out what that one says. */
static int read_facts(struct reading *reading)
{
	cleanup_(snapshot_info_done) struct snapshot_info copy = {0};
	uint64_t end = 0;
	int r = 0;

	if (!reading->knows_facts) {
		snapshot_info_done(&reading->facts);
		reading->facts = (struct snapshot_info){0};
		r = frame_find_end(reading->fd, 0, &end);
		if (r > 0)
			r = read_info(reading, 0, end, &reading->facts);
		reading->knows_facts = r == 0;
	}
	if (r < 0)
		return r;
	host_copy(&copy.host, &reading->facts.host);
	settings_copy(&copy.settings, &reading->facts.settings);
	window_sum_set_facts(reading->sum, &copy);
	return 0;
}

/* Returns 1 if the window begins inside the range, or the sum of it. */
static int begins_inside(const struct reading *reading, uint64_t begin, uint64_t end)
{
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	int r = read_info(reading, begin, end, &info);

	if (r < 0)
		return r;
	return !info.window.seen[WINDOW_begin_unix_ns] ||
	       info.window.numbers[WINDOW_begin_unix_ns] < reading->range->end_ns ||
	       info.window.numbers[WINDOW_begin_unix_ns] == reading->range->begin_ns;
}

/* A window of changes needs those before it, from the last whole one on. */
static int pass_before(struct reading *reading, uint64_t begin)
{
	uint64_t at = reading->known > reading->whole ? reading->known : reading->whole, end = 0;
	int r = 0;

	for (; r == 0 && at < begin; at = end) {
		struct snapshot_limits limits;
		struct frame_source source;

		r = frame_find_end(reading->fd, at, &end);
		if (r <= 0)
			return r;
		source = frame_source_make(reading->fd, at, end);
		limits = frame_limits(reading->budget, reading->limits, end - at);
		window_sum_swap_base(reading->sum, &reading->base);
		r = window_sum_pass(reading->sum, &source.source, &limits, reading->reterr);
		window_sum_swap_base(reading->sum, &reading->base);
		reading->known = end;
		*reading->bytes += end - at;
	}
	return r;
}

static int add_facts(struct reading *reading, uint64_t begin)
{
	int r = 0;

	if (begin > 0 && !reading->has_facts && window_sum_count(reading->sum) == 0)
		r = read_facts(reading);
	reading->has_facts = true;
	return r;
}

static int add_window(struct reading *reading, uint64_t begin, uint64_t end)
{
	struct frame_source source = frame_source_make(reading->fd, begin, end);
	struct snapshot_limits limits;
	int r = reading->whole == begin ? 0 : pass_before(reading, begin);

	if (r == 0)
		r = add_facts(reading, begin);
	if (r < 0)
		return r;
	limits = frame_limits(reading->budget, reading->limits, end - begin);
	window_sum_swap_base(reading->sum, &reading->base);
	r = window_sum_read(reading->sum, &source.source, &limits, reading->reterr);
	window_sum_swap_base(reading->sum, &reading->base);
	reading->known = end;
	*reading->bytes += end - begin;
	return r;
}

/* Returns whether the window has a sum. The facts of a file are in one sum. */
static bool pick_sum(struct reading *reading, uint64_t ends_ns)
{
	struct window_sum *sum;

	if (!reading->picker)
		return true;
	sum = reading->picker->pick(reading->picker, ends_ns);
	if (sum != reading->sum || (sum && window_sum_count(sum) == 0))
		reading->has_facts = false;
	reading->sum = sum;
	return sum != NULL;
}

/* Finds the windows from a whole one up to the next one, whose times rise and lie in the range. Returns false if there are none that
 * are worth a sum. */
static bool find_run(const struct reading *reading, uint64_t begin, struct recording_sum *ret)
{
	enum { WINDOWS_MIN = 8 };
	struct reading heads = {.fd = reading->fd,
	                        .budget = reading->budget,
	                        .reterr = &(struct strbuf){0},
	                        .whole = begin};
	uint64_t at = begin, end = 0, before_ns = reading->range->begin_ns;
	struct window_end last = {0};
	unsigned windows = 0;
	int r;

	*ret = (struct recording_sum){.is_merged = window_sum_merges(reading->sum), .begin = begin};
	while ((r = frame_find_end(reading->fd, at, &end)) > 0) {
		r = read_end(&heads, at, end, &last);
		if (r < 0 || heads.whole != begin)
			break;
		if (last.unix_ns <= before_ns || last.unix_ns > reading->range->end_ns) {
			r = -ERANGE;
			break;
		}
		before_ns = last.unix_ns;
		at = end;
		windows++;
	}
	strbuf_done(heads.reterr);
	ret->end = at;
	return (r == 0 && (heads.whole != begin || reading->is_closed)) && windows >= WINDOWS_MIN;
}

/* Adds up the windows of @run in memory. Returns 0 or -errno. */
static int add_up_run(const struct reading *reading, struct recording_sum *run,
                      struct memory_stream *ret)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(window_sum_freep) struct window_sum *sum = window_sum_new();
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	/* Done before its sink is. */
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer = NULL;
	uint64_t at = run->begin, end = 0;
	int r = 0;

	if (run->is_merged)
		window_sum_merge(sum);
	for (; r == 0 && at < run->end; at = end) {
		struct snapshot_limits limits;
		struct frame_source source;

		r = frame_find_end(reading->fd, at, &end);
		if (r <= 0)
			return r < 0 ? r : -EBADMSG;
		source = frame_source_make(reading->fd, at, end);
		limits = frame_limits(reading->budget, reading->limits, end - at);
		r = window_sum_read(sum, &source.source, &limits, &reason);
	}
	if (r < 0)
		return r;
	writer = snapshot_writer_new(&ret->sink, SNAPSHOT_ZSTD_LEVEL);
	r = window_sum_write(sum, writer, &info);
	run->begin_unix_ns = info.window.numbers[WINDOW_begin_unix_ns];
	run->end_unix_ns = info.captured_at_unix_ns;
	if (r == 0 && info.tally.threads > reading->limits->threads)
		r = -E2BIG;
	return r == 0 && !info.window.seen[WINDOW_begin_unix_ns] ? -EBADMSG : r;
}

/* Makes the sum of the windows from a whole one on, and keeps it. Whatever fails, there is none. */
static bool make_sum(struct reading *reading, uint64_t begin)
{
	cleanup_(memory_stream_done) struct memory_stream frame = memory_stream_make();
	struct recording_sum run;

	return reading->sums.may_add && find_run(reading, begin, &run) &&
	       add_up_run(reading, &run, &frame) == 0 &&
	       recording_sums_add(&reading->sums, run, &frame.bytes);
}

/* Returns whether a frame that does not depend on those before begins there, or the file ends. */
static bool may_begin(struct reading *reading, uint64_t begin)
{
	struct reading head = {.fd = reading->fd,
	                       .budget = reading->budget,
	                       .reterr = &(struct strbuf){0},
	                       .whole = UINT64_MAX};
	struct window_end last;
	uint64_t end = 0;
	int r = frame_find_end(reading->fd, begin, &end);

	if (r > 0)
		r = read_end(&head, begin, end, &last) < 0 || head.whole != begin ? -EBADMSG : 0;
	strbuf_done(head.reterr);
	return r == 0;
}

/* Adds a sum in place of its windows. Returns 1; 0 if it cannot be used; or -errno. */
static int add_sum(struct reading *reading, const struct recording_sum *sum)
{
	enum { MEMORY_PART = 4 }; /* of the memory may hold a frame */
	cleanup_(memory_stream_done) struct memory_stream frame = memory_stream_make();
	struct snapshot_limits limits;
	int r;

	if (sum->len > reading->limits->memory / MEMORY_PART ||
	    !recording_sums_read(&reading->sums, sum, &frame))
		return 0;
	r = add_facts(reading, sum->begin);
	limits = frame_limits(reading->budget, reading->limits, sum->len);
	if (r == 0)
		r = window_sum_read(reading->sum, &frame.source, &limits, reading->reterr);
	*reading->bytes += sum->len;
	reading->known = sum->end;
	return r < 0 ? r : 1;
}

/* Uses the sum of the windows from @begin on, if there is one: adds it if they are in the range, and passes over them if none is.
 * Returns 1 and their end, 0, or -errno. */
static int use_sum(struct reading *reading, uint64_t begin, uint64_t *ret_end)
{
	const struct recording_range *range = reading->range;
	const struct recording_sum *sum = NULL;
	uint64_t end;
	int r;

	if (reading->sum)
		sum = recording_sums_find(&reading->sums, begin, window_sum_merges(reading->sum));
	end = sum ? sum->end : 0;
	if (!sum || !may_begin(reading, end))
		return 0;
	if (sum->begin_unix_ns >= range->begin_ns && sum->end_unix_ns <= range->end_ns)
		r = add_sum(reading, sum);
	else
		r = sum->end_unix_ns <= range->begin_ns ||
		    (sum->begin_unix_ns >= range->end_ns && sum->begin_unix_ns > range->begin_ns);
	if (r > 0)
		*ret_end = end;
	return r;
}

/* Returns whether a window begins behind the range since the one before it in the file ended there, and the clock was not set meanwhile. */
static bool follows_behind(const struct window_end *before, const struct window_end *last,
                           const struct recording_range *range)
{
	uint64_t by_boot_ns = last->boottime_ns - before->boottime_ns,
	         by_wall_ns = last->unix_ns - before->unix_ns;
	uint64_t off_ns =
	        by_wall_ns > by_boot_ns ? by_wall_ns - by_boot_ns : by_boot_ns - by_wall_ns;

	return before->unix_ns > range->end_ns && before->boottime_ns > 0 &&
	       last->unix_ns > before->unix_ns && last->boottime_ns > before->boottime_ns &&
	       off_ns < before->unix_ns - range->end_ns;
}

/* Windows are in the order of their times, unless the clock was set: each is judged by itself. If a sum is made, @ref_end moves to
 * the end of its windows. */
static int add_frame(struct reading *reading, uint64_t begin, uint64_t *ref_end)
{
	struct window_end last = {0}, before = reading->last;
	uint64_t end = *ref_end;
	int r = read_end(reading, begin, end, &last);

	reading->last = last;
	if (r < 0 || last.unix_ns <= reading->range->begin_ns)
		return r;
	if (reading->whole == begin && make_sum(reading, begin)) {
		r = use_sum(reading, begin, ref_end);
		if (r != 0)
			return r;
	}
	/* One that ends inside begins before the end. */
	if (last.unix_ns > reading->range->end_ns) {
		r = follows_behind(&before, &last, reading->range)
		            ? 0
		            : begins_inside(reading, begin, end);
		if (r <= 0)
			return r;
	}
	return pick_sum(reading, last.unix_ns) ? add_window(reading, begin, end) : 0;
}

/* Reads the frames of a file. */
static int read_file(struct reading *reading, int fd)
{
	uint64_t begin = 0, end = 0;
	int r;

	reading->fd = fd;
	reading->has_facts = reading->knows_facts = false;
	reading->whole = reading->known = 0;
	reading->last = (struct window_end){0};
	while ((r = frame_find_end(fd, begin, &end)) > 0) {
		r = use_sum(reading, begin, &end);
		if (r > 0)
			reading->last = (struct window_end){0};
		if (r == 0)
			r = add_frame(reading, begin, &end);
		if (r < 0)
			return r;
		begin = end;
	}
	if (r == -EBADMSG)
		frame_explain_damage(begin, reading->reterr);
	return r;
}

/* A file is of no use if the next one begins before the range, or if it begins behind it. The clock may have been set by an hour
 * meanwhile. All windows of a file begin in one hour, whatever the clock was set to behind it. */
static bool may_touch(const struct recording_files *files, size_t at,
                      const struct recording_range *range)
{
	enum { SLACK_SECONDS = 3600, HOUR_SECONDS = 3600 };
	uint64_t begin_s = range->begin_ns / NS_PER_SECOND, end_s = range->end_ns / NS_PER_SECOND;
	uint64_t first_s = files->entries[at].begin_unix_s, last_s;

	if (at + 1 < files->count) {
		last_s = files->entries[at + 1].begin_unix_s;
		if (last_s < first_s)
			last_s = first_s + HOUR_SECONDS;
		if (last_s + SLACK_SECONDS < begin_s)
			return false;
	}
	return first_s <= saturating_add(end_s, SLACK_SECONDS);
}

static int read_directory(struct reading *reading, int dir_fd)
{
	cleanup_(recording_files_done) struct recording_files files = {0};
	int r = recording_files_list(dir_fd, &files);

	recording_files_order(dir_fd, &files);
	for (size_t i = 0; r == 0 && i < files.count; i++) {
		cleanup_(fd_closep) int fd = -1;

		if (!may_touch(&files, i, reading->range))
			continue;
		fd = regular_file_open_beside(dir_fd, files.entries[i].name);
		/* The recorder may have removed it. */
		if (fd < 0 && fd != -ENOENT)
			r = fd;
		if (fd < 0)
			continue;
		reading->is_closed = i + 1 < files.count;
		/* A picker gets each window. */
		if (!reading->picker)
			recording_sums_open(&reading->sums, dir_fd, files.entries[i].name, fd);
		r = read_file(reading, fd);
		recording_sums_done(&reading->sums);
		if (r < 0 && reading->reterr->len > 0)
			strbuf_addf(reading->reterr, " (%s)", files.entries[i].name);
	}
	return r;
}

int recording_read_file(int fd, const struct recording_range *range,
                        const struct snapshot_limits *limits, struct window_sum *sum,
                        uint64_t *ret_bytes, struct strbuf *reterr)
{
	cleanup_(frame_budget_done) struct frame_budget budget = {0};
	cleanup_(reading_done) struct reading reading = {.range = range,
	                                                 .limits = limits,
	                                                 .budget = &budget,
	                                                 .sum = sum,
	                                                 .bytes = ret_bytes,
	                                                 .reterr = reterr,
	                                                 .sums = RECORDING_SUMS_INIT};

	return read_file(&reading, fd);
}

int recording_read_directory(int dir_fd, const struct recording_range *range,
                             const struct snapshot_limits *limits, struct window_sum *sum,
                             uint64_t *ret_bytes, struct strbuf *reterr)
{
	cleanup_(frame_budget_done) struct frame_budget budget = {0};
	cleanup_(reading_done) struct reading reading = {.range = range,
	                                                 .limits = limits,
	                                                 .budget = &budget,
	                                                 .sum = sum,
	                                                 .bytes = ret_bytes,
	                                                 .reterr = reterr,
	                                                 .sums = RECORDING_SUMS_INIT};

	return read_directory(&reading, dir_fd);
}

int recording_pick(int fd, bool is_directory, const struct recording_range *range,
                   const struct snapshot_limits *limits, struct recording_picker *picker,
                   struct strbuf *reterr)
{
	uint64_t bytes = 0;
	cleanup_(frame_budget_done) struct frame_budget budget = {0};
	cleanup_(reading_done) struct reading reading = {.picker = picker,
	                                                 .range = range,
	                                                 .limits = limits,
	                                                 .budget = &budget,
	                                                 .bytes = &bytes,
	                                                 .reterr = reterr,
	                                                 .sums = RECORDING_SUMS_INIT};

	return is_directory ? read_directory(&reading, fd) : read_file(&reading, fd);
}
