/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-scene - two readings and what was heard of exits between them. */
#include "check.h"
#include "samples.h"
#include "windows.h"

enum { TID = 77, TGID = 70 };

/* Readings at 100 s and 130 s. Thread TID of process TGID was born at 50 s and has run for 1000 ns when it is first
 * read, at 101 s; its leader lives through. */
struct scene {
	struct reading a, b;
	struct exit_log exits;
	struct snapshot_copy window;
};

static inline void scene_init(struct scene *scene)
{
	*scene = (struct scene){0};
	reading_init(&scene->a, SECONDS(100));
	reading_init(&scene->b, SECONDS(130));
	sample_name(&reading_add(&scene->a, TGID, TGID, SECOND_TICKS(49))->pcomm, "leader");
	sample_name(&reading_add(&scene->b, TGID, TGID, SECOND_TICKS(49))->pcomm, "leader");
}

static inline void scene_done(struct scene *scene)
{
	reading_done(&scene->a);
	reading_done(&scene->b);
	exit_log_done(&scene->exits);
	snapshot_copy_done(&scene->window);
}

static inline void join(struct scene *scene)
{
	window_between(&scene->a, &scene->b, &scene->exits, &scene->window);
	assert_int_equal(scene->window.result, 0);
}

static inline void assert_numbers(const struct scene *scene, uint64_t exited, uint64_t passed,
                                  uint64_t lost, uint64_t left_out)
{
	assert_window(&scene->window.info, threads_exited, exited);
	assert_window(&scene->window.info, threads_passed, passed);
	assert_window(&scene->window.info, threads_lost, lost);
	assert_window(&scene->window.info, exits_left_out, left_out);
}
