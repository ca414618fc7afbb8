// SPDX-License-Identifier: GPL-2.0-or-later
#include "window/window.h"
#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "window-join.h"
#include "window-subtract.h"
#include "window-time.h"

/* The walk reads threads in batches of this many, with one time for each batch. */
enum { READ_BATCH = 32 };

static void join_done(struct window_join *join)
{
	window_reading_done(&join->first);
	window_reading_done(&join->last);
	free(join->in_last);
	free(join->replaced);
	free(join->takers);
	free(join->ended);
	free(join->leaders);
	free(join->lost);
	window_rests_done(&join->rests);
	window_accounted_done(&join->accounted);
	sample_done(&join->sample);
	sample_done(&join->other);
}

/* A thread that was born in the tick in which the first reading began counts as born inside: else the reading would
 * have it. */
static bool is_born_inside(const struct window_join *join, uint64_t start_time_clock_ticks)
{
	return start_time_clock_ticks >= window_tick_of(join, join->begin_ns);
}

static void mark_continued(struct window_join *join)
{
	const struct thread_store *last = &join->last.threads;

	join->in_last = mem_calloc((size_t)join->first.threads.count + 1, sizeof(bool));
	join->replaced = mem_calloc((size_t)last->count + 1, sizeof(bool));
	join->takers = mem_calloc((size_t)last->count + 1, sizeof(join->takers[0]));
	for (uint32_t row = 0; row < last->count; row++) {
		uint32_t first = window_reading_find(&join->first, thread_store_key(last, row));

		if (first != THREAD_STORE_NONE)
			join->in_last[first] = true;
	}
}

/* If a source had values only at the end, the reason of the begin stays, unless the values are those of the end. */
static void copy_reasons(const struct window_join *join, const struct thread_sample *first,
                         struct thread_sample *sample)
{
	for (unsigned s = 0; s < SOURCE_COUNT; s++) {
		enum source_outcome then = first->outcomes[s], now = sample->outcomes[s];

		if (s == SOURCE_smaps_rollup || s == SOURCE_exe || s == SOURCE_cwd ||
		    s == SOURCE_title || s == SOURCE_wchan || s == SOURCE_syscall)
			continue;
		if (then == OUTCOME_unneeded)
			then = join->first.info.rules[s];
		if (now == OUTCOME_unneeded)
			now = join->info->rules[s];
		if (now == OUTCOME_read && then != OUTCOME_read)
			sample->outcomes[s] = then;
	}
}

static void set_interval(const struct window_join *join, struct thread_sample *sample,
                         uint64_t begin_ns)
{
	uint64_t end_ns = window_read_time(&join->last, sample->read_boottime_ns);

	sample->interval_ns = end_ns > begin_ns ? end_ns - begin_ns : join->end_ns - join->begin_ns;
	sample->life_ns = sample->interval_ns;
}

/* jemalloc's counters are read some time after the others. @begin_ns is of their first reading, or the begin of the window for a thread that
 * was born in it; 0: not known. */
static void set_jemalloc_interval(struct thread_sample *sample, uint64_t begin_ns)
{
	uint64_t end_ns = sample->jemalloc_boottime_ns;

	sample->jemalloc_interval_ns = begin_ns > 0 && end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* Removes what the allocator of the program before has counted. */
static void forget_allocations(struct thread_sample *first)
{
	metric_set_add(&first->impossible, METRIC_allocated_bytes);
	metric_set_add(&first->impossible, METRIC_deallocated_bytes);
}

/* The part of the thread's work inside is unknown. */
static void make_unknown(struct window_join *join)
{
	window_forget(&join->sample, join->info->rules);
	window_count(join, WINDOW_threads_unknown, 1);
}

static void make_continued(struct window_join *join, const struct thread_key *key,
                           uint32_t first_row, uint32_t row)
{
	struct thread_sample *sample = &join->sample, *first = &join->other;
	struct window_step step;
	uint64_t went_back = 0;

	thread_store_get(&join->first.threads, first_row, first);
	if (join->replaced[row])
		forget_allocations(first);
	window_note_unobserved(join, first);
	set_interval(join, sample, window_read_time(&join->first, first->read_boottime_ns));
	if (window_is_another(join, key, first)) {
		make_unknown(join);
		return;
	}
	step = window_step_of(join, first_row);
	window_subtract(sample, first, &went_back);
	window_carry_ticks(join, row, &step);
	set_jemalloc_interval(sample, first->jemalloc_boottime_ns);
	window_count(join, WINDOW_values_went_back, went_back);
	window_count(join, WINDOW_threads_continued, 1);
	copy_reasons(join, first, sample);
	window_keep_paths(sample, first);
}

static void make_born(struct window_join *join, uint32_t row)
{
	struct thread_sample *sample = &join->sample;
	uint64_t born_ns = window_tick_begin(join, sample->start_time_clock_ticks);
	uint64_t end_ns = window_read_time(&join->last, sample->read_boottime_ns);

	sample->window_part = WINDOW_PART_born;
	sample->life_ns = end_ns > born_ns ? end_ns - born_ns : 1;
	window_set_partial_interval(join, sample);
	set_jemalloc_interval(sample, join->begin_ns);
	window_settle_born(join, row);
	window_count(join, WINDOW_threads_born, 1);
}

/* Returns the row of the first reading with the thread of a row of the last one, or THREAD_STORE_NONE. */
static uint32_t find_first(const struct window_join *join, const struct thread_key *key,
                           uint32_t row)
{
	if (!join->replaced[row])
		return window_reading_find(&join->first, key);
	return join->takers[row] > 0 ? join->takers[row] - 1 : THREAD_STORE_NONE;
}

/* Makes the thread of a row of the last reading, in join->sample. If it is older than the window and was not in its
 * first reading, or has taken over the ids of one that was, and its own first values are unknown, the part of its work inside is unknown. */
static void make_row(struct window_join *join, uint32_t row)
{
	struct thread_sample *sample = &join->sample;
	const struct thread_key *key = thread_store_key(&join->last.threads, row);
	uint32_t first = find_first(join, key, row);

	thread_store_get(&join->last.threads, row, sample);
	sample->window_part = WINDOW_PART_continued;
	if (first != THREAD_STORE_NONE) {
		make_continued(join, key, first, row);
	} else if (!join->replaced[row] && is_born_inside(join, key->start_time_clock_ticks)) {
		make_born(join, row);
	} else {
		set_interval(join, sample, join->begin_ns);
		make_unknown(join);
	}
}

/* A process without a start time may be another one than before, so its totals are unknown. */
static void make_totals(struct window_join *join)
{
	struct thread_sample *sample = &join->sample;
	uint64_t born = sample_process_start(sample), sums[PROCESS_TOTAL_COUNT];
	uint32_t first = THREAD_STORE_NONE;

	if (!sample->has_process_totals)
		return;
	if (born != PROCESS_START_UNKNOWN)
		first = window_reading_totals(&join->first, sample->tgid, born);
	if (first != THREAD_STORE_NONE) {
		window_reading_sums(&join->first, first, &join->other, sums);
		thread_store_get(&join->first.threads, first, &join->other);
		window_subtract_totals(sample, &join->other, sums);
	} else if (born == PROCESS_START_UNKNOWN || !is_born_inside(join, born)) {
		sample_forget_totals(sample);
	}
}

/* Work inside is no longer than the thread was there; a wait that ended inside may have begun before, but not before
 * the thread. The readings' own values were judged when they were read. */
static void judge(struct window_join *join)
{
	struct thread_sample *sample = &join->sample;
	struct host_bounds bounds = host_bounds_of(&join->info->host);

	sample_judge_at(sample, window_read_time(&join->last, sample->read_boottime_ns), bounds);
	sample_judge_inside(sample, bounds);
	snapshot_tally_add_impossible(&join->info->tally, sample);
}

static int write_row(struct window_join *join, struct snapshot_writer *writer,
                     struct window_time *time)
{
	judge(join);
	window_time_add(time, &join->sample);
	join->rows++;
	return snapshot_write_thread(writer, &join->sample);
}

/* Writes the threads that ended and whose process, that of @of, is still there. @ret_in_doubt is set if others may be
 * of it as well. */
static int write_ended_of(struct window_join *join, struct snapshot_writer *writer,
                          const struct thread_key *of, struct window_time *time, bool *ret_in_doubt)
{
	size_t low = 0, high = join->ended_count;
	int r = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (join->ended[middle].tgid < of->tgid)
			low = middle + 1;
		else
			high = middle;
	}
	for (; r == 0 && low < join->ended_count && join->ended[low].tgid == of->tgid; low++) {
		const struct thread_key process = {.tgid = of->tgid,
		                                   .process_start_clock_ticks =
		                                           join->ended[low].process_start};

		if (!thread_key_same_process(&process, of))
			continue;
		*ret_in_doubt = *ret_in_doubt || join->ended[low].may_be_live;
		if (!join->ended[low].is_live || join->ended[low].is_written)
			continue;
		join->ended[low].is_written = true;
		window_make_exit(join, &join->ended[low]);
		r = write_row(join, writer, time);
	}
	return r;
}

/* Writes the threads of a process that ended without a record. */
static int write_lost_of(struct window_join *join, struct snapshot_writer *writer,
                         const struct thread_key *of, struct window_time *time)
{
	struct window_lost *lost;
	int r = 0;

	while (r == 0 && (lost = window_next_lost(join, of))) {
		window_make_lost(join, lost);
		r = write_row(join, writer, time);
	}
	return r;
}

/* Returns whether a thread is as it was in the first reading, and is left out. */
static bool is_left_out(struct window_join *join, struct snapshot_writer *writer, uint32_t row)
{
	const struct thread_store *threads = &join->last.threads;
	const struct thread_key *key = thread_store_key(threads, row);
	uint32_t first = window_reading_find(&join->first, key);

	if (first == THREAD_STORE_NONE || join->replaced[row] ||
	    thread_store_digest(threads, row) != thread_store_digest(&join->first.threads, first) ||
	    !snapshot_leave_out_thread(writer, key))
		return false;
	window_keep_carry(join, first, row);
	window_count(join, WINDOW_threads_continued, 1);
	join->rows++;
	return true;
}

/* Writes the rows of the last reading in its own order; before the last one of a process, which has its totals, come
 * those of its threads that ended, and before that of a new leader as well, since the former one had its ids. */
static int write_last(struct window_join *join, struct snapshot_writer *writer)
{
	const struct thread_store *threads = &join->last.threads;
	struct window_time time = {0};
	int r = 0;

	for (uint32_t row = 0; r == 0 && row < threads->count; row++) {
		const struct thread_key *key = thread_store_key(threads, row);
		bool in_doubt = false;
		bool is_end = row + 1 == threads->count ||
		              !thread_key_same_process(key, thread_store_key(threads, row + 1));

		if (is_end || join->replaced[row])
			r = write_ended_of(join, writer, key, &time, &in_doubt);
		if (is_end && r == 0)
			r = write_lost_of(join, writer, key, &time);
		if (r < 0)
			break;
		if (!in_doubt && is_left_out(join, writer, row)) {
			if (is_end)
				window_time_end(&time, &join->accounted);
			continue;
		}
		make_row(join, row);
		make_totals(join);
		/* A thread may or may not belong to the process: without the total nothing is counted twice. */
		if (in_doubt)
			sample_forget_totals(&join->sample);
		r = write_row(join, writer, &time);
		if (is_end)
			window_time_end(&time, &join->accounted);
	}
	return r;
}

/* Writes the threads of the process of an ended thread that ended without a record, behind its last one with a record. */
static int write_lost_behind(struct window_join *join, struct snapshot_writer *writer, size_t at,
                             struct window_time *time)
{
	const struct window_exit *ended = &join->ended[at];
	const struct thread_key process = {.tgid = ended->tgid,
	                                   .process_start_clock_ticks = ended->process_start};

	if (at + 1 < join->ended_count && ended[1].tgid == ended->tgid &&
	    ended[1].process_start == ended->process_start)
		return 0;
	return write_lost_of(join, writer, &process, time);
}

/* Writes the processes that are gone, one after the other, except the one whose tgid the process in front has now. */
static int write_gone(struct window_join *join, struct snapshot_writer *writer)
{
	const struct thread_store *threads = &join->last.threads;
	uint32_t before =
	        threads->count > 0 ? thread_store_key(threads, threads->count - 1)->tgid : 0;
	struct window_time time = {0};
	int r = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; r == 0 && i < join->ended_count; i++) {
			if (join->ended[i].is_written ||
			    (pass == 0 && join->ended[i].tgid == before))
				continue;
			join->ended[i].is_written = true;
			window_make_exit(join, &join->ended[i]);
			r = write_row(join, writer, &time);
			if (r == 0)
				r = write_lost_behind(join, writer, i, &time);
			window_time_end(&time, &join->accounted);
		}
	return r;
}

/* Does so for the threads of gone processes that ended without a record. */
static int write_gone_lost(struct window_join *join, struct snapshot_writer *writer)
{
	const struct thread_store *threads = &join->last.threads;
	uint32_t before =
	        threads->count > 0 ? thread_store_key(threads, threads->count - 1)->tgid : 0;
	struct window_time time = {0};
	int r = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; r == 0 && i < join->lost_count; i++)
			if (!window_lost_is_written(join, i) &&
			    (pass == 1 || join->lost[i].tgid != before))
				r = write_lost_of(
				        join, writer,
				        thread_store_key(&join->first.threads, join->lost[i].first),
				        &time);
	return r;
}

static void begin_numbers(struct window_join *join)
{
	static const enum window_number counted[] = {
	        WINDOW_threads_continued, WINDOW_threads_born,   WINDOW_threads_exited,
	        WINDOW_threads_passed,    WINDOW_threads_lost,   WINDOW_threads_unknown,
	        WINDOW_values_went_back,  WINDOW_exits_left_out,
	};
	const struct snapshot_info *first = &join->first.info;
	struct snapshot_window *window = &join->info->window;

	*window = (struct snapshot_window){.exits = join->exits->exits};
	window_set(window, WINDOW_begin_unix_ns, first->captured_at_unix_ns);
	window_set(window, WINDOW_begin_boottime_ns, join->begin_ns);
	window_set(window, WINDOW_length_ns, join->end_ns - join->begin_ns);
	if (join->asked_length_ns > 0)
		window_set(window, WINDOW_asked_length_ns, join->asked_length_ns);
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		window_set(window, counted[i], 0);
	if (!window_exits_are_known(window->exits))
		return;
	window_set(window, WINDOW_exit_records, join->exits->received);
	window_set(window, WINDOW_exit_overruns, join->exits->overruns);
	window_set(window, WINDOW_exit_ends, join->exits->ends);
}

/* Returns the time for reading a batch of threads. Processes that a pass does not show are read behind it, which does not slow it down. */
static uint64_t skew_of(const struct snapshot_info *info)
{
	enum capture_cost reading =
	        info->cost_seen[COST_pass_ns] ? COST_pass_ns : COST_walk_spread_ns;

	if (!info->cost_seen[reading] || info->tally.threads == 0)
		return 0;
	return info->cost[reading] / info->tally.threads * READ_BATCH;
}

static void set_skew(struct window_join *join)
{
	uint64_t first = skew_of(&join->first.info), last = skew_of(join->info);

	if (first > 0 && last > 0)
		window_set(&join->info->window, WINDOW_read_skew_ns, first > last ? first : last);
}

/* Returns the known births inside. Doubtful ones count, so that the window never reports too many missing threads. */
static uint64_t known_births(const struct window_join *join)
{
	const uint64_t *numbers = join->info->window.numbers;
	const struct thread_store *first = &join->first.threads;
	uint64_t births = join->exits_behind + numbers[WINDOW_threads_born] +
	                  numbers[WINDOW_threads_passed] + numbers[WINDOW_exits_left_out];

	for (uint32_t row = 0; row < first->count; row++)
		births +=
		        is_born_inside(join, thread_store_key(first, row)->start_time_clock_ticks);
	return births;
}

/* Sets the host's total of its threads, less the known threads. */
static void set_missing(struct window_join *join)
{
	const struct host *host = &join->info->host;
	struct snapshot_window *window = &join->info->window;
	uint64_t births = known_births(join), rest;

	if (!join->whole_host)
		return;
	if (host->seen[HOST_forks])
		window_set(window, WINDOW_threads_missed,
		           host->numbers[HOST_forks] > births ? host->numbers[HOST_forks] - births
		                                              : 0);
	if (window_time_rest(host, &join->accounted, &rest))
		window_set(window, WINDOW_unaccounted_clock_ticks, rest);
}

/* Returns whether a reading saw the threads of the whole host. On a host where many come and go their number differs
 * from that of the rows; but a reader that sees the first process of the host and of its kernel, and was denied none,
 * sees all. */
static bool sees_whole_host(const struct window_reading *reading, const struct snapshot_info *info)
{
	enum { FIRST_PROCESS = 1, FIRST_OF_KERNEL = 2 };
	const char *namespace = host_text(&info->host, HOST_pid_namespace);

	if (!host_text(&info->host, HOST_selection) && namespace &&
	    strcmp(namespace, HOST_INITIAL_PID_NAMESPACE) == 0 &&
	    info->tally.processes_denied == 0 && info->tally.processes_stalled == 0 &&
	    thread_store_find(&reading->threads, FIRST_PROCESS) != THREAD_STORE_NONE &&
	    thread_store_find(&reading->threads, FIRST_OF_KERNEL) != THREAD_STORE_NONE)
		return true;
	return snapshot_has_all_threads(info);
}

static void begin_join(struct window_join *join)
{
	window_reading_sort(&join->first);
	window_reading_sort(&join->last);
	join->tick_ns = NS_PER_SECOND / host_ticks_per_second(&join->info->host);
	join->begin_ns = join->first.info.captured_boottime_ns;
	join->end_ns = join->info->captured_boottime_ns;
	join->whole_host = sees_whole_host(&join->first, &join->first.info) &&
	                   sees_whole_host(&join->last, join->info);
	/* The window's own are counted while its rows are made. */
	memset(join->info->tally.impossible, 0, sizeof(join->info->tally.impossible));
	memset(join->info->tally.impossible_totals, 0, sizeof(join->info->tally.impossible_totals));
	host_join_source(&join->info->host, &join->first.info.host);
	begin_numbers(join);
	set_skew(join);
	mark_continued(join);
	window_find_exits(join);
	window_subtract_host(&join->info->host, &join->first.info.host);
	window_subtract_psi(&join->info->psi, &join->first.info.psi);
	labels_keep_common(&join->info->labels, &join->first.info.labels);
	settings_note_changes(&join->info->settings, &join->first.info.settings);
	join->info->kind = KIND_window;
}

static int write_window(struct window_join *join, const struct window_options *options,
                        struct snapshot_writer *writer)
{
	struct snapshot_info *info = join->info, last = *info; /* for its cost */
	int r = snapshot_write_begin(writer, info);

	if (r == 0)
		r = write_last(join, writer);
	if (r == 0)
		r = write_gone(join, writer);
	if (r == 0)
		r = write_gone_lost(join, writer);
	if (r == 0)
		r = window_write_cgroups(join, writer);
	window_set_cgroups_lost(join);
	if (r < 0)
		return r;
	set_missing(join);
	info->tally.threads = join->rows;
	memset(info->cost_seen, 0, sizeof(info->cost_seen));
	if (options->meter) {
		options->meter->measure(options->meter, &join->first.info, &last, info);
		info->cost[COST_json_bytes] = snapshot_writer_json_bytes(writer);
		info->cost_seen[COST_json_bytes] = true;
	}
	return snapshot_write_end(writer, info);
}

static void move_map(struct host *host, struct host *from, enum host_field field)
{
	struct host_map map = host->maps[field];
	bool seen = host->seen[field];

	host->maps[field] = from->maps[field];
	host->seen[field] = from->seen[field];
	from->maps[field] = map;
	from->seen[field] = seen;
}

/* The names are moved, since the caller needs them no longer. */
static void move_names(struct snapshot_info *info, struct host *names)
{
	move_map(&info->host, names, HOST_users);
	move_map(&info->host, names, HOST_containers);
}

int window_of_readings(struct window_reading *first, struct window_reading *last,
                       const struct window_options *options, struct snapshot_writer *writer,
                       struct snapshot_info *ret_info, struct strbuf *reterr)
{
	static const struct exit_log nobody = {.exits = WINDOW_EXITS_skipped};
	cleanup_(join_done) struct window_join join = {
	        .first = *first,
	        .last = *last,
	        .exits = options->exits ? options->exits : &nobody,
	        .asked_length_ns = options->asked_length_ns,
	        .info = &join.last.info,
	        .next_exits = options->next ? options->next->exits : NULL,
	        .keeps_last = options->next != NULL,
	};
	cleanup_(snapshot_info_done) struct snapshot_info kept = {0};
	bool inferred = options->infer_boot && window_infer_boot(&join.first, &join.last);
	int r = window_check(&join.first, &join.last, options, inferred, reterr);

	*first = *last = (struct window_reading){0};
	if (options->next) {
		window_keep_info(&join.last.info, &kept);
		window_begin_next(&join, options->next);
	}
	if (r == 0 && options->names)
		move_names(join.info, options->names);
	if (r == 0) {
		begin_join(&join);
		r = write_window(&join, options, writer);
	}
	*ret_info = join.last.info;
	join.last.info = kept;
	kept = (struct snapshot_info){0};
	if (r == 0 && options->next)
		window_pass_last(&join, options->next);
	return r;
}

int window_make(const struct window_options *options, struct snapshot_writer *writer,
                struct snapshot_info *ret_info, struct strbuf *reterr)
{
	cleanup_(window_reading_done) struct window_reading first, last;
	int r;

	window_reading_init(&first);
	window_reading_init(&last);
	r = window_reading_load(&options->first, options->limits, &first, reterr);
	if (r == 0)
		r = window_reading_load(&options->last, options->limits, &last, reterr);
	if (r == 0)
		return window_of_readings(&first, &last, options, writer, ret_info, reterr);
	*ret_info = last.info;
	last.info = (struct snapshot_info){0};
	return r;
}
