// SPDX-License-Identifier: GPL-2.0-or-later
/* Windows that have only what changed add up to what whole windows add up to, from wherever a range begins. */
#include "check.h"

#include <errno.h>

#include "memory-stream.h"
#include "random.h"
#include "samples.h"
#include "snapshot/frame-base.h"
#include "window/window-reading.h"
#include "window/window-sum.h"
#include "windows.h"

enum { THREADS = 40, PER_PROCESS = 4, CGROUPS = 6, READINGS = 24, WINDOWS = READINGS - 1 };

/* One of each four is the leader of its process. */
struct thread {
	bool is_there, is_zombie;
	uint32_t tid;
	uint64_t born_ticks;
	uint64_t run_ns, csw, minflt, peak_ns, rchar;
	uint32_t nice, comm;
	bool has_io;
};

struct cgroup {
	bool is_there;
	int64_t usage, current;
	uint64_t key;
};

struct host_model {
	struct thread threads[THREADS];
	struct cgroup cgroups[CGROUPS];
	uint64_t exited_ns[THREADS / PER_PROCESS]; /* the work of ended threads */
	uint32_t next_tid;
	uint64_t now_ns;
};

static void birth(struct host_model *host, size_t i)
{
	host->threads[i] = (struct thread){
	        .is_there = true,
	        .tid = ++host->next_tid,
	        .born_ticks = host->now_ns / TICK_NS - 1,
	        .has_io = true,
	};
	if (i % PER_PROCESS == 0)
		host->exited_ns[i / PER_PROCESS] = 0;
}

static void end(struct host_model *host, struct exit_log *log, size_t i, bool has_record)
{
	struct thread *thread = &host->threads[i], *leader = &host->threads[i - i % PER_PROCESS];
	struct end_spec spec = {.tid = thread->tid,
	                        .tgid = leader->tid,
	                        .born_ns = thread->born_ticks * TICK_NS,
	                        .exited_ns = host->now_ns - SECONDS(5),
	                        .is_complete = true,
	                        .process_born_ns = leader->born_ticks * TICK_NS,
	                        .run_time_ns = thread->run_ns + 1000,
	                        .pcomm = "process"};

	if (has_record)
		add_end(log, spec);
	host->exited_ns[i / PER_PROCESS] += spec.run_time_ns;
	thread->is_there = false;
}

/* A zombie goes without a record. */
static void bury(struct host_model *host, size_t i)
{
	host->exited_ns[i / PER_PROCESS] += host->threads[i].run_ns;
	host->threads[i].is_there = false;
}

static void move_thread(struct random *random, struct thread *thread)
{
	if (random_chance(random, 70))
		return;
	thread->run_ns += random_below(random, SECONDS(1));
	thread->csw += random_below(random, 3);
	thread->minflt += random_below(random, 2);
	thread->rchar += random_below(random, 2) * 100;
	if (random_chance(random, 20))
		thread->peak_ns += 10;
	if (random_chance(random, 10))
		thread->nice = (uint32_t)random_below(random, 3);
	if (random_chance(random, 10))
		thread->comm = (uint32_t)random_below(random, 3);
	if (random_chance(random, 5))
		thread->has_io = !thread->has_io;
}

static void step(struct random *random, struct host_model *host, struct exit_log *log)
{
	log->exits = WINDOW_EXITS_completed;
	host->now_ns += SECONDS(10);
	for (size_t i = 0; i < THREADS; i++) {
		struct thread *thread = &host->threads[i];

		if (i % PER_PROCESS != 0 && thread->is_there && thread->is_zombie)
			bury(host, i);
		else if (i % PER_PROCESS != 0 && thread->is_there && random_chance(random, 5))
			end(host, log, i, random_chance(random, 50));
		else if (i % PER_PROCESS != 0 && thread->is_there && random_chance(random, 3))
			thread->is_zombie = true;
		else if (!thread->is_there && random_chance(random, 20))
			birth(host, i);
		else if (thread->is_there)
			move_thread(random, thread);
	}
	for (size_t i = 0; i < CGROUPS; i++) {
		struct cgroup *cgroup = &host->cgroups[i];

		if (random_chance(random, 5))
			cgroup->is_there = !cgroup->is_there;
		if (random_chance(random, 30))
			cgroup->usage += (int64_t)random_below(random, 100);
		if (random_chance(random, 20))
			cgroup->current = (int64_t)random_below(random, 100);
		cgroup->key += random_below(random, 5) == 0;
	}
}

static void add_totals(const struct host_model *host, size_t process, struct thread_sample *last)
{
	uint64_t run_ns = host->exited_ns[process];

	for (size_t i = 0; i < PER_PROCESS; i++)
		if (host->threads[process * PER_PROCESS + i].is_there)
			run_ns += host->threads[process * PER_PROCESS + i].run_ns;
	last->has_process_totals = true;
	last->process_totals_seen = UINT32_C(1) << PROCESS_TOTAL_run_time_ns;
	last->process_totals[PROCESS_TOTAL_run_time_ns] = run_ns;
}

static void read_thread(const struct host_model *host, size_t i, struct reading *reading)
{
	static const char *const names[] = {"one", "two", "\xffthree"};
	const struct thread *thread = &host->threads[i], *leader = thread - i % PER_PROCESS;
	struct thread_sample *sample =
	        reading_add(reading, leader->tid, thread->tid, thread->born_ticks);

	sample_set_process_start(sample, leader->born_ticks);
	sample->read_boottime_ns = reading->info.captured_boottime_ns;
	sample->comm.len = 0;
	sample_name(&sample->comm, names[thread->comm]);
	sample->has_exe = true;
	sample_name(&sample->exe, "/bin/process");
	sample->has_uid = true;
	sample->uid = 7;
	sample_set(sample, run_time_ns, (struct counter_ns){thread->run_ns});
	sample_set(sample, voluntary_csw, (struct counter_count){thread->csw});
	sample_set(sample, minflt, (struct counter_count){thread->minflt});
	sample_set(sample, nice, (struct ordinal_i32){(int32_t)thread->nice});
	sample_set(sample, state, (struct label_letter){thread->is_zombie ? 'Z' : 'S'});
	if (thread->peak_ns > 0)
		sample_set(sample, wait_max, (struct peak_ns){thread->peak_ns});
	if (thread->has_io)
		sample_set(sample, rchar, (struct counter_bytes){thread->rchar});
	else
		sample->outcomes[SOURCE_io] = OUTCOME_denied;
}

static void read_host(const struct host_model *host, struct reading *ret)
{
	static const char *const paths[CGROUPS] = {"/", "/a", "/a/b", "/c", "/\xfe", "/\xff"};

	reading_init(ret, host->now_ns);
	for (size_t i = 0; i < THREADS; i++) {
		bool is_last = i + 1 == THREADS || (i + 1) % PER_PROCESS == 0;

		if (host->threads[i].is_there)
			read_thread(host, i, ret);
		if (is_last && ret->count > 0)
			add_totals(host, i / PER_PROCESS, &ret->samples[ret->count - 1]);
	}
	for (size_t i = 0; i < CGROUPS; i++) {
		struct cgroup_stats *stats;

		if (!host->cgroups[i].is_there)
			continue;
		stats = reading_add_cgroup(ret, paths[i]);
		stats->read_boottime_ns = host->now_ns;
		fact_set_number(&stats->values[CGROUP_VALUE_cpu_usage_usec],
		                host->cgroups[i].usage);
		fact_set_number(&stats->values[CGROUP_VALUE_memory_current],
		                host->cgroups[i].current);
		stats->has_list[CGROUP_LIST_memory_stat] = true;
		keyed_values_set(&stats->lists[CGROUP_LIST_memory_stat], "pgfault", 7,
		                 host->cgroups[i].key);
	}
}

/* Packs the window between; with a base it has what changed only. */
static void pack(const struct reading *first, const struct reading *last,
                 const struct exit_log *exits, struct frame_base *base, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(window_reading_done) struct window_reading a = {0}, b = {0};
	struct window_options options = {.exits = exits};
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, 1);

	if (base)
		snapshot_writer_follow(writer, base, false);
	reading_load(first, &a);
	reading_load(last, &b);
	assert_int_equal(window_of_readings(&a, &b, &options, writer, &info, &reason), 0);
	snapshot_writer_freep(&writer);
	*out = sink.bytes;
}

/* Packs the sum of the windows from @from to @to. */
static void pack_sum(const struct strbuf windows[WINDOWS], unsigned begin, unsigned from,
                     unsigned to, struct strbuf *ret)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, 1);
	struct window_sum *sum = window_sum_new();

	for (unsigned i = begin; i <= to; i++) {
		struct memory_source source =
		        memory_source_make(windows[i].data, windows[i].len, windows[i].len);
		int r = (i < from ? window_sum_pass : window_sum_read)(
		        sum, &source.base, &snapshot_default_limits, &reason);

		if (r < 0)
			fail_msg("window %u: %d: %s", i, r, strbuf_str(&reason));
	}
	assert_int_equal(window_sum_write(sum, writer, &info), 0);
	snapshot_writer_freep(&writer);
	*ret = sink.bytes;
	window_sum_freep(&sum);
}

/* The same as a text. */
static void add_up(const struct strbuf windows[WINDOWS], unsigned begin, unsigned from, unsigned to,
                   struct strbuf *ret)
{
	cleanup_(strbuf_done) struct strbuf packed = STRBUF_INIT;

	pack_sum(windows, begin, from, to, &packed);
	zstd_unpack(packed.data, packed.len, ret);
}

/* Adds up the windows of which a sum is read in their place: of up to four in a row. */
static void make_sums(struct random *random, const struct strbuf windows[WINDOWS], unsigned from,
                      unsigned to, struct strbuf sums[WINDOWS], unsigned *ret_count)
{
	unsigned count = 0;

	for (unsigned i = from; i <= to;) {
		unsigned more = (unsigned)random_below(random, 5), last = i + more;

		if (last > to)
			last = to;
		if (more > 0)
			pack_sum(windows, i, i, last, &sums[count++]);
		else
			strbuf_add(&sums[count++], windows[i].data, windows[i].len);
		i = last + 1;
	}
	*ret_count = count;
}

/* Sums of sums are the sums of their windows, in every value. */
static void check_sums(struct random *random, const struct strbuf windows[WINDOWS], unsigned from,
                       unsigned to, const char *expected)
{
	struct strbuf sums[WINDOWS] = {{0}};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	unsigned count = 0;

	make_sums(random, windows, from, to, sums, &count);
	add_up(sums, 0, 0, count - 1, &text);
	if (strcmp(strbuf_str(&text), expected) != 0)
		fail_msg("seed %#llx, round %u, windows %u to %u in %u parts:\n%s\n%s",
		         (unsigned long long)random->seed, random->round, from, to, count, expected,
		         strbuf_str(&text));
	for (unsigned i = 0; i < WINDOWS; i++)
		strbuf_done(&sums[i]);
}

static void check_ranges(struct random *random, const struct strbuf whole[WINDOWS],
                         const struct strbuf changes[WINDOWS])
{
	for (unsigned n = 0; n < 12; n++) {
		cleanup_(strbuf_done) struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
		unsigned from = n == 0 ? 0 : (unsigned)random_below(random, WINDOWS);
		unsigned to = n == 0 ? WINDOWS - 1
		                     : from + (unsigned)random_below(random, WINDOWS - from);

		add_up(whole, from, from, to, &a);
		add_up(changes, 0, from, to, &b);
		if (strcmp(strbuf_str(&a), strbuf_str(&b)) != 0)
			fail_msg("seed %#llx, round %u, windows %u to %u:\n%s\n%s",
			         (unsigned long long)random->seed, random->round, from, to,
			         strbuf_str(&a), strbuf_str(&b));
		if (n < 3)
			check_sums(random, whole, from, to, strbuf_str(&a));
	}
}

static void changes_add_up_to_the_same(void **state)
{
	size_t whole_bytes = 0, changes_bytes = 0;

	(void)state;
	for (unsigned round = 0; round < 10; round++) {
		struct random random = random_start(0x21, round);
		struct host_model host = {.now_ns = SECONDS(1000), .next_tid = 100};
		struct strbuf whole[WINDOWS] = {{0}}, changes[WINDOWS] = {{0}};
		cleanup_(frame_base_done) struct frame_base base = {0};
		struct reading readings[READINGS];

		for (size_t i = 0; i < THREADS; i++)
			if (i % PER_PROCESS == 0 || random_chance(&random, 50))
				birth(&host, i);
		read_host(&host, &readings[0]);
		for (unsigned i = 0; i < WINDOWS; i++) {
			cleanup_(exit_log_done) struct exit_log exits = {0};

			step(&random, &host, &exits);
			read_host(&host, &readings[i + 1]);
			pack(&readings[i], &readings[i + 1], &exits, NULL, &whole[i]);
			pack(&readings[i], &readings[i + 1], &exits, &base, &changes[i]);
			whole_bytes += whole[i].len;
			changes_bytes += changes[i].len;
		}
		check_ranges(&random, whole, changes);
		for (unsigned i = 0; i < READINGS; i++)
			reading_done(&readings[i]);
		for (unsigned i = 0; i < WINDOWS; i++) {
			strbuf_done(&whole[i]);
			strbuf_done(&changes[i]);
		}
	}
	assert_true(changes_bytes < whole_bytes);
}

/* Reads a window that follows another one, with what @pass gives as the base. */
static int read_after(const struct strbuf *before, const struct strbuf *window,
                      struct strbuf *reason)
{
	struct window_sum *sum = window_sum_new();
	struct memory_source source;
	int r = 0;

	if (before) {
		source = memory_source_make(before->data, before->len, before->len);
		r = window_sum_pass(sum, &source.base, &snapshot_default_limits, reason);
	}
	assert_int_equal(r, 0);
	source = memory_source_make(window->data, window->len, window->len);
	r = window_sum_read(sum, &source.base, &snapshot_default_limits, reason);
	window_sum_freep(&sum);
	return r;
}

/* Without the window before, rows cannot be made whole: that is no sum, and no snapshot either. */
static void changes_alone_are_refused(void **state)
{
	struct random random = random_start(0x22, 0);
	struct host_model host = {.now_ns = SECONDS(1000), .next_tid = 100};
	struct strbuf changes[3] = {{0}};
	cleanup_(frame_base_done) struct frame_base base = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct snapshot_copy copy;
	struct reading readings[4];

	(void)state;
	for (size_t i = 0; i < THREADS; i++)
		birth(&host, i);
	read_host(&host, &readings[0]);
	for (unsigned i = 0; i < 3; i++) {
		cleanup_(exit_log_done) struct exit_log exits = {0};

		step(&random, &host, &exits);
		read_host(&host, &readings[i + 1]);
		pack(&readings[i], &readings[i + 1], &exits, &base, &changes[i]);
	}
	assert_int_equal(read_after(&changes[0], &changes[1], &reason), 0);
	assert_int_equal(read_after(NULL, &changes[1], &reason), -EBADMSG);
	assert_contains(strbuf_str(&reason), "not in the window before");
	strbuf_clear(&reason);
	assert_int_equal(read_after(&changes[0], &changes[2], &reason), -EBADMSG);
	snapshot_copy_read(&copy, changes[1].data, changes[1].len, &snapshot_default_limits);
	assert_int_equal(copy.result, -EBADMSG);
	assert_contains(strbuf_str(&copy.error), "only what changed");
	snapshot_copy_done(&copy);
	for (unsigned i = 0; i < 3; i++)
		strbuf_done(&changes[i]);
	for (unsigned i = 0; i < 4; i++)
		reading_done(&readings[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(changes_add_up_to_the_same),
	        cmocka_unit_test(changes_alone_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
