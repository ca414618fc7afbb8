// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "facts/cgroup-knobs.h"
#include "settings/settings-compare.h"

/* Finds the value of a knob in the text of a cgroup; false where there is none. */
static bool find_knob(const char *text, struct span knob, struct span *ret_value)
{
	struct span rest = {text, strlen(text)}, word;

	while (scan_word(&rest, &word))
		if (word.len > knob.len && word.text[knob.len] == '=' &&
		    memcmp(word.text, knob.text, knob.len) == 0) {
			*ret_value =
			        (struct span){word.text + knob.len + 1, word.len - knob.len - 1};
			return true;
		}
	return false;
}

bool cgroup_knobs_share_cpu(const struct settings *settings, const char *cgroup)
{
	static const char v1[] = "v1:", weight[] = "cpu.weight";
	cleanup_(mem_freep) char *path = mem_copy_text(cgroup);

	/* In version 1 a controller is on everywhere. */
	if (strncmp(cgroup, v1, strlen(v1)) == 0)
		return strcmp(cgroup + strlen(v1), "/") != 0;
	while (path[0] == '/') {
		const struct setting *entry = settings_find(settings, path[1] ? path : "/");
		struct span value;

		if (entry && find_knob(entry->text, (struct span){weight, strlen(weight)}, &value))
			return true;
		*strrchr(path, '/') = '\0';
	}
	return false;
}

/* Returns whether the knob of the parent cgroup changed in the same way: then it was set there. */
static bool is_inherited(const struct settings *const sides[2], const char *path, struct span knob,
                         const struct span values[2])
{
	cleanup_(mem_freep) char *above = mem_copy(path, (size_t)(strrchr(path, '/') - path));

	for (unsigned side = 0; side < 2; side++) {
		const struct setting *entry = settings_find(sides[side], above);
		struct span value;

		if (!entry || !find_knob(entry->text, knob, &value) ||
		    !span_equal(value, values[side]))
			return false;
	}
	return true;
}

static void add_change(struct knob_changes *changes, const char *path, struct span knob,
                       const struct span values[2])
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	struct knob_change *change = array_add(changes->entries, changes->count, changes->capacity);

	strbuf_addf(&name, "%s: %.*s", path, (int)knob.len, knob.text);
	*change = (struct knob_change){
	        .name = mem_copy(strbuf_str(&name), name.len),
	        .texts = {mem_copy(values[0].text, values[0].len),
	                  mem_copy(values[1].text, values[1].len)},
	};
}

static void compare_cgroup(const struct settings *const sides[2], const struct setting_pair *pair,
                           struct knob_changes *ret)
{
	const char *path = pair->baseline->name;
	struct span rest = {pair->baseline->text, strlen(pair->baseline->text)}, word;

	while (strchr(path, '/') && scan_word(&rest, &word)) {
		const char *equals = memchr(word.text, '=', word.len);
		struct span knob, values[2];

		if (!equals)
			continue;
		knob = (struct span){word.text, (size_t)(equals - word.text)};
		values[0] = (struct span){equals + 1, word.len - knob.len - 1};
		if (find_knob(pair->candidate->text, knob, &values[1]) &&
		    !span_equal(values[0], values[1]) && !is_inherited(sides, path, knob, values))
			add_change(ret, path, knob, values);
	}
}

void cgroup_knobs_compare(const struct settings *baseline, const struct settings *candidate,
                          struct knob_changes *ret)
{
	const struct settings *const sides[2] = {baseline, candidate};
	cleanup_(setting_pairs_done) struct setting_pairs pairs = {0};

	if (!baseline || !candidate)
		return;
	settings_compare(baseline, candidate, false, &pairs);
	for (size_t i = 0; i < pairs.count; i++)
		compare_cgroup(sides, &pairs.entries[i], ret);
}

void knob_changes_done(struct knob_changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		free(changes->entries[i].name);
		free(changes->entries[i].texts[0]);
		free(changes->entries[i].texts[1]);
	}
	free(changes->entries);
}
