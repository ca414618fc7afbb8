// SPDX-License-Identifier: GPL-2.0-or-later
/* The distance between the two readings of a thread in a window. */
#include "window-scene.h"

/* Readings that take 18 s of the 30 between them: what is divided by is a thread's own distance, or the length of the window if
 * it has none, but no less than its life. */
static void slow_readings(void **state)
{
	static const struct {
		uint64_t born_s, first_s, last_s; /* first 0: born inside */
		uint64_t interval_s, life_s;
	} cases[] = {
	        {5, 100, 131, 31, 31}, {5, 118, 146, 28, 28}, {120, 0, 148, 30, 28},
	        {147, 0, 148, 30, 1},  {108, 0, 148, 40, 40},
	};
	cleanup_(scene_done) struct scene scene;

	(void)state;
	scene_init(&scene);
	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t id = 10 + i;

		if (cases[i].first_s > 0)
			reading_add(&scene.a, id, id, SECOND_TICKS(cases[i].born_s))
			        ->read_boottime_ns = SECONDS(cases[i].first_s);
		reading_add(&scene.b, id, id, SECOND_TICKS(cases[i].born_s))->read_boottime_ns =
		        SECONDS(cases[i].last_s);
	}
	join(&scene);
	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct thread_sample *row = snapshot_copy_find(&scene.window, 10 + i);

		assert_int_equal(row->interval_ns, SECONDS(cases[i].interval_s));
		assert_int_equal(row->life_ns, SECONDS(cases[i].life_s));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(slow_readings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
