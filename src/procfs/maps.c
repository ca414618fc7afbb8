// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/scan.h"
#include "base/watch.h"

/* A line is "start-end rwxp offset device inode   path"; all numbers but the inode are hexadecimal. */
struct line {
	uint64_t start, end, offset, inode;
	bool is_code;
	bool is_gap; /* no access is allowed: the gap between two segments */
	struct span file, path;
};

static bool scan_hex(struct span *rest, char behind, uint64_t *ret_value)
{
	uint64_t value = 0;
	size_t i = 0;

	for (; i < rest->len && i < 16; i++) {
		int digit = char_hex_digit(rest->text[i]);

		if (digit < 0)
			break;
		value = value << 4 | (uint64_t)digit;
	}
	if (i == 0 || i >= rest->len || rest->text[i] != behind)
		return false;
	*rest = (struct span){rest->text + i + 1, rest->len - i - 1};
	*ret_value = value;
	return true;
}

static bool scan_permissions(struct span *rest, struct line *ret_line)
{
	enum { PERMISSIONS = 5 };

	if (rest->len < PERMISSIONS)
		return false;
	ret_line->is_code = rest->text[2] == 'x';
	ret_line->is_gap = memcmp(rest->text, "---", 3) == 0;
	*rest = (struct span){rest->text + PERMISSIONS, rest->len - PERMISSIONS};
	return true;
}

static bool parse_line(struct span text, struct line *ret_line)
{
	struct span device, inode;

	if (!scan_hex(&text, '-', &ret_line->start) || !scan_hex(&text, ' ', &ret_line->end) ||
	    !scan_permissions(&text, ret_line) || !scan_hex(&text, ' ', &ret_line->offset))
		return false;
	ret_line->file = text;
	if (!scan_word(&text, &device) || !scan_word(&text, &inode) ||
	    !scan_u64(inode.text, inode.len, &ret_line->inode))
		return false;
	while (text.len > 0 && *text.text == ' ')
		text = (struct span){text.text + 1, text.len - 1};
	ret_line->path = text;
	return true;
}

void maps_begin(struct maps_reader *reader, const char *text, size_t len)
{
	*reader = (struct maps_reader){.rest = {text, len}};
}

/* The loader maps a file's segments in the order of its bytes, and two of them have at most a page of it in common. A
 * segment that begins further back belongs to another loading of the file. */
static void add_to_run(struct maps_reader *reader, const struct line *line)
{
	enum { LARGEST_PAGE = 65536 };
	struct mapped_file *run = &reader->run;

	if (!run->file.text || !span_equal(run->file, line->file) ||
	    line->offset + LARGEST_PAGE < reader->last_offset) {
		*run = (struct mapped_file){
		        .first_start = line->start,
		        .first_offset = line->offset,
		        .inode = line->inode,
		        .file = line->file,
		        .path = line->path,
		};
		reader->is_returned = false;
	}
	reader->last_offset = line->offset + (line->end - line->start);
}

bool maps_next(struct maps_reader *reader, struct mapped_file *ret_file)
{
	struct span text;
	struct line line;

	while (scan_line(&reader->rest, &text)) {
		if (!parse_line(text, &line) || line.inode == 0 || line.is_gap)
			continue;
		add_to_run(reader, &line);
		if (!line.is_code || reader->is_returned)
			continue;
		reader->is_returned = true;
		reader->run.start = line.start;
		reader->run.end = line.end;
		*ret_file = reader->run;
		return true;
	}
	return false;
}

/* struct procmap_query of <linux/fs.h>, which Linux 6.11 brought. */
struct query {
	uint64_t size, flags, address;
	uint64_t start, end, vma_flags, page_size, offset, inode;
	uint32_t device_major, device_minor, name_size, build_id_size;
	uint64_t name, build_id;
};

#define QUERY _IOWR('f', 17, struct query)

enum {
	WITH_CODE = 0x04,
	COVERING_OR_NEXT = 0x10,
	OF_A_FILE = 0x20,
};

static void store(struct maps_query *query, const struct query *answer, const char *path,
                  struct mapped_file *ret_file)
{
	int len = snprintf(query->text, sizeof(query->text), "%02x:%02x %" PRIu64 " ",
	                   answer->device_major, answer->device_minor, answer->inode);
	size_t path_len = strlen(path);

	memcpy(query->text + len, path, path_len);
	*ret_file = (struct mapped_file){
	        .start = answer->start,
	        .end = answer->end,
	        .inode = answer->inode,
	        .file = {query->text, (size_t)len + path_len},
	        .path = {query->text + len, path_len},
	};
}

/* Asks for the path as well if @path_size is not 0. */
static int ask(const struct maps_query *query, char *path, uint32_t path_size,
               struct query *ret_answer)
{
	int r;

	path[0] = '\0';
	*ret_answer = (struct query){.size = sizeof(*ret_answer),
	                             .flags = WITH_CODE | COVERING_OR_NEXT | OF_A_FILE,
	                             .address = query->address,
	                             .name_size = path_size,
	                             .name = path_size > 0 ? (uintptr_t)path : 0};
	watch_enter();
	r = ioctl(query->fd, QUERY, ret_answer);
	watch_leave();
	return r < 0 ? -errno : 0;
}

int maps_query_next(struct maps_query *query, struct mapped_file *ret_file)
{
	char path[PATH_MAX];
	struct query answer;

	do {
		int r = ask(query, path, sizeof(path), &answer);

		if (r == -ENAMETOOLONG)
			r = ask(query, path, 0, &answer);
		if (r < 0)
			return r == -ENOENT ? 0 : r;
		query->address = answer.end;
	} while (answer.inode == 0);
	store(query, &answer, path, ret_file);
	return 1;
}
