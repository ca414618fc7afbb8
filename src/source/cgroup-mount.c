// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "ctprof/fd.h"
#include "ctprof/scan.h"
#include "ctprof/source.h"

enum { MOUNTINFO_BYTES = 16 << 20 };

/* A line of mountinfo has the mount point as its fifth word and the type behind a lone dash. Blanks,
 * tabs, newlines and backslashes in paths are written as octal escapes. */
static bool line_mount_point(struct span line, struct strbuf *ret_path)
{
	enum { MOUNT_POINT_WORD = 5 };
	struct span word, point = {0};
	int number = 0;

	while (scan_word(&line, &word) && !span_is(word, "-"))
		if (++number == MOUNT_POINT_WORD)
			point = word;
	if (!point.text || !scan_word(&line, &word) || !span_is(word, "cgroup2"))
		return false;

	strbuf_clear(ret_path);
	for (size_t i = 0; i < point.len; i++) {
		const char *c = point.text + i;

		if (*c == '\\' && point.len - i > 3) {
			strbuf_add_char(ret_path, (char)(((c[1] - '0') << 6) | ((c[2] - '0') << 3) |
			                                 (c[3] - '0')));
			i += 3;
		} else {
			strbuf_add_char(ret_path, *c);
		}
	}
	return true;
}

int cgroup2_mount_find(int proc_fd, struct strbuf *ret_path)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	int r = fd_read_all_at(proc_fd, "self/mountinfo", &text, MOUNTINFO_BYTES);
	struct span rest, line;

	if (r < 0)
		return r;
	rest = (struct span){strbuf_str(&text), text.len};
	while (scan_line(&rest, &line))
		if (line_mount_point(line, ret_path))
			return 0;
	return -ENOENT;
}
