// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/cgroup-key.h"

#include <limits.h>
#include <string.h>

#include "base/glob.h"
#include "base/scan.h"
#include "group/normalise.h"

enum {
	CONTAINER_ID = 64, /* digits */
	BUILD_ID = 25,     /* of BuildKit */
	TASK_ID = 32,      /* of Fargate */
	STATIC_POD_ID = 32,
	UUID = 36,
	LONG_ID = 32,
};

static struct span span_from(struct span span, size_t start)
{
	return (struct span){span.text + start, span.len - start};
}

static bool strip_prefix(struct span *span, const char *prefix)
{
	size_t len = strlen(prefix);

	if (span->len < len || memcmp(span->text, prefix, len) != 0)
		return false;
	*span = span_from(*span, len);
	return true;
}

static bool strip_suffix(struct span *span, const char *suffix)
{
	size_t len = strlen(suffix);

	if (span->len < len || memcmp(span->text + span->len - len, suffix, len) != 0)
		return false;
	span->len -= len;
	return true;
}

/* Removes the last segment that is not empty from the end of a path. Returns false if there is none. */
static bool strip_segment(struct span *path, struct span *ret)
{
	size_t end = path->len, start;

	while (end > 0 && path->text[end - 1] == '/')
		end--;
	start = end;
	while (start > 0 && path->text[start - 1] != '/')
		start--;
	if (start == end)
		return false;
	*ret = (struct span){path->text + start, end - start};
	path->len = start;
	return true;
}

static bool is_word(char c)
{
	return char_is_digit(c) || char_is_letter(c);
}

/* Returns whether a UUID is at the start: groups of 8, 4, 4, 4 and 12 digits, all separated by a dash or all by the
 * underscore that replaces it in systemd's names. */
static bool is_uuid(struct span span)
{
	static const unsigned groups[] = {8, 4, 4, 4, 12};
	size_t at = 0;

	if (span.len < UUID)
		return false;
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++) {
		if (g > 0 && ((span.text[at] != '-' && span.text[at] != '_') ||
		              span.text[at++] != span.text[groups[0]]))
			return false;
		for (unsigned i = 0; i < groups[g]; i++)
			if (!char_is_hex(span.text[at++]))
				return false;
	}
	return span.len == UUID || !char_is_hex(span.text[UUID]);
}

/* Returns whether an id of 32 digits is at the start. */
static bool is_long_id(struct span span)
{
	size_t digits = 0;

	while (digits < span.len && char_is_hex(span.text[digits]))
		digits++;
	return digits == LONG_ID && (digits == span.len || !is_word(span.text[digits]));
}

static bool stands_behind(struct span span, size_t at, const char *text)
{
	size_t len = strlen(text);

	return at >= len && memcmp(span.text + at - len, text, len) == 0;
}

/* A UUID is one id and not five tokens, whose pattern depends on which digits are letters. Ids of static pods and of
 * systemd-run follow letters, and would be other tokens with them. */
static void add_ids(struct span span, struct strbuf *out)
{
	for (size_t at = 0; at < span.len;) {
		bool behind_pod = stands_behind(span, at, "pod");
		bool begins = at == 0 || !is_word(span.text[at - 1]);

		if ((begins || behind_pod) && is_uuid(span_from(span, at))) {
			strbuf_add_str(out, "{H}");
			at += UUID;
		} else if ((behind_pod || stands_behind(span, at, "run-r")) &&
		           is_long_id(span_from(span, at))) {
			strbuf_add_str(out, "{H}");
			at += LONG_ID;
		} else {
			strbuf_add_char(out, span.text[at++]);
		}
	}
}

/* NAME@INSTANCE.service: the first @ begins the instance. */
static void add_segment(struct span segment, struct strbuf *out)
{
	struct span instance = segment;
	const char *at = segment.len > 0 ? memchr(segment.text, '@', segment.len) : NULL;
	size_t name = at ? (size_t)(at - segment.text) + 1 : 0;

	if (name > 1 && strip_suffix(&instance, ".service") && instance.len > name) {
		instance = span_from(instance, name);
		if (!memchr(instance.text, '.', instance.len) &&
		    !memchr(instance.text, '-', instance.len) &&
		    !memchr(instance.text, '_', instance.len)) {
			strbuf_add(out, segment.text, name);
			strbuf_add_str(out, "{I}.service");
			return;
		}
	}
	add_ids(segment, out);
}

void cgroup_normalise(const char *path, size_t len, struct strbuf *out, struct strbuf *scratch)
{
	struct span rest = {path, len};

	strbuf_clear(scratch);
	while (rest.len > 0) {
		const char *slash = memchr(rest.text, '/', rest.len);
		size_t segment = slash ? (size_t)(slash - rest.text) : rest.len;

		add_segment((struct span){rest.text, segment}, scratch);
		if (slash)
			strbuf_add_char(scratch, '/');
		rest = span_from(rest, slash ? segment + 1 : segment);
	}
	normalise_name(strbuf_str(scratch), scratch->len, out);
}

bool cgroup_flatten(const char *const *globs, size_t count, const char *path, size_t len,
                    struct strbuf *out)
{
	for (size_t i = 0; i < count; i++) {
		if (glob_match_path(globs[i], path, len)) {
			strbuf_add_str(out, globs[i]);
			return true;
		}
	}
	return false;
}

static bool is_base36(char c)
{
	return char_is_digit(c) || (c >= 'a' && c <= 'z');
}

static bool all_are(bool (*is)(char), struct span span)
{
	for (size_t i = 0; i < span.len; i++)
		if (!is(span.text[i]))
			return false;
	return true;
}

/* Returns whether the text is groups of hexadecimal digits between dashes, or between another separator, and nothing
 * else. */
static bool is_grouped(struct span span, const size_t *groups, size_t count, const char *dashes)
{
	for (size_t i = 0; i < count; i++) {
		if (i > 0) {
			if (span.len == 0 || span.text[0] == '\0' || !strchr(dashes, span.text[0]))
				return false;
			span = span_from(span, 1);
		}
		if (span.len < groups[i] ||
		    !all_are(char_is_hex, (struct span){span.text, groups[i]}))
			return false;
		span = span_from(span, groups[i]);
	}
	return span.len == 0;
}

static bool is_container_id(struct span span)
{
	return span.len == CONTAINER_ID && all_are(char_is_hex, span);
}

static bool is_build_id(struct span span)
{
	return span.len == BUILD_ID && all_are(is_base36, span);
}

static bool is_task_id(struct span span)
{
	return span.len > TASK_ID + 1 && span.text[TASK_ID] == '-' &&
	       all_are(char_is_hex, (struct span){span.text, TASK_ID}) &&
	       all_are(char_is_digit, span_from(span, TASK_ID + 1));
}

static bool is_garden_id(struct span span)
{
	static const size_t groups[] = {8, 4, 4, 4, 4};

	return is_grouped(span, groups, ARRAY_SIZE(groups), "-");
}

/* Finds the id in RUNTIME-ID, RUNTIME-ID.scope and SLICE:RUNTIME:ID. */
static bool runtime_container(struct span segment, struct span *ret)
{
	static const char *const runtimes[] = {
	        "docker", "cri-containerd", "crio", "libpod", "libpod-payload", "nerdctl",
	};
	const char *colon = memrchr(segment.text, ':', segment.len);

	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++) {
		struct span id = segment;
		bool found;

		if (colon) {
			struct span slice = {segment.text, (size_t)(colon - segment.text)};

			id = span_from(segment, slice.len + 1);
			found = strip_suffix(&slice, runtimes[i]) && strip_suffix(&slice, ":") &&
			        slice.len > 0;
		} else {
			strip_suffix(&id, ".scope");
			found = strip_prefix(&id, runtimes[i]) && strip_prefix(&id, "-");
		}
		if (found && (is_container_id(id) || (i == 0 && is_build_id(id)))) {
			*ret = id;
			return true;
		}
	}
	return false;
}

/* Finds the name of a container that has one. */
static bool named_container(struct span segment, struct span parent, struct span *ret)
{
	struct span name = segment;

	/* Virtual machines are registered with systemd-machined as well. */
	if (strip_suffix(&name, ".scope") && strip_prefix(&name, "machine-") && name.len > 0 &&
	    !strip_prefix(&name, "qemu\\x2d")) {
		*ret = name;
		return true;
	}
	name = segment;
	if (strip_suffix(&name, ".service") && strip_prefix(&name, "systemd-nspawn@") &&
	    name.len > 0) {
		*ret = name;
		return true;
	}
	name = segment;
	if ((strip_prefix(&name, "lxc.payload.") && name.len > 0) || span_is(parent, "lxc") ||
	    span_is(parent, "lxc.payload")) {
		*ret = name;
		return true;
	}
	return false;
}

static bool find_container(struct span segment, struct span outside, struct span *ret)
{
	struct span parent = {0}, grandparent = {0};

	if (strip_segment(&outside, &parent))
		strip_segment(&outside, &grandparent);
	if (runtime_container(segment, ret) || named_container(segment, parent, ret))
		return true;
	*ret = segment;
	if (is_container_id(segment))
		return !span_is(parent, "libpod_parent");
	if (is_task_id(segment))
		return span_is(grandparent, "ecs");
	if (is_build_id(segment))
		return span_is(parent, "buildkit");
	if (is_garden_id(segment))
		return span_is(parent, "garden") ||
		       (span_is(grandparent, "garden") &&
		        (span_is(parent, "good") || span_is(parent, "bad")));
	return false;
}

static bool is_pod_uid(struct span span)
{
	static const size_t groups[] = {8, 4, 4, 4, 12};

	return (span.len == STATIC_POD_ID && all_are(char_is_hex, span)) ||
	       is_grouped(span, groups, ARRAY_SIZE(groups), "-_");
}

/* Finds the last @len bytes, if @prefix is right in front of them and a dash or nothing in front of that. */
static bool tail_of(struct span span, const char *prefix, size_t len, struct span *ret)
{
	struct span front = {span.text, span.len - len};

	if (span.len < len || !strip_suffix(&front, prefix) ||
	    (front.len > 0 && front.text[front.len - 1] != '-'))
		return false;
	*ret = span_from(span, span.len - len);
	return true;
}

static bool find_pod(struct span segment, struct span outside, struct span *ret)
{
	static const size_t uid_lens[] = {36, STATIC_POD_ID};
	const char *colon = memchr(segment.text, ':', segment.len);
	struct span name = {segment.text, colon ? (size_t)(colon - segment.text) : segment.len};
	struct span parent;

	if (is_container_id(segment) && strip_segment(&outside, &parent) &&
	    span_is(parent, "libpod_parent")) {
		*ret = segment;
		return true;
	}
	strip_suffix(&name, ".slice");
	for (size_t i = 0; i < ARRAY_SIZE(uid_lens); i++)
		if (tail_of(name, "pod", uid_lens[i], ret) && is_pod_uid(*ret))
			return true;
	return tail_of(name, "libpod_pod_", CONTAINER_ID, ret) && is_container_id(*ret);
}

static bool ends_in_one_of(struct span segment, const char *const *suffixes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct span name = segment;

		if (strip_suffix(&name, suffixes[i]) && name.len > 0)
			return true;
	}
	return false;
}

static bool find_part(enum cgroup_part part, struct span segment, struct span outside,
                      struct span *ret)
{
	static const char *const services[] = {".service", ".scope", ".socket", ".mount", ".swap"};
	static const char *const slices[] = {".slice"};

	*ret = segment;
	switch (part) {
	case CGROUP_PART_SERVICE:
		return ends_in_one_of(segment, services, ARRAY_SIZE(services));
	case CGROUP_PART_SLICE:
		return ends_in_one_of(segment, slices, ARRAY_SIZE(slices));
	case CGROUP_PART_CONTAINER:
		return find_container(segment, outside, ret);
	case CGROUP_PART_POD:
		return find_pod(segment, outside, ret);
	}
	return false;
}

bool cgroup_part_of(enum cgroup_part part, const char *path, size_t len, struct strbuf *out)
{
	struct span rest = {path, len}, segment, found;

	/* The path of a zombie whose cgroup was removed, see cgroup_path_ns_locked() in kernel/cgroup/cgroup.c. */
	strip_suffix(&rest, " (deleted)");
	while (strip_segment(&rest, &segment)) {
		if (!find_part(part, segment, rest, &found))
			continue;
		/* systemd reads a dash as the next level of slices, so uids have underscores there. */
		for (size_t i = 0; i < found.len; i++)
			strbuf_add_char(out, part == CGROUP_PART_POD && found.text[i] == '_'
			                             ? '-'
			                             : found.text[i]);
		return true;
	}
	return false;
}

bool cgroup_path_is_above_root(const char *path)
{
	static const char up[] = "/..";

	if (*path == '\0')
		return false;
	while (strncmp(path, up, strlen(up)) == 0)
		path += strlen(up);
	return *path == '\0';
}

bool cgroup_path_climb(struct strbuf *path)
{
	const char *text = strbuf_str(path);
	size_t len = path->len;

	if (text[0] != '/' || strlen(text) != len)
		return false;
	if (len == 1 || cgroup_path_is_above_root(text)) {
		if (len >= PATH_MAX - strlen("/.."))
			return false;
		if (len == 1)
			strbuf_clear(path);
		strbuf_add_str(path, "/..");
		return true;
	}
	while (len > 1 && text[len - 1] != '/')
		len--;
	path->len = len > 1 ? len - 1 : len;
	path->data[path->len] = '\0';
	return true;
}
