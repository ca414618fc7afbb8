// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

enum { OTHER_STATUS = 125 };

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

static void test_mem_calloc_zeroed(void **state)
{
	char *bytes = mem_calloc(100, 3);

	(void)state;
	for (size_t i = 0; i < 300; i++)
		assert_int_equal(bytes[i], 0);
	free(bytes);
	bytes = mem_calloc(0, 8);
	assert_non_null(bytes);
	free(bytes);
}

static void test_mem_realloc_keeps(void **state)
{
	char *bytes = mem_realloc(NULL, 4, 1);

	(void)state;
	memcpy(bytes, "kept", 4);
	bytes = mem_realloc(bytes, 1000, 4);
	assert_memory_equal(bytes, "kept", 4);
	bytes = mem_realloc(bytes, 0, 4);
	assert_non_null(bytes);
	free(bytes);
}

static void test_saturating(void **state)
{
	uint64_t sum = UINT64_MAX - 3;

	(void)state;
	assert_true(saturating_add(2, 3) == 5);
	assert_true(saturating_add(UINT64_MAX, 0) == UINT64_MAX);
	assert_true(saturating_add(UINT64_MAX - 1, 1) == UINT64_MAX);
	assert_true(saturating_add(UINT64_MAX - 1, 2) == UINT64_MAX);
	assert_true(saturating_add(UINT64_MAX, UINT64_MAX) == UINT64_MAX);
	saturating_add_to(&sum, 2);
	assert_true(sum == UINT64_MAX - 1);
	saturating_add_to(&sum, 2);
	assert_true(sum == UINT64_MAX);
	assert_true(saturating_multiply(UINT64_C(1) << 32, UINT64_C(1) << 31) == UINT64_C(1) << 63);
	assert_true(saturating_multiply(UINT64_C(1) << 32, UINT64_C(1) << 32) == UINT64_MAX);
	assert_true(saturating_multiply(0, UINT64_MAX) == 0);
	assert_true(saturating_add_signed(-2, 3) == 1);
	assert_true(saturating_add_signed(INT64_MAX, 1) == INT64_MAX);
	assert_true(saturating_add_signed(INT64_MIN, -1) == INT64_MIN);
	assert_true(saturating_add_signed(INT64_MAX, INT64_MIN) == -1);
}

static void test_array_add_keeps(void **state)
{
	cleanup_(mem_freep) uint32_t *numbers = NULL;
	size_t count = 0, capacity = 0, moves = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		size_t before = capacity;

		*array_add(numbers, count, capacity) = i;
		moves += capacity != before;
		assert_true(count <= capacity && capacity < 2 * count);
	}
	assert_int_equal(count, 1000);
	assert_int_equal(moves, 11); /* 1, 2, 4 ... 1024 */
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(numbers[i], i);
}

static void test_array_reserve_wanted(void **state)
{
	cleanup_(mem_freep) uint64_t *numbers = NULL;
	uint32_t capacity = 0;
	uint64_t *before;

	(void)state;
	array_reserve(numbers, capacity, 0);
	assert_null(numbers);
	array_reserve(numbers, capacity, 3);
	assert_int_equal(capacity, 3);
	before = numbers;
	array_reserve(numbers, capacity, 2);
	assert_ptr_equal(numbers, before);
	assert_int_equal(capacity, 3);
	array_reserve(numbers, capacity, 4);
	assert_int_equal(capacity, 6);
	array_reserve(numbers, capacity, 100);
	assert_int_equal(capacity, 100);
	numbers[99] = 1;
}

/* A capacity in a small type is never more than the type holds. */
static void test_array_reserve_small_type(void **state)
{
	cleanup_(mem_freep) char *bytes = NULL;
	uint8_t capacity = 0;

	(void)state;
	array_reserve(bytes, capacity, 200);
	assert_int_equal(capacity, 200);
	array_reserve(bytes, capacity, 201);
	assert_int_equal(capacity, 255);
	bytes[254] = 1;
}

static void reserve_too_much(void)
{
	char *bytes = NULL;
	uint8_t capacity = 0;

	array_reserve(bytes, capacity, 256);
	free(bytes);
}

static void test_mem_copy_ends_in_nul(void **state)
{
	char *copy = mem_copy("abc", 2);

	(void)state;
	assert_string_equal(copy, "ab");
	free(copy);
	copy = mem_copy("a\0b", 3);
	assert_memory_equal(copy, "a\0b", 4);
	free(copy);
	copy = mem_copy(NULL, 0);
	assert_string_equal(copy, "");
	free(copy);
	copy = mem_copy_text("text");
	assert_string_equal(copy, "text");
	free(copy);
	assert_null(mem_copy_text(NULL));
}

static void test_mem_freep_scope(void **state)
{
	(void)state;
	{
		cleanup_(mem_freep) char *freed = mem_copy("leaks if not freed", 18);
		cleanup_(mem_freep) char *nothing = NULL;

		assert_non_null(freed);
		assert_null(nothing);
	}
}

static void ask_calloc(void)
{
	free(mem_calloc(SIZE_MAX, 2));
}

static void ask_realloc(void)
{
	free(mem_realloc(NULL, SIZE_MAX / 2, 3));
}

static void ask_copy(void)
{
	free(mem_copy("", SIZE_MAX));
}

/* Exhaustion ends the process with one line and status 1. */
static void ask_with_status(void)
{
	mem_set_status(OTHER_STATUS);
	mem_exhausted();
}

static void check_ends_with(void (*ask)(void), const char *expected)
{
	char said[256] = "";
	int ends[2], status;
	int expected_status = ask == ask_with_status ? OTHER_STATUS : 1;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		ask();
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), expected_status);
	assert_int_equal(read(ends[0], said, sizeof(said) - 1), strlen(expected));
	assert_string_equal(said, expected);
	close(ends[0]);
}

static void check_ends(void (*ask)(void))
{
	check_ends_with(ask, "ctprof: out of memory\n");
}

static void test_mem_exhausted_ends(void **state)
{
	(void)state;
	check_ends(mem_exhausted);
	check_ends(ask_with_status);
	check_ends(ask_realloc);
	check_ends(ask_copy);
	check_ends(reserve_too_much);
#ifndef __SANITIZE_ADDRESS__
	/* A sanitizer ends the process itself where calloc(3) overflows. */
	check_ends(ask_calloc);
#else
	(void)ask_calloc;
#endif
}

static void take_too_much(void)
{
	mem_limit((uint64_t)64 << 20);
	for (;;)
		memset(mem_realloc(NULL, 1 << 16, 1), 1, 1 << 16);
}

/* The limit in the message is true: memory runs out at it, not far below. */
static void take_enough(void)
{
	mem_limit((uint64_t)64 << 20);
	for (size_t taken = 0; taken < 60; taken++)
		memset(mem_realloc(NULL, 1 << 20, 1), 1, 1 << 20);
	mem_exhausted();
}

static void take_with_lifted_limit(void)
{
	mem_limit((uint64_t)64 << 20);
	mem_limit_lift(getpid());
	memset(mem_realloc(NULL, (size_t)200 << 20, 1), 1, 1);
	mem_exhausted();
}

static void test_mem_limit_ends(void **state)
{
	(void)state;
#ifndef __SANITIZE_ADDRESS__
	check_ends_with(take_too_much,
	                "ctprof: over a limit (see --read-limit): more than 64 MiB of memory\n");
	check_ends(take_enough);
	check_ends(take_with_lifted_limit);
#else
	(void)take_too_much;
	(void)take_enough;
	(void)take_with_lifted_limit;
#endif
}

static void say(struct mem_undo *undo)
{
	(void)undo;
	assert_int_equal(write(STDERR_FILENO, "undone\n", 7), 7);
}

static void undo_two_of_three(void)
{
	struct mem_undo undos[3] = {{.undo = say}, {.undo = say}, {.undo = say}};

	for (size_t i = 0; i < ARRAY_SIZE(undos); i++)
		mem_undo_push(&undos[i]);
	mem_undo_pop(&undos[1]);
	mem_exhausted();
}

static void undo_nothing(void)
{
	struct mem_undo undos[2] = {{.undo = say}, {.undo = say}};

	mem_undo_push(&undos[0]);
	mem_undo_push(&undos[1]);
	mem_undo_pop(&undos[1]);
	mem_undo_pop(&undos[0]);
	mem_exhausted();
}

static void test_mem_undo(void **state)
{
	(void)state;
	check_ends_with(undo_two_of_three, "undone\nundone\nctprof: out of memory\n");
	check_ends(undo_nothing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_mem_calloc_zeroed),
	        cmocka_unit_test(test_mem_realloc_keeps),
	        cmocka_unit_test(test_saturating),
	        cmocka_unit_test(test_array_add_keeps),
	        cmocka_unit_test(test_array_reserve_wanted),
	        cmocka_unit_test(test_array_reserve_small_type),
	        cmocka_unit_test(test_mem_copy_ends_in_nul),
	        cmocka_unit_test(test_mem_freep_scope),
	        cmocka_unit_test(test_mem_exhausted_ends),
	        cmocka_unit_test(test_mem_limit_ends),
	        cmocka_unit_test(test_mem_undo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
