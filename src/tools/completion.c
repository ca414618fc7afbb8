// SPDX-License-Identifier: GPL-2.0-or-later
#include "completion.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

typedef void add_tables(struct strbuf *out, const struct command *const *commands);

static add_tables *find_shell(const char *shell)
{
	static const struct {
		const char *name;
		add_tables *add;
	} shells[] = {
	        {"bash", completion_add_bash_tables},
	        {"zsh", completion_add_zsh_tables},
	        {"fish", completion_add_fish_tables},
	};

	for (size_t i = 0; i < ARRAY_SIZE(shells); i++)
		if (strcmp(shells[i].name, shell) == 0)
			return shells[i].add;
	return NULL;
}

int completion_print(FILE *file, FILE *template, const char *shell,
                     const struct command *const *commands)
{
	cleanup_(strbuf_done) struct strbuf tables = STRBUF_INIT;
	cleanup_(mem_freep) char *line = NULL;
	add_tables *add = find_shell(shell);
	bool found = false;
	size_t size = 0;

	if (!add)
		return -EINVAL;
	add(&tables, commands);
	errno = 0;
	while (getline(&line, &size, template) >= 0) {
		bool here = strcmp(line, "# @TABLES@\n") == 0;

		found = found || here;
		fputs(here ? strbuf_str(&tables) : line, file);
	}
	if (ferror(template) || fflush(file) != 0 || ferror(file))
		return errno ? -errno : -EIO;
	return found ? 0 : -EINVAL;
}
