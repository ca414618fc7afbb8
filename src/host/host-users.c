// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "host-fields.h"
#include "host/host-read.h"

/* Some name services have long entries; longer ones than this are ignored. */
enum { ENTRY_FIRST_BYTES = 1 << 10, ENTRY_MOST_BYTES = 1 << 20 };

/* Appends the name of a user; returns false if there is none. @scratch is reused. */
static bool find_name(uid_t uid, struct strbuf *scratch, struct strbuf *ret_name)
{
	struct passwd entry, *found = NULL;
	int r = ERANGE;

	for (size_t room = ENTRY_FIRST_BYTES; r == ERANGE && room <= ENTRY_MOST_BYTES; room *= 2) {
		strbuf_clear(scratch);
		r = getpwuid_r(uid, &entry, strbuf_reserve(scratch, room), room, &found);
	}
	if (r != 0 || !found || !found->pw_name)
		return false;
	strbuf_add_str(ret_name, found->pw_name);
	return true;
}

static void close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

/* Finds the users that the system's own file has. The C library loads name services as libraries, and glibc 2.36 ends the process where it
 * lacks memory for one: they are only asked for the others. @ret_names, as many as @ids, are owned by the caller; NULL: not in the file. */
static void read_names(const struct id_list *ids, char **ret_names)
{
	cleanup_(close_file) FILE *file = fopen("/etc/passwd", "re");
	cleanup_(mem_freep) char *line = mem_calloc(ENTRY_MOST_BYTES, 1);
	struct passwd entry, *found;

	while (file && fgetpwent_r(file, &entry, line, ENTRY_MOST_BYTES, &found) == 0) {
		uint32_t uid = found->pw_uid;
		const uint32_t *id = ids->count > 0 ? bsearch(&uid, ids->ids, ids->count,
		                                              sizeof(uid), id_compare)
		                                    : NULL;

		/* Lines of NIS have no id of their own. */
		if (found->pw_name[0] == '+' || found->pw_name[0] == '-')
			continue;
		if (id && !ret_names[id - ids->ids])
			ret_names[id - ids->ids] = mem_copy_text(found->pw_name);
	}
}

/* Replaces the ids of processes by those of their owners; processes that are gone leave the list. */
static void replace_by_owners(int proc_fd, struct id_list *list)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct stat status;
		char name[12];

		snprintf(name, sizeof(name), "%" PRIu32, list->ids[i]);
		if (fstatat(proc_fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
			list->ids[count++] = status.st_uid;
	}
	list->count = count;
}

/* Sorts the ids, and keeps one of each. */
static void make_unique(struct id_list *list)
{
	size_t count = 0;

	if (list->count > 0)
		qsort(list->ids, list->count, sizeof(list->ids[0]), id_compare);
	for (size_t i = 0; i < list->count; i++)
		if (i == 0 || list->ids[i] != list->ids[i - 1])
			list->ids[count++] = list->ids[i];
	list->count = count;
}

static bool list_processes(int proc_fd, const struct id_list *processes, struct id_list *ret,
                           struct strbuf *scratch)
{
	cleanup_(fd_closep) int fd = -1;

	if (!processes) {
		fd = fd_open_dir_at(proc_fd, ".");
		return fd >= 0 && fd_list_ids(fd, ret, scratch) == 0;
	}
	for (size_t i = 0; i < processes->count; i++)
		*array_add(ret->ids, ret->count, ret->capacity) = processes->ids[i];
	return true;
}

void host_read_users(int proc_fd, const struct id_list *processes, struct host *host)
{
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	cleanup_(id_list_done) struct id_list list = {0};
	char **names;
	size_t used = 0;

	if (!list_processes(proc_fd, processes, &list, &scratch))
		return;
	replace_by_owners(proc_fd, &list);
	make_unique(&list);
	names = mem_calloc(list.count + 1, sizeof(*names));
	read_names(&list, names);
	for (size_t i = 0; i < list.count; i++) {
		char id[12];

		if (host->maps[HOST_users].count >= HOST_MAP_ENTRIES)
			break;
		strbuf_clear(&name);
		if (names[i])
			strbuf_add_str(&name, names[i]);
		else if (!find_name(list.ids[i], &scratch, &name))
			continue;
		snprintf(id, sizeof(id), "%" PRIu32, list.ids[i]);
		host_put_entry(host, HOST_users, id, &name, &used);
	}
	for (size_t i = 0; i < list.count; i++)
		free(names[i]);
	free(names);
}
