// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU time by mode, in clock ticks, of threads that were not there all the time. Each reading rounds a thread's time
 * down, so a window with hundreds of short lives, or with hundreds that are short at its end, would lack many ticks. The
 * rest of a tick goes to the next such thread of its process's name, so that the sum over them is right. */
#include <string.h>

#include "base/mem.h"
#include "window-join.h"
#include "window-subtract.h"

/* The two irrational numbers that spread points over a square most evenly, as 64 bits behind the point: 1/g and 1/g^2,
 * where g^3 = g + 1. */
#define USER_STEP UINT64_C(0xC13FA9A902A6328F)
#define SYSTEM_STEP UINT64_C(0x91E10DA5C79E7B1D)

static void set_ticks(struct thread_sample *sample, uint64_t user, uint64_t system)
{
	sample_set(sample, utime_clock_ticks, (struct counter_ticks){user});
	sample_set(sample, stime_clock_ticks, (struct counter_ticks){system});
}

static void forget_ticks(struct thread_sample *sample)
{
	metric_set_remove(&sample->seen, METRIC_utime_clock_ticks);
	metric_set_remove(&sample->seen, METRIC_stime_clock_ticks);
}

/* Returns a part of a tick for the @number-th name. Names without a second row lose their rests, so each begins with
 * another part: multiples of an irrational number are spread evenly, and the sum over names is right as well. */
static uint64_t begin_of(const struct window_join *join, uint64_t number, uint64_t step)
{
	return (uint64_t)((unsigned __int128)(number * step) * join->tick_ns >> 64);
}

static struct window_rest *rest_of(struct window_join *join, const struct strbuf *pcomm)
{
	struct window_rests *rests = &join->rests;
	struct strmap_entry *entry = strmap_add(&rests->places, strbuf_str(pcomm), pcomm->len);

	if (!entry->value) {
		struct window_rest rest = {.user_ns = begin_of(join, rests->count, USER_STEP),
		                           .system_ns = begin_of(join, rests->count, SYSTEM_STEP)};

		*array_add(rests->entries, rests->count, rests->capacity) = rest;
		entry->value = (void *)(uintptr_t)rests->count;
	}
	return &rests->entries[(uintptr_t)entry->value - 1];
}

/* Returns the whole ticks in a thread's time and the rest, and keeps the new rest. */
static uint64_t split_ticks(const struct window_join *join, uint64_t time_ns, uint64_t *rest_ns)
{
	uint64_t part_ns = time_ns % join->tick_ns + *rest_ns;

	*rest_ns = part_ns % join->tick_ns;
	return time_ns / join->tick_ns + part_ns / join->tick_ns;
}

/* Adds time by mode to what the row has used. */
static void split_time(struct window_join *join, struct window_rest *rest, uint64_t user_ns,
                       uint64_t system_ns)
{
	set_ticks(&join->sample, split_ticks(join, user_ns, &rest->user_ns),
	          split_ticks(join, system_ns, &rest->system_ns));
}

void window_set_ticks(struct window_join *join, const struct exit_note *note)
{
	struct window_rest *rest;

	forget_ticks(&join->sample);
	if (!note->has_cpu_time)
		return;
	rest = rest_of(join, &join->sample.pcomm);
	saturating_add_to(&rest->all_user_ns, note->user_ns);
	saturating_add_to(&rest->all_system_ns, note->system_ns);
	split_time(join, rest, note->user_ns, note->system_ns);
}

/* Returns the part @user of @user + @system of a time; without either, all of it, as the kernel does. */
static uint64_t part_of(uint64_t time_ns, uint64_t user, uint64_t system)
{
	unsigned __int128 both = (unsigned __int128)user + system;

	return both > 0 ? (uint64_t)((unsigned __int128)time_ns * user / both) : time_ns;
}

/* Time of a thread without a tick is in the modes of those threads of its name whose end is known. */
void window_settle_ticks(struct window_join *join)
{
	enum {
		ROUNDED_OFF = 3
	}; /* less than a tick of each mode, and one for run time that was read a moment ago */
	struct thread_sample *sample = &join->sample;
	uint64_t user, system, run_ns, ticks_ns, user_ns;
	struct window_rest *rest;

	if (!window_get_counter(sample, METRIC_utime_clock_ticks, &user) ||
	    !window_get_counter(sample, METRIC_stime_clock_ticks, &system) ||
	    !window_get_counter(sample, METRIC_run_time_ns, &run_ns) ||
	    __builtin_mul_overflow(saturating_add(user, system), join->tick_ns, &ticks_ns) ||
	    (run_ns > ticks_ns ? run_ns - ticks_ns : ticks_ns - run_ns) >
	            ROUNDED_OFF * join->tick_ns)
		return;
	rest = rest_of(join, &sample->pcomm);
	user_ns = ticks_ns > 0 ? part_of(run_ns, user, system)
	                       : part_of(run_ns, rest->all_user_ns, rest->all_system_ns);
	split_time(join, rest, user_ns, run_ns - user_ns);
}

/* CPU time by mode of a thread that was read before. The kernel splits it in proportion to its ticks, and the record
 * does so anew: if one mode would go back by that, the other one has the difference, and their sum stays the same.
 * Rounding removes up to a tick from the sum. */
void window_subtract_ticks(struct window_join *join, const struct exit_note *note,
                           const struct thread_sample *first)
{
	struct thread_sample *sample = &join->sample;
	uint64_t user, system;
	__int128 user_rose, rose;

	forget_ticks(sample);
	if (!note->has_cpu_time || !window_get_counter(first, METRIC_utime_clock_ticks, &user) ||
	    !window_get_counter(first, METRIC_stime_clock_ticks, &system))
		return;
	user_rose = (__int128)(note->user_ns / join->tick_ns) - user;
	rose = user_rose + (note->system_ns / join->tick_ns) - system;
	if (rose < -1) {
		window_count(join, WINDOW_values_went_back, 1);
		return;
	}
	rose = rose < 0 ? 0 : rose;
	user_rose = user_rose < 0 ? 0 : user_rose > rose ? rose : user_rose;
	set_ticks(sample, (uint64_t)user_rose, (uint64_t)(rose - user_rose));
	window_settle_ticks(join);
}
