// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts.h"
#include "facts/fact-derive.h"
#include "groups.h"
#include "samples.h"

static void expect(struct fact_fixture *fixture, unsigned sides, enum metric_section section,
                   const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	memset(fixture->options.sections, 0, sizeof(fixture->options.sections));
	fixture->options.sections[section] = true;
	make_facts(fixture, sides);
	describe_facts(&fixture->set, &text);
	assert_text(&text, expected);
	for (size_t i = 0; i < fixture->set.count; i++)
		assert_int_equal(fixture->set.rows[i].section, section);
}

static void set_limit(struct cgroup_table *table, const char *path, enum cgroup_value_id id,
                      int64_t number)
{
	struct cgroup_stats stats = {0};

	strbuf_add_str(&stats.path, path);
	if (number < 0)
		fact_set_unlimited(&stats.values[id]);
	else
		fact_set_number(&stats.values[id], number);
	add_cgroup_stats(table, &stats);
	cgroup_stats_done(&stats);
}

static void add_list(struct cgroup_table *table, const char *path, enum cgroup_list_id list,
                     const char *key, uint64_t number)
{
	struct cgroup_stats stats = {0};

	strbuf_add_str(&stats.path, path);
	stats.has_list[list] = true;
	if (key)
		keyed_values_set(&stats.lists[list], key, strlen(key), number);
	add_cgroup_stats(table, &stats);
	cgroup_stats_done(&stats);
}

/* The one that moved most is first, by the part of the section's sum; equal ones by name; unchanged ones not at
 * all, unless asked for. */
static void test_order(void **state)
{
	struct fact_fixture *fixture = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add_cgroup(&fixture->cgroups[side], "/same", CGROUP_VALUE_memory_current, 1000);
		add_cgroup(&fixture->cgroups[side], "/b", CGROUP_VALUE_memory_current,
		           side ? 110 : 100);
		add_cgroup(&fixture->cgroups[side], "/a", CGROUP_VALUE_memory_current,
		           side ? 90 : 100);
		add_cgroup(&fixture->cgroups[side], "/most", CGROUP_VALUE_memory_current,
		           side ? 0 : 300);
	}
	expect(fixture, 2, SECTION_cgroup_stats,
	       "/most memory_current 300 0 -300; /a memory_current 100 90 -10; "
	       "/b memory_current 100 110 10; ");
	assert_real(quantity_real(fixture->set.rows[0].weight), 300.0 / 1500);
	assert_real(fixture->set.rows[1].percent, -10);
	fixture->options.unchanged = true;
	expect(fixture, 2, SECTION_cgroup_stats,
	       "/most memory_current 300 0 -300; /a memory_current 100 90 -10; "
	       "/b memory_current 100 110 10; /same memory_current 1000 1000 0; ");
	fixture->options.unchanged = false;
	expect(fixture, 1, SECTION_cgroup_stats,
	       "/same memory_current 1000; /most memory_current 300; /a memory_current 100; "
	       "/b memory_current 100; ");
}

/* A value that one side lacks is neither zero nor a difference, and comes last. */
static void test_one_sided(void **state)
{
	struct fact_fixture *fixture = *state;

	add_cgroup(&fixture->cgroups[0], "/old", CGROUP_VALUE_pids_current, 900);
	add_cgroup(&fixture->cgroups[1], "/new", CGROUP_VALUE_pids_current, 800);
	add_cgroup(&fixture->cgroups[0], "/both", CGROUP_VALUE_pids_current, 1);
	add_cgroup(&fixture->cgroups[1], "/both", CGROUP_VALUE_pids_current, 2);
	expect(fixture, 2, SECTION_cgroup_limits,
	       "/both pids_current 1 2 1; /new pids_current - 800; /old pids_current 900 -; ");
	for (size_t i = 1; i < 3; i++) {
		assert_true(fixture->set.rows[i].changed);
		assert_none(fixture->set.rows[i].delta);
		assert_none(fixture->set.rows[i].percent);
	}
}

/* A limit that was lifted has no size, but nothing moved more. */
static void test_unlimited(void **state)
{
	struct fact_fixture *fixture = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		set_limit(&fixture->cgroups[side], "/lifted", CGROUP_VALUE_memory_max,
		          side ? -1 : 4096);
		set_limit(&fixture->cgroups[side], "/raised", CGROUP_VALUE_memory_max,
		          side ? 5000 : 4096);
		set_limit(&fixture->cgroups[side], "/still", CGROUP_VALUE_memory_max, -1);
	}
	expect(fixture, 2, SECTION_cgroup_limits,
	       "/lifted memory_max 4096 max; /lifted memory_limit 4096 max; "
	       "/lifted memory_limit_by /lifted -; /raised memory_max 4096 5000 904; "
	       "/raised memory_limit 4096 5000 904; /raised memory_limit_by /raised /raised; ");
	fixture->options.unchanged = true;
	expect(fixture, 2, SECTION_cgroup_limits,
	       "/lifted memory_max 4096 max; /lifted memory_limit 4096 max; "
	       "/lifted memory_limit_by /lifted -; /raised memory_max 4096 5000 904; "
	       "/raised memory_limit 4096 5000 904; /raised memory_limit_by /raised /raised; "
	       "/still memory_max max max; /still memory_limit max max; ");
	assert_false(fixture->set.rows[6].changed);
}

/* A changed row brings along the group's other ones of the section, which a table shows beside it. */
static void test_wide_groups(void **state)
{
	struct fact_fixture *fixture = *state;
	struct cgroup_stats stats = {0};

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		strbuf_clear(&stats.path);
		strbuf_add_str(&stats.path, "/a");
		fact_set_number(&stats.values[CGROUP_VALUE_cpu_usage_usec], side ? 7 : 5);
		fact_set_number(&stats.values[CGROUP_VALUE_nr_throttled], 3);
		fact_set_number(&stats.values[CGROUP_VALUE_cpu_weight], 100);
		add_cgroup_stats(&fixture->cgroups[side], &stats);
	}
	cgroup_stats_done(&stats);
	expect(fixture, 2, SECTION_cgroup_stats,
	       "/a cpu_usage_usec 5 7 2; /a nr_throttled 3 3 0; ");
	assert_false(fixture->set.rows[1].changed);
	expect(fixture, 2, SECTION_cgroup_limits, "");
}

/* Sums over the devices; an empty file says that there was no I/O, none says nothing. */
static void test_io_sums(void **state)
{
	struct fact_fixture *fixture = *state;

	add_list(&fixture->cgroups[0], "/a", CGROUP_LIST_io_stat, NULL, 0);
	add_list(&fixture->cgroups[1], "/a", CGROUP_LIST_io_stat, "8:0 rbytes", 4096);
	add_list(&fixture->cgroups[1], "/a", CGROUP_LIST_io_stat, "253:1 rbytes", 512);
	add_list(&fixture->cgroups[1], "/a", CGROUP_LIST_io_stat, "8:0 cost.usage", 1);
	fixture->options.sections[SECTION_cgroup_stats] = true;
	make_facts(fixture, 2);
	assert_int_equal(fixture->set.count, 6);
	assert_integer(find_fact(&fixture->set, "/a", "io_rbytes")->delta, 4608);
	assert_int_equal(find_fact(&fixture->set, "/a", "io_rbytes")->id, CGROUP_VALUE_COUNT);
	assert_int_equal(find_fact(&fixture->set, "/a", "io_rbytes")->unit, UNIT_bytes);
	assert_int_equal(find_fact(&fixture->set, "/a", "io_dios")->sides[1].state, FACT_UNSEEN);
	assert_int_equal(find_fact(&fixture->set, "/a", "io_dios")->id, CGROUP_VALUE_COUNT + 5);
}

/* Rows of a list: as far as they changed, by weight; zeros of one snapshot only where asked for. Names are made
 * safe to print, and the two hierarchies differ. */
static void test_lists(void **state)
{
	struct fact_fixture *fixture = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		struct cgroup_table *table = &fixture->cgroups[side];

		add_list(table, "/x\n", CGROUP_LIST_memory_stat, "anon", side ? 101 : 100);
		add_list(table, "/x\n", CGROUP_LIST_memory_stat, "pgfault", side ? 9 : 1);
		add_list(table, "/x\n", CGROUP_LIST_memory_stat, "file", 5);
		add_list(table, "/x\n", CGROUP_LIST_memory_stat, "odd\x1bkey", 0);
		add_list(table, "/x\n", CGROUP_LIST_memory_events, "oom", side);
	}
	add_list(&fixture->cgroups[1], "/x\n", CGROUP_LIST_memory_stat, "late", 4);
	expect(fixture, 2, SECTION_memory_stat,
	       "/x\\x0a pgfault 1 9 8; /x\\x0a anon 100 101 1; /x\\x0a late - 4; ");
	assert_int_equal(fixture->set.rows[0].unit, UNIT_count);
	assert_int_equal(fixture->set.rows[1].unit, UNIT_bytes);
	assert_int_equal(fixture->set.rows[2].unit, UNIT_none);
	assert_ptr_equal(fixture->set.rows[0].group, fixture->set.rows[2].group);
	expect(fixture, 2, SECTION_memory_events, "/x\\x0a oom 0 1 1; ");
	assert_none(fixture->set.rows[0].percent);
	expect(fixture, 1, SECTION_memory_stat,
	       "/x\\x0a anon 100; /x\\x0a pgfault 1; /x\\x0a file 5; ");
	fixture->options.unchanged = true;
	expect(fixture, 1, SECTION_memory_stat,
	       "/x\\x0a anon 100; /x\\x0a pgfault 1; /x\\x0a file 5; /x\\x0a odd\\x1bkey 0; ");
}

static void test_version_1(void **state)
{
	struct fact_fixture *fixture = *state;

	add_cgroup(&fixture->cgroups[0], "/a", CGROUP_VALUE_memory_v1_usage, 5);
	add_cgroup(&fixture->cgroups[0], "/a", CGROUP_VALUE_memory_current, 5);
	expect(fixture, 1, SECTION_cgroup_stats, "/a memory_current 5; v1:/a memory_v1_usage 5; ");
}

/* A changed row brings along those of its resource. */
static void test_pressure(void **state)
{
	struct fact_fixture *fixture = *state;
	const struct fact_row *row;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		set_psi(&fixture->infos[side].psi, PSI_io, PSI_ROW_some, 5, side ? 30 : 10);
		set_psi(&fixture->infos[side].psi, PSI_io, PSI_ROW_full, 0, 0);
		set_psi(&fixture->infos[side].psi, PSI_cpu, PSI_ROW_some, 1, 1);
	}
	expect(fixture, 2, SECTION_host_pressure,
	       "host io_some_avg10 5 5 0; host io_some_avg60 5 5 0; host io_some_avg300 5 5 0; "
	       "host io_some_total 10 30 20; host io_full_avg10 0 0 0; host io_full_avg60 0 0 0; "
	       "host io_full_avg300 0 0 0; host io_full_total 0 0 0; ");
	row = find_fact(&fixture->set, "host", "io_some_total");
	assert_int_equal(row->unit, UNIT_us);
	assert_int_equal(row->id, (PSI_io * PSI_ROW_COUNT + PSI_ROW_some) * 4 + 3);
	assert_real(row->percent, 200);
	assert_none(find_fact(&fixture->set, "host", "io_some_avg10")->percent);
	assert_int_equal(find_fact(&fixture->set, "host", "io_some_avg10")->unit,
	                 UNIT_percent_hundredths);
	expect(fixture, 2, SECTION_pressure, "");
}

/* Rows are ordered by the movement of Rss; those of one side only come last, the larger one first. */
static void test_smaps_order(void **state)
{
	struct fact_fixture *fixture = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add_process(&fixture->smaps[side], "grew", 1, side ? 30 : 10, 1);
		add_process(&fixture->smaps[side], "steady", 2, 100, side ? 50 : 1);
		add_process(&fixture->smaps[side], "same", 3, 7, 7);
	}
	add_process(&fixture->smaps[0], "gone", 4, 500, 500);
	add_process(&fixture->smaps[1], "came", 5, 600, 600);
	expect(fixture, 2, SECTION_smaps_rollup,
	       "grew Rss 10240 30720 20480; steady Pss 1024 51200 50176; came Rss - 614400; "
	       "came Pss - 614400; gone Rss 512000 -; gone Pss 512000 -; ");
	expect(fixture, 1, SECTION_smaps_rollup,
	       "gone Rss 512000; gone Pss 512000; steady Rss 102400; steady Pss 1024; "
	       "grew Rss 10240; grew Pss 1024; same Rss 7168; same Pss 7168; ");
	assert_int_equal(fixture->set.rows[0].unit, UNIT_bytes);
}

/* A pattern that stands for one name on both sides together is that name. */
static void test_smaps_names(void **state)
{
	struct fact_fixture *fixture = *state;

	add_process(&fixture->smaps[0], "worker-1", 1, 1, 0);
	add_process(&fixture->smaps[1], "worker-1", 1, 2, 0);
	add_process(&fixture->smaps[1], "worker-1", 2, 2, 0);
	expect(fixture, 2, SECTION_smaps_rollup, "worker-1 Rss 1024 4096 3072; ");
	add_process(&fixture->smaps[1], "worker-2", 3, 2, 0);
	expect(fixture, 2, SECTION_smaps_rollup, "worker-{N} Rss 1024 6144 5120; ");
	expect(fixture, 1, SECTION_smaps_rollup, "worker-1 Rss 1024; ");
}

static void add_unread(struct smaps_table *table, const char *name, uint32_t tgid,
                       enum source_outcome outcome, enum window_part part)
{
	static struct thread_sample sample;

	sample_reset(&sample);
	sample.tgid = sample.tid = tgid;
	sample.window_part = part;
	sample.outcomes[SOURCE_smaps_rollup] = outcome;
	sample_name(&sample.pcomm, name);
	smaps_table_add(table, &sample);
	sample_done(&sample);
}

/* A process that was not read is missing from the sum, and a difference is not what another one lacks. Without any there is
 * no row, and kernel threads and processes that ended have no memory. */
static void test_smaps_unread(void **state)
{
	struct fact_fixture *fixture = *state;
	const struct fact_row *row;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add_process(&fixture->smaps[side], "a", 1, 10, 1);
		add_process(&fixture->smaps[side], "both", 3, side ? 12 : 10, 1);
		add_unread(&fixture->smaps[side], "both", 4, OUTCOME_skipped, WINDOW_PART_NONE);
		add_process(&fixture->smaps[side], "whole", 5, side ? 20 : 10, 1);
		add_unread(&fixture->smaps[side], "whole", 6, OUTCOME_off, WINDOW_PART_NONE);
		add_unread(&fixture->smaps[side], "whole", 7, OUTCOME_denied, WINDOW_PART_exited);
		add_unread(&fixture->smaps[side], "none", 8, OUTCOME_denied, WINDOW_PART_NONE);
	}
	add_unread(&fixture->smaps[0], "a", 2, OUTCOME_denied, WINDOW_PART_NONE);
	add_process(&fixture->smaps[1], "a", 2, 90, 1);
	expect(fixture, 2, SECTION_smaps_rollup,
	       "whole Rss 10240 20480 10240; both Rss 10240 12288 2048; a Rss 10240 102400; "
	       "a Pss 1024 2048; ");
	row = find_fact(&fixture->set, "a", "Rss");
	assert_true(row->uneven);
	assert_true(fact_row_is_partial(row, 0));
	assert_false(fact_row_is_partial(row, 1));
	assert_true(fact_row_is_partial(find_fact(&fixture->set, "both", "Rss"), 1));
	assert_false(fact_row_is_partial(find_fact(&fixture->set, "whole", "Rss"), 0));
}

/* Sums stop where 64 bits end. */
static void test_smaps_overflow(void **state)
{
	struct fact_fixture *fixture = *state;

	add_process(&fixture->smaps[0], "a", 1, UINT64_MAX, 1);
	add_process(&fixture->smaps[0], "a", 2, 1, UINT64_C(1) << 54);
	expect(fixture, 1, SECTION_smaps_rollup,
	       "a Rss 18446744073709551615; a Pss 18446744073709551615; ");
}

static void test_sched_ext(void **state)
{
	struct fact_fixture *fixture = *state;

	expect(fixture, 2, SECTION_sched_ext, "");
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		struct sched_ext *sched_ext = &fixture->infos[side].sched_ext;

		sched_ext->present = true;
		fact_set_text(&sched_ext->values[SCHED_EXT_state], side ? "enabled" : "disabled",
		              side ? 7 : 8);
		fact_set_number(&sched_ext->values[SCHED_EXT_enable_seq], 3);
	}
	expect(fixture, 2, SECTION_sched_ext,
	       "host state disabled enabled; host enable_seq 3 3 0; ");
	fact_set_text(&fixture->infos[0].sched_ext.values[SCHED_EXT_state], "enabled", 7);
	expect(fixture, 2, SECTION_sched_ext, "");
	fact_clear(&fixture->infos[0].sched_ext.values[SCHED_EXT_state]);
	expect(fixture, 2, SECTION_sched_ext, "host state - enabled; host enable_seq 3 3 0; ");
}

/* Windows of different lengths: twice as much in twice the time is nothing that changed. Values that are no counters stay as
 * they are. */
static void test_rates(void **state)
{
	struct fact_fixture *fixture = *state;
	const struct fact_row *row;

	make_windows(fixture, (const uint64_t[]){10, 20});
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		struct cgroup_table *table = &fixture->cgroups[side];

		add_cgroup(table, "/a", CGROUP_VALUE_cpu_usage_usec, side ? 8000 : 4000);
		add_cgroup(table, "/b", CGROUP_VALUE_cpu_usage_usec, side ? 9000 : 4000);
		add_cgroup(table, "/c", CGROUP_VALUE_memory_current, side ? 9000 : 4000);
		add_list(table, "/d", CGROUP_LIST_memory_stat, "pgfault", side ? 40 : 10);
		add_list(table, "/d", CGROUP_LIST_memory_stat, "anon", side ? 40 : 10);
		add_list(table, "/d", CGROUP_LIST_io_stat, "8:0 rbytes", side ? 60 : 10);
		add_list(table, "/d", CGROUP_LIST_memory_events, "oom", side ? 60 : 10);
		set_psi(&fixture->infos[side].psi, PSI_io, PSI_ROW_some, 5, side ? 30 : 10);
	}
	memset(fixture->options.sections, 1, sizeof(fixture->options.sections));
	make_facts(fixture, 2);
	assert_null(find_fact(&fixture->set, "/a", "cpu_usage_usec"));
	row = find_fact(&fixture->set, "/b", "cpu_usage_usec");
	assert_real(row->sides[SIDE_BASELINE].number, 400);
	assert_real(row->sides[SIDE_CANDIDATE].number, 450);
	assert_real(row->delta, 50);
	assert_real(row->percent, 12.5);
	assert_real(quantity_real(row->weight), 50.0 / 850);
	assert_int_equal(row->per, PER_second);
	row = find_fact(&fixture->set, "/c", "memory_current");
	assert_integer(row->delta, 5000);
	assert_int_equal(row->per, PER_total);
	assert_real(find_fact(&fixture->set, "/d", "pgfault")->delta, 1);
	assert_integer(find_fact(&fixture->set, "/d", "anon")->delta, 30);
	assert_real(find_fact(&fixture->set, "/d", "io_rbytes")->delta, 2);
	assert_real(find_fact(&fixture->set, "/d", "oom")->delta, 2);
	assert_real(find_fact(&fixture->set, "host", "io_some_total")->delta, 0.5);
	assert_integer(find_fact(&fixture->set, "host", "io_some_avg10")->delta, 0);
}

/* Adds a cgroup of a window with counters and current amounts; one that was made in it has no counters. */
static void add_of_window(struct cgroup_table *table, const char *path, bool made)
{
	struct cgroup_stats stats = {.read_boottime_ns = 20, .interval_ns = made ? 0 : 10};

	strbuf_add_str(&stats.path, path);
	fact_set_number(&stats.values[CGROUP_VALUE_memory_current], 4096);
	fact_set_number(&stats.values[CGROUP_VALUE_pids_current], 2);
	keyed_values_set(&stats.lists[CGROUP_LIST_memory_stat], "anon", 4, 50);
	if (!made) {
		fact_set_number(&stats.values[CGROUP_VALUE_cpu_usage_usec], 7);
		keyed_values_set(&stats.lists[CGROUP_LIST_memory_stat], "pgfault", 7, 5);
		keyed_values_set(&stats.lists[CGROUP_LIST_memory_events], "oom", 3, 1);
		keyed_values_set(&stats.lists[CGROUP_LIST_io_stat], "8:0 rbytes", 10, 5);
		set_psi(&stats.psi, PSI_io, PSI_ROW_some, 5, 30);
	}
	add_cgroup_stats(table, &stats);
	cgroup_stats_done(&stats);
}

/* Sums lack what a cgroup made in the window has counted, but not what it has at the end. */
static void test_made_in_window(void **state)
{
	static const char *const sums[] = {"cpu_usage_usec", "cpu_percent_cadvisor",
	                                   "pgfault",        "oom",
	                                   "io_rbytes",      "io_some_total"};
	struct fact_fixture *fixture = *state;

	make_windows(fixture, (const uint64_t[]){10, 10});
	add_of_window(&fixture->cgroups[0], "/group", false);
	add_of_window(&fixture->cgroups[0], "/group", true);
	add_of_window(&fixture->cgroups[0], "/alone", false);
	memset(fixture->options.sections, 1, sizeof(fixture->options.sections));
	make_facts(fixture, 1);
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		assert_true(fact_row_is_partial(find_fact(&fixture->set, "/group", sums[i]), 0));
		assert_false(fact_row_is_partial(find_fact(&fixture->set, "/alone", sums[i]), 0));
	}
	assert_false(fact_row_is_partial(find_fact(&fixture->set, "/group", "anon"), 0));
	assert_false(fact_row_is_partial(find_fact(&fixture->set, "/group", "memory_current"), 0));
	assert_false(fact_row_is_partial(find_fact(&fixture->set, "/group", "pids_current"), 0));
}

/* Per anything else, of lifetime snapshots, and without a length there are no rates. */
static void test_no_rates(void **state)
{
	struct fact_fixture *fixture = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_cgroup(&fixture->cgroups[side], "/a", CGROUP_VALUE_nr_periods, 4 + side);
	fixture->options.per = PER_second;
	expect(fixture, 2, SECTION_cgroup_stats, "/a nr_periods 4 5 1; ");
	make_windows(fixture, (const uint64_t[]){10, 20});
	for (unsigned per = 0; per < PER_COUNT; per++) {
		fixture->options.per = (enum measure_per)per;
		if (per != PER_second)
			expect(fixture, 2, SECTION_cgroup_stats, "/a nr_periods 4 5 1; ");
	}
	fixture->options.per = PER_second;
	make_windows(fixture, (const uint64_t[]){0, 20});
	make_facts(fixture, 2);
	assert_int_equal(find_fact(&fixture->set, "/a", "nr_periods")->sides[0].state, FACT_UNSEEN);
	assert_real(find_fact(&fixture->set, "/a", "nr_periods")->sides[1].number, 0.25);
}

/* Computed values of a cgroup stand behind its own, and the host's in a section of their own. */
static void test_derived(void **state)
{
	struct fact_fixture *fixture = *state;
	const struct fact_row *row;

	make_windows(fixture, (const uint64_t[]){10, 20});
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add_cgroup(&fixture->cgroups[side], "/a", CGROUP_VALUE_cpu_usage_usec, 5000000);
		host_set_number(&fixture->infos[side].host, HOST_forks, 40);
	}
	fixture->options.per = PER_total;
	fixture->options.sections[SECTION_cgroup_stats] = true;
	fixture->options.sections[SECTION_host_cpu] = true;
	make_facts(fixture, 2);
	assert_int_equal(fixture->set.count, 3);
	row = find_fact(&fixture->set, "/a", "cpu_percent_cadvisor");
	assert_real(row->sides[SIDE_BASELINE].number, 50);
	assert_real(row->delta, -25);
	assert_real(row->percent, -50);
	assert_int_equal(row->unit, UNIT_percent);
	assert_int_equal(row->id, FACT_ID_DERIVED + FACT_DERIVED_cpu_percent_cadvisor);
	row = find_fact(&fixture->set, "host", "forks_per_second");
	assert_real(row->delta, -2);
	assert_int_equal(row->per, PER_second);
	assert_int_equal(row->id, FACT_DERIVED_forks_per_second);
}

/* Sections come in the order of the registry, and the other way round every delta has the other sign. */
static void test_sections_and_symmetry(void **state)
{
	struct fact_fixture *fixture = *state;
	struct fact_side reversed[SIDE_MAX];
	struct fact_row_set back;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add_process(&fixture->smaps[side], "p", 1, side ? 3 : 10, 4);
		add_cgroup(&fixture->cgroups[side], "/a", CGROUP_VALUE_memory_peak, side ? 3 : 9);
		set_psi(&fixture->infos[side].psi, PSI_memory, PSI_ROW_full, 3 + side, side);
		reversed[!side] = (struct fact_side){.cgroups = &fixture->cgroups[side],
		                                     .smaps = &fixture->smaps[side],
		                                     .info = &fixture->infos[side]};
	}
	memset(fixture->options.sections, 1, sizeof(fixture->options.sections));
	make_facts(fixture, 2);
	fact_rows_init(&back, reversed, 2, &fixture->options);
	assert_int_equal(fixture->set.count, 6);
	assert_int_equal(back.count, 6);
	for (size_t i = 0; i < back.count; i++) {
		assert_string_equal(fixture->set.rows[i].metric, back.rows[i].metric);
		assert_integer(fixture->set.rows[i].delta, -back.rows[i].delta.integer);
		assert_true(i == 0 ||
		            fixture->set.rows[i].section >= fixture->set.rows[i - 1].section);
	}
	fact_rows_done(&back);
}

#define on_facts(test_) \
	cmocka_unit_test_setup_teardown(test_, fact_fixture_setup, fact_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_facts(test_order),
	        on_facts(test_one_sided),
	        on_facts(test_unlimited),
	        on_facts(test_wide_groups),
	        on_facts(test_io_sums),
	        on_facts(test_lists),
	        on_facts(test_version_1),
	        on_facts(test_pressure),
	        on_facts(test_smaps_order),
	        on_facts(test_smaps_names),
	        on_facts(test_sched_ext),
	        on_facts(test_smaps_overflow),
	        on_facts(test_smaps_unread),
	        on_facts(test_made_in_window),
	        on_facts(test_sections_and_symmetry),
	        on_facts(test_rates),
	        on_facts(test_no_rates),
	        on_facts(test_derived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
