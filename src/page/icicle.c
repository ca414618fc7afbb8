// SPDX-License-Identifier: GPL-2.0-or-later
#include "icicle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int by_path(const void *a, const void *b)
{
	const struct icicle_leaf *x = a, *y = b;
	int r = 0;

	for (unsigned i = 0; i < ICICLE_LEVELS && r == 0; i++)
		r = strcmp(x->parts[i], y->parts[i]);
	return r;
}

static int by_weight(const void *a, const void *b)
{
	const struct icicle_frame *x = a, *y = b;

	if (x->weight > y->weight || x->weight < y->weight)
		return x->weight > y->weight ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void add_leaf(const struct icicle *icicle, struct icicle_frame *frame,
                     const struct icicle_leaf *leaf)
{
	unsigned last = icicle->sides - 1;

	for (unsigned side = 0; side < icicle->sides; side++) {
		frame->amounts[side] += leaf->amounts[side];
		frame->there[side] = frame->there[side] || leaf->there[side];
		frame->known[side] = frame->known[side] || leaf->known[side];
		frame->partial[side] = frame->partial[side] || leaf->partial[side] ||
		                       (leaf->there[side] && !leaf->known[side]);
		frame->began_before[side] = frame->began_before[side] || leaf->began_before[side];
		frame->hidden = frame->hidden || leaf->hidden[side];
	}
	frame->unlike = frame->unlike || leaf->unlike;
	frame->weight += leaf->amounts[leaf->there[last] && !leaf->hidden[last] ? last : 0];
}

/* Appends a frame that has no leaf yet. */
static struct icicle_frame *add_frame(struct icicle *icicle, size_t parent, unsigned level)
{
	struct icicle_frame *frame = array_add(icicle->frames, icicle->count, icicle->capacity);

	*frame = (struct icicle_frame){.level = level, .parent = parent};
	return frame;
}

/* Appends the frames below a frame, the widest first. */
static void split(struct icicle *icicle, size_t parent, const struct icicle_leaf *leaves)
{
	size_t first = icicle->count, from = icicle->frames[parent].from;
	size_t to = icicle->frames[parent].to;
	unsigned level = icicle->frames[parent].level + 1;
	struct icicle_frame *frame = NULL;

	for (size_t i = from; i < to; i++) {
		const char *name = leaves[i].parts[level - 1];

		if (!frame || strcmp(frame->name, name) != 0) {
			frame = add_frame(icicle, parent, level);
			frame->name = name;
			frame->from = i;
		}
		frame->to = i + 1;
		add_leaf(icicle, frame, &leaves[i]);
	}
	qsort(icicle->frames + first, icicle->count - first, sizeof(icicle->frames[0]), by_weight);
}

/* Makes one frame of those that are too narrow: the last ones of their parent, from @first on. */
static void join(struct icicle *icicle, size_t first, double x, double narrowest)
{
	struct icicle_frame all = icicle->frames[first];

	all.name = NULL;
	all.stands_for = icicle->count - first;
	for (size_t i = first + 1; i < icicle->count; i++) {
		const struct icicle_frame *frame = &icicle->frames[i];

		for (unsigned side = 0; side < icicle->sides; side++) {
			all.amounts[side] += frame->amounts[side];
			all.there[side] = all.there[side] || frame->there[side];
			all.known[side] = all.known[side] || frame->known[side];
			all.partial[side] = all.partial[side] || frame->partial[side];
			all.began_before[side] =
			        all.began_before[side] || frame->began_before[side];
		}
		all.unlike = all.unlike || frame->unlike;
		all.hidden = all.hidden || frame->hidden;
		all.weight += frame->weight;
	}
	all.x = x;
	all.width = all.weight / icicle->frames[0].weight;
	if (all.width < narrowest)
		all.width = 0;
	icicle->frames[first] = all;
	icicle->count = first + 1;
}

/* Sets the places of the frames from @first on, which have one parent. */
static void place(struct icicle *icicle, size_t first, double narrowest)
{
	const double whole = icicle->frames[0].weight;
	double x = icicle->frames[icicle->frames[first].parent].x;

	for (size_t i = first; i < icicle->count; i++) {
		struct icicle_frame *frame = &icicle->frames[i];
		double width = frame->weight / whole;

		if (width < narrowest) {
			join(icicle, i, x, narrowest);
			return;
		}
		frame->x = x;
		frame->width = width;
		x += width;
	}
}

void icicle_init(struct icicle *icicle, struct icicle_leaf *leaves, size_t count, unsigned sides,
                 double narrowest)
{
	struct icicle_frame *root;

	*icicle = (struct icicle){.sides = sides};
	qsort(leaves, count, sizeof(leaves[0]), by_path);
	root = add_frame(icicle, 0, 0);
	root->to = count;
	root->width = 1;
	for (size_t i = 0; i < count; i++)
		add_leaf(icicle, root, &leaves[i]);
	if (!(root->weight > 0))
		return;
	/* Frames are appended while this goes through them. */
	for (size_t i = 0; i < icicle->count; i++) {
		const struct icicle_frame *frame = &icicle->frames[i];
		size_t first = icicle->count;

		if (frame->level == ICICLE_LEVELS || frame->stands_for > 0 || frame->width <= 0)
			continue;
		split(icicle, i, leaves);
		if (icicle->count > first)
			place(icicle, first, narrowest);
	}
}

void icicle_done(struct icicle *icicle)
{
	free(icicle->frames);
	*icicle = (struct icicle){0};
}

double icicle_change(const struct icicle_frame *frame)
{
	double before = frame->amounts[0], after = frame->amounts[1];
	double larger = fmax(before, after);

	if (frame->unlike || frame->hidden)
		return NAN;
	if (!frame->there[0] || !frame->there[1])
		return frame->there[1] ? 1 : -1;
	if (!frame->known[0] || !frame->known[1])
		return NAN;
	return larger > 0 ? (after - before) / larger : 0;
}
