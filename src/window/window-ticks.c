// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU time by mode, in clock ticks, of threads that were not there all the time. Each reading rounds a thread's time
 * down, so a window with hundreds of short lives, or with hundreds that are short at its end, would lack many ticks. The
 * rest of a tick goes to the next such thread of its process's name, so that the sum over them is right. In windows that follow one
 * another, a thread goes on to get its ticks in this way from its birth to its end, and each window has what the ones before have not,
 * so that its rows add up to all of its time. Threads that are older than the first window have the difference of the kernel's ticks. */
#include <string.h>

#include "base/mem.h"
#include "window-join.h"
#include "window-subtract.h"

/* Less than a tick of each mode, and one for run time that was read a moment ago. */
enum { ROUNDED_OFF = 3 };

/* CPU time beyond this is nobody's. */
#define TIME_MAX (INT64_MAX / 16)

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
		struct window_rest rest = {
		        .user_ns = (int64_t)begin_of(join, rests->count, USER_STEP),
		        .system_ns = (int64_t)begin_of(join, rests->count, SYSTEM_STEP)};

		*array_add(rests->entries, rests->count, rests->capacity) = rest;
		entry->value = (void *)(uintptr_t)rests->count;
	}
	return &rests->entries[(uintptr_t)entry->value - 1];
}

/* Rounds down. */
static int64_t whole_ticks(const struct window_join *join, int64_t time_ns)
{
	int64_t tick_ns = (int64_t)join->tick_ns;

	return time_ns / tick_ns - (time_ns % tick_ns < 0);
}

/* Returns the whole ticks of a time with its rests. The last row of a thread has up to a tick more or less than its own time, and one
 * before that less than a tick, so that no thread of a name has the ticks of another one. */
static uint64_t get_ticks(const struct window_join *join, int64_t own_ns, int64_t all_ns,
                          bool is_last)
{
	const int64_t tick_ns = (int64_t)join->tick_ns;
	int64_t least = whole_ticks(join, own_ns) - is_last;
	int64_t most = whole_ticks(join, own_ns + (is_last ? tick_ns : tick_ns - 1));
	int64_t ticks = whole_ticks(join, all_ns);

	ticks = ticks < least ? least : ticks > most ? most : ticks;
	return ticks < 0 ? 0 : (uint64_t)ticks;
}

static void add_rest(const struct window_join *join, int64_t *rest_ns, int64_t more_ns,
                     uint64_t ticks)
{
	const int64_t tick_ns = (int64_t)join->tick_ns, limit = 1000 * tick_ns;
	int64_t rest = *rest_ns + more_ns - (int64_t)ticks * tick_ns;

	*rest_ns = rest < -limit ? -limit : rest > limit ? limit : rest;
}

/* Returns times without a negative one: the other one is shorter by that, as the ticks of rows cannot be taken back. */
static struct window_modes without_negative(struct window_modes own)
{
	int64_t both_ns = own.user_ns + own.system_ns;

	if (own.user_ns >= 0 && own.system_ns >= 0)
		return own;
	return own.user_ns < 0 ? (struct window_modes){0, both_ns}
	                       : (struct window_modes){both_ns, 0};
}

/* Adds time by mode to what the threads of a name have used, and sets the ticks of the row. No row of the thread has the time @own
 * yet. */
static void split_time(struct window_join *join, struct window_rest *rest, struct window_modes more,
                       struct window_modes own, bool is_last)
{
	struct window_modes all = without_negative((struct window_modes){
	        more.user_ns + rest->user_ns, more.system_ns + rest->system_ns});
	uint64_t user, system;

	own = without_negative(own);
	user = get_ticks(join, own.user_ns, all.user_ns, is_last);
	system = get_ticks(join, own.system_ns, all.system_ns, is_last);
	add_rest(join, &rest->user_ns, more.user_ns, user);
	add_rest(join, &rest->system_ns, more.system_ns, system);
	set_ticks(&join->sample, user, system);
}

/* Returns the part @user of @user + @system of a time; without either, all of it, as the kernel does. */
static int64_t part_of(uint64_t time_ns, uint64_t user, uint64_t system)
{
	unsigned __int128 both = (unsigned __int128)user + system;

	return (int64_t)(both > 0 ? (uint64_t)((unsigned __int128)time_ns * user / both) : time_ns);
}

/* Adds the time of a thread to that of its name. A tick meets one of many short threads, and each mode as often as it is used. */
static void note_modes(const struct window_join *join, const struct exit_note *note,
                       struct window_rest *rest)
{
	enum { SHORT_TICKS = 2 };

	if (note->has_no_ticks)
		return;
	saturating_add_to(&rest->all_user_ns, note->user_ns);
	saturating_add_to(&rest->all_system_ns, note->system_ns);
	if (saturating_add(note->user_ns, note->system_ns) > SHORT_TICKS * join->tick_ns)
		return;
	rest->user_hits += note->user_ns > 0;
	rest->system_hits += note->system_ns > 0;
}

/* The time of a thread that no tick met is in the modes of the short threads of its name, or of all. */
static struct window_modes modes_of(const struct exit_note *note, const struct window_rest *rest)
{
	struct window_modes modes = {(int64_t)note->user_ns, (int64_t)note->system_ns};
	uint64_t both_ns = note->user_ns + note->system_ns;

	if (!note->has_no_ticks)
		return modes;
	modes.user_ns = rest->user_hits + rest->system_hits > 0
	                        ? part_of(both_ns, rest->user_hits, rest->system_hits)
	                        : part_of(both_ns, rest->all_user_ns, rest->all_system_ns);
	modes.system_ns = (int64_t)both_ns - modes.user_ns;
	return modes;
}

void window_set_ticks(struct window_join *join, const struct exit_note *note)
{
	struct window_rest *rest;
	struct window_modes all;

	forget_ticks(&join->sample);
	if (!note->has_cpu_time || note->user_ns > TIME_MAX || note->system_ns > TIME_MAX)
		return;
	rest = rest_of(join, &join->sample.pcomm);
	note_modes(join, note, rest);
	all = modes_of(note, rest);
	split_time(join, rest, all, all, true);
}

/* Returns whether ticks are those of the run time: else they are of another clock. */
static bool is_of_ticks(const struct window_join *join, uint64_t run_ns, uint64_t ticks)
{
	uint64_t ticks_ns;

	if (run_ns > TIME_MAX || __builtin_mul_overflow(ticks, join->tick_ns, &ticks_ns))
		return false;
	return (run_ns > ticks_ns ? run_ns - ticks_ns : ticks_ns - run_ns) <=
	       ROUNDED_OFF * join->tick_ns;
}

/* Gets the CPU time of a row, in ticks and in all. */
static bool get_times(const struct window_join *join, const struct thread_sample *sample,
                      uint64_t *user, uint64_t *system, uint64_t *run_ns)
{
	return window_get_counter(sample, METRIC_utime_clock_ticks, user) &&
	       window_get_counter(sample, METRIC_stime_clock_ticks, system) &&
	       window_get_counter(sample, METRIC_run_time_ns, run_ns) &&
	       is_of_ticks(join, *run_ns, saturating_add(*user, *system));
}

/* Splits a run time as the parts are; without them, in halves. */
static int64_t user_of(uint64_t run_ns, uint64_t user, uint64_t system)
{
	return user > 0 || system > 0 ? part_of(run_ns, user, system) : (int64_t)(run_ns / 2);
}

/* Gets the time by mode of all threads of a name whose end is known. */
static void find_modes(const struct window_join *join, const struct strbuf *pcomm, uint64_t *user,
                       uint64_t *system)
{
	const struct window_rests *rests = &join->rests;
	uintptr_t place = (uintptr_t)strmap_get(&rests->places, strbuf_str(pcomm), pcomm->len);

	if (place == 0)
		return;
	*user = rests->entries[place - 1].all_user_ns;
	*system = rests->entries[place - 1].all_system_ns;
}

/* Gets the CPU time of a thread in a reading. Each mode has its whole ticks and less than a further one. */
static bool get_modes(const struct window_join *join, const struct thread_sample *sample,
                      struct window_modes *ret)
{
	uint64_t user, system, run_ns;
	int64_t tick_ns = (int64_t)join->tick_ns, run, least, most;

	if (!get_times(join, sample, &user, &system, &run_ns))
		return false;
	run = (int64_t)run_ns;
	least = run - ((int64_t)system + 1) * tick_ns;
	most = run - (int64_t)system * tick_ns;
	least = least < (int64_t)user * tick_ns ? (int64_t)user * tick_ns : least;
	most = most > ((int64_t)user + 1) * tick_ns ? ((int64_t)user + 1) * tick_ns : most;
	if (user == 0 && system == 0)
		find_modes(join, &sample->pcomm, &user, &system);
	ret->user_ns = user_of(run_ns, user, system);
	ret->user_ns = ret->user_ns < least ? least : ret->user_ns;
	ret->user_ns = ret->user_ns > most ? most : ret->user_ns;
	ret->user_ns = ret->user_ns < 0 ? 0 : ret->user_ns > run ? run : ret->user_ns;
	ret->system_ns = run - ret->user_ns;
	return true;
}

/* Time of a thread without a tick is in the modes of those threads of its name whose end is known. */
static bool settle_ticks(struct window_join *join, struct window_modes *ret)
{
	struct thread_sample *sample = &join->sample;
	uint64_t user, system, run_ns;
	struct window_rest *rest;

	if (!get_times(join, sample, &user, &system, &run_ns))
		return false;
	rest = rest_of(join, &sample->pcomm);
	ret->user_ns = user + system > 0 ? part_of(run_ns, user, system)
	                                 : part_of(run_ns, rest->all_user_ns, rest->all_system_ns);
	ret->system_ns = (int64_t)run_ns - ret->user_ns;
	split_time(join, rest, *ret, *ret, true);
	return true;
}

void window_settle_born(struct window_join *join, uint32_t row)
{
	const int64_t tick_ns = (int64_t)join->tick_ns;
	struct window_carry carry = {.is_known = true, .is_born = true};
	uint64_t user, system;

	if (!settle_ticks(join, &carry.read) || !join->last.carries ||
	    !window_get_counter(&join->sample, METRIC_utime_clock_ticks, &user) ||
	    !window_get_counter(&join->sample, METRIC_stime_clock_ticks, &system))
		return;
	carry.counted.user_ns = (int64_t)user * tick_ns;
	carry.counted.system_ns = (int64_t)system * tick_ns;
	join->last.carries[row] = carry;
}

/* Gets what a thread's rows have counted up to its row of the first reading: all of its time if it has none yet. */
static bool get_carry(const struct window_join *join, uint32_t first_row,
                      const struct thread_sample *first, struct window_carry *ret)
{
	if (join->first.carries && join->first.carries[first_row].is_known) {
		*ret = join->first.carries[first_row];
		return true;
	}
	*ret = (struct window_carry){.is_known = true};
	if (!get_modes(join, first, &ret->read))
		return false;
	ret->counted = ret->read;
	return true;
}

static struct window_modes between(struct window_modes then, struct window_modes now)
{
	return (struct window_modes){now.user_ns - then.user_ns, now.system_ns - then.system_ns};
}

struct window_step window_step_of(const struct window_join *join, uint32_t first_row)
{
	struct window_step step = {0};

	step.is_known = join->last.carries &&
	                get_carry(join, first_row, &join->other, &step.carry) &&
	                get_modes(join, &join->sample, &step.now);
	return step;
}

void window_carry_ticks(struct window_join *join, uint32_t row, const struct window_step *step)
{
	const int64_t tick_ns = (int64_t)join->tick_ns;
	struct thread_sample *sample = &join->sample;
	struct window_carry carry = step->carry;
	uint64_t user, system;

	if (!step->is_known)
		return;
	if (carry.is_born)
		split_time(join, rest_of(join, &sample->pcomm), between(carry.read, step->now),
		           between(carry.counted, step->now), false);
	if (!window_get_counter(sample, METRIC_utime_clock_ticks, &user) ||
	    !window_get_counter(sample, METRIC_stime_clock_ticks, &system))
		return;
	carry.read = step->now;
	carry.counted.user_ns += (int64_t)user * tick_ns;
	carry.counted.system_ns += (int64_t)system * tick_ns;
	join->last.carries[row] = carry;
}

void window_keep_carry(struct window_join *join, uint32_t first_row, uint32_t row)
{
	if (join->last.carries && join->first.carries)
		join->last.carries[row] = join->first.carries[first_row];
}

/* The time of a thread up to its end, which its record has by mode, that is in none of its rows yet. */
static bool settle_end(struct window_join *join, const struct exit_note *note, uint32_t first_row,
                       const struct thread_sample *first, uint64_t rose)
{
	struct window_carry carry;
	uint64_t run_ns, before_ns;
	struct window_modes end;
	struct window_rest *rest;

	if (!window_get_counter(&join->sample, METRIC_run_time_ns, &run_ns) ||
	    !window_get_counter(first, METRIC_run_time_ns, &before_ns) ||
	    !is_of_ticks(join, run_ns, rose) || before_ns > TIME_MAX ||
	    !get_carry(join, first_row, first, &carry))
		return false;
	rest = rest_of(join, &join->sample.pcomm);
	note_modes(join, note, rest);
	run_ns += before_ns;
	end.user_ns = part_of(run_ns, note->user_ns, note->system_ns);
	end.system_ns = (int64_t)run_ns - end.user_ns;
	split_time(join, rest, between(carry.is_born ? carry.read : carry.counted, end),
	           between(carry.counted, end), true);
	return true;
}

/* CPU time by mode of a thread that was read before. The kernel splits it in proportion to its ticks, and the record
 * does so anew: if one mode would go back by that, the other one has the difference, and their sum stays the same.
 * Rounding removes up to a tick from the sum. */
void window_subtract_ticks(struct window_join *join, const struct exit_note *note,
                           uint32_t first_row, const struct thread_sample *first)
{
	struct thread_sample *sample = &join->sample;
	struct window_modes settled;
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
	if (!settle_end(join, note, first_row, first, (uint64_t)rose))
		(void)settle_ticks(join, &settled);
}
