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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(finds_functions)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
