// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/job-files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/operand-open.h"
#include "command/command.h"

const char job_end_info[] = "info.json";
const char job_end_usage[] = "usage.jsonl";
const char job_end_usage_old[] = "usage.json";

long job_prefix_len(const char *path, const char *end)
{
	size_t len = strlen(path), end_len = strlen(end);

	return len >= end_len && strcmp(path + len - end_len, end) == 0 ? (long)(len - end_len)
	                                                                : -1;
}

/* Opens a file whose name the user has not typed. */
static int open_regular(struct fd_source *source, const char *path, struct strbuf *reterr)
{
	int fd = operand_open(AT_FDCWD, path, OPERAND_FILE, reterr);

	if (fd >= 0)
		source->fd = fd;
	return fd < 0 ? fd : 0;
}

static int read_all(struct fd_source *source, struct strbuf *out)
{
	enum { READ_BYTES = 64 * 1024 };
	size_t len;

	for (;;) {
		char *at = strbuf_reserve(out, READ_BYTES);
		int r = source->source.read(&source->source, at, READ_BYTES, &len);

		if (r < 0 || len == 0)
			return r;
		out->len += len;
		if (out->len > JOB_INFO_BYTES_MAX)
			return -EFBIG;
	}
}

int job_info_load(const char *path, struct job_info *info, struct strbuf *reterr)
{
	cleanup_(fd_source_done) struct fd_source source = FD_SOURCE_INIT;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	int r = open_regular(&source, path, reterr);

	if (r < 0)
		return r;
	r = read_all(&source, &text);
	if (r < 0) {
		strbuf_add_str(reterr, strerror(-r));
		return r;
	}
	return job_info_read(info, strbuf_str(&text), text.len, reterr);
}

/* Loads a description that need not be there. */
static void load_beside(const char *usage, struct job_info *info)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT, reason = STRBUF_INIT;
	long len = job_prefix_len(usage, job_end_usage);
	int r;

	if (len < 0)
		len = job_prefix_len(usage, job_end_usage_old);
	if (len < 0)
		return;
	strbuf_add(&path, usage, (size_t)len);
	strbuf_add_str(&path, job_end_info);
	r = job_info_load(strbuf_str(&path), info, &reason);
	if (r < 0 && r != -ENOENT)
		cli_error("%s: %s; the job is shown without it", strbuf_str(&path),
		          strbuf_str(&reason));
	if (r != 0)
		job_info_done(info);
}

/* Finds the file of the records by a directory or a prefix; true if it is there. */
static bool find_by_prefix(const char *path, bool is_directory, struct strbuf *ret_path)
{
	const char *const ends[] = {job_end_usage, job_end_usage_old};
	struct stat status;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		strbuf_clear(ret_path);
		strbuf_addf(ret_path, "%s%s%s", path,
		            is_directory && path[strlen(path) - 1] != '/' ? "/" : "", ends[i]);
		if (stat(strbuf_str(ret_path), &status) == 0)
			return true;
	}
	return false;
}

/* Finds the file of the records by the description, which has its name: they are beside each other, wherever that is. A
 * description without the name is not needed: its own name has the prefix. */
static int find_by_info(const char *path, struct strbuf *ret_path, struct job_info *info)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT, prefix = STRBUF_INIT;
	int r = job_info_load(path, info, &reason);
	const char *usage = r == 0 ? job_info_text(info, "usage") : NULL, *slash;

	slash = usage ? strrchr(usage, '/') : NULL;
	usage = slash ? slash + 1 : usage;
	if (usage && usage[0] != '\0') {
		slash = strrchr(path, '/');
		strbuf_add(ret_path, path, slash ? (size_t)(slash + 1 - path) : 0);
		strbuf_add_str(ret_path, usage);
		return 0;
	}
	strbuf_add(&prefix, path, (size_t)job_prefix_len(path, job_end_info));
	if (find_by_prefix(strbuf_str(&prefix), false, ret_path)) {
		if (r < 0)
			cli_error("%s: %s", path, strbuf_str(&reason));
		return 0;
	}
	cli_error("%s: %s", path,
	          r < 0    ? strbuf_str(&reason)
	          : r == 0 ? "it does not name the file of the records (output_paths.usage)"
	                   : "the file of the records is not beside it");
	return -1;
}

static int open_found(const char *path, struct fd_source *source)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = open_regular(source, path, &reason);

	if (r < 0)
		cli_error("%s: %s", path, strbuf_str(&reason));
	return r < 0 ? -1 : 0;
}

int job_usage_open(const char *path, struct fd_source *source, struct strbuf *ret_path,
                   struct job_info *info)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct stat status;
	int r = strcmp(path, "-") == 0 || stat(path, &status) == 0 ? 0 : -errno;

	if (r == 0 && job_prefix_len(path, job_end_info) >= 0) {
		if (find_by_info(path, ret_path, info) < 0)
			return -1;
		return open_found(strbuf_str(ret_path), source);
	}
	if (r == 0 && (strcmp(path, "-") == 0 || !S_ISDIR(status.st_mode))) {
		strbuf_add_str(ret_path, strcmp(path, "-") == 0 ? "standard input" : path);
		r = fd_source_open(source, path, &reason);
		if (r == 0)
			load_beside(path, info);
		else
			cli_error("%s: %s", path, strbuf_str(&reason));
		return r;
	}
	if (find_by_prefix(path, r == 0, ret_path)) {
		load_beside(strbuf_str(ret_path), info);
		return open_found(strbuf_str(ret_path), source);
	}
	if (r == 0)
		cli_error("%s: there is no usage.jsonl in the directory", path);
	else
		cli_error("%s: %s", path, strerror(-r));
	return -1;
}
