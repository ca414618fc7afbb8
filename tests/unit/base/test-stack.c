// SPDX-License-Identifier: GPL-2.0-or-later
/* The stack has its room before the heap takes it. */
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stack.h"

enum { DEEP_BYTES = 400 << 10, DIFFERENT = 3 };

/* Returns the length of the mapping of the first thread's stack. */
static size_t stack_bytes(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long begin = 0, end = 0;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "[stack]"))
			sscanf(line, "%lx-%lx", &begin, &end);
	fclose(maps);
	return end - begin;
}

/* Allows no more address space than there is. */
static bool forbid_more(void)
{
	struct rlimit limit = {4096, 4096};

	return setrlimit(RLIMIT_AS, &limit) == 0;
}

static __attribute__((noinline)) int go_deep(void)
{
	volatile char deep[DEEP_BYTES];

	deep[0] = 0;
	return deep[0];
}

static int reserve(void)
{
	stack_reserve();
	return stack_bytes() >= 512 << 10 ? 0 : DIFFERENT;
}

static int reserve_and_go_deep(void)
{
	stack_reserve();
	return forbid_more() ? go_deep() : DIFFERENT;
}

static int reserve_nothing(void)
{
	if (!forbid_more())
		return DIFFERENT;
	stack_reserve();
	return DIFFERENT;
}

static int reserve_small(void)
{
	struct rlimit limit = {256 << 10, 256 << 10};

	if (setrlimit(RLIMIT_STACK, &limit) < 0)
		return DIFFERENT;
	stack_reserve();
	return 0;
}

static int status_of(int (*child)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(child());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void test_room(void **state)
{
	(void)state;
	assert_int_equal(status_of(reserve), 0);
	assert_int_equal(status_of(reserve_and_go_deep), 0);
	assert_int_equal(status_of(reserve_small), 0);
}

/* Out of memory, and no signal. */
static void test_no_room(void **state)
{
	int status = status_of(reserve_nothing);

	(void)state;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_room),
	        cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
