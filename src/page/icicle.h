/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* icicle - the places of frames in a tree that is drawn from the top: a frame is as wide as its part of the whole, and stands
 * below its parent. Pure: the same leaves, in any order, give the same frames. */
#include <stdbool.h>
#include <stddef.h>

enum { ICICLE_LEVELS = 3, ICICLE_SIDES = 2 };

/* A group of threads. */
struct icicle_leaf {
	const char *parts[ICICLE_LEVELS]; /* names from the root on; borrowed */
	double amounts[ICICLE_SIDES];
	bool there[ICICLE_SIDES];        /* the side has the group */
	bool known[ICICLE_SIDES];        /* the amount is; else it is 0 */
	bool partial[ICICLE_SIDES];      /* it may lack some threads */
	bool began_before[ICICLE_SIDES]; /* waits of it began before the window */
	bool unlike;                     /* its ended threads are measured in two ways */
	/* The side may have had the group, and does not show it: it is there, and its amount is not known. */
	bool hidden[ICICLE_SIDES];
};

struct icicle_frame {
	const char *name; /* borrowed; NULL: of the root and of those that stand for several */
	unsigned level;   /* 0: the root */
	size_t parent;    /* a frame; the root has itself */
	double amounts[ICICLE_SIDES];
	bool there[ICICLE_SIDES];
	bool known[ICICLE_SIDES];        /* of some leaf */
	bool partial[ICICLE_SIDES];      /* it may lack some threads, or whole leaves */
	bool began_before[ICICLE_SIDES]; /* waits of a leaf began before the window */
	bool unlike, hidden;             /* of some leaf */
	double weight;     /* the amount of the last side; of what only others have, theirs */
	double x, width;   /* parts of 1; the width is 0 of what is too narrow */
	size_t stands_for; /* so many frames, which are too narrow; 0: itself */
	size_t from, to;   /* its leaves, in their order now */
};

struct icicle {
	struct icicle_frame *frames; /* level after level, in a level from left to right; owned */
	size_t count, capacity;
	unsigned sides;
};

/* Makes the frames. @leaves are sorted. Frames below one that is too narrow, with a width below @narrowest, are too narrow as
 * well. */
void icicle_init(struct icicle *icicle, struct icicle_leaf *leaves, size_t count, unsigned sides,
                 double narrowest);
/* For cleanup_(icicle_done). */
void icicle_done(struct icicle *icicle);

/* Returns how much the frame changed: -1 it is gone, 1 it is new or was nothing, 0 it is the same; NaN if that is not known. */
double icicle_change(const struct icicle_frame *frame);
