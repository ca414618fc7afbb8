// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/live-state.h"

#include "base/clock.h"
#include "ctprof/base/macro.h"
#include "overview/aspect.h"
#include "screen/screen.h"

static const struct {
	char key;
	const char *name;
} groups[] = {
        {'p', "pcomm"},
        {'i', "pid"},
        {'n', "comm"},
        {'t', "thread"},
        {'c', "cgroup"},
        {'v', "cgroup:service"},
        {'o', "cgroup:container"},
        {'a', "all"},
        {'u', "user"},
        {'e', "exe"},
        {'w', "cwd"},
        {'s', "state"},
};

static const char *const delay_ids[] = {
#define DELAY(id_, name_) #id_,
#include "delays.def"
#undef DELAY
};
static const char *const delay_names[] = {
#define DELAY(id_, name_) name_,
#include "delays.def"
#undef DELAY
};

static const uint64_t lengths_ms[] = {100,   200,   500,    1000,   2000,   5000,    10000,  20000,
                                      30000, 60000, 120000, 300000, 600000, 1800000, 3600000};

struct live_state live_state_make(bool delays, uint64_t every_ns)
{
	return (struct live_state){
	        .delays = delays,
	        .every_ns = every_ns,
	        /* the options' order is that of the table that they ask for */ .is_sorted =
	                {[LIVE_DELAYS] = !delays},
	        .sort_max = {
	                [LIVE_OVERVIEW] = ASPECT_COUNT, [LIVE_DELAYS] = ARRAY_SIZE(delay_ids)}};
}

const char *live_delay_id(unsigned place)
{
	return place > 0 && place <= ARRAY_SIZE(delay_ids) ? delay_ids[place - 1] : NULL;
}

static enum live_effect sort_by(struct live_state *state, unsigned place)
{
	unsigned table = live_state_table(state);

	if (place > state->sort_max[table])
		return LIVE_NOTHING;
	state->is_sorted[table] = true;
	state->sort[table] = place;
	state->first = 0;
	return LIVE_REPORT;
}

static enum live_effect sort_beside(struct live_state *state, bool right)
{
	unsigned table = live_state_table(state), at = state->sort[table];

	if (right ? at == state->sort_max[table] : at == 0)
		return LIVE_NOTHING;
	return sort_by(state, right ? at + 1 : at - 1);
}

static enum live_effect group_by(struct live_state *state, const char *name)
{
	state->group = name;
	state->first = 0;
	return LIVE_REPORT;
}

static enum live_effect set_length(struct live_state *state, bool longer)
{
	const uint64_t *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(lengths_ms); i++) {
		uint64_t ns = lengths_ms[i] * NS_PER_MS;

		if (longer ? ns > state->every_ns && !found : ns < state->every_ns)
			found = &lengths_ms[i];
	}
	if (!found)
		return LIVE_NOTHING;
	state->every_ns = *found * NS_PER_MS;
	return LIVE_LENGTH;
}

static enum live_effect scroll(struct live_state *state, int key, size_t page)
{
	size_t first = state->first, by = key == SCREEN_UP || key == SCREEN_DOWN ? 1 : page;

	switch (key) {
	case SCREEN_UP:
	case SCREEN_PAGE_UP:
		state->first = first > by ? first - by : 0;
		return LIVE_DRAW;
	case SCREEN_DOWN:
	case SCREEN_PAGE_DOWN:
		state->first = first + by;
		return LIVE_DRAW;
	case SCREEN_HOME:
		state->first = 0;
		return LIVE_DRAW;
	case SCREEN_END:
		/* The number of lines is known to those who draw. */
		state->first = SIZE_MAX / 2;
		return LIVE_DRAW;
	default:
		return LIVE_NOTHING;
	}
}

static enum live_effect other_key(struct live_state *state, int key, size_t page)
{
	if (key >= '0' && key <= '9')
		return sort_by(state, (unsigned)(key - '0'));
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (key == groups[i].key)
			return group_by(state, groups[i].name);
	return scroll(state, key, page);
}

enum live_effect live_state_key(struct live_state *state, int key, size_t page)
{
	/* Any key leaves the help, and one that ends the view does that as well. */
	if (state->help && key != 'q') {
		state->help = false;
		return LIVE_DRAW;
	}
	switch (key) {
	case 'q':
	case 'Q':
		return LIVE_QUIT;
	case 'h':
	case '?':
	case SCREEN_HELP:
		state->help = true;
		return LIVE_DRAW;
	case ' ':
	case 'f':
		state->frozen = !state->frozen;
		return LIVE_DRAW;
	case 'D':
		state->delays = !state->delays;
		state->first = 0;
		return LIVE_REPORT;
	case 'r':
		state->ascending = !state->ascending;
		state->first = 0;
		return LIVE_REPORT;
	case '<':
	case SCREEN_LEFT:
		return sort_beside(state, false);
	case '>':
	case SCREEN_RIGHT:
		return sort_beside(state, true);
	case '+':
	case '-':
		return set_length(state, key == '+');
	default:
		return other_key(state, key, page);
	}
}

void live_add_length(uint64_t ns, struct strbuf *out)
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} units[] = {{3600 * NS_PER_SECOND, "h"},
	             {60 * NS_PER_SECOND, "min"},
	             {NS_PER_SECOND, "s"},
	             {NS_PER_MS, "ms"}};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (ns % units[i].ns == 0) {
			strbuf_addf(out, "%llu%s", (unsigned long long)(ns / units[i].ns),
			            units[i].unit);
			return;
		}
	strbuf_addf(out, "%gs", (double)ns / NS_PER_SECOND);
}

void live_add_help(struct strbuf *out)
{
	strbuf_add_str(out,
	               "Keys of ctprof top; any key closes this page\n"
	               "\n"
	               "q, Ctrl-C      quit\n"
	               "space, f       freeze what is shown, and go on\n"
	               "+ -            longer or shorter windows, from 100ms to 1h\n"
	               "D              delays, as getdelays has them, or the overview\n"
	               "arrows, pages  scroll; Home, End\n"
	               "\n"
	               "Order: < and > or left and right choose the column, r turns it round\n");
	strbuf_add_str(out, "  0 score");
	for (unsigned i = 0; i < ASPECT_COUNT; i++)
		strbuf_addf(out, "%s%u %s", i == 5 ? "\n  " : "  ", i + 1, aspect_table[i].heading);
	strbuf_add_str(out, "\nOrder of delays:\n  0 all");
	for (unsigned i = 0; i < ARRAY_SIZE(delay_names); i++)
		strbuf_addf(out, "%s%u %s", i == 5 ? "\n  " : "  ", i + 1, delay_names[i]);
	strbuf_add_str(out, "\n\nGroups:");
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		strbuf_addf(out, "%s%c %s", i % 4 == 0 ? "\n  " : "  ", groups[i].key,
		            groups[i].name);
	strbuf_add_char(out, '\n');
}
