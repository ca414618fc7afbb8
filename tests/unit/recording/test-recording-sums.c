// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of windows that are kept beside a file of a recording change no value of any range, whatever became of them. */
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory-stream.h"
#include "recording/recording-read.h"
#include "recording/recording-sums.h"
#include "recording/recording-write.h"
#include "samples.h"
#include "snapshot/frame-base.h"
#include "temp-tree.h"
#include "windows.h"

enum { THREADS = 5, WINDOWS = 250, RUN = 120, BEGIN_S = 5000 };

#define UNIX_S(second_) (UINT64_C(1000000) + BEGIN_S + (uint64_t)(second_))

/* The clock is set back behind this window; WINDOWS: never. */
struct scenario {
	unsigned set_back_behind;
};

/* Each thread lives for a time of its own, and another one follows. */
static void read_host(unsigned second, const struct scenario *scenario, struct reading *ret)
{
	reading_init(ret, SECONDS(BEGIN_S + second));
	/* The first window of a file has the settings, and the others only what differs. */
	if (second == 1) {
		settings_add(&ret->info.settings, "vm.swappiness", 13, "60", 2);
		ret->info.settings.seen = true;
	}
	if (second > scenario->set_back_behind)
		ret->info.captured_at_unix_ns -= SECONDS(40);
	for (unsigned i = 0; i < THREADS; i++) {
		unsigned life = 30 + 37 * i, nth = second / life, age = second % life;
		uint64_t born = SECOND_TICKS(BEGIN_S - 1 + nth * life);
		struct thread_sample *sample = reading_add(ret, 10 + i, 10 + i, born);

		sample->read_boottime_ns = ret->info.captured_boottime_ns;
		sample_set_process_start(sample, born);
		sample_name(&sample->comm, "work");
		sample_set(sample, run_time_ns, (struct counter_ns){age * (1000 + i)});
		sample_set(sample, minflt, (struct counter_count){age / 7});
	}
}

/* Writes a recording of one file. Returns its length. */
static uint64_t record(const struct temp_tree *tree, const struct scenario *scenario)
{
	const struct recording_keep keep = {0};
	cleanup_(frame_base_done) struct frame_base base = {0};
	struct recording_writer files;
	struct reading before, now;
	uint64_t bytes = 0;

	assert_int_equal(recording_writer_open(&files, tree->fd, &keep), 0);
	(void)!recording_writer_begins_file(&files, UNIX_S(0));
	read_host(0, scenario, &before);
	for (unsigned i = 1; i <= WINDOWS; i++) {
		cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
		cleanup_(snapshot_info_done) struct snapshot_info info = {0};
		cleanup_(window_reading_done) struct window_reading a = {0}, b = {0};
		cleanup_(exit_log_done) struct exit_log exits = {.exits = WINDOW_EXITS_completed};
		struct window_options options = {.exits = &exits};
		struct memory_sink sink = memory_sink_make(SIZE_MAX);
		struct snapshot_writer *writer = snapshot_writer_new(&sink.base, 1);

		read_host(i, scenario, &now);
		snapshot_writer_follow(writer, &base, false);
		reading_load(&before, &a);
		reading_load(&now, &b);
		assert_int_equal(window_of_readings(&a, &b, &options, writer, &info, &reason), 0);
		snapshot_writer_freep(&writer);
		assert_int_equal(
		        recording_writer_append(&files, UNIX_S(0), sink.bytes.data, sink.bytes.len),
		        0);
		bytes += sink.bytes.len;
		strbuf_done(&sink.bytes);
		reading_done(&before);
		before = now;
	}
	reading_done(&before);
	recording_writer_done(&files);
	return bytes;
}

/* Reads a range of the directory, or of its one file, which has no sums then. Returns the bytes that were read. */
static uint64_t add_up(const struct temp_tree *tree, const char *file, struct recording_range range,
                       struct strbuf *ret)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(window_sum_freep) struct window_sum *sum = window_sum_new();
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, 1);
	uint64_t bytes = 0;
	int fd = file ? openat(tree->fd, file, O_RDONLY | O_CLOEXEC) : tree->fd, r;

	r = (file ? recording_read_file : recording_read_directory)(
	        fd, &range, &snapshot_default_limits, sum, &bytes, &reason);
	if (r < 0)
		fail_msg("%d: %s", r, strbuf_str(&reason));
	assert_int_equal(window_sum_write(sum, writer, &info), 0);
	snapshot_writer_freep(&writer);
	strbuf_clear(ret);
	zstd_unpack(sink.bytes.data, sink.bytes.len, ret);
	strbuf_done(&sink.bytes);
	if (file)
		close(fd);
	return bytes;
}

static struct recording_range seconds(unsigned from, unsigned to)
{
	return (struct recording_range){UNIX_S(from) * SECONDS(1), UNIX_S(to) * SECONDS(1)};
}

struct files {
	char name[RECORDING_NAME_BYTES], sums[RECORDING_NAME_BYTES];
};

static struct files files_of(void)
{
	struct files files;

	assert_true(recording_name_make(UNIX_S(0), files.name));
	assert_true(recording_name_of_sums(files.name, files.sums));
	return files;
}

static const struct recording_range whole = {0, UINT64_MAX};

/* Checks that the directory has the values of the file, and returns the bytes that were read. */
static uint64_t check_same(const struct temp_tree *tree, struct recording_range range)
{
	const struct files files = files_of();
	cleanup_(strbuf_done) struct strbuf expected = STRBUF_INIT, text = STRBUF_INIT;
	uint64_t bytes;

	add_up(tree, files.name, range, &expected);
	bytes = add_up(tree, NULL, range, &text);
	assert_string_equal(strbuf_str(&text), strbuf_str(&expected));
	return bytes;
}

static size_t count_of_sums(const struct temp_tree *tree)
{
	const struct files files = files_of();
	struct recording_sums sums;
	int fd = openat(tree->fd, files.name, O_RDONLY | O_CLOEXEC);
	size_t count;

	recording_sums_open(&sums, tree->fd, files.name, fd);
	count = sums.count;
	recording_sums_done(&sums);
	close(fd);
	return count;
}

static void any_range_is_the_same(void **state)
{
	const struct temp_tree *tree = *state;
	uint64_t bytes = record(tree, &(struct scenario){WINDOWS});

	check_same(tree, seconds(10, 20));
	assert_int_equal(count_of_sums(tree), 0);
	check_same(tree, seconds(100, 245));
	assert_int_equal(count_of_sums(tree), 1);
	check_same(tree, whole);
	/* The last windows are of no run that has ended. */
	assert_int_equal(count_of_sums(tree), 2);
	assert_true(check_same(tree, whole) < bytes / 2);
	assert_int_equal(count_of_sums(tree), 2);
	for (unsigned from = 0; from < WINDOWS; from += 110) {
		check_same(tree, seconds(from, from));
		check_same(tree, seconds(from, from + 3));
		check_same(tree, seconds(from, from + RUN));
		check_same(tree, seconds(from, WINDOWS));
		check_same(tree, seconds(0, from + 1));
	}
	check_same(tree, seconds(0, RUN));
	check_same(tree, seconds(RUN, 2 * RUN));
	assert_int_equal(count_of_sums(tree), 2);
}

static off_t size_of(const struct temp_tree *tree, const char *name)
{
	struct stat status;

	assert_int_equal(fstatat(tree->fd, name, &status, 0), 0);
	return status.st_size;
}

static void cut(const struct temp_tree *tree, const char *name, off_t size)
{
	int fd = openat(tree->fd, name, O_WRONLY | O_CLOEXEC);

	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

/* A power cut leaves such a one: it is cut off, and made anew. */
static void torn_sums_are_made_anew(void **state)
{
	const struct temp_tree *tree = *state;
	const struct files files = files_of();
	off_t size;

	record(tree, &(struct scenario){WINDOWS});
	check_same(tree, whole);
	size = size_of(tree, files.sums);
	for (off_t left = 0; left < size; left += 1 + size / 3) {
		cut(tree, files.sums, left);
		check_same(tree, whole);
		assert_int_equal(size_of(tree, files.sums), size);
		assert_int_equal(count_of_sums(tree), 2);
	}
}

static void flip(const struct temp_tree *tree, const char *name, off_t at)
{
	int fd = openat(tree->fd, name, O_RDWR | O_CLOEXEC);
	char byte;

	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte = (char)(byte ^ 4);
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

static void damaged_sums_are_not_used(void **state)
{
	const struct temp_tree *tree = *state;
	const struct files files = files_of();
	off_t size;

	record(tree, &(struct scenario){WINDOWS});
	check_same(tree, whole);
	size = size_of(tree, files.sums);
	for (off_t at = 0; at < size; at += 1 + size / 3) {
		flip(tree, files.sums, at);
		check_same(tree, whole);
		check_same(tree, whole);
		temp_tree_remove(tree, files.sums);
		check_same(tree, whole);
	}
}

/* Sums of a file that had this name before. */
static void sums_of_others_are_not_used(void **state)
{
	const struct temp_tree *tree = *state;
	const struct files files = files_of();

	record(tree, &(struct scenario){WINDOWS});
	check_same(tree, whole);
	temp_tree_remove(tree, files.name);
	record(tree, &(struct scenario){30});
	check_same(tree, whole);
	check_same(tree, seconds(0, RUN));
}

/* Others may have written them. */
static void sums_that_others_may_write_are_not_used(void **state)
{
	const struct temp_tree *tree = *state;
	const struct files files = files_of();
	uint64_t bytes = record(tree, &(struct scenario){WINDOWS});

	check_same(tree, whole);
	assert_int_equal(size_of(tree, files.sums) > 0, 1);
	assert_int_equal(fchmodat(tree->fd, files.sums, 0620, 0), 0);
	assert_true(check_same(tree, whole) >= bytes);
	temp_tree_remove(tree, files.sums);
	assert_int_equal(fchmod(tree->fd, 0770), 0);
	assert_true(check_same(tree, whole) >= bytes);
	assert_int_equal(faccessat(tree->fd, files.sums, F_OK, 0), -1);
}

/* Windows whose times fall are judged one by one. */
static void a_clock_that_was_set_back_makes_no_sum(void **state)
{
	const struct temp_tree *tree = *state;

	record(tree, &(struct scenario){50});
	check_same(tree, whole);
	assert_int_equal(count_of_sums(tree), 1);
	for (unsigned from = 0; from < WINDOWS; from += 100)
		check_same(tree, seconds(from, from + 60));
}

/* A sum that is longer than its windows is refused, and one that is damaged keeps the others from being read as well. */
static void sums_are_short(void **state)
{
	const struct temp_tree *tree = *state;
	const struct files files = files_of();
	cleanup_(memory_stream_done) struct memory_stream read = memory_stream_make();
	cleanup_(strbuf_done) struct strbuf frame = STRBUF_INIT;
	const struct recording_sum *found;
	struct recording_sums sums;
	struct recording_sum sum = {.end = record(tree, &(struct scenario){WINDOWS})};
	int fd = openat(tree->fd, files.name, O_RDONLY | O_CLOEXEC);

	recording_sums_open(&sums, tree->fd, files.name, fd);
	for (uint64_t i = 0; i <= sum.end; i++)
		strbuf_add_char(&frame, 'x');
	assert_false(recording_sums_add(&sums, sum, &frame));
	frame.len--;
	assert_true(recording_sums_add(&sums, sum, &frame));
	frame.len = 100;
	assert_true(recording_sums_add(&sums, sum, &frame));
	found = recording_sums_find(&sums, 0, false);
	assert_int_equal(found->len, 100);
	assert_true(recording_sums_read(&sums, found, &read));
	flip(tree, files.sums, (off_t)found->at);
	assert_false(recording_sums_read(&sums, found, &read));
	assert_null(recording_sums_find(&sums, 0, false));
	recording_sums_done(&sums);
	close(fd);
}

/* Writes the window of each sum that it has picked, one behind the other. */
struct splitter {
	struct recording_picker picker; /* must stay the first member */
	struct window_sum *sum;
	unsigned nth; /* each window of so many has a sum */
	unsigned windows;
	struct strbuf texts;
};

static void end_sum(struct splitter *splitter)
{
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, 1);

	if (splitter->sum) {
		assert_int_equal(window_sum_write(splitter->sum, writer, &info), 0);
		zstd_unpack(sink.bytes.data, sink.bytes.len, &splitter->texts);
	}
	snapshot_writer_freep(&writer);
	window_sum_freep(&splitter->sum);
	strbuf_done(&sink.bytes);
}

static struct window_sum *pick(struct recording_picker *self, uint64_t ends_ns)
{
	struct splitter *splitter = (struct splitter *)self;

	(void)ends_ns;
	end_sum(splitter);
	if (++splitter->windows % splitter->nth == 0)
		splitter->sum = window_sum_new();
	return splitter->sum;
}

static void each_window_is_the_same(void **state)
{
	const struct temp_tree *tree = *state;
	const struct files files = files_of();
	/* The windows behind RUN do not depend on those in front of it. */
	const unsigned from = RUN - 20, to = RUN + 20;
	const struct recording_range range = seconds(from, to);

	record(tree, &(struct scenario){WINDOWS});
	for (unsigned nth = 1; nth <= 4; nth += 3) {
		struct splitter splitter = {.picker = {pick}, .nth = nth};
		cleanup_(strbuf_done) struct strbuf expected = STRBUF_INIT, reason = STRBUF_INIT;

		assert_int_equal(recording_pick(tree->fd, true, &range, &snapshot_default_limits,
		                                &splitter.picker, &reason),
		                 0);
		end_sum(&splitter);
		assert_int_equal(splitter.windows, to - from);
		for (unsigned i = from + nth; i <= to; i += nth) {
			cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

			add_up(tree, files.name, seconds(i - 1, i), &text);
			assert_non_null(strstr(strbuf_str(&text), "\"vm.swappiness\":\"60\""));
			strbuf_add(&expected, text.data, text.len);
		}
		assert_string_equal(strbuf_str(&splitter.texts), strbuf_str(&expected));
		strbuf_done(&splitter.texts);
	}
}

static void sums_are_removed_with_their_file(void **state)
{
	enum { LATER_S = 1893456000 }; /* by the name of the later file */
	const struct temp_tree *tree = *state;
	const struct files files = files_of();
	cleanup_(recording_files_done) struct recording_files list = {0};

	record(tree, &(struct scenario){WINDOWS});
	check_same(tree, whole);
	assert_int_equal(recording_files_list(tree->fd, &list), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.entries[0].sums_bytes, size_of(tree, files.sums));
	temp_tree_write_text(tree, "20300101T000000Z.ctprof.zst", "later");
	/* Both together are too much. */
	assert_int_equal(
	        recording_keep_apply(&(struct recording_keep){.bytes = list.entries[0].bytes + 6},
	                             tree->fd, LATER_S),
	        0);
	assert_int_equal(temp_tree_count(tree, "."), 1);
}

#define IN_TREE(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        IN_TREE(any_range_is_the_same),
	        IN_TREE(torn_sums_are_made_anew),
	        IN_TREE(damaged_sums_are_not_used),
	        IN_TREE(sums_of_others_are_not_used),
	        IN_TREE(sums_that_others_may_write_are_not_used),
	        IN_TREE(a_clock_that_was_set_back_makes_no_sum),
	        IN_TREE(sums_are_short),
	        IN_TREE(each_window_is_the_same),
	        IN_TREE(sums_are_removed_with_their_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
