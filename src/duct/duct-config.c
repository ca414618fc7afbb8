// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/operand-open.h"
#include "base/text.h"
#include "base/trust-open.h"

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
	if (reason) {
		strbuf_add_str(&text, ": ");
		text_add_escaped(&text, reason, strlen(reason));
	}
	*message = (struct duct_message){level, mem_copy(text.data, text.len)};
}

/* The command gets the variables of the file, LD_PRELOAD as well, and the default places are also those of others: .duct is in the directory
 * that a user happens to be in. */
static int open_file(const char *path, bool is_chosen, struct strbuf *reterr)
{
	if (is_chosen && geteuid() != 0)
		return operand_open(AT_FDCWD, path, OPERAND_FILE, reterr);
	return trust_open(path, reterr);
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
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, objection = STRBUF_INIT;
	cleanup_(fd_closep) int fd = open_file(path, is_chosen, &objection);
	int r = fd < 0 ? fd : 0;

	if (r == -ENOENT || r == -ENOTDIR) {
		say(messages, DUCT_DEBUG, ".env file not found (skipping): ", path, NULL);
		return;
	}
	if (r == 0)
		r = read_text(fd, &text);
	if (r < 0) {
		say(messages, DUCT_WARNING, "Cannot read .env file ", path,
		    objection.len > 0 ? strbuf_str(&objection) : strerror(-r));
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
