// SPDX-License-Identifier: GPL-2.0-or-later
/* CSV and JSON: read back with other readers, cell by cell. */
#include "check.h"
#include "machine/report-machine.h"

#include <jansson.h>
#include <math.h>

#include "base/mem.h"
#include "random.h"
#include "reports.h"
#include "samples.h"

enum { CELLS_MAX = 24 };

struct csv_row {
	struct strbuf cells[CELLS_MAX];
	size_t count;
};

/* One row by RFC 4180; a quote is only ever at the start, at the end and doubled. Returns the text behind it. */
static const char *read_csv_row(const char *text, struct csv_row *row)
{
	row->count = 0;
	for (;;) {
		struct strbuf *cell = &row->cells[row->count++];

		assert_true(row->count <= CELLS_MAX);
		strbuf_clear(cell);
		if (*text == '"') {
			for (text++; *text != '"' || text[1] == '"'; text++) {
				assert_int_not_equal(*text, '\0');
				text += *text == '"';
				strbuf_add_char(cell, *text);
			}
			text++;
		} else {
			size_t len = strcspn(text, ",\n");

			assert_null(memchr(text, '"', len));
			strbuf_add(cell, text, len);
			text += len;
		}
		if (*text == '\n')
			return text + 1;
		assert_int_equal(*text, ',');
		text++;
	}
}

static void free_csv_row(struct csv_row *row)
{
	for (size_t i = 0; i < CELLS_MAX; i++)
		strbuf_done(&row->cells[i]);
}

static json_t *load_json(const char *text)
{
	json_error_t error;
	/* jansson has no integers from 2^63 on. */
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);

	if (!root)
		fail_msg("%s at %d: %s", error.text, error.position, text);
	return root;
}

static bool same_cell(const struct strbuf *cell, const json_t *value)
{
	char *end;
	double number;

	if (json_is_null(value))
		return cell->len == 0;
	if (json_is_boolean(value))
		return strcmp(strbuf_str(cell), json_is_true(value) ? "true" : "false") == 0;
	if (json_is_string(value))
		return json_string_length(value) == cell->len &&
		       memcmp(json_string_value(value), strbuf_str(cell), cell->len) == 0;
	assert_true(json_is_real(value));
	number = strtod(strbuf_str(cell), &end);
	return end != cell->data && *end == '\0' && isfinite(number) &&
	       !(number < json_real_value(value) || number > json_real_value(value));
}

static void compare_formats(struct report_fixture *fixture, unsigned sides)
{
	/* JSON has its texts as they are. */
	fixture->report.csv_raw = true;
	char *csv = report_print(fixture, sides, report_csv);
	char *text = report_print(fixture, sides, report_json);
	json_t *root = load_json(text), *json_rows = json_object_get(root, "rows"), *json_row;
	struct csv_row heading = {.count = 0}, row = {.count = 0};
	const char *rest = read_csv_row(csv, &heading);
	size_t index;

	assert_int_equal(heading.count, sides == 1 ? 13 : 22);
	json_array_foreach(json_rows, index, json_row)
	{
		const char *key;
		json_t *value;
		size_t column = 0;

		rest = read_csv_row(rest, &row);
		assert_int_equal(row.count, heading.count);
		json_object_foreach(json_row, key, value)
		{
			assert_string_equal(key, strbuf_str(&heading.cells[column]));
			if (!same_cell(&row.cells[column], value))
				fail_msg("row %zu, %s: %s", index, key,
				         strbuf_str(&row.cells[column]));
			column++;
		}
		assert_int_equal(column, heading.count);
	}
	assert_string_equal(rest, "");
	assert_int_equal(index, report_shown(&fixture->report));
	json_decref(root);
	free_csv_row(&heading);
	free_csv_row(&row);
	free(text);
	free(csv);
}

static void add_random_threads(struct random *random, struct report_fixture *fixture)
{
	static const char *const names[] = {
	        "plain",    "with, comma", "with \"quotes\"", "\"", ",",
	        "a\nb\r",   "\xff",        "\xe6\xbc\xa2",    "",   " blanks ",
	        "worker-1", "worker-2"};
	static struct thread_sample sample;

	for (unsigned side = 0; side < SIDE_MAX; side++)
		for (uint32_t i = 0; i < 30; i++) {
			random_member(random, &sample, i + 1, names, ARRAY_SIZE(names));
			group_table_add(&fixture->tables[side], &sample);
		}
	sample_done(&sample);
}

static void test_formats_agree(void **state)
{
	static const struct row_cpu_time cpu_times[] = {
	        {.seen = true, .user_clock_ticks = UINT64_MAX, .system_clock_ticks = UINT64_MAX},
	        {.seen = true, .user_clock_ticks = UINT64_MAX, .system_clock_ticks = UINT64_MAX}};
	enum { SEED = 19, ROUNDS = 8 };
	struct report_fixture *fixture = *state;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);

		add_random_threads(&random, fixture);
		fixture->options.unchanged = round % 2 == 0;
		fixture->options.continues = round % 3 == 0;
		fixture->report.limit = round % 4 == 3 ? 17 : 0;
		fixture->cpu_times = round % 2 == 0 ? cpu_times : NULL;
		compare_formats(fixture, 2);
		fixture->cpu_times = NULL;
		compare_formats(fixture, 1);
	}
}

static void print_only(struct report_fixture *fixture, enum metric_id metric)
{
	memset(fixture->options.measures, 0, sizeof(fixture->options.measures));
	fixture->options.measures[metric] = true;
}

static void check_csv(struct report_fixture *fixture, unsigned sides, enum metric_id metric,
                      const char *expected)
{
	char *text;

	print_only(fixture, metric);
	text = report_print(fixture, sides, report_csv);
	assert_string_equal(strchr(text, '\n') + 1, expected);
	free(text);
}

static void test_csv_headings(void **state)
{
	char *text = report_print(*state, 1, report_csv);

	assert_string_equal(text, "group,threads,metric,section,unit,type,value,impact,coverage,"
	                          "seen,partial,missing_inputs,marks\n");
	free(text);
	text = report_print(*state, 2, report_csv);
	assert_string_equal(
	        text, "group,threads_baseline,threads_candidate,metric,section,unit,type,baseline,"
	              "candidate,delta,percent,impact,coverage_baseline,coverage_candidate,"
	              "seen_baseline,seen_candidate,partial_baseline,partial_candidate,"
	              "missing_inputs_baseline,missing_inputs_candidate,marks,comparison\n");
	free(text);
}

/* A name that a spreadsheet would run has a single quote before it, in each place where a cell may begin. */
static void test_csv_formulas(void **state)
{
	static const struct {
		const char *name, *cell;
	} cases[] = {
	        {"=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"},
	        {"+1+cmd", "'+1+cmd"},
	        {"-bash", "'-bash"},
	        {"@SUM(A1)", "'@SUM(A1)"},
	        {" =1", "' =1"},
	        {"'=1", "''=1"},
	        {"' '=1", "'' '=1"},
	        {"\uff1d1", "'\uff1d1"},
	        {"\uff0b1", "'\uff0b1"},
	        {"\uff0d1", "'\uff0d1"},
	        {"\uff201", "'\uff201"},
	        {"a;=1", "a;'=1"},
	        {"a;\"=1", "\"a;'\"\"=1\""},
	        {"a|-x", "a|'-x"},
	        {"a,+x", "\"a,'+x\""},
	        {"a; @x", "a;' @x"},
	        {";;=x", ";;'=x"},
	        {"=\"", "\"'=\"\"\""},
	        {"-", "'-"},
	        {"--", "'--"},
	        {"-5-3", "'-5-3"},
	        {"-5..", "'-5.."},
	        {"-5..=x", "'-5..=x"},
	        {"-.5", "'-.5"},
	        {"-5.", "'-5."},
	        {"-5e3", "'-5e3"},
	        /* Numbers and ranges, and what begins like neither. */
	        {"-5", "-5"},
	        {"+5.25", "+5.25"},
	        {"-5..5", "-5..5"},
	        {"-20..-1", "-20..-1"},
	        {"a=1", "a=1"},
	        {"a-b", "a-b"},
	        {"'a", "'a"},
	        {"\uff0c1", "\uff0c1"},
	        {"0-3,8", "\"0-3,8\""},
	        /* Control characters are escaped already. */
	        {"\t=1", "\\x09=1"},
	        {"a\n=1", "a\\x0a=1"},
	};
	struct report_fixture *fixture = *state;
	char *text, *raw;

	group_table_done(&fixture->tables[0]);
	group_table_init(&fixture->tables[0], group_by_key(GROUP_KEY_comm_exact, true));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		add_thread(&fixture->tables[0], (struct thread_spec){.name = cases[i].name});
	print_only(fixture, METRIC_thread_count);
	text = report_print(fixture, 1, report_csv);
	fixture->report.csv_raw = true;
	raw = report_print(fixture, 1, report_csv);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

		strbuf_addf(&line, "\n%s,1,thread_count,", cases[i].cell);
		if (!strstr(text, strbuf_str(&line)))
			fail_msg("%s: not in %s", strbuf_str(&line), text);
	}
	assert_non_null(strstr(raw, "\n=cmd|' /C calc'!A0,1,thread_count,"));
	assert_non_null(strstr(raw, "\n\"a,+x\",1,thread_count,"));
	assert_null(strstr(raw, "\n'-"));
	free(text);
	free(raw);
}

/* Raw values in base units, each rule in its own way, nothing where nothing was seen. */
static void test_csv_values(void **state)
{
	struct report_fixture *fixture = *state;

	add_thread(&fixture->tables[0],
	           (struct thread_spec){.name = "a",
	                                .state = 'S',
	                                .policy = "SCHED_OTHER",
	                                .cpus = "0-3",
	                                .values = {{METRIC_run_time_ns, 1500000},
	                                           {METRIC_nice, -5},
	                                           {METRIC_rt_priority, 3},
	                                           {METRIC_ext_enabled, 1}}});
	add_thread(&fixture->tables[0], (struct thread_spec){.name = "a",
	                                                     .state = 'S',
	                                                     .cpus = "0-3",
	                                                     .values = {{METRIC_nice, 5},
	                                                                {METRIC_rt_priority, 3},
	                                                                {METRIC_ext_enabled, 0}}});
	add_thread(&fixture->tables[1],
	           (struct thread_spec){.name = "a",
	                                .state = 'R',
	                                .cpus = "0",
	                                .values = {{METRIC_run_time_ns, 1000000}}});
	add_thread(&fixture->tables[1], (struct thread_spec){.name = "a", .cpus = "1-3"});
	check_csv(fixture, 1, METRIC_run_time_ns,
	          "a,2,run_time_ns,primary,ns,counter_ns,1500000,1.0,1,true,true,,\n");
	check_csv(fixture, 1, METRIC_nice, "a,2,nice,primary,,ordinal_i32,-5..5,,2,true,false,,\n");
	check_csv(fixture, 1, METRIC_rt_priority,
	          "a,2,rt_priority,primary,,ordinal_u32,3,,2,true,false,,\n");
	check_csv(fixture, 1, METRIC_state, "a,2,state,primary,,label_letter,S,,2,true,false,,\n");
	check_csv(fixture, 1, METRIC_ext_enabled,
	          "a,2,ext_enabled,primary,,label_flag,false,,2,true,false,,\n");
	check_csv(fixture, 1, METRIC_cpu_affinity,
	          "a,2,cpu_affinity,primary,,cpu_set,0-3,,2,true,false,,\n");
	check_csv(fixture, 1, METRIC_wait_max,
	          "a,2,wait_max,primary,ns,peak_ns,,,0,false,false,,\n");
	check_csv(
	        fixture, 2, METRIC_run_time_ns,
	        "a,2,2,run_time_ns,primary,ns,counter_ns,1500000,1000000,-500000,"
	        "-33.333333333333336,0.3333333333333333,1,1,true,true,true,true,,,,before-after\n");
	check_csv(fixture, 2, METRIC_state,
	          "a,2,2,state,primary,,label_letter,S,R,differs,,,2,1,true,true,false,true,,,,"
	          "before-after\n");
	check_csv(fixture, 2, METRIC_policy,
	          "a,2,2,policy,primary,,label_text,SCHED_OTHER,,,,,1,0,true,false,true,false,,,,"
	          "before-after\n");
	check_csv(fixture, 2, METRIC_cpu_affinity,
	          "a,2,2,cpu_affinity,primary,,cpu_set,0-3,mixed:1..3,-2,-50.0,,2,2,true,true,"
	          "false,false,,,,before-after\n");
	fixture->options.unchanged = true;
	check_csv(fixture, 2, METRIC_thread_count,
	          "a,2,2,thread_count,primary,count,counter_count,2,2,0,0.0,0.0,2,2,true,true,"
	          "false,false,,,,before-after\n");
}

/* The use of exited threads has no threads that could be counted. */
static void test_csv_exited(void **state)
{
	static const struct row_cpu_time cpu_times[] = {
	        {.seen = true, .user_clock_ticks = 100, .system_clock_ticks = 0},
	        {.seen = true, .user_clock_ticks = 150, .system_clock_ticks = 0}};
	struct report_fixture *fixture = *state;

	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_thread(&fixture->tables[side],
		           (struct thread_spec){.name = "a",
		                                .state = 'S',
		                                .values = {{METRIC_utime_clock_ticks, 50},
		                                           {METRIC_stime_clock_ticks, 0}}});
	fixture->cpu_times = cpu_times;
	check_csv(
	        fixture, 2, METRIC_utime_clock_ticks,
	        "(exited threads),,,utime_clock_ticks,primary,ticks,counter_ticks,50,100,50,100.0,"
	        "1.0,,,true,true,false,false,,,,before-after\n");
	fixture->options.unchanged = true;
	check_csv(fixture, 2, METRIC_state,
	          "a,1,1,state,primary,,label_letter,S,S,same,,,1,1,true,true,false,false,,,,"
	          "before-after\n");
}

static void test_csv_quoting(void **state)
{
	struct report_fixture *fixture = *state;

	add_thread(&fixture->tables[0], (struct thread_spec){.name = "a,b", .policy = "one\ntwo"});
	add_thread(&fixture->tables[0],
	           (struct thread_spec){.name = "say \"hi\"", .policy = "one\rtwo"});
	add_thread(&fixture->tables[0], (struct thread_spec){.name = " x ", .policy = "a\"b"});
	add_thread(&fixture->tables[0],
	           (struct thread_spec){.name = "new\nline", .policy = "=1+2"});
	check_csv(fixture, 1, METRIC_policy,
	          " x ,1,policy,primary,,label_text,\"a\"\"b\",,1,true,false,,\n"
	          "\"a,b\",1,policy,primary,,label_text,one\\x0atwo,,1,true,false,,\n"
	          "new\\x0aline,1,policy,primary,,label_text,'=1+2,,1,true,false,,\n"
	          "\"say \"\"hi\"\"\",1,policy,primary,,label_text,one\\x0dtwo,,1,true,false,,\n");
}

/* Integers in full, beyond what doubles and other readers have. */
static void test_large_integers(void **state)
{
	struct report_fixture *fixture = *state;
	static struct thread_sample sample;
	char *text;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		sample_reset(&sample);
		sample_name(&sample.comm, "a");
		sample_set(&sample, rchar, (struct counter_bytes){side ? 1 : UINT64_MAX});
		group_table_add(&fixture->tables[side], &sample);
	}
	sample_done(&sample);
	check_csv(fixture, 2, METRIC_rchar,
	          "a,1,1,rchar,primary,bytes,counter_bytes,18446744073709551615,1,"
	          "-18446744073709551614,-100.0,1.0,1,1,true,true,false,false,,,,before-after\n");
	text = report_print(fixture, 2, report_json);
	assert_contains(text, "\"baseline\":18446744073709551615,");
	assert_contains(text, "\"delta\":-18446744073709551614,");
	free(text);
}

static json_t *get(const json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	assert_non_null(value);
	return value;
}

static double get_number(const json_t *object, const char *key)
{
	return json_number_value(get(object, key));
}

static void test_json_head(void **state)
{
	static const char *const keys[] = {"ctprof",
	                                   "group_by",
	                                   "per",
	                                   "explains",
	                                   "baseline",
	                                   "candidate",
	                                   "comparison",
	                                   "between",
	                                   "also_differs",
	                                   "rows",
	                                   "renamed",
	                                   "only_in_baseline",
	                                   "only_in_candidate",
	                                   "left_out"};
	struct report_fixture *fixture = *state;
	const char *key;
	char *text;
	size_t at = 0;
	json_t *root, *side, *value;

	fixture->report.sides[0].path = "dir\xff/\"a\".zst";
	host_set_text(&fixture->infos[0].host, HOST_hostname, "vm\xff", 3);
	host_set_number(&fixture->infos[0].host, HOST_online_cpus, 4);
	text = report_print(fixture, 2, report_json);
	root = load_json(text);
	json_object_foreach(root, key, value) assert_string_equal(key, keys[at++]);
	assert_int_equal(at, ARRAY_SIZE(keys));
	assert_string_equal(json_string_value(get(root, "ctprof")), CTPROF_VERSION);
	assert_string_equal(json_string_value(get(root, "group_by")), "comm");
	side = get(root, "baseline");
	assert_string_equal(json_string_value(get(side, "path")), "dir\xef\xbf\xbd/\"a\".zst");
	assert_contains(text, "\"captured_at_unix_ns\":1700000000123456789,");
	assert_int_equal((int)get_number(side, "threads"), 7);
	assert_int_equal((int)get_number(side, "processes"), 3);
	assert_string_equal(json_string_value(get(get(side, "host"), "hostname")),
	                    "vm\xef\xbf\xbd");
	assert_int_equal((int)get_number(get(side, "host"), "online_cpus"), 4);
	assert_int_equal(json_object_size(get(side, "host")), 2);
	json_decref(root);
	free(text);

	text = report_print(fixture, 1, report_json);
	root = load_json(text);
	assert_non_null(json_object_get(root, "snapshot"));
	assert_null(json_object_get(root, "baseline"));
	assert_null(json_object_get(root, "only_in_baseline"));
	json_decref(root);
	free(text);
}

/* Values that are no row are printed as well. */
static void test_json_left_out(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;
	json_t *root, *only;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add_thread(&fixture->tables[side],
		           (struct thread_spec){
		                   .name = "a",
		                   .values = {{METRIC_minflt, side}, {METRIC_majflt, side}}});
		add_thread(&fixture->tables[side],
		           (struct thread_spec){.name = side ? "new" : "gone, \"it\"",
		                                .values = {{METRIC_run_time_ns, side ? 5 : 0}}});
	}
	add_thread(&fixture->tables[0], (struct thread_spec){.name = "unseen"});
	fixture->report.limit = 1;
	text = report_print(fixture, 2, report_json);
	root = load_json(text);
	assert_int_equal(json_array_size(get(root, "rows")), 1);
	assert_int_equal((int)get_number(get(root, "left_out"), "limit"), 1);
	assert_int_equal((int)get_number(get(root, "left_out"), "unchanged"), 1);
	assert_int_equal((int)get_number(get(root, "left_out"), "unseen"), MEASURE_COUNT - 3);
	only = get(root, "only_in_baseline");
	assert_int_equal(json_array_size(only), 2);
	assert_string_equal(json_string_value(get(json_array_get(only, 0), "group")),
	                    "gone, \"it\"");
	assert_int_equal((int)get_number(json_array_get(only, 0), "threads"), 1);
	assert_true(json_is_real(get(json_array_get(only, 0), "run_time_ns")));
	assert_true(json_is_null(get(json_array_get(only, 1), "run_time_ns")));
	assert_int_equal(json_array_size(get(root, "only_in_candidate")), 1);
	json_decref(root);
	free(text);
}

/* More rows than one buffer. */
static void test_json_many_rows(void **state)
{
	struct report_fixture *fixture = *state;

	for (unsigned i = 0; i < 40; i++) {
		struct strbuf name = STRBUF_INIT;

		strbuf_addf(&name, "x%cy%c", 'a' + i % 26, 'A' + i / 26);
		add_thread(&fixture->tables[0], (struct thread_spec){.name = name.data});
		add_thread(&fixture->tables[1],
		           (struct thread_spec){.name = name.data, .values = {{METRIC_minflt, i}}});
		strbuf_done(&name);
	}
	fixture->options.unchanged = true;
	compare_formats(fixture, 2);
	assert_int_equal(fixture->rows.row_count, 40 * MEASURE_COUNT);
}

#define on_report(test_) \
	cmocka_unit_test_setup_teardown(test_, report_fixture_setup, report_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_report(test_formats_agree),  on_report(test_csv_headings),
	        on_report(test_csv_formulas),   on_report(test_csv_values),
	        on_report(test_csv_exited),     on_report(test_csv_quoting),
	        on_report(test_large_integers), on_report(test_json_head),
	        on_report(test_json_left_out),  on_report(test_json_many_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
