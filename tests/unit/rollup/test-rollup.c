// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "random.h"
#include "rollup/rollup.h"
#include "row-fixture.h"

static struct rollup rollup;

static void add(unsigned side, const char *cgroup, int64_t minflt)
{
	add_thread(&tables[side], (struct thread_spec){.name = "p",
	                                               .cgroup = cgroup,
	                                               .values = {{METRIC_minflt, minflt}}});
}

static void start(void)
{
	struct group_by by = group_by_key(GROUP_KEY_cgroup, true);

	start_tables(by);
}

static void build(unsigned sides, struct rollup_options with)
{
	build_rows(sides);
	rollup_init(&rollup, &rows, METRIC_minflt, &with);
}

static const struct rollup_row *find(const char *path)
{
	for (size_t i = 0; i < rollup.count; i++)
		if (rollup.rows[i].node->path_len == strlen(path) &&
		    memcmp(rollup.rows[i].node->path, path, strlen(path)) == 0)
			return &rollup.rows[i];
	return NULL;
}

static void check_value(struct quantity value, double expected)
{
	assert_int_not_equal(value.kind, QUANTITY_NONE);
	assert_true(fabs(quantity_double(value) - expected) < 1e-9);
}

/* The burners of dir-cpu's sample: 80 at or below the shop, of which 10 are its own. */
static void test_totals(void **state)
{
	const struct rollup_row *shop;

	(void)state;
	start();
	add(0, "/srv/shop/web", 40);
	add(0, "/srv/shop/db", 30);
	add(0, "/srv/batch", 20);
	add(0, "/srv/shop", 10);
	build(1, (struct rollup_options){0});
	assert_int_equal(rollup.count, 6);
	assert_true(&rollup.rows[0] == find("/") && &rollup.rows[1] == find("/srv"));
	shop = find("/srv/shop");
	assert_true(shop == &rollup.rows[2] && shop[1].node->depth == 3 &&
	            shop[3].node->depth == 2);
	check_value(shop->total.values[0], 80);
	check_value(shop->own.values[0], 10);
	check_value(shop->host_percent, 80);
	check_value(shop->parent_percent, 80);
	check_value(shop[1].parent_percent, 50);
	assert_int_equal(shop->total.processes[0], 3);
	assert_int_equal(shop->own.processes[0], 1);
	assert_false(find("/srv")->has_own);
	assert_int_equal(find("/")->parent_percent.kind, QUANTITY_NONE);
	check_value(rollup.host.values[0], 100);
	rollup_done(&rollup);
	end_rows(state);
}

static void test_left_out(void **state)
{
	(void)state;
	start();
	add(0, "/a/b/c", 60);
	add(0, "/d", 39);
	add(0, "/e/f", 1);
	build(1, (struct rollup_options){.depth = 3, .least_percent = 2});
	assert_int_equal(rollup.count, 4);
	assert_non_null(find("/a/b"));
	assert_null(find("/e"));
	assert_int_equal(rollup.below, 2);
	assert_int_equal(rollup.deeper, 1);
	rollup_done(&rollup);
	end_rows(state);
}

/* Differences may make up for each other above: the directory is there all the same. */
static void test_two_sides(void **state)
{
	(void)state;
	start();
	add(0, "/x/a", 10);
	add(1, "/x/a", 40);
	add(0, "/x/b", 50);
	add(1, "/x/b", 20);
	add(1, "/new", 40);
	build(2, (struct rollup_options){.least_percent = 5});
	check_value(find("/x")->total.delta, 0);
	check_value(find("/x/a")->total.delta, 30);
	check_value(find("/x/a")->percent, 300);
	check_value(find("/x/b")->host_percent, 30);
	check_value(find("/x/b")->parent_percent, 50);
	check_value(find("/")->total.delta, 40);
	check_value(find("/")->total.values[1], 100);
	/* One side has nothing of it, which is no zero. */
	assert_int_equal(find("/new")->total.values[0].kind, QUANTITY_NONE);
	assert_int_equal(find("/new")->total.delta.kind, QUANTITY_NONE);
	rollup_done(&rollup);
	end_rows(state);
}

static void test_partial(void **state)
{
	(void)state;
	start();
	add(0, "/a", 10);
	add_thread(&tables[0], (struct thread_spec){.name = "p", .cgroup = "/a/b"});
	build(1, (struct rollup_options){0});
	assert_int_equal(find("/a/b")->total.values[0].kind, QUANTITY_NONE);
	check_value(find("/a")->total.values[0], 10);
	assert_true(find("/a")->total.partial[0]);
	assert_false(find("/a")->own.partial[0]);
	rollup_done(&rollup);
	end_rows(state);
}

/* Any trees against the plain sum over all paths that begin with the directory's. */
static void test_random_trees(void **state)
{
	static const char *const names[] = {"a", "b", "a b", "ab"};
	enum { GROUPS = 40, PATH_BYTES = 64 };

	(void)state;
	for (unsigned round = 0; round < 100; round++) {
		char paths[GROUPS][PATH_BYTES];
		int64_t values[GROUPS];
		struct random random = random_start(22, round);

		start();
		for (size_t i = 0; i < GROUPS; i++) {
			size_t depth = random_below(&random, 5);

			snprintf(paths[i], PATH_BYTES, "/");
			for (size_t d = 0; d < depth; d++)
				snprintf(paths[i] + strlen(paths[i]), PATH_BYTES - strlen(paths[i]),
				         "%s%s", d > 0 ? "/" : "",
				         names[random_below(&random, ARRAY_SIZE(names))]);
			values[i] = (int64_t)random_below(&random, 1000);
			add(0, paths[i], values[i]);
		}
		build(1, (struct rollup_options){0});
		for (size_t r = 0; r < rollup.count; r++) {
			const struct path_node *node = rollup.rows[r].node;
			int64_t own = 0, total = 0;

			for (size_t i = 0; i < GROUPS; i++) {
				bool begins = strncmp(paths[i], node->path, node->path_len) == 0;
				char next = begins ? paths[i][node->path_len] : '\0';

				own += begins && next == '\0' ? values[i] : 0;
				total += begins && (next == '\0' || next == '/' || node->depth == 0)
				                 ? values[i]
				                 : 0;
			}
			check_random(&random, quantity_double(rollup.rows[r].total.values[0]) ==
			                              (double)total);
			check_random(&random,
			             quantity_double(rollup.rows[r].own.values[0]) == (double)own);
		}
		rollup_done(&rollup);
		end_rows(state);
	}
}

static void test_can_add(void **state)
{
	(void)state;
	assert_true(rollup_can_add(METRIC_run_time_ns));
	assert_true(rollup_can_add(METRIC_COUNT + (unsigned)DERIVED_cpu_percent));
	assert_true(rollup_can_add(METRIC_COUNT + (unsigned)DERIVED_total_offcpu_delay_ns));
	assert_false(rollup_can_add(METRIC_nice));
	assert_false(rollup_can_add(METRIC_wait_max));
	assert_false(rollup_can_add(METRIC_COUNT + (unsigned)DERIVED_avg_slice_ns));
}

/* A comb: each directory of a long path has one with a process in it. Its whole paths are too long; those of as many processes side by
 * side are not, and neither are those of the comb's upper levels. */
static void test_too_long(void **state)
{
	enum { TEETH = 330, STEP = 6 };
	static char path[2 * TEETH * STEP + 8];
	uint64_t before;

	(void)state;
	start();
	for (unsigned i = 0; i < TEETH; i++) {
		for (unsigned k = 0; k < i * STEP; k++)
			memcpy(path + 2 * k, "/a", 2);
		memcpy(path + 2 * i * STEP, "/b", 3);
		/* From each tooth another long path leads down. */
		for (unsigned k = i * STEP + 1; k < TEETH * STEP; k++)
			memcpy(path + 2 * k, "/c", 3);
		add(0, path, 1);
	}
	build(1, (struct rollup_options){0});
	before = rollup.path_bytes;
	assert_true(before > (uint64_t)TEETH * TEETH * STEP * STEP * TEETH / 2);
	assert_true(rollup_is_too_long(&rollup) && rollup.count == rollup.tree.count);
	rollup_done(&rollup);
	rollup_init(&rollup, &rows, METRIC_minflt, &(struct rollup_options){.whole_paths = true});
	assert_true(rollup_is_too_long(&rollup) && rollup.count == 0 &&
	            rollup.path_bytes == before);
	rollup_done(&rollup);
	rollup_init(&rollup, &rows, METRIC_minflt,
	            &(struct rollup_options){.depth = 20, .whole_paths = true});
	assert_true(rollup.count > 20 && rollup.path_bytes < before / 1000);
	assert_false(rollup_is_too_long(&rollup));
	rollup_done(&rollup);
	end_rows(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_totals),       cmocka_unit_test(test_left_out),
	        cmocka_unit_test(test_two_sides),    cmocka_unit_test(test_partial),
	        cmocka_unit_test(test_random_trees), cmocka_unit_test(test_can_add),
	        cmocka_unit_test(test_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
