// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys and the state of the live view. */
#include "base/clock.h"
#include "base/text.h"
#include "check.h"
#include "group/group-by.h"
#include "live/live-state.h"
#include "overview/aspect.h"
#include "screen/screen.h"

enum { PAGE = 10 };

static struct live_state begin(void)
{
	return live_state_make(false, 5 * NS_PER_SECOND);
}

static void keys_choose_the_order(void **unused)
{
	struct live_state state = begin();

	(void)unused;
	assert_int_equal(live_state_key(&state, '<', PAGE), LIVE_NOTHING);
	assert_false(state.is_sorted[LIVE_OVERVIEW]);
	for (unsigned i = 1; i <= ASPECT_COUNT; i++) {
		assert_int_equal(live_state_key(&state, i % 2 ? '>' : SCREEN_RIGHT, PAGE),
		                 LIVE_REPORT);
		assert_int_equal(state.sort[LIVE_OVERVIEW], i);
	}
	assert_int_equal(live_state_key(&state, '>', PAGE), LIVE_NOTHING);
	assert_int_equal(live_state_key(&state, '2', PAGE), LIVE_REPORT);
	assert_int_equal(state.sort[LIVE_OVERVIEW], 1 + ASPECT_cpu);
	assert_int_equal(live_state_key(&state, '0', PAGE), LIVE_REPORT);
	assert_int_equal(state.sort[LIVE_OVERVIEW], 0);
	assert_true(state.is_sorted[LIVE_OVERVIEW]);
	assert_int_equal(live_state_key(&state, 'r', PAGE), LIVE_REPORT);
	assert_true(state.ascending);
}

/* Each table has an order of its own. */
static void delays_have_their_own_order(void **unused)
{
	struct live_state state = begin();

	(void)unused;
	live_state_key(&state, '3', PAGE);
	assert_int_equal(live_state_key(&state, 'D', PAGE), LIVE_REPORT);
	assert_true(state.delays);
	assert_int_equal(state.sort[LIVE_DELAYS], 0);
	assert_true(state.is_sorted[LIVE_DELAYS]);
	live_state_key(&state, '2', PAGE);
	assert_string_equal(live_delay_id(state.sort[LIVE_DELAYS]), "blkio");
	assert_int_equal(live_state_key(&state, '9', PAGE), LIVE_NOTHING);
	live_state_key(&state, 'D', PAGE);
	assert_int_equal(state.sort[LIVE_OVERVIEW], 3);
	assert_null(live_delay_id(0));
	assert_null(live_delay_id(9));
	state = live_state_make(true, NS_PER_SECOND);
	assert_false(state.is_sorted[LIVE_DELAYS]);
}

/* Each letter that the help lists stands for a key of groups. */
static void letters_choose_groups(void **unused)
{
	static const char letters[] = "pintcvoauews";
	struct group_by by = {0};

	(void)unused;
	for (const char *letter = letters; *letter; letter++) {
		struct live_state state = begin();
		bool is_tree;

		state.first = 7;
		assert_int_equal(live_state_key(&state, *letter, PAGE), LIVE_REPORT);
		assert_non_null(state.group);
		assert_int_equal(state.first, 0);
		is_tree = strcmp(state.group, group_tree_table[0].name) == 0;
		assert_true(is_tree ||
		            group_by_find(&by, (struct span){state.group, strlen(state.group)}) !=
		                    GROUP_KEY_COUNT);
	}
}

static void lengths_are_bounded(void **unused)
{
	struct live_state state = begin();

	(void)unused;
	assert_int_equal(live_state_key(&state, '+', PAGE), LIVE_LENGTH);
	assert_int_equal(state.every_ns, 10 * NS_PER_SECOND);
	while (live_state_key(&state, '+', PAGE) == LIVE_LENGTH)
		;
	assert_int_equal(state.every_ns, 3600 * NS_PER_SECOND);
	while (live_state_key(&state, '-', PAGE) == LIVE_LENGTH)
		;
	assert_int_equal(state.every_ns, 100 * NS_PER_MS);
	/* A length of the user's is between two of the steps. */
	state.every_ns = 700 * NS_PER_MS;
	live_state_key(&state, '-', PAGE);
	assert_int_equal(state.every_ns, 500 * NS_PER_MS);
	state.every_ns = 700 * NS_PER_MS;
	live_state_key(&state, '+', PAGE);
	assert_int_equal(state.every_ns, NS_PER_SECOND);
}

static void pages_and_lines(void **unused)
{
	struct live_state state = begin();

	(void)unused;
	assert_int_equal(live_state_key(&state, SCREEN_UP, PAGE), LIVE_DRAW);
	assert_int_equal(state.first, 0);
	live_state_key(&state, SCREEN_PAGE_DOWN, PAGE);
	live_state_key(&state, SCREEN_DOWN, PAGE);
	assert_int_equal(state.first, PAGE + 1);
	live_state_key(&state, SCREEN_PAGE_UP, PAGE);
	live_state_key(&state, SCREEN_UP, PAGE);
	assert_int_equal(state.first, 0);
	live_state_key(&state, SCREEN_END, PAGE);
	assert_true(state.first > 1000000);
	live_state_key(&state, SCREEN_HOME, PAGE);
	assert_int_equal(state.first, 0);
}

static void help_freeze_and_quit(void **unused)
{
	struct live_state state = begin();

	(void)unused;
	assert_int_equal(live_state_key(&state, SCREEN_HELP, PAGE), LIVE_DRAW);
	assert_true(state.help);
	/* The key that closes it does nothing else. */
	assert_int_equal(live_state_key(&state, 'f', PAGE), LIVE_DRAW);
	assert_false(state.help);
	assert_false(state.frozen);
	assert_int_equal(live_state_key(&state, ' ', PAGE), LIVE_DRAW);
	assert_true(state.frozen);
	live_state_key(&state, 'f', PAGE);
	assert_false(state.frozen);
	assert_int_equal(live_state_key(&state, SCREEN_OTHER, PAGE), LIVE_NOTHING);
	assert_int_equal(live_state_key(&state, 1, PAGE), LIVE_NOTHING);
	live_state_key(&state, '?', PAGE);
	assert_int_equal(live_state_key(&state, 'q', PAGE), LIVE_QUIT);
}

static void help_fits_a_terminal(void **unused)
{
	cleanup_(strbuf_done) struct strbuf help = STRBUF_INIT;
	size_t lines = 0, start = 0;

	(void)unused;
	live_add_help(&help);
	for (size_t i = 0; i < help.len; i++)
		if (help.data[i] == '\n') {
			assert_true(text_width(help.data + start, i - start) <= 78);
			start = i + 1;
			lines++;
		}
	assert_int_equal(start, help.len);
	assert_true(lines <= 22);
}

static void assert_length(uint64_t ns, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	live_add_length(ns, &text);
	assert_text(&text, expected);
}

static void lengths_as_people_write_them(void **unused)
{
	(void)unused;
	assert_length(100 * NS_PER_MS, "100ms");
	assert_length(1500 * NS_PER_MS, "1500ms");
	assert_length(5 * NS_PER_SECOND, "5s");
	assert_length(120 * NS_PER_SECOND, "2min");
	assert_length(3600 * NS_PER_SECOND, "1h");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(keys_choose_the_order),
	        cmocka_unit_test(delays_have_their_own_order),
	        cmocka_unit_test(letters_choose_groups),
	        cmocka_unit_test(lengths_are_bounded),
	        cmocka_unit_test(pages_and_lines),
	        cmocka_unit_test(help_freeze_and_quit),
	        cmocka_unit_test(help_fits_a_terminal),
	        cmocka_unit_test(lengths_as_people_write_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
