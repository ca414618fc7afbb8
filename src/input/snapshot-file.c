// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/snapshot-file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "input/recording-operand.h"

static bool is_all_zero(const char *bytes, size_t len)
{
	return len > 0 && bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

/* A file from a stranger can be as long as it likes at no cost, with holes for its bytes. */
static int hash_all(struct snapshot_file *file, const struct snapshot_limits *limits,
                    struct byte_source *source)
{
	char buffer[1 << 16];
	struct sha256 hash;
	uint64_t total = 0;
	size_t len = 1;
	int r = 0;

	sha256_init(&hash);
	while (r == 0 && len > 0) {
		r = source->read(source, buffer, sizeof(buffer), &len);
		if (r < 0)
			break;
		total += len;
		if (len == sizeof(buffer) && is_all_zero(buffer, len)) {
			strbuf_add_str(&file->error, "64 KiB of zeros, which no snapshot has");
			r = -EBADMSG;
		} else if (total > limits->bytes) {
			strbuf_addf(&file->error, "more than %" PRIu64 " bytes", limits->bytes);
			r = -E2BIG;
		} else {
			sha256_add(&hash, buffer, len);
		}
	}
	sha256_finish(&hash, file->digest);
	return r;
}

/* Returns 1 if it is a range of a recording, whose window is in memory then; 0 if it is none; or -errno. */
static int copy_recording(struct snapshot_file *file, const struct snapshot_limits *limits)
{
	cleanup_(recording_operand_done) struct recording_operand operand = RECORDING_OPERAND_INIT;
	int r = recording_operand_open(&operand, file->path, &file->error);

	if (r <= 0)
		return r;
	file->copy = memory_stream_make();
	r = recording_operand_copy(&operand, limits, &file->copy, &file->error);
	if (r < 0)
		return r;
	r = hash_all(file, limits, &file->copy.source);
	return r < 0 ? r : 1;
}

int snapshot_file_open(struct snapshot_file *file, const char *path,
                       const struct snapshot_limits *limits)
{
	cleanup_(fd_source_done) struct fd_source source = FD_SOURCE_INIT;
	int r;

	file->path = path;
	r = copy_recording(file, limits);
	if (r != 0)
		return r < 0 ? r : 0;
	r = fd_source_open(&source, path, &file->error);
	if (r < 0)
		return r;
	if (fd_source_keep(&source, &file->kept))
		return hash_all(file, limits, &file->kept.source);
	file->copy = memory_stream_make();
	source.copy = &file->copy.bytes;
	return hash_all(file, limits, &source.source);
}

int snapshot_file_read(struct snapshot_file *file, const struct snapshot_limits *limits,
                       struct snapshot_visitor *visitor, struct snapshot_info *ret_info)
{
	struct byte_source *source = &file->copy.source;

	strbuf_clear(&file->error);
	if (!fd_source_is_kept(&file->kept))
		file->copy.position = 0;
	else if (!fd_source_rewind(&file->kept))
		return -ESTALE;
	else
		source = &file->kept.source;
	return snapshot_read(source, limits, visitor, ret_info, &file->error);
}

const char *snapshot_file_reason(struct snapshot_file *file, int error)
{
	cleanup_(strbuf_done) struct strbuf sentence = STRBUF_INIT;

	if (error == -ESTALE)
		return "somebody has changed it meanwhile";
	if (file->error.len == 0)
		return strerror(-error);
	if (error != -E2BIG && error != -EBADMSG)
		return strbuf_str(&file->error);
	strbuf_addf(&sentence, "%s: %s",
	            error == -E2BIG ? "over a limit (see --read-limit)" : "not a ctprof snapshot",
	            strbuf_str(&file->error));
	strbuf_clear(&file->error);
	strbuf_add(&file->error, sentence.data, sentence.len);
	return strbuf_str(&file->error);
}

void snapshot_file_done(struct snapshot_file *file)
{
	fd_source_done(&file->kept);
	memory_stream_done(&file->copy);
	strbuf_done(&file->error);
}
