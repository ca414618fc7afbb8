// SPDX-License-Identifier: GPL-2.0-or-later
#include "settings/settings-read.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/strmap.h"
#include "settings/settings-table.h"

enum {
	/* The kernel zeroes a buffer of the size that a sysctl is read with, and most values are short. */
	SHORT_BYTES = 1023,
	READ_BYTES = 1 << 16, /* of one file; longer ones are left out */
	MODULES_FILE_BYTES = 1 << 20,
	ENTRIES_VISITED = 1 << 16, /* of all directories together */
	/* The most that a byte takes in JSON: "\u001b". */
	JSON_ESCAPE_BYTES = 6,
};

struct reader {
	struct settings *settings;
	struct strmap skipped; /* name or path to struct settings_skip_desc */
	int roots[2];          /* by enum settings_root */
	bool live, anonymous;
	dev_t device;       /* of the directory of the registry's row */
	struct strbuf path; /* of what is read: "/proc/sys/vm/swappiness" */
	struct strbuf text;
	size_t json_bytes, visited;
};

static void reader_done(struct reader *reader)
{
	strmap_done(&reader->skipped);
	strbuf_done(&reader->path);
	strbuf_done(&reader->text);
}

static int open_below(int fd, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = {
	        .flags = (unsigned)flags | O_CLOEXEC,
	        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | resolve,
	};
	long opened = syscall(SYS_openat2, fd, path, &how, sizeof(how));

	return opened < 0 ? -errno : (int)opened;
}

/* Opens a file of another system's tree, where anything may have the name of a setting. */
static int open_regular(int dir_fd, const char *name)
{
	cleanup_(fd_closep) int fd =
	        open_below(dir_fd, name, O_PATH, RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
	char link[sizeof("/proc/self/fd/") + 10];
	struct stat status;
	int opened;

	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return -EMEDIUMTYPE;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	opened = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return opened < 0 ? -errno : opened;
}

/* Reads a file that the kernel writes in one piece. Returns 0 or -errno. */
static int read_file(struct reader *reader, int dir_fd, const char *name)
{
	cleanup_(fd_closep) int fd =
	        reader->live
	                ? open_below(dir_fd, name, O_RDONLY, RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV)
	                : open_regular(dir_fd, name);
	ssize_t len;

	if (fd < 0)
		return fd;
	strbuf_clear(&reader->text);
	/* Numbers in debugfs cannot be sought: pread() gives ESPIPE there. */
	len = read(fd, strbuf_reserve(&reader->text, SHORT_BYTES), SHORT_BYTES);
	if (len == SHORT_BYTES)
		len = pread(fd, strbuf_reserve(&reader->text, READ_BYTES), READ_BYTES, 0);
	if (len < 0)
		return -errno;
	if (len == READ_BYTES)
		return -EFBIG;
	reader->text.len = (size_t)len;
	reader->text.data[len] = '\0';
	return 0;
}

/* Returns whether there is room for @len bytes more, and takes it. */
static bool reserve_room(struct reader *reader, const char *text, size_t len)
{
	struct settings *settings = reader->settings;
	size_t bytes = sizeof("\"\":,");

	for (size_t i = 0; i < len; i++)
		bytes += text[i] < ' ' || text[i] == '"' || text[i] == '\\' || text[i] == 0x7f
		                 ? JSON_ESCAPE_BYTES
		                 : 1;
	if (settings->count + settings->denied_count >= SETTINGS_MAX ||
	    bytes > SETTINGS_JSON_BYTES - reader->json_bytes) {
		settings->left_out++;
		return false;
	}
	reader->json_bytes += bytes;
	return true;
}

static void trim_end(struct strbuf *text)
{
	while (text->len > 0 && strchr(" \t\n", text->data[text->len - 1]))
		text->len--;
	strbuf_add(text, "", 0);
}

static void keep_value(struct reader *reader)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	struct strbuf *text = &reader->text;

	trim_end(text);
	if (text->len > 0 && memchr(text->data, '\0', text->len))
		return;
	if (text->len > SETTING_TEXT_BYTES) {
		/* A seed of zeros: the same value has the same hash everywhere. */
		static const struct hash_seed everywhere;
		uint64_t hash = hash_bytes(&everywhere, text->data, text->len);
		size_t len = text->len;

		strbuf_clear(text);
		strbuf_addf(text, "%zu bytes, SipHash %016" PRIx64, len, hash);
	}
	settings_add_name(&name, strbuf_str(&reader->path));
	if (reserve_room(reader, strbuf_str(&name), name.len) &&
	    reserve_room(reader, strbuf_str(text), text->len))
		settings_add(reader->settings, strbuf_str(&name), name.len, strbuf_str(text),
		             text->len);
}

static void keep_denied(struct reader *reader)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	settings_add_name(&name, strbuf_str(&reader->path));
	if (reserve_room(reader, strbuf_str(&name), name.len))
		settings_add_denied(reader->settings, strbuf_str(&name), name.len);
}

/* A file that nobody may read is written only: a trigger. */
static bool is_for_reading(int dir_fd, const char *name)
{
	const mode_t readable = S_IRUSR | S_IRGRP | S_IROTH;
	struct stat status;

	return fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0 ||
	       (status.st_mode & readable) != 0;
}

/* A setting without a value (EIO, EINVAL, ENODEV, ...) is none. */
static void read_setting(struct reader *reader, int dir_fd, const char *name)
{
	int r = read_file(reader, dir_fd, name);

	if (r == 0)
		keep_value(reader);
	else if (r == -EFBIG)
		reader->settings->left_out++;
	else if (error_is_denied(r) && is_for_reading(dir_fd, name))
		keep_denied(reader);
}

static bool is_skipped(const struct reader *reader, const char *name)
{
	const struct settings_skip_desc *row = strmap_get(&reader->skipped, name, strlen(name));

	if (!row)
		row = strmap_get(&reader->skipped, strbuf_str(&reader->path), reader->path.len);
	return row && (row->why != SETTINGS_SKIP_IDENTITY || reader->anonymous);
}

/* The entries of a directory that are wanted, with blanks between them; NULL: all. */
static const char *entries_wanted(const struct reader *reader)
{
	for (size_t i = 0; i < settings_only_count; i++)
		if (strcmp(settings_only_table[i].path, strbuf_str(&reader->path)) == 0)
			return settings_only_table[i].entries;
	return NULL;
}

enum entry_kind { ENTRY_OTHER, ENTRY_FILE, ENTRY_DIRECTORY };

static enum entry_kind kind_of_mode(mode_t mode)
{
	return S_ISREG(mode) ? ENTRY_FILE : S_ISDIR(mode) ? ENTRY_DIRECTORY : ENTRY_OTHER;
}

/* Directories are looked at before they are opened: opening an automount point would mount what belongs there. */
static enum entry_kind kind_of_entry(const struct reader *reader, int dir_fd,
                                     const struct dirent *entry)
{
	struct stat status;

	if (entry->d_type == DT_REG)
		return ENTRY_FILE;
	if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)
		return ENTRY_OTHER;
	if (fstatat(dir_fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0 ||
	    status.st_dev != reader->device)
		return ENTRY_OTHER;
	return kind_of_mode(status.st_mode);
}

/* Takes over @fd. */
static DIR *list_directory(int fd)
{
	DIR *dir = fdopendir(fd);

	if (!dir)
		fd_closep(&fd);
	return dir;
}

static const struct dirent *next_entry(struct reader *reader, DIR *dir)
{
	const struct dirent *entry;

	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			break;
	if (entry && ++reader->visited > ENTRIES_VISITED) {
		reader->settings->left_out++;
		return NULL;
	}
	return entry;
}

/* Reads all files of a directory and of those below. Takes over @fd. Recursion ends at the depth of the registry's row. */
static void read_all(struct reader *reader, int fd, unsigned depth)
{
	const char *wanted = entries_wanted(reader);
	cleanup_(fd_closedirp) DIR *dir = list_directory(fd);
	const size_t path_len = reader->path.len;
	const struct dirent *entry;

	while (dir && (entry = next_entry(reader, dir))) {
		enum entry_kind kind;

		reader->path.len = path_len;
		strbuf_addf(&reader->path, "/%s", entry->d_name);
		if ((wanted && !settings_list_has(wanted, entry->d_name)) ||
		    is_skipped(reader, entry->d_name))
			continue;
		kind = kind_of_entry(reader, dirfd(dir), entry);
		if (kind == ENTRY_FILE) {
			read_setting(reader, dirfd(dir), entry->d_name);
		} else if (kind == ENTRY_DIRECTORY && depth > 1) {
			int below = open_below(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY,
			                       RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);

			if (below >= 0)
				read_all(reader, below, depth - 1);
			else if (error_is_denied(below))
				keep_denied(reader);
		}
	}
	reader->path.len = path_len;
	reader->path.data[path_len] = '\0';
}

/* Reads the named files of a directory; they may be in a directory of it. */
static void read_named(struct reader *reader, int dir_fd, const char *files)
{
	const size_t path_len = reader->path.len;
	struct span rest = {files, strlen(files)}, word;

	while (scan_word(&rest, &word)) {
		reader->path.len = path_len;
		strbuf_add_char(&reader->path, '/');
		strbuf_add(&reader->path, word.text, word.len);
		read_setting(reader, dir_fd, strbuf_str(&reader->path) + path_len + 1);
	}
	reader->path.len = path_len;
	reader->path.data[path_len] = '\0';
}

/* Returns whether the directory is the kernel's: something else may be mounted there. */
static bool is_of_kernel(const struct reader *reader, int fd)
{
	struct statfs system;

	if (!reader->live)
		return true;
	return fstatfs(fd, &system) == 0 &&
	       (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC ||
	        system.f_type == DEBUGFS_MAGIC);
}

static void read_directory(struct reader *reader, const struct settings_directory *row,
                           const char *path)
{
	int fd = open_below(reader->roots[row->root], path, O_RDONLY | O_DIRECTORY, 0);
	struct stat status;

	strbuf_clear(&reader->path);
	strbuf_addf(&reader->path, "/%s/%s", row->root == SETTINGS_ROOT_PROC ? "proc" : "sys",
	            path);
	if (error_is_denied(fd))
		keep_denied(reader);
	if (fd < 0)
		return;
	if (!is_of_kernel(reader, fd) || fstat(fd, &status) < 0) {
		fd_closep(&fd);
		return;
	}
	reader->device = status.st_dev;
	if (row->files[0] == '\0') {
		read_all(reader, fd, row->depth);
		return;
	}
	read_named(reader, fd, row->files);
	fd_closep(&fd);
}

/* Returns whether nothing is in the directory @path, which the "*" behind @prefix stands for. */
static bool is_empty(struct reader *reader, const struct settings_directory *row, size_t prefix,
                     const char *path)
{
	for (size_t i = 0; i < settings_empty_count; i++) {
		const struct settings_empty_desc *empty = &settings_empty_table[i];
		cleanup_(fd_closep) int fd = -1;

		if (empty->root != row->root || strlen(empty->path) != prefix ||
		    strncmp(empty->path, path, prefix) != 0)
			continue;
		fd = open_below(reader->roots[row->root], path, O_PATH | O_DIRECTORY, 0);
		if (fd < 0 || read_file(reader, fd, empty->file) < 0)
			continue;
		trim_end(&reader->text);
		if (strcmp(strbuf_str(&reader->text), empty->text) == 0)
			return true;
	}
	return false;
}

/* Reads a row of the registry for each directory that the first "*" of @path stands for. Recursion ends with the last one. */
static void read_row(struct reader *reader, const struct settings_directory *row, const char *path)
{
	const char *star = strchr(path, '*');
	cleanup_(fd_closedirp) DIR *dir = NULL;
	cleanup_(strbuf_done) struct strbuf below = STRBUF_INIT;
	const struct dirent *entry;
	size_t prefix;
	int fd;

	if (!star) {
		read_directory(reader, row, path);
		return;
	}
	prefix = (size_t)(star - path);
	strbuf_add(&below, path, prefix);
	fd = open_below(reader->roots[row->root], strbuf_str(&below), O_RDONLY | O_DIRECTORY, 0);
	dir = fd < 0 ? NULL : list_directory(fd);
	while (dir && (entry = next_entry(reader, dir))) {
		if (entry->d_type == DT_REG)
			continue;
		below.len = prefix;
		strbuf_add_str(&below, entry->d_name);
		if (is_empty(reader, row, prefix, strbuf_str(&below)))
			continue;
		strbuf_add_str(&below, star + 1);
		read_row(reader, row, strbuf_str(&below));
	}
}

static int compare_spans(const void *a, const void *b)
{
	const struct span *left = a, *right = b;
	size_t len = left->len < right->len ? left->len : right->len;
	int order = memcmp(left->text, right->text, len);

	return order != 0 ? order : (left->len > right->len) - (left->len < right->len);
}

/* /proc/modules: the name is the first word of each line. Their order is that of loading. */
static void read_modules(struct reader *reader)
{
	static const char setting[] = "modules";
	cleanup_(strbuf_done) struct strbuf file = STRBUF_INIT;
	cleanup_(mem_freep) struct span *names = NULL;
	size_t count = 0, capacity = 0;
	struct span rest, line, word;

	if (reader->roots[SETTINGS_ROOT_PROC] < 0 ||
	    fd_read_all_at(reader->roots[SETTINGS_ROOT_PROC], setting, &file, MODULES_FILE_BYTES) <
	            0)
		return;
	rest = (struct span){strbuf_str(&file), file.len};
	while (scan_line(&rest, &line))
		if (scan_word(&line, &word) && !memchr(word.text, '\0', word.len))
			*array_add(names, count, capacity) = word;
	if (count > 0)
		qsort(names, count, sizeof(names[0]), compare_spans);
	strbuf_clear(&reader->text);
	for (size_t i = 0; i < count; i++) {
		strbuf_add_str(&reader->text, i > 0 ? " " : "");
		strbuf_add(&reader->text, names[i].text, names[i].len);
	}
	if (reserve_room(reader, strbuf_str(&reader->text), reader->text.len))
		settings_add(reader->settings, setting, strlen(setting), strbuf_str(&reader->text),
		             reader->text.len);
}

static bool has_openat2(const struct reader *reader, enum settings_root root)
{
	cleanup_(fd_closep) int fd = open_below(reader->roots[root], ".", O_PATH | O_DIRECTORY, 0);

	return fd >= 0;
}

void settings_read(int proc_fd, int sys_fd, bool live, bool anonymous, struct settings *settings)
{
	cleanup_(reader_done) struct reader reader = {.settings = settings,
	                                              .roots = {proc_fd, sys_fd},
	                                              .live = live,
	                                              .anonymous = anonymous};

	settings->seen = true;
	for (size_t i = 0; i < settings_skip_count; i++) {
		const struct settings_skip_desc *row = &settings_skip_table[i];

		strmap_add(&reader.skipped, row->name, strlen(row->name))->value = (void *)row;
	}
	for (size_t i = 0; i < settings_directory_count; i++) {
		const struct settings_directory *row = &settings_directory_table[i];

		if (reader.roots[row->root] < 0)
			continue;
		if (has_openat2(&reader, row->root)) {
			read_row(&reader, row, row->path);
			continue;
		}
		strbuf_clear(&reader.path);
		strbuf_addf(&reader.path, "/%s/%s",
		            row->root == SETTINGS_ROOT_PROC ? "proc" : "sys", row->path);
		keep_denied(&reader);
	}
	read_modules(&reader);
	settings_sort(settings);
}
