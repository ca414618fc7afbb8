// SPDX-License-Identifier: GPL-2.0-or-later
#include "knob/knob.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "ctprof/base/macro.h"

enum { VALUE_BYTES = 4096, COMMAND_BYTES = 65536 };

static const char sysctl_root[] = "/proc/sys/";

static const char *const kind_names[] = {
        [KNOB_SYSCTL] = "sysctl", [KNOB_WRITE] = "write", [KNOB_EXEC] = "exec",
        [KNOB_DAEMON] = "daemon", [KNOB_ENV] = "env",
};

/* Dots separate, and a slash is a dot of a name, if a dot is the first separator. sysctl(8) has the same rule. */
static void add_sysctl_path(struct strbuf *path, const char *name)
{
	bool swapped = name[strcspn(name, "./")] == '.';

	strbuf_add_str(path, sysctl_root);
	for (; *name; name++)
		strbuf_add_char(path, !swapped       ? *name
		                      : *name == '.' ? '/'
		                      : *name == '/' ? '.'
		                                     : *name);
}

/* Returns whether no part of a path is empty, "." or "..". */
static bool is_plain(const char *path)
{
	while (*path == '/') {
		size_t len = strcspn(++path, "/");

		if (len == 0 || (len <= 2 && strspn(path, ".") >= len))
			return false;
		path += len;
	}
	return *path == '\0';
}

static int refuse(struct strbuf *reterr, const char *name, const char *why)
{
	if (name) {
		strbuf_add_char(reterr, '\'');
		text_add_escaped(reterr, name, strlen(name));
		strbuf_add_str(reterr, "' ");
	}
	strbuf_add_str(reterr, why);
	return -EINVAL;
}

static int check_variable(const char *name, struct strbuf *reterr)
{
	if (!name[0] || strchr(name, '='))
		return refuse(reterr, name, "is no name of a variable");
	return 0;
}

static int check_value(enum knob_kind kind, const char *value, struct strbuf *reterr)
{
	bool is_command = kind == KNOB_EXEC || kind == KNOB_DAEMON;

	if (is_command && value[strspn(value, " \t\n")] == '\0')
		return refuse(reterr, NULL, "a command is missing");
	if (strlen(value) > (is_command ? COMMAND_BYTES : VALUE_BYTES))
		return refuse(reterr, NULL,
		              is_command ? "the command is too long" : "the value is too long");
	if ((kind == KNOB_SYSCTL || kind == KNOB_WRITE) && strchr(value, '\n'))
		return refuse(reterr, NULL, "a value of more than one line cannot be read back");
	return 0;
}

static int make_path(enum knob_kind kind, const char *name, struct strbuf *path,
                     struct strbuf *reterr)
{
	if (kind == KNOB_SYSCTL)
		add_sysctl_path(path, name);
	else
		strbuf_add_str(path, name);
	if (kind == KNOB_WRITE && name[0] != '/')
		return refuse(reterr, name, "is no absolute path");
	if (!is_plain(strbuf_str(path)) || path->len >= PATH_MAX)
		return refuse(
		        reterr, name,
		        kind == KNOB_SYSCTL
		                ? "is no name of a sysctl"
		                : "is no path that can be used: it has an empty part, '.' or '..'");
	return 0;
}

int knob_add(struct knob_list *arm, enum knob_kind kind, const char *name, const char *value,
             const char *undo, struct strbuf *reterr)
{
	bool is_file = kind == KNOB_SYSCTL || kind == KNOB_WRITE;
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	int r = check_value(kind, value, reterr);

	if (r == 0 && is_file)
		r = make_path(kind, name, &path, reterr);
	if (r == 0 && kind == KNOB_ENV)
		r = check_variable(name, reterr);
	if (r == 0 && kind == KNOB_EXEC)
		r = undo ? check_value(kind, undo, reterr)
		         : refuse(reterr, NULL, "a command that undoes it is missing");
	if (r < 0)
		return r;
	*array_add(arm->entries, arm->count, arm->capacity) = (struct knob){
	        .kind = kind,
	        .name = kind == KNOB_SYSCTL || kind == KNOB_ENV ? mem_copy_text(name) : NULL,
	        .path = is_file ? mem_copy(path.data, path.len) : NULL,
	        .value = mem_copy_text(value),
	        .undo = kind == KNOB_EXEC ? mem_copy_text(undo) : NULL,
	};
	return 0;
}

void knob_describe(struct strbuf *out, const struct knob *knob)
{
	const char *name = knob->name ? knob->name : knob->path;

	strbuf_addf(out, "%s ", kind_names[knob->kind]);
	if (name) {
		text_add_escaped(out, name, strlen(name));
		strbuf_add_str(out, " = ");
	}
	text_add_escaped(out, knob->value, strlen(knob->value));
	if (knob->undo) {
		strbuf_add_str(out, " undo ");
		text_add_escaped(out, knob->undo, strlen(knob->undo));
	}
}

void knob_list_done(struct knob_list *arm)
{
	for (size_t i = 0; i < arm->count; i++) {
		free(arm->entries[i].name);
		free(arm->entries[i].path);
		free(arm->entries[i].value);
		free(arm->entries[i].undo);
	}
	free(arm->entries);
	*arm = (struct knob_list){0};
}
