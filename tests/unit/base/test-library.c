// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions of libraries that are loaded. */
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "check.h"

enum { STATUS = 77 };

static void finds_functions(void **unused)
{
	void *self = dlopen(NULL, RTLD_NOW);
	__typeof__(&labs) absolute = NULL;

	(void)unused;
	assert_non_null(self);
	assert_true(library_find(self, "labs", &absolute));
	assert_int_equal(absolute(-7), 7);
	assert_false(library_find(self, "no_such_function", &absolute));
	assert_null(absolute);
	dlclose(self);
}

static void says_why(void **unused)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)unused;
	(void)dlerror();
	library_add_reason(&text, "libx.so");
	assert_text(&text, "libx.so is missing or cannot be loaded");
	strbuf_clear(&text);
	assert_null(library_open("libno-such-library.so.7"));
	library_add_reason(&text, "libno-such-library.so.7");
	assert_text(&text,
	            "libno-such-library.so.7 is missing or cannot be loaded (cannot open shared "
	            "object file: No such file or directory)");
}

/* The library is there, and nothing more can be allocated. */
static void lacks_memory(void **unused)
{
	const struct rlimit nothing = {0};
	int status;
	pid_t child;

	(void)unused;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	child = fork();
	assert_return_code(child, errno);
	if (child == 0) {
		mem_set_status(STATUS);
		if (setrlimit(RLIMIT_AS, &nothing) < 0)
			_exit(0);
		for (size_t size = 1 << 20; size > 0; size /= 2)
			while (malloc(size))
				;
		if (library_open("libsqlite3.so.0"))
			_exit(0);
		_exit(STATUS - 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), STATUS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(finds_functions),
	                                   cmocka_unit_test(says_why),
	                                   cmocka_unit_test(lacks_memory)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
