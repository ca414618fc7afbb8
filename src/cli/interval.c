// SPDX-License-Identifier: GPL-2.0-or-later
#include "interval.h"

#include <errno.h>
#include <string.h>

#include "base/memory-stream.h"
#include "window/window.h"

bool interval_is_between(const struct load loads[2])
{
	const struct snapshot_info *first = &loads[0].info, *last = &loads[1].info;
	const char *boot_first = host_text(&first->host, HOST_boot_id);
	const char *boot_last = host_text(&last->host, HOST_boot_id);

	if (first->kind != KIND_lifetime || last->kind != KIND_lifetime ||
	    !boot_first != !boot_last)
		return false;
	if (!boot_first)
		return first->captured_at_unix_ns < last->captured_at_unix_ns;
	return strcmp(boot_first, boot_last) == 0 &&
	       first->captured_boottime_ns < last->captured_boottime_ns;
}

/* The bytes of a file that was loaded, to be read once more. */
static struct memory_stream stream_of(const struct load *load)
{
	struct memory_stream stream = memory_stream_make();

	stream.bytes = load->bytes;
	return stream;
}

int interval_load(const struct load loads[2], struct load *ret, struct strbuf *reterr)
{
	struct memory_stream first = stream_of(&loads[0]), last = stream_of(&loads[1]);
	cleanup_(memory_stream_done) struct memory_stream window = memory_stream_make();
	/* Done before its sink is. */
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer = NULL;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	struct window_options options = {
	        .first = {&first.source, loads[0].path},
	        .last = {&last.source, loads[1].path},
	        .limits = loads[0].limits,
	        .infer_boot = true,
	};
	int r;

	writer = snapshot_writer_new(&window.sink, SNAPSHOT_ZSTD_LEVEL);
	r = window_make(&options, writer, &info, reterr);
	if (r == -EINVAL)
		return 0;
	if (r < 0)
		return r;
	ret->path = loads[1].path;
	ret->limits = loads[1].limits;
	ret->forgotten = loads[0].info.forgotten | loads[1].info.forgotten;
	r = load_source(ret, &window.source);
	if (r < 0)
		strbuf_add(reterr, strbuf_str(&ret->error), ret->error.len);
	return r < 0 ? r : 1;
}
