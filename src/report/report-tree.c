// SPDX-License-Identifier: GPL-2.0-or-later
#include "report-tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strmap.h"

/* A path may have any number of segments; deeper ones share one line. */
enum { DEPTH_MAX = 24 };

struct piece {
	const char *text;
	size_t len;
	bool in_path;
};

static void add_line(struct tree *tree, struct tree_line line)
{
	*array_add(tree->lines, tree->count, tree->capacity) = line;
}

/* Stores the heading of a cgroup at a depth: "/" for the root alone, else one segment with its slash. Returns false
 * below the path. */
static bool path_piece(const char *path, unsigned depth, struct piece *ret)
{
	const char *end;

	ret->in_path = true;
	for (unsigned i = 0; i < depth && path; i++)
		path = path[0] ? strchr(path + 1, '/') : NULL;
	if (!path || (depth > 0 && path[1] == '\0'))
		return false;
	end = depth + 1 < DEPTH_MAX && path[0] ? strchr(path + 1, '/') : NULL;
	*ret = (struct piece){path, end && end[1] ? (size_t)(end - path) : strlen(path), true};
	return true;
}

static unsigned path_depth(const char *path)
{
	struct piece piece;
	unsigned depth = 1;

	while (depth < DEPTH_MAX && path_piece(path, depth, &piece))
		depth++;
	return depth;
}

/* Stores the heading of a group at a depth. Returns false at the group's own line. */
static bool piece_at(const struct row_set *set, const struct row_group *group, unsigned depth,
                     struct piece *ret)
{
	for (unsigned key = 0; !group->exited && key + 1 < set->by.count; key++) {
		bool in_path = set->by.keys[key] == GROUP_KEY_cgroup;
		unsigned pieces = in_path ? path_depth(group->parts[key]) : 1;

		if (depth >= pieces) {
			depth -= pieces;
			continue;
		}
		if (in_path)
			return path_piece(group->parts[key], depth, ret);
		*ret = (struct piece){group->parts[key], strlen(group->parts[key]), false};
		return true;
	}
	return false;
}

struct branch {
	size_t first, count; /* rows, in the list of the level below */
};

/* The branches of a heading, in the order of their first rows. */
struct branches {
	struct branch *list; /* owned */
	size_t count;
};

/* A segment and a process of the same name are two things. */
static size_t number_of(struct strmap *pieces, const struct piece *piece, struct strbuf *key)
{
	strbuf_clear(key);
	strbuf_add_char(key, piece->in_path ? '/' : ' ');
	strbuf_add(key, piece->text, piece->len);
	return (size_t)(strmap_add(pieces, strbuf_str(key), key->len) - pieces->entries);
}

/* Puts the rows of each branch side by side; rows of no branch, SIZE_MAX, are dropped. */
static void sort_rows(const struct branches *branches, const size_t *of_piece, size_t *rows,
                      size_t count)
{
	cleanup_(mem_freep) size_t *sorted = mem_calloc(count, sizeof(*sorted));
	size_t at = 0;

	for (size_t i = 0; i < count; i++)
		if (of_piece[i] != SIZE_MAX)
			branches->list[of_piece[i]].count++;
	for (size_t b = 0; b < branches->count; b++) {
		branches->list[b].first = at;
		at += branches->list[b].count;
		branches->list[b].count = 0;
	}
	for (size_t i = 0; i < count; i++)
		if (of_piece[i] != SIZE_MAX) {
			struct branch *branch = &branches->list[of_piece[i]];

			sorted[branch->first + branch->count++] = rows[i];
		}
	memcpy(rows, sorted, at * sizeof(*rows));
}

/* Sorts rows below one heading into those that have a line of their own here, and branches. */
static struct branches branch_out(struct tree *tree, const struct row_set *set, size_t *rows,
                                  size_t count, unsigned depth)
{
	cleanup_(strmap_done) struct strmap pieces = STRMAP_INIT;
	cleanup_(mem_freep) size_t *of_piece = mem_calloc(count, sizeof(*of_piece));
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT;
	struct branches branches;

	for (size_t i = 0; i < count; i++) {
		const struct row_group *group = &set->groups[set->rows[rows[i]].group];
		struct piece piece;

		of_piece[i] = SIZE_MAX;
		if (piece_at(set, group, depth, &piece))
			of_piece[i] = number_of(&pieces, &piece, &key);
		else
			add_line(tree,
			         (struct tree_line){.depth = (uint16_t)depth, .row = rows[i]});
	}
	branches = (struct branches){mem_calloc(pieces.count, sizeof(struct branch)), pieces.count};
	sort_rows(&branches, of_piece, rows, count);
	return branches;
}

/* There may be a row for each group and measure and a level for each segment, so nothing as long as the rows is kept
 * while the levels below are added. */
static void add_level(struct tree *tree, const struct row_set *set, size_t *rows, size_t count,
                      unsigned depth)
{
	struct branches branches = branch_out(tree, set, rows, count, depth);

	for (size_t b = 0; b < branches.count; b++) {
		size_t *below = rows + branches.list[b].first;
		struct piece piece = {0};

		piece_at(set, &set->groups[set->rows[below[0]].group], depth, &piece);
		add_line(tree, (struct tree_line){.text = piece.text,
		                                  .text_len = (uint32_t)piece.len,
		                                  .depth = (uint16_t)depth,
		                                  .heading = true,
		                                  .in_path = piece.in_path});
		add_level(tree, set, below, branches.list[b].count, depth + 1);
	}
	free(branches.list);
}

void tree_build(struct tree *tree, const struct row_set *set, size_t row_count)
{
	cleanup_(mem_freep) size_t *rows = mem_calloc(row_count + 1, sizeof(*rows));

	for (size_t i = 0; i < row_count; i++)
		rows[i] = i;
	*tree = (struct tree){0};
	add_level(tree, set, rows, row_count, 0);
}

void tree_done(struct tree *tree)
{
	free(tree->lines);
	*tree = (struct tree){0};
}
