// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/kernel-config.h"

#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/fd.h"
#include "base/scan.h"
#include "host-fields.h"

/* A configuration with every option has 300 KiB of text. */
enum { CONFIG_TEXT_BYTES = 16 << 20, CONFIG_GZIP_BYTES = 4 << 20 };

/* clang-format off */
const struct kernel_option_desc kernel_option_table[KERNEL_OPTION_COUNT] = {
#define OFF true
#define UNKNOWN false
#define KERNEL_OPTION(id_, absent_, text_) [KERNEL_OPTION_##id_] = {#id_, absent_, text_},
#include "kernel-options.def"
#undef KERNEL_OPTION
#undef UNKNOWN
#undef OFF
};

/* Every gate of a metric is an option: a gate without a row of kernel-options.def does not compile. */
#define GATE(id_, text_) _Static_assert(KERNEL_OPTION_##id_ < KERNEL_OPTION_COUNT, "gate " #id_);
#include "gates.def"
#undef GATE
/* clang-format on */

/* Removes @prefix from the front of @text. */
static bool strip_prefix(struct span *text, const char *prefix)
{
	size_t len = strlen(prefix);

	if (text->len < len || memcmp(text->text, prefix, len) != 0)
		return false;
	*text = (struct span){text->text + len, text->len - len};
	return true;
}

/* Splits "CONFIG_NAME=value" or "# CONFIG_NAME is not set". */
static bool split_line(struct span line, struct span *ret_name, struct span *ret_value)
{
	static const char not_set[] = " is not set";
	const char *end;
	bool off = strip_prefix(&line, "# ");

	if (!strip_prefix(&line, "CONFIG_"))
		return false;
	end = memchr(line.text, off ? ' ' : '=', line.len);
	if (!end)
		return false;
	*ret_name = (struct span){line.text, (size_t)(end - line.text)};
	*ret_value = (struct span){end, line.len - ret_name->len};
	if (off) {
		if (!span_is(*ret_value, not_set))
			return false;
		*ret_value = (struct span){"n", 1};
		return true;
	}
	return strip_prefix(ret_value, "=");
}

static bool is_tristate(struct span value)
{
	for (unsigned i = 0; i < HOST_OPTION_VALUES; i++)
		if (span_is(value, host_option_values[i]))
			return true;
	return false;
}

static void set_hz(struct span value, struct host *host)
{
	uint64_t hz;

	if (scan_u64(value.text, value.len, &hz) && hz > 0)
		host_set_number(host, HOST_kernel_hz, hz);
}

enum source_outcome kernel_config_parse(const char *text, size_t len, struct host *host)
{
	struct span found[KERNEL_OPTION_COUNT] = {0}, rest = {text, len}, line, name, value;
	struct span hz = {0};
	size_t lengths[KERNEL_OPTION_COUNT];
	bool any = false;

	/* A text without a newline at its end may be incomplete. */
	if (len == 0 || text[len - 1] != '\n')
		return OUTCOME_malformed;
	for (unsigned i = 0; i < KERNEL_OPTION_COUNT; i++)
		lengths[i] = strlen(kernel_option_table[i].name);
	while (scan_line(&rest, &line)) {
		if (line.len > 0 && line.text[line.len - 1] == '\r')
			line.len--;
		if (!split_line(line, &name, &value))
			continue;
		any = true;
		if (span_is(name, "HZ"))
			hz = value;
		for (unsigned i = 0; i < KERNEL_OPTION_COUNT; i++)
			if (name.len == lengths[i] &&
			    memcmp(name.text, kernel_option_table[i].name, name.len) == 0)
				found[i] = value;
	}
	if (!any)
		return OUTCOME_malformed;
	for (unsigned i = 0; i < KERNEL_OPTION_COUNT; i++) {
		if (!found[i].text && kernel_option_table[i].absent_is_off)
			found[i] = (struct span){"n", 1};
		if (found[i].text && is_tristate(found[i]))
			host_map_set(host, HOST_kernel_config, kernel_option_table[i].name,
			             found[i].text, found[i].len);
	}
	if (hz.text)
		set_hz(hz, host);
	return OUTCOME_read;
}

static void inflate_end(z_stream *stream)
{
	inflateEnd(stream);
}

/* Returns false if @bytes are no whole gzip file, which may have several members, or one of more than
 * CONFIG_TEXT_BYTES. */
static bool unpack(const void *bytes, size_t len, struct strbuf *text)
{
	enum { CHUNK = 1 << 16, GZIP_ONLY = 16 };
	cleanup_(inflate_end) z_stream stream = {.next_in = bytes, .avail_in = (uInt)len};
	int r;

	if (inflateInit2(&stream, MAX_WBITS + GZIP_ONLY) != Z_OK)
		return false;
	do {
		stream.next_out = (Bytef *)strbuf_reserve(text, CHUNK);
		stream.avail_out = CHUNK;
		r = inflate(&stream, Z_NO_FLUSH);
		text->len += CHUNK - stream.avail_out;
		text->data[text->len] = '\0';
		if (r == Z_STREAM_END && stream.avail_in > 0)
			r = inflateReset(&stream);
	} while (r == Z_OK && text->len <= CONFIG_TEXT_BYTES);
	return r == Z_STREAM_END && text->len <= CONFIG_TEXT_BYTES;
}

enum source_outcome kernel_config_parse_gzip(const void *bytes, size_t len, struct host *host)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (len > CONFIG_TEXT_BYTES || !unpack(bytes, len, &text))
		return OUTCOME_malformed;
	return kernel_config_parse(strbuf_str(&text), text.len, host);
}

void host_read_kernel_config(int proc_fd, bool live, struct host *host)
{
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	if (proc_fd < 0)
		return;
	if (fd_read_all_at(proc_fd, "config.gz", &bytes, CONFIG_GZIP_BYTES) == 0 &&
	    kernel_config_parse_gzip(strbuf_str(&bytes), bytes.len, host) == OUTCOME_read)
		return;
	if (!live)
		strbuf_add_str(&name, "config");
	else if (host->seen[HOST_kernel_release])
		strbuf_addf(&name, "/boot/config-%s", host_text(host, HOST_kernel_release));
	if (name.len == 0 ||
	    fd_read_all_at(proc_fd, strbuf_str(&name), &bytes, CONFIG_TEXT_BYTES) < 0)
		return;
	/* The options stay unknown if the text is malformed. */
	(void)!kernel_config_parse(strbuf_str(&bytes), bytes.len, host);
}
