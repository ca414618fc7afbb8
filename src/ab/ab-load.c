// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads what an experiment left: its plan, and its windows. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ab/ab-options.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/operand-glob.h"
#include "base/operand-open.h"
#include "base/regular-file.h"
#include "base/scan.h"
#include "base/text.h"
#include "input/fd-source.h"
#include "input/recording-operand.h"

enum { EXPERIMENT_BYTES = 64 << 20 };

static const char experiment_name[] = "experiment.json";

static int read_beside(int dir_fd, const char *name, struct strbuf *text)
{
	cleanup_(fd_closep) int fd = regular_file_open_beside(dir_fd, name);

	return fd < 0 ? fd : fd_read_all(fd, text, EXPERIMENT_BYTES);
}

/* Units are read long after the directory was, and must be of the same one. */
static int load(struct trial *trial, const char *dir, int dir_fd)
{
	cleanup_(strbuf_done) struct strbuf json = STRBUF_INIT, reason = STRBUF_INIT;
	size_t first = trial->unit_count;
	int r = read_beside(dir_fd, experiment_name, &json);

	if (r < 0) {
		cli_error("%s/%s: %s", dir, experiment_name,
		          r == -EMEDIUMTYPE ? "it is no regular file" : strerror(-r));
		return r;
	}
	r = trial_read(trial, dir, &json, &reason);
	if (r < 0)
		cli_error("%s", strbuf_str(&reason));
	for (size_t i = first; i < trial->unit_count; i++)
		trial->units[i].dir_fd = dir_fd;
	return r;
}

/* Each directory stays open. The usual limit of 1024 files is too low for those of a fleet. */
static void allow_files(size_t directories)
{
	enum { FEW = 64 };
	struct rlimit limit;

	if (directories != FEW || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

int ab_load_directory(struct trial *trial, const char *dir)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int fd = operand_open(AT_FDCWD, dir, OPERAND_DIRECTORY, &reason);

	if (fd < 0) {
		cli_error("%s/%s: %s", dir, experiment_name, strbuf_str(&reason));
		return fd;
	}
	*array_add(trial->dir_fds, trial->dir_fd_count, trial->dir_fd_capacity) = fd;
	allow_files(trial->dir_fd_count);
	return load(trial, dir, fd);
}

int ab_load_open_directory(struct trial *trial, const char *dir, int dir_fd)
{
	return load(trial, dir, dir_fd);
}

static bool is_key(const char *text, size_t len)
{
	if (len == 0 || len > LABEL_KEY_BYTES)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!char_is_letter(text[i]) && !char_is_digit(text[i]) && !strchr("_-.", text[i]))
			return false;
	return true;
}

bool ab_is_arm(const char *operand)
{
	const char *equals = strchr(operand, '=');

	return equals && is_key(operand, (size_t)(equals - operand)) && access(operand, F_OK) != 0;
}

/* Ends the reading at the first thread: labels and times come before the threads. */
static int stop(struct snapshot_visitor *self, struct thread_sample *sample)
{
	(void)self;
	(void)sample;
	return 1;
}

static void tell(const char *path, int r, const struct strbuf *reason)
{
	if (r == -EMEDIUMTYPE)
		cli_error("%s: this is no window: 'ctprof capture --window' takes one", path);
	else if (r == -EBADMSG || r == -E2BIG)
		cli_error("%s: %s: %s", path,
		          r == -E2BIG ? "over a limit (see --read-limit)" : "not a ctprof snapshot",
		          strbuf_str(reason));
	else
		cli_error("%s: %s", path, reason->len > 0 ? strbuf_str(reason) : strerror(-r));
}

/* The bytes of a window: of a file, or of the sum over a range of a recording. */
struct window_bytes {
	struct fd_source file;
	struct memory_stream copy;
	struct byte_source *source; /* one of the two */
};

#define WINDOW_BYTES_INIT ((struct window_bytes){.file = FD_SOURCE_INIT})

static void window_bytes_done(struct window_bytes *bytes)
{
	fd_source_done(&bytes->file);
	memory_stream_done(&bytes->copy);
}

/* Returns 1 if the path is a range of a recording, which is added up then; 0 if it is none; or -errno with the error printed. */
static int add_up_range(struct window_bytes *bytes, const char *path,
                        const struct snapshot_limits *limits)
{
	cleanup_(recording_operand_done) struct recording_operand operand = RECORDING_OPERAND_INIT;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = recording_operand_open(&operand, path, &reason);

	if (r > 0) {
		bytes->copy = memory_stream_make();
		bytes->source = &bytes->copy.source;
		r = recording_operand_copy(&operand, limits, &bytes->copy, &reason);
		r = r < 0 ? r : 1;
	}
	if (r < 0)
		tell(path, r, &reason);
	return r;
}

/* The names come from a pattern or from experiment.json. */
static int open_window(struct window_bytes *bytes, int dir_fd, const char *path,
                       const struct snapshot_limits *limits)
{
	const char *name = dir_fd == AT_FDCWD ? path : strrchr(path, '/') + 1;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = dir_fd == AT_FDCWD ? add_up_range(bytes, path, limits) : 0, fd;

	if (r != 0)
		return r < 0 ? r : 0;
	fd = operand_open(dir_fd, name, OPERAND_FILE, &reason);
	if (fd < 0) {
		cli_error("%s: %s", path, strbuf_str(&reason));
		return fd;
	}
	bytes->file.fd = fd;
	bytes->source = &bytes->file.source;
	return 0;
}

/* Reads the head of a window. */
static int read_head(const struct ab_options *options, const char *path, struct trial_file *ret)
{
	cleanup_(window_bytes_done) struct window_bytes bytes = WINDOW_BYTES_INIT;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct snapshot_visitor visitor = {.thread = stop};
	int r = open_window(&bytes, AT_FDCWD, path, &options->limits);

	if (r < 0)
		return r;
	r = snapshot_read(bytes.source, &options->limits, &visitor, &info, &reason);
	if (r < 0) {
		tell(path, r, &reason);
		return r;
	}
	labels_copy(&ret->labels, &info.labels);
	ret->boot_id = mem_copy_text(host_text(&info.host, HOST_boot_id));
	ret->host = mem_copy_text(host_text(&info.host, HOST_hostname));
	ret->start_unix_ns = info.captured_at_unix_ns;
	return 0;
}

struct file_list {
	struct trial_file *entries; /* owned, with their paths */
	size_t count, capacity;
};

static void file_list_done(struct file_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free((char *)(uintptr_t)list->entries[i].path);
		free(list->entries[i].boot_id);
		free(list->entries[i].host);
		labels_done(&list->entries[i].labels);
	}
	free(list->entries);
}

static int add_file(const struct ab_options *options, struct file_list *list, unsigned arm,
                    const char *path, bool is_range)
{
	struct trial_file *file;

	if (list->count == TRIAL_FILES_MAX) {
		cli_error("more than %d windows", TRIAL_FILES_MAX);
		return -E2BIG;
	}
	file = array_add(list->entries, list->count, list->capacity);
	*file = (struct trial_file){.path = mem_copy_text(path), .arm = arm, .is_range = is_range};
	return read_head(options, path, file);
}

/* Finds the files of "A=a-*.zst", or the one window of "A=DIR@RANGE". */
static int add_arm(const struct ab_options *options, struct trial *trial, struct file_list *list,
                   const char *operand)
{
	const char *equals = strchr(operand, '=');
	cleanup_(mem_freep) char *name = mem_copy(operand, (size_t)(equals - operand));
	unsigned arm = trial_arm_of(trial, name);
	cleanup_(operand_names_done) struct operand_names found = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r;

	if (arm == TRIAL_ARMS_MAX) {
		cli_error("more than %d arms", TRIAL_ARMS_MAX);
		return -E2BIG;
	}
	*array_add(trial->arms[arm].lines, trial->arms[arm].line_count,
	           trial->arms[arm].line_capacity) = mem_copy_text(equals + 1);
	if (recording_operand_is(equals + 1) != 0)
		return add_file(options, list, arm, equals + 1, true);
	r = operand_glob(equals + 1, &found, &reason);
	if (r < 0)
		cli_error("%s: %s", equals + 1, strbuf_str(&reason));
	else if (found.count == 0) {
		cli_error("%s: no file is like this", equals + 1);
		r = -ENOENT;
	}
	for (size_t i = 0; r == 0 && i < found.count; i++)
		r = add_file(options, list, arm, found.names[i], false);
	return r;
}

int ab_load_arms(const struct ab_options *options, struct trial *trial, char **operands,
                 size_t count)
{
	cleanup_(file_list_done) struct file_list files = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		r = add_arm(options, trial, &files, operands[i]);
	if (r < 0)
		return r;
	trial->margin = TRIAL_MARGIN;
	trial->min_effect = TRIAL_MIN_EFFECT;
	r = trial_of_files(trial, files.entries, files.count, options->blocks_by,
	                   options->blocks_label, &reason);
	if (r < 0)
		cli_error("%s", strbuf_str(&reason));
	return r;
}

/* Returns whether the label "arm" of the window, if any, is the arm that the experiment gives it. */
static bool is_of_arm(const struct trial *trial, const struct trial_unit *unit,
                      const struct labels *labels)
{
	const char *arm = labels_find(labels, "arm");

	return trial->order == TRIAL_ORDER_FOUND || !arm ||
	       strcmp(arm, trial->arms[unit->arm].name) == 0;
}

static int load_unit(const struct ab_options *options, struct trial *trial, size_t place,
                     struct unit_table *tables, size_t count, struct fact_table *facts,
                     struct settings_seen *settings)
{
	struct trial_unit *unit = &trial->units[place];
	cleanup_(window_bytes_done) struct window_bytes bytes = WINDOW_BYTES_INIT;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct stat status;
	int r = open_window(&bytes, unit->dir_fd, unit->path, &options->limits);

	if (r < 0)
		return r;
	r = unit_tables_read(tables, count, facts, place, bytes.source, &options->limits, &info,
	                     &reason);
	if (r < 0) {
		tell(unit->path, r, &reason);
		return r;
	}
	if (!is_of_arm(trial, unit, &info.labels)) {
		cli_error("%s: its label says another arm than experiment.json", unit->path);
		return -EBADMSG;
	}
	trial_unit_note_time(unit, &info);
	if (bytes.file.fd >= 0 && fstat(bytes.file.fd, &status) == 0) {
		unit->time.device = status.st_dev;
		unit->time.inode = status.st_ino;
	}
	settings_seen_add(settings, unit->arm, &info.settings);
	return 0;
}

int ab_load_units(const struct ab_options *options, struct trial *trial, struct unit_table *tables,
                  size_t count, struct fact_table *facts, struct settings_seen *settings)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < trial->unit_count; i++)
		r = load_unit(options, trial, i, tables, count, facts, settings);
	return r;
}
