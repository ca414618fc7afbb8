// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/memory-stream.h"

#include <string.h>

static int append(struct byte_sink *self, const void *bytes, size_t len)
{
	strbuf_add(&((struct memory_stream *)self)->bytes, bytes, len);
	return 0;
}

static int give(struct byte_source *self, void *buffer, size_t size, size_t *ret_len)
{
	struct memory_stream *stream =
	        (struct memory_stream *)((char *)self - offsetof(struct memory_stream, source));
	size_t left = stream->bytes.len - stream->position;

	*ret_len = left < size ? left : size;
	if (*ret_len > 0)
		memcpy(buffer, stream->bytes.data + stream->position, *ret_len);
	stream->position += *ret_len;
	return 0;
}

struct memory_stream memory_stream_make(void)
{
	return (struct memory_stream){.sink = {append}, .source = {give}};
}

void memory_stream_done(struct memory_stream *stream)
{
	strbuf_done(&stream->bytes);
}
