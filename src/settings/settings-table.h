/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* settings-table - the rows of registry/settings.def. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

enum settings_root { SETTINGS_ROOT_PROC, SETTINGS_ROOT_SYS };

/* A directory whose files are settings, as the comment in registry/settings.def says. */
struct settings_directory {
	enum settings_root root;
	const char *path;
	unsigned depth;
	const char *files; /* "" for all of them */
};
extern const struct settings_directory settings_directory_table[];
extern const size_t settings_directory_count;

/* Why a file is no setting. */
enum settings_skip {
	SETTINGS_SKIP_NEVER = 1,
	SETTINGS_SKIP_VOLATILE,
	SETTINGS_SKIP_ELSEWHERE,
	SETTINGS_SKIP_IDENTITY, /* it is read, but not with --anonymous, and never compared */
};
struct settings_skip_desc {
	enum settings_skip why;
	const char *name; /* of a file, or a path that begins with a slash */
	const char *reason;
};
extern const struct settings_skip_desc settings_skip_table[];
extern const size_t settings_skip_count;

struct settings_only_desc {
	const char *path;
	const char *entries; /* with blanks between them */
};
extern const struct settings_only_desc settings_only_table[];
extern const size_t settings_only_count;

struct settings_empty_desc {
	enum settings_root root;
	const char *path; /* up to the star */
	const char *file, *text, *reason;
};
extern const struct settings_empty_desc settings_empty_table[];
extern const size_t settings_empty_count;

/* A field of the host that somebody sets. */
struct settings_host_desc {
	const char *field;
	bool covered; /* a setting has the same value */
};

/* Returns the row of a field of the host, or of an entry of a map ("sched_tunables.sched_rt_runtime_us"); NULL if nobody sets it. */
const struct settings_host_desc *settings_host_find(const char *field);

/* The subject of a setting. */
enum settings_kind {
#define SETTINGS_DIRECTORY(root_, path_, depth_, files_)
#define SETTINGS_SKIP(why_, name_, reason_)
#define SETTINGS_ONLY(path_, entries_)
#define SETTINGS_EMPTY(root_, path_, file_, text_, reason_)
#define SETTINGS_HOST(field_, covered_)
#define SETTINGS_KIND(id_, patterns_, text_) SETTINGS_KIND_##id_,
#include "settings.def"
#undef SETTINGS_DIRECTORY
#undef SETTINGS_SKIP
#undef SETTINGS_ONLY
#undef SETTINGS_EMPTY
#undef SETTINGS_HOST
#undef SETTINGS_KIND
	SETTINGS_KIND_COUNT,
};
struct settings_kind_desc {
	const char *name;
	const char *patterns; /* as glob_match_name() takes them, with blanks between them */
	const char *description;
};
extern const struct settings_kind_desc settings_kind_table[SETTINGS_KIND_COUNT];

/* Returns the kind of the setting of that name. */
enum settings_kind settings_kind_of(const char *name);

/* Returns whether the setting of that name names the host (IDENTITY). */
must_check_ bool settings_is_identity(const char *name);

/* Appends the name of the setting that is read from @path, as sysctl(8) makes it: of "/proc/sys/vm/swappiness",
 * "vm.swappiness", where a dot of the path is a slash of the name. Other paths are names as they are. */
void settings_add_name(struct strbuf *out, const char *path);

/* Returns whether a name is in a list with blanks between the names. */
must_check_ bool settings_list_has(const char *list, const char *name);
