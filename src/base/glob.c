// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/glob.h"

#include <fnmatch.h>
#include <string.h>

#include "base/scan.h"

enum { SHORT_BYTES = 256 };

/* Copies of strings with a NUL for fnmatch(), reused from one segment to the next. Most fit without allocated
 * memory. */
struct matcher {
	char short_pattern[SHORT_BYTES];
	char short_text[SHORT_BYTES];
	struct strbuf pattern;
	struct strbuf text;
};

static const char *string_of(struct span span, char short_bytes[static SHORT_BYTES],
                             struct strbuf *long_bytes)
{
	if (span.len < SHORT_BYTES) {
		if (span.len > 0)
			memcpy(short_bytes, span.text, span.len);
		short_bytes[span.len] = '\0';
		return short_bytes;
	}
	strbuf_clear(long_bytes);
	strbuf_add(long_bytes, span.text, span.len);
	return strbuf_str(long_bytes);
}

static void matcher_done(struct matcher *matcher)
{
	strbuf_done(&matcher->pattern);
	strbuf_done(&matcher->text);
}

/* Removes the next segment that is not empty from the front of @rest. Returns false at the end. */
static bool next_segment(struct span *rest, struct span *ret)
{
	size_t len = 0;

	while (rest->len > 0 && rest->text[0] == '/')
		*rest = (struct span){rest->text + 1, rest->len - 1};
	if (rest->len == 0)
		return false;
	while (len < rest->len && rest->text[len] != '/')
		len++;
	*ret = (struct span){rest->text, len};
	*rest = (struct span){rest->text + len, rest->len - len};
	return true;
}

/* Returns the length of the bracket expression at the start of @text, as fnmatch() reads it; 0 if nothing closes it. */
static size_t bracket_len(struct span text)
{
	size_t first = text.len > 1 && (text.text[1] == '!' || text.text[1] == '^') ? 2 : 1;
	size_t i = first;

	while (i < text.len && (text.text[i] != ']' || i == first)) {
		char close[] = {i + 1 < text.len ? text.text[i + 1] : '\0', ']'};
		const char *end = NULL;

		if (text.text[i] == '[' && close[0] != '\0' && strchr(":.=", close[0]))
			end = memmem(text.text + i + 2, text.len - i - 2, close, sizeof(close));
		if (end)
			i = (size_t)(end - text.text) + sizeof(close);
		else
			i += text.text[i] == '\\' ? 2 : 1;
	}
	return i < text.len ? i + 1 : 0;
}

/* Returns the fault of a segment of a pattern, or NULL. */
static const char *segment_error(struct span segment)
{
	if (span_is(segment, "**"))
		return NULL;
	for (size_t i = 0, step; i < segment.len; i += step) {
		struct span rest = {segment.text + i, segment.len - i};

		step = 1;
		if (rest.text[0] == '\\')
			step = 2;
		else if (rest.text[0] == '[')
			step = bracket_len(rest);
		else if (rest.len > 1 && rest.text[0] == '*' && rest.text[1] == '*')
			return "'**' must be a whole segment";
		if (step == 0)
			return "'[' without ']'";
		if (step > rest.len)
			return "a backslash with nothing behind it";
	}
	return NULL;
}

bool glob_check(const char *pattern, struct strbuf *reterr)
{
	struct span rest = {pattern, strlen(pattern)}, segment;
	const char *error = rest.len == 0 ? "empty pattern" : NULL;

	while (!error && next_segment(&rest, &segment))
		error = segment_error(segment);
	if (error)
		strbuf_add_str(reterr, error);
	return !error;
}

/* glibc's fnmatch() goes back to the last star only, so its work does not grow with the power of their number.
 * FNM_PATHNAME is not needed: a segment has no slash, and in a name it is an ordinary character. The program never
 * calls setlocale(), so characters are bytes. */
static bool match(struct matcher *matcher, struct span pattern, struct span text)
{
	if (span_is(pattern, "*"))
		return true;
	if (text.len > 0 && memchr(text.text, '\0', text.len))
		return false;
	return fnmatch(string_of(pattern, matcher->short_pattern, &matcher->pattern),
	               string_of(text, matcher->short_text, &matcher->text), 0) == 0;
}

/* Matches each segment by itself. It is enough to go back to the last "**" and let it match one segment more. */
static bool match_segments(struct matcher *matcher, struct span pattern, struct span path)
{
	struct span pattern_rest = pattern, path_rest = path, glob, segment;
	struct span behind_stars = {0}, not_taken = {0};

	for (;;) {
		bool more_globs = next_segment(&pattern_rest, &glob);
		bool more_segments;

		if (more_globs && span_is(glob, "**")) {
			behind_stars = pattern_rest;
			not_taken = path_rest;
			continue;
		}
		more_segments = next_segment(&path_rest, &segment);
		if (!more_globs && !more_segments)
			return true;
		if (more_globs && more_segments && match(matcher, glob, segment))
			continue;
		if (!behind_stars.text || !next_segment(&not_taken, &segment))
			return false;
		pattern_rest = behind_stars;
		path_rest = not_taken;
	}
}

static bool is_absolute(struct span path)
{
	return path.len > 0 && path.text[0] == '/';
}

bool glob_match_path(const char *pattern, const char *path, size_t path_len)
{
	cleanup_(matcher_done) struct matcher matcher = {0};
	struct span globs = {pattern, strlen(pattern)}, segments = {path, path_len};
	struct span rest = globs, first;
	bool any_depth = !is_absolute(globs) && next_segment(&rest, &first) && span_is(first, "**");

	if (!any_depth && is_absolute(globs) != is_absolute(segments))
		return false;
	return match_segments(&matcher, globs, segments);
}

bool glob_match_name(const char *pattern, const char *name, size_t len)
{
	cleanup_(matcher_done) struct matcher matcher = {0};

	return match(&matcher, (struct span){pattern, strlen(pattern)}, (struct span){name, len});
}
