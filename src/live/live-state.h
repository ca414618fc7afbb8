/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* live-state - what keys do to the live view of top: its order, its groups, the length of its windows, and the part that is on
 * the screen. Pure: nothing is read or shown here. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

enum { LIVE_OVERVIEW, LIVE_DELAYS, LIVE_TABLES };

struct live_state {
	const char *group;           /* key of --group-by, static; NULL: as the options have it */
	bool delays;                 /* the table of delays, not the overview */
	bool is_sorted[LIVE_TABLES]; /* by a key, not by the options */
	unsigned sort[LIVE_TABLES];  /* 0: the order of the table, else a column from 1 on */
	unsigned sort_max[LIVE_TABLES]; /* columns that the tables can be sorted by */
	bool ascending;
	bool frozen;
	bool help;
	uint64_t every_ns;
	size_t first; /* line below the headings, from 0 on */
};

/* The work after a key; the larger one has the smaller ones in it. */
enum live_effect {
	LIVE_NOTHING,
	LIVE_DRAW,   /* the same lines */
	LIVE_REPORT, /* the report of the same window */
	LIVE_LENGTH, /* windows have another length */
	LIVE_QUIT,
};

/* Returns the state of a view that begins. */
struct live_state live_state_make(bool delays, uint64_t every_ns);

/* Changes the state as the key of a screen (screen/screen.h) asks for. @page is how many lines one page has. */
enum live_effect live_state_key(struct live_state *state, int key, size_t page);

/* Returns which table is shown, for the members of the state that have one value for each. */
static inline unsigned live_state_table(const struct live_state *state)
{
	return state->delays ? LIVE_DELAYS : LIVE_OVERVIEW;
}

/* Returns the kind of delay (its id in registry/delays.def) that has this place from 1 on, or NULL. */
const char *live_delay_id(unsigned place);

/* Appends the lines that explain the keys, each at most 78 columns wide. */
void live_add_help(struct strbuf *out);

/* Appends a length such as "500ms", "5s" or "2min". */
void live_add_length(uint64_t ns, struct strbuf *out);
