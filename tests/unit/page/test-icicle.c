// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "ctprof/base/macro.h"
#include "page/icicle.h"

#define BOTH               \
	{                  \
		true, true \
	}

static const struct icicle_frame *find(const struct icicle *icicle, unsigned level,
                                       const char *name)
{
	for (size_t i = 0; i < icicle->count; i++) {
		const struct icicle_frame *frame = &icicle->frames[i];

		if (frame->level == level && frame->name && strcmp(frame->name, name) == 0)
			return frame;
	}
	fail_msg("no frame %s of level %u", name, level);
	return NULL;
}

static void assert_near(double a, double b)
{
	assert_true(fabs(a - b) < 1e-9);
}

/* A frame covers its children, the widest first, and amounts add up. */
static void test_places(void **state)
{
	struct icicle_leaf leaves[] = {
	        {{"/b", "x", "x"}, {1, 2}, BOTH, BOTH, {false}, .unlike = false},
	        {{"/a", "y", "w"}, {5, 3}, BOTH, BOTH, {false}, .unlike = false},
	        {{"/a", "y", "v"}, {0, 1}, BOTH, BOTH, {false}, .unlike = false},
	        {{"/a", "z", "z"}, {2, 4}, BOTH, BOTH, {false}, .unlike = false},
	};
	cleanup_(icicle_done) struct icicle icicle = {0};

	(void)state;
	icicle_init(&icicle, leaves, ARRAY_SIZE(leaves), 2, 0.001);
	assert_int_equal(icicle.count, 1 + 2 + 3 + 4);
	assert_near(icicle.frames[0].amounts[0], 8);
	assert_near(icicle.frames[0].weight, 10);
	assert_near(find(&icicle, 1, "/a")->x, 0);
	assert_near(find(&icicle, 1, "/a")->width, 0.8);
	assert_near(find(&icicle, 1, "/b")->x, 0.8);
	assert_near(find(&icicle, 2, "y")->amounts[0], 5);
	/* The name decides between equal ones. */
	assert_near(find(&icicle, 2, "y")->x, 0);
	assert_near(find(&icicle, 2, "z")->x, 0.4);
	assert_near(find(&icicle, 3, "w")->x, 0);
	assert_near(find(&icicle, 3, "v")->x, 0.3);
	for (size_t i = 1; i < icicle.count; i++) {
		const struct icicle_frame *frame = &icicle.frames[i];
		const struct icicle_frame *parent = &icicle.frames[frame->parent];

		assert_int_equal(parent->level + 1, frame->level);
		assert_true(frame->x >= parent->x - 1e-9);
		assert_true(frame->x + frame->width <= parent->x + parent->width + 1e-9);
	}
}

/* A frame of a group that is gone is as wide as it was. */
static void test_gone(void **state)
{
	struct icicle_leaf leaves[] = {
	        {{"/", "a", "a"}, {3, 0}, {true, false}, {true, false}, {false}, .unlike = false},
	        {{"/", "b", "b"}, {0, 1}, {false, true}, {false, true}, {false}, .unlike = false},
	};
	cleanup_(icicle_done) struct icicle icicle = {0};

	(void)state;
	icicle_init(&icicle, leaves, ARRAY_SIZE(leaves), 2, 0.001);
	assert_near(find(&icicle, 2, "a")->width, 0.75);
	assert_near(icicle_change(find(&icicle, 2, "a")), -1);
	assert_near(icicle_change(find(&icicle, 2, "b")), 1);
	assert_near(icicle_change(find(&icicle, 1, "/")), (1 - 3) / 3.0);
	assert_false(find(&icicle, 1, "/")->partial[0]);
}

/* The change of an unknown amount is not known, and the sum of it is partial. */
static void test_unknown(void **state)
{
	struct icicle_leaf leaves[] = {
	        {{"/", "a", "a"}, {3, 0}, BOTH, {true, false}, {false}, .unlike = false},
	        {{"/", "b", "b"}, {1, 1}, BOTH, BOTH, {false, true}, .unlike = false},
	};
	cleanup_(icicle_done) struct icicle icicle = {0};

	(void)state;
	icicle_init(&icicle, leaves, ARRAY_SIZE(leaves), 2, 0.001);
	assert_int_equal(icicle.frames[0].partial[0], false);
	assert_int_equal(icicle.frames[0].partial[1], true);
	assert_int_equal(find(&icicle, 2, "b")->partial[1], true);
	assert_near(icicle_change(find(&icicle, 2, "b")), 0);
	leaves[1].known[1] = leaves[1].there[1] = false;
	icicle_done(&icicle);
	icicle_init(&icicle, leaves, ARRAY_SIZE(leaves), 2, 0.001);
	assert_true(isnan(icicle_change(&icicle.frames[0])));
}

/* The narrow ones of a parent are one frame, without frames below it. */
static void test_narrow(void **state)
{
	enum { NARROW = 500 };
	static char names[NARROW][8];
	struct icicle_leaf leaves[NARROW + 1] = {
	        {{"/", "wide", "wide"}, {0}, BOTH, BOTH, {false}, .unlike = false}};
	cleanup_(icicle_done) struct icicle icicle = {0};
	size_t joined = 0;

	(void)state;
	leaves[0].amounts[0] = 1000;
	for (size_t i = 0; i < NARROW; i++) {
		snprintf(names[i], sizeof(names[i]), "n%zu", i);
		leaves[i + 1] = (struct icicle_leaf){
		        {"/", names[i], names[i]}, {1}, BOTH, BOTH, {false}, .unlike = false};
	}
	icicle_init(&icicle, leaves, NARROW + 1, 1, 0.001);
	assert_int_equal(icicle.count, 5);
	for (size_t i = 0; i < icicle.count; i++)
		if (icicle.frames[i].stands_for > 0) {
			joined++;
			assert_int_equal(icicle.frames[i].stands_for, NARROW);
			assert_near(icicle.frames[i].weight, NARROW);
			assert_near(icicle.frames[i].width, NARROW / 1500.0);
			assert_null(icicle.frames[i].name);
		}
	assert_int_equal(joined, 1);
}

static void test_nothing(void **state)
{
	struct icicle_leaf leaf = {{"/", "a", "a"}, {0}, BOTH, BOTH, {false}, .unlike = false};
	cleanup_(icicle_done) struct icicle icicle = {0}, none = {0};

	(void)state;
	icicle_init(&icicle, &leaf, 1, 2, 0.001);
	assert_int_equal(icicle.count, 1);
	icicle_init(&none, &leaf, 0, 2, 0.001);
	assert_int_equal(none.count, 1);
}

/* A change is not known if the sides know the ended threads of a part in two ways, be it as large as it may, and be it gone. */
static void test_unlike(void **state)
{
	struct icicle_leaf leaves[] = {
	        {{"/a", "x", "x"}, {8, 1}, BOTH, BOTH, {false}, .unlike = true},
	        {{"/a", "y", "y"}, {5, 1}, BOTH, BOTH, {false}, .unlike = false},
	        {{"/b", "z", "z"}, {5, 0}, {true, false}, {true, false}, {false}, .unlike = true},
	        {{"/c", "w", "w"}, {1, 4}, BOTH, BOTH, {false}, .unlike = false},
	};
	cleanup_(icicle_done) struct icicle icicle = {0};

	(void)state;
	icicle_init(&icicle, leaves, ARRAY_SIZE(leaves), 2, 0.001);
	assert_true(isnan(icicle_change(find(&icicle, 3, "x"))));
	assert_true(isnan(icicle_change(find(&icicle, 1, "/a"))));
	assert_true(isnan(icicle_change(&icicle.frames[0])));
	assert_true(isnan(icicle_change(find(&icicle, 3, "z"))));
	assert_near(icicle_change(find(&icicle, 3, "y")), -0.8);
	assert_near(icicle_change(find(&icicle, 1, "/c")), 0.75);
}

/* The change of a frame is not known if a side may hide a part of it, which is as wide as the other side has it. */
static void test_hidden(void **state)
{
	struct icicle_leaf leaves[] = {
	        {{"/a", "x", "x"}, {0, 2}, BOTH, {false, true}, {false}, .hidden = {true, false}},
	        {{"/a", "y", "y"}, {4, 5}, BOTH, BOTH, {false}, .unlike = false},
	        {{"/b", "z", "z"}, {3, 0}, BOTH, {true, false}, {false}, .hidden = {false, true}},
	};
	cleanup_(icicle_done) struct icicle icicle = {0};

	(void)state;
	icicle_init(&icicle, leaves, ARRAY_SIZE(leaves), 2, 0.001);
	assert_true(isnan(icicle_change(find(&icicle, 3, "x"))));
	assert_true(isnan(icicle_change(find(&icicle, 1, "/a"))));
	assert_true(find(&icicle, 1, "/a")->partial[0]);
	assert_near(icicle_change(find(&icicle, 3, "y")), 0.2);
	assert_near(find(&icicle, 3, "z")->weight, 3);
	assert_near(icicle.frames[0].weight, 10);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_places), cmocka_unit_test(test_unlike),
	        cmocka_unit_test(test_gone),   cmocka_unit_test(test_unknown),
	        cmocka_unit_test(test_narrow), cmocka_unit_test(test_nothing),
	        cmocka_unit_test(test_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
