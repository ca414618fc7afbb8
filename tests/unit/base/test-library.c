// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions of libraries that are loaded. */
#include "base/library.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "check.h"

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
	assert_null(dlopen("libno-such-library.so.7", RTLD_NOW));
	library_add_reason(&text, "libno-such-library.so.7");
	assert_text(&text,
	            "libno-such-library.so.7 is missing or cannot be loaded (cannot open shared "
	            "object file: No such file or directory)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(finds_functions),
	                                   cmocka_unit_test(says_why)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
