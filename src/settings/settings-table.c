// SPDX-License-Identifier: GPL-2.0-or-later
#include "settings/settings-table.h"

#include <string.h>

#include "base/glob.h"
#include "base/scan.h"

/* clang-format off */
#define SETTINGS_DIRECTORY(root_, path_, depth_, files_)
#define SETTINGS_SKIP(why_, name_, reason_)
#define SETTINGS_ONLY(path_, entries_)
#define SETTINGS_EMPTY(root_, path_, file_, text_, reason_)
#define SETTINGS_HOST(field_, covered_)
#define SETTINGS_KIND(id_, patterns_, text_)

const struct settings_directory settings_directory_table[] = {
#undef SETTINGS_DIRECTORY
#define SETTINGS_DIRECTORY(root_, path_, depth_, files_) {SETTINGS_ROOT_##root_, path_, depth_, files_},
#include "settings.def"
#undef SETTINGS_DIRECTORY
#define SETTINGS_DIRECTORY(root_, path_, depth_, files_)
};
const size_t settings_directory_count = ARRAY_SIZE(settings_directory_table);

const struct settings_skip_desc settings_skip_table[] = {
#undef SETTINGS_SKIP
#define SETTINGS_SKIP(why_, name_, reason_) {SETTINGS_SKIP_##why_, name_, reason_},
#include "settings.def"
#undef SETTINGS_SKIP
#define SETTINGS_SKIP(why_, name_, reason_)
};
const size_t settings_skip_count = ARRAY_SIZE(settings_skip_table);

const struct settings_only_desc settings_only_table[] = {
#undef SETTINGS_ONLY
#define SETTINGS_ONLY(path_, entries_) {path_, entries_},
#include "settings.def"
#undef SETTINGS_ONLY
#define SETTINGS_ONLY(path_, entries_)
};
const size_t settings_only_count = ARRAY_SIZE(settings_only_table);

const struct settings_empty_desc settings_empty_table[] = {
#undef SETTINGS_EMPTY
#define SETTINGS_EMPTY(root_, path_, file_, text_, reason_) {SETTINGS_ROOT_##root_, path_, file_, text_, reason_},
#include "settings.def"
#undef SETTINGS_EMPTY
#define SETTINGS_EMPTY(root_, path_, file_, text_, reason_)
};
const size_t settings_empty_count = ARRAY_SIZE(settings_empty_table);

static const struct settings_host_desc settings_host_table[] = {
#undef SETTINGS_HOST
#define COVERED true
#define OWN false
#define SETTINGS_HOST(field_, covered_) {#field_, covered_},
#include "settings.def"
#undef OWN
#undef COVERED
#undef SETTINGS_HOST
#define SETTINGS_HOST(field_, covered_)
};

const struct settings_kind_desc settings_kind_table[SETTINGS_KIND_COUNT] = {
#undef SETTINGS_KIND
#define SETTINGS_KIND(id_, patterns_, text_) {#id_, patterns_, text_},
#include "settings.def"
};
/* clang-format on */

enum settings_kind settings_kind_of(const char *name)
{
	const size_t len = strlen(name);

	for (unsigned kind = 0; kind < SETTINGS_KIND_COUNT; kind++) {
		const char *patterns = settings_kind_table[kind].patterns;
		struct span rest = {patterns, strlen(patterns)}, word;

		while (scan_word(&rest, &word)) {
			char pattern[128];

			if (word.len >= sizeof(pattern))
				continue;
			memcpy(pattern, word.text, word.len);
			pattern[word.len] = '\0';
			if (glob_match_name(pattern, name, len))
				return (enum settings_kind)kind;
		}
	}
	return SETTINGS_KIND_other;
}

void settings_add_name(struct strbuf *out, const char *path)
{
	static const char sysctl[] = "/proc/sys/";
	const size_t prefix = sizeof(sysctl) - 1;

	if (strncmp(path, sysctl, prefix) != 0) {
		strbuf_add_str(out, path);
		return;
	}
	for (const char *at = path + prefix; *at; at++)
		strbuf_add_char(out, *at == '/' ? '.' : *at == '.' ? '/' : *at);
}

bool settings_is_identity(const char *name)
{
	for (size_t i = 0; i < settings_skip_count; i++) {
		cleanup_(strbuf_done) struct strbuf skipped = STRBUF_INIT;

		if (settings_skip_table[i].why != SETTINGS_SKIP_IDENTITY)
			continue;
		settings_add_name(&skipped, settings_skip_table[i].name);
		if (strcmp(strbuf_str(&skipped), name) == 0)
			return true;
	}
	return false;
}

const struct settings_host_desc *settings_host_find(const char *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings_host_table); i++) {
		size_t len = strlen(settings_host_table[i].field);

		if (strncmp(field, settings_host_table[i].field, len) == 0 &&
		    (field[len] == '\0' || field[len] == '.'))
			return &settings_host_table[i];
	}
	return NULL;
}

bool settings_list_has(const char *list, const char *name)
{
	struct span rest = {list, strlen(list)}, word;

	while (scan_word(&rest, &word))
		if (span_is(word, name))
			return true;
	return false;
}
