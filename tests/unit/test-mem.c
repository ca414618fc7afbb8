// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#include "ctprof/mem.h"

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
static void check_ends_with(void (*ask)(void), const char *expected)
{
	char said[256] = "";
	int ends[2], status;
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
	assert_int_equal(WEXITSTATUS(status), 1);
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
	check_ends(ask_realloc);
	check_ends(ask_copy);
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

/* What the message says of the limit is true: memory runs out at it, not far below. */
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
	        cmocka_unit_test(test_mem_copy_ends_in_nul),
	        cmocka_unit_test(test_mem_freep_scope),
	        cmocka_unit_test(test_mem_exhausted_ends),
	        cmocka_unit_test(test_mem_limit_ends),
	        cmocka_unit_test(test_mem_undo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
