// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/mem.h"
#include "groups.h"
#include "random.h"
#include "report/report-tree.h"
#include "samples.h"

static struct group_table table;
static struct row_set rows;
static struct row_options options;
static struct tree tree;

static const struct group_by all = {.count = 3,
                                    .keys = {GROUP_KEY_cgroup, GROUP_KEY_pcomm, GROUP_KEY_comm}};

static void start(struct group_by by)
{
	tree_done(&tree);
	row_set_done(&rows);
	group_table_done(&table);
	group_table_init(&table, by);
}

static int setup(void **state)
{
	(void)state;
	options = all_rows();
	options.order = ORDER_NAME;
	memset(options.measures, 0, sizeof(options.measures));
	options.measures[METRIC_minflt] = true;
	start(all);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	start(all);
	return 0;
}

static void add(const char *cgroup, const char *pcomm, const char *comm, uint64_t minflt)
{
	static struct thread_sample sample;
	static uint32_t tid;

	sample_reset(&sample);
	sample.tid = sample.tgid = ++tid;
	sample_name(&sample.pcomm, pcomm);
	sample_name(&sample.comm, comm);
	if (cgroup)
		sample_name(&sample.cgroup, cgroup);
	sample.has_cgroup = cgroup != NULL;
	sample_set(&sample, minflt, (struct counter_count){minflt});
	group_table_add(&table, &sample);
	sample_done(&sample);
}

static void build(void)
{
	const struct group_table *tables[] = {&table};

	tree_done(&tree);
	row_set_done(&rows);
	row_set_init(&rows, tables, 1, NULL, &options);
	tree_build(&tree, &rows, rows.row_count);
}

/* A line for each, two blanks deeper for each step; a segment is "dir TEXT", another heading "is TEXT", a row
 * "row LABEL". */
static void describe(struct strbuf *out)
{
	for (size_t i = 0; i < tree.count; i++) {
		const struct tree_line *line = &tree.lines[i];

		for (unsigned depth = 0; depth < line->depth; depth++)
			strbuf_add_str(out, "  ");
		if (line->heading) {
			strbuf_add_str(out, line->in_path ? "dir " : "is ");
			strbuf_add(out, line->text, line->text_len);
		} else {
			const struct row_group *group = &rows.groups[rows.rows[line->row].group];

			strbuf_addf(out, "row %s",
			            group->exited ? group->label : group->parts[rows.by.count - 1]);
		}
		strbuf_add_char(out, '\n');
	}
}

static void check(const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	build();
	describe(&text);
	assert_text(&text, expected);
}

static void test_shape(void **state)
{
	(void)state;
	add("/a/b", "app", "app", 1);
	add("/a/b", "app", "w", 1);
	add("/a/b", "db", "db", 1);
	add("/a", "app", "x", 1);
	add("/c", "app", "y", 1);
	add(NULL, "kt", "kt", 1);
	check("dir (no cgroup)\n"
	      "  is kt\n"
	      "    row kt\n"
	      "dir /a\n"
	      "  is app\n"
	      "    row x\n"
	      "  dir /b\n"
	      "    is app\n"
	      "      row app\n"
	      "      row w\n"
	      "    is db\n"
	      "      row db\n"
	      "dir /c\n"
	      "  is app\n"
	      "    row y\n");
}

/* Branches stand where their first row would. */
static void test_order(void **state)
{
	(void)state;
	add("/a", "p", "small", 1);
	add("/b", "p", "large", 100);
	add("/a", "q", "middle", 50);
	add("/b", "p", "least", 0);
	options.order = ORDER_DELTA;
	check("dir /b\n"
	      "  is p\n"
	      "    row large\n"
	      "    row least\n"
	      "dir /a\n"
	      "  is q\n"
	      "    row middle\n"
	      "  is p\n"
	      "    row small\n");
}

/* Some rows only. */
static void test_rows_left_out(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	add("/a", "p", "x", 1);
	add("/b", "p", "y", 1);
	build();
	tree_done(&tree);
	tree_build(&tree, &rows, 1);
	describe(&text);
	assert_text(&text, "dir /a\n  is p\n    row x\n");
	tree_done(&tree);
	tree_build(&tree, &rows, 0);
	assert_int_equal(tree.count, 0);
}

static void test_other_keys(void **state)
{
	static const struct group_by two = {.count = 2, .keys = {GROUP_KEY_cgroup, GROUP_KEY_comm}};
	static const struct group_by names = {.count = 2,
	                                      .keys = {GROUP_KEY_pcomm, GROUP_KEY_comm}};

	(void)state;
	start(two);
	add("/a/b", "p", "deep", 1);
	add("/a", "p", "x", 1);
	/* A row of a cgroup stands before the cgroups in it. */
	check("dir /a\n"
	      "  row x\n"
	      "  dir /b\n"
	      "    row deep\n");
	start(names);
	add("/a", "p/q", "x", 1);
	check("is p/q\n"
	      "  row x\n");
	start(group_by_key(GROUP_KEY_comm, false));
	add("/a", "p", "x", 1);
	check("row x\n");
}

static void check_path(const char *path, const char *expected)
{
	start(all);
	add(path, "p", "c", 1);
	check(expected);
}

static void test_paths(void **state)
{
	(void)state;
	check_path("/", "dir /\n  is p\n    row c\n");
	check_path("", "dir \n  is p\n    row c\n");
	check_path("//", "dir //\n  is p\n    row c\n");
	check_path("/a/", "dir /a/\n  is p\n    row c\n");
	check_path("/a//b", "dir /a\n  dir /\n    dir /b\n      is p\n        row c\n");
	check_path("a", "dir a\n  is p\n    row c\n");
	check_path("a/b", "dir a\n  dir /b\n    is p\n      row c\n");
	check_path("/../..", "dir /..\n  dir /..\n    is p\n      row c\n");
	start(all);
	add("/", "p", "c", 1);
	add("/a", "p", "c", 1);
	check("dir /\n  is p\n    row c\ndir /a\n  is p\n    row c\n");
}

/* A segment and a process of one name are two things, as are two processes in two places. */
static void test_equal_names(void **state)
{
	(void)state;
	add("/a/b", "/b", "x", 1);
	add("/a", "/b", "y", 1);
	check("dir /a\n"
	      "  is /b\n"
	      "    row y\n"
	      "  dir /b\n"
	      "    is /b\n"
	      "      row x\n");
}

static void check_exited(struct group_by by, const char *expected)
{
	static const struct row_cpu_time cpu_time = {
	        .seen = true, .user_clock_ticks = 9, .system_clock_ticks = 9};
	const struct group_table *tables[] = {&table};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	start(by);
	add_thread(&table, (struct thread_spec){.name = "p",
	                                        .values = {{METRIC_utime_clock_ticks, 1},
	                                                   {METRIC_stime_clock_ticks, 1}}});
	memset(options.measures, 0, sizeof(options.measures));
	options.measures[METRIC_utime_clock_ticks] = true;
	row_set_init(&rows, tables, 1, &cpu_time, &options);
	tree_build(&tree, &rows, rows.row_count);
	describe(&text);
	assert_text(&text, expected);
}

/* The use of the host's exited threads is in no cgroup and of no process. */
static void test_exited(void **state)
{
	static const struct group_by names = {.count = 2,
	                                      .keys = {GROUP_KEY_pcomm, GROUP_KEY_comm}};

	(void)state;
	check_exited(all, "row (exited threads)\ndir (no cgroup)\n  is p\n    row p\n");
	check_exited(names, "row (exited threads)\nis p\n  row p\n");
}

/* The headings on the way to a row are its group's names; every row is there once. */
static void check_tree(struct random *random)
{
	enum { DEPTH = 64 };
	const struct tree_line *way[DEPTH] = {NULL};
	cleanup_(mem_freep) bool *there = calloc(rows.row_count + 1, sizeof(*there));
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	size_t count = 0;
	unsigned last = 0;

	for (size_t i = 0; i < tree.count; i++) {
		const struct tree_line *line = &tree.lines[i];
		const struct row_group *group;

		check_random(random, line->depth < DEPTH && line->depth <= last);
		last = line->depth + line->heading;
		if (line->heading) {
			way[line->depth] = line;
			continue;
		}
		check_random(random, line->row < rows.row_count && !there[line->row]);
		there[line->row] = true;
		count++;
		group = &rows.groups[rows.rows[line->row].group];
		strbuf_clear(&path);
		for (unsigned depth = 0; depth + 1 < line->depth; depth++) {
			check_random(random, way[depth]->in_path);
			strbuf_add(&path, way[depth]->text, way[depth]->text_len);
		}
		check_random(random, strcmp(strbuf_str(&path), group->parts[0]) == 0);
		check_random(random, !way[line->depth - 1]->in_path);
		check_random(random, strncmp(way[line->depth - 1]->text, group->parts[1],
		                             way[line->depth - 1]->text_len) == 0);
		check_random(random, way[line->depth - 1]->text_len == strlen(group->parts[1]));
	}
	check_random(random, count == rows.row_count);
}

static void test_hostile_paths(void **state)
{
	enum { SEED = 49, ROUNDS = 300, BYTES = 80 };
	static const char likely[] = "///////ab /\x1b\n\xff";

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);

		start(all);
		for (unsigned i = 0; i < 12; i++) {
			char path[BYTES];
			size_t len = random_below(&random, BYTES);

			for (size_t at = 0; at < len; at++)
				path[at] = likely[random_below(&random, sizeof(likely) - 1)];
			path[len] = '\0';
			const char *pcomm = random_chance(&random, 50) ? "p" : "/a";
			const char *comm = random_chance(&random, 50) ? "c" : "";

			add(path, pcomm, comm, random_below(&random, 100));
		}
		options.order = random_chance(&random, 50) ? ORDER_NAME : ORDER_DELTA;
		build();
		check_tree(&random);
	}
}

/* Two paths with as many segments as a name can have differ at the end only. */
static void test_deep_paths(void **state)
{
	enum { SLASHES = 100000 };
	struct random random = random_start(0, 0);
	char *path = malloc(2 * SLASHES + 2);

	(void)state;
	assert_non_null(path);
	memset(path, '/', SLASHES);
	path[SLASHES] = '\0';
	add(path, "p", "c", 1);
	for (size_t i = 0; i < SLASHES; i++)
		memcpy(path + 2 * i, "/a", 2);
	path[2 * SLASHES] = '\0';
	add(path, "p", "c", 1);
	path[2 * SLASHES - 1] = 'b';
	add(path, "p", "c", 1);
	build();
	assert_true(tree.count < 200);
	check_tree(&random);
	free(path);
}

#define on_tree(test_) cmocka_unit_test_setup_teardown(test_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_tree(test_shape),      on_tree(test_order),      on_tree(test_rows_left_out),
	        on_tree(test_other_keys), on_tree(test_paths),      on_tree(test_equal_names),
	        on_tree(test_exited),     on_tree(test_deep_paths), on_tree(test_hostile_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
