// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "memory-stream.h"
#include "recording/recording-order.h"
#include "temp-tree.h"

static const char *const boots[] = {"11111111-1111-4111-8111-111111111111",
                                    "22222222-2222-4222-8222-222222222222"};

/* A file of that hour with one window, which ends so many seconds after the boot. */
static void add_file(const struct temp_tree *tree, unsigned hour, const char *boot, unsigned end_s)
{
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT;
	char name[RECORDING_NAME_BYTES], text[512];

	snprintf(text, sizeof(text),
	         "{\"format\":\"ctprof\",\"version\":1,\"kind\":\"window\",\"captured_at_unix_ns\":"
	         "1,"
	         "\"captured_boottime_ns\":%u000000000,\"host\":{\"kernel_cmdline\":\"\\\"boot_"
	         "id\\\":"
	         "\\\"\"%s%s%s}}",
	         end_s, boot ? ",\"boot_id\":\"" : "", boot ? boot : "", boot ? "\"" : "");
	zstd_pack(text, strlen(text), &bytes);
	assert_true(recording_name_make(hour * 3600u, name));
	temp_tree_write(tree, name, bytes.data, bytes.len);
}

/* Checks the hours of the files in their order. */
static void check_order(const struct temp_tree *tree, const unsigned *hours, size_t count)
{
	cleanup_(recording_files_done) struct recording_files files = {0};

	assert_int_equal(recording_files_list(tree->fd, &files), 0);
	recording_files_order(tree->fd, &files);
	assert_int_equal(files.count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(files.entries[i].begin_unix_s, hours[i] * 3600u);
}

static void names_are_the_order(void **state)
{
	const unsigned hours[] = {1, 2, 3, 4};

	add_file(*state, 1, boots[0], 500);
	add_file(*state, 2, boots[0], 700);
	add_file(*state, 3, boots[1], 30);
	add_file(*state, 4, boots[1], 400);
	check_order(*state, hours, ARRAY_SIZE(hours));
}

/* Two files were written after the clock was set back by some hours, before the host booted again. */
static void a_clock_that_was_set_back_is_none(void **state)
{
	const unsigned hours[] = {5, 6, 1, 2, 7};

	add_file(*state, 1, boots[0], 900);
	add_file(*state, 2, boots[0], 4500);
	add_file(*state, 5, boots[0], 100);
	add_file(*state, 6, boots[0], 800);
	add_file(*state, 7, boots[1], 20);
	check_order(*state, hours, ARRAY_SIZE(hours));
}

static void files_without_a_boot_stay(void **state)
{
	const struct temp_tree *tree = *state;
	const unsigned hours[] = {1, 2, 4, 3};

	add_file(tree, 1, NULL, 900);
	add_file(tree, 2, NULL, 100);
	add_file(tree, 3, boots[0], 900);
	add_file(tree, 4, boots[0], 100);
	check_order(tree, hours, ARRAY_SIZE(hours));
}

#define IN_TREE(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        IN_TREE(names_are_the_order),
	        IN_TREE(a_clock_that_was_set_back_is_none),
	        IN_TREE(files_without_a_boot_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
