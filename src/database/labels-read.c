// SPDX-License-Identifier: GPL-2.0-or-later
#include "labels-read.h"

#include <errno.h>

#include "base/memory-stream.h"
#include "json/json-read.h"

static int read_label(struct json_reader *reader, struct labels *labels)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT, reason = STRBUF_INIT;
	enum json_token token;
	const char *text;
	size_t len;

	text = json_reader_text(reader, &len);
	strbuf_add(&key, text, len);
	if (json_reader_next(reader, &token) < 0 || token != JSON_TOKEN_STRING)
		return -EBADMSG;
	text = json_reader_text(reader, &len);
	return labels_add(labels, strbuf_str(&key), key.len, text, len, &reason) < 0 ? -EBADMSG : 0;
}

static int read_object(struct json_reader *reader, struct labels *labels)
{
	enum json_token token;
	int r = json_reader_next(reader, &token);

	if (r < 0 || token != JSON_TOKEN_OBJECT_OPEN)
		return -EBADMSG;
	while ((r = json_reader_next(reader, &token)) == 0 && token == JSON_TOKEN_KEY) {
		r = read_label(reader, labels);
		if (r < 0)
			return r;
	}
	if (r < 0 || token != JSON_TOKEN_OBJECT_CLOSE)
		return -EBADMSG;
	return json_reader_next(reader, &token) == 0 && token == JSON_TOKEN_END ? 0 : -EBADMSG;
}

int labels_read(struct labels *labels, const char *json)
{
	static const struct json_limits limits = {
	        .depth = 1, .string_bytes = LABEL_VALUE_BYTES, .total_bytes = LABELS_JSON_BYTES};
	cleanup_(memory_stream_done) struct memory_stream stream = memory_stream_make();
	struct json_reader *reader;
	int r;

	strbuf_add_str(&stream.bytes, json);
	reader = json_reader_new(&stream.source, &limits);
	r = read_object(reader, labels);
	json_reader_free(reader);
	return r;
}
