// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/regular-file.h"
#include "base/text.h"

enum { TEXT_BYTES = 1 << 20 };

static const char default_paths[] =
        "/etc/duct/.env:${XDG_CONFIG_HOME:-~/.config}/duct/.env:.duct/.env";

static void say(struct duct_messages *messages, enum duct_level level, const char *what,
                const char *path, const char *reason)
{
	struct duct_message *message =
	        array_add(messages->entries, messages->count, messages->capacity);
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	strbuf_add_str(&text, what);
	text_add_escaped(&text, path, strlen(path));
	strbuf_addf(&text, "%s%s", reason ? ": " : "", reason ? reason : "");
	*message = (struct duct_message){level, mem_copy(text.data, text.len)};
}

/* A group with the number of its user is that user's own, as pam_umask(8) has it. */
static bool others_may_write(const struct stat *status)
{
	bool own_group = status->st_gid == getegid() && getegid() == geteuid() && geteuid() != 0;

	return (status->st_mode & S_IWOTH) != 0 || ((status->st_mode & S_IWGRP) != 0 && !own_group);
}

/* Returns why the file is not read, or NULL. The command gets its variables, LD_PRELOAD as well, and the default places are also
 * those of others: .duct is in the directory that a user happens to be in. */
static const char *find_objection(int fd, bool is_chosen)
{
	struct stat status;

	if (is_chosen && geteuid() != 0)
		return NULL;
	if (fstat(fd, &status) < 0)
		return strerror(errno);
	if (status.st_uid != 0 && status.st_uid != geteuid())
		return "it belongs to another user";
	return others_may_write(&status) ? "others may write it" : NULL;
}

static int read_text(int fd, struct strbuf *text)
{
	char *room = strbuf_reserve(text, TEXT_BYTES);
	ssize_t len = 0, more;

	do {
		more = read(fd, room + len, TEXT_BYTES - (size_t)len);
		if (more < 0 && errno != EINTR)
			return -errno;
		if (more > 0)
			len += more;
	} while (more != 0 && len < TEXT_BYTES);
	text->len = (size_t)len;
	return len == TEXT_BYTES ? -EFBIG : 0;
}

/* @is_chosen: the user has named the file. */
static void read_file(const char *path, bool is_chosen, struct duct_variables *variables,
                      struct duct_messages *messages, unsigned *loaded)
{
	cleanup_(fd_closep) int fd = regular_file_open_link(AT_FDCWD, path, FILE_SYSTEMS_ALL);
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const char *objection = fd < 0 ? NULL : find_objection(fd, is_chosen);
	int r = fd < 0 ? fd : 0;

	if (r == -ENOENT || r == -ENOTDIR) {
		say(messages, DUCT_DEBUG, ".env file not found (skipping): ", path, NULL);
		return;
	}
	if (r == 0 && !objection)
		r = read_text(fd, &text);
	if (r < 0 || objection) {
		say(messages, DUCT_WARNING, "Cannot read .env file ", path,
		    objection ? objection : strerror(-r));
		return;
	}
	say(messages, DUCT_INFO_LEVEL, "Loading .env file: ", path, NULL);
	if (duct_dotenv_parse(text.data, text.len, variables) > 0)
		say(messages, DUCT_WARNING,
		    "Lines that are no assignments, or too long, are left out: ", path, NULL);
	(*loaded)++;
}

void duct_config_read(struct duct_variables *variables, struct duct_messages *messages)
{
	const char *given = getenv("DUCT_CONFIG_PATHS"), *home = getenv("HOME");
	cleanup_(strbuf_done) struct strbuf paths = STRBUF_INIT;
	unsigned loaded = 0;

	duct_dotenv_expand(given ? given : default_paths, variables, &paths);
	for (const char *at = strbuf_str(&paths), *end; *at; at = *end ? end + 1 : end) {
		cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
		size_t blanks = strspn(at, " \t");

		end = at + strcspn(at, ":");
		if (at + blanks >= end)
			continue;
		at += blanks;
		if (*at == '~' && home && (at[1] == '/' || at + 1 == end))
			strbuf_add_str(&path, home), at++;
		strbuf_add(&path, at, (size_t)(end - at));
		while (path.len > 0 && path.data[path.len - 1] == ' ')
			path.data[--path.len] = '\0';
		read_file(strbuf_str(&path), given != NULL, variables, messages, &loaded);
	}
	if (loaded == 0)
		say(messages, DUCT_INFO_LEVEL, "No .env files found", "", NULL);
}

void duct_messages_done(struct duct_messages *messages)
{
	for (size_t i = 0; i < messages->count; i++)
		free(messages->entries[i].text);
	free(messages->entries);
	*messages = (struct duct_messages){0};
}
