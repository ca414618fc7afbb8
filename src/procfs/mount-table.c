// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/mount-table.h"

#include <fcntl.h>
#include <poll.h>

#include "base/fd.h"

enum { MOUNTINFO_BYTES = 64 << 20 };

void mount_table_done(struct mount_table *table)
{
	fd_closep(&table->fd);
	strbuf_done(&table->own);
	strbuf_done(&table->other);
}

static bool is_read(int dir_fd, const char *name, uint64_t until_ns, struct strbuf *text)
{
	return fd_read_all_until(dir_fd, name, text, MOUNTINFO_BYTES, until_ns) == 0;
}

/* Reads our own mounts again if there is news: an old text could have the id with another mount. The kernel says so for each
 * descriptor once, and a new one has no news, so it is opened before the text is read. */
static bool refresh(struct mount_table *table)
{
	struct pollfd news = {.fd = table->fd, .events = POLLPRI};

	if (table->fd >= 0 && poll(&news, 1, 0) == 0)
		return true;
	if (table->fd < 0)
		table->fd = fd_open_file_at(AT_FDCWD, "/proc/self/mountinfo");
	if (table->fd >= 0 && is_read(AT_FDCWD, "/proc/self/mountinfo", UINT64_MAX, &table->own))
		return true;
	fd_closep(&table->fd);
	return false;
}

static bool find(const struct strbuf *text, uint64_t id, struct mount_line *ret_line)
{
	struct span rest = {strbuf_str(text), text->len}, line;

	while (scan_line(&rest, &line)) {
		struct span copy = line, word;
		uint64_t number;

		if (scan_word(&copy, &word) && scan_u64(word.text, word.len, &number) &&
		    number == id)
			return mount_line_parse(line, ret_line);
	}
	return false;
}

bool mount_table_find(struct mount_table *table, int process_fd, uint64_t id, uint64_t until_ns,
                      struct mount_line *ret_line)
{
	if (refresh(table) && find(&table->own, id, ret_line))
		return true;
	return is_read(process_fd, "mountinfo", until_ns, &table->other) &&
	       find(&table->other, id, ret_line);
}
