/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* database-lister - makes the list of files, whose hosts are in the order of their names. */
#include "base/strmap.h"
#include "database/database.h"

struct database_lister {
	struct database_list *list; /* borrowed; without files and hosts at first */
	size_t capacity;
	struct strmap hosts;
};

/* A file as an engine has it. */
struct database_listed {
	const char *host;   /* its name, or what stands for it */
	struct span digest; /* in hexadecimal */
	bool is_window;
	uint64_t end_unix_ns, length_ns;
	struct span ends; /* as the column of that name has them; empty: a lifetime snapshot */
};

/* Adds the file with this id, or replaces it. */
void database_lister_add(struct database_lister *lister, size_t id,
                         const struct database_listed *file);

/* Called behind the last file, once. */
void database_lister_finish(struct database_lister *lister);
