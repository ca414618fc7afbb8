// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-gpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "check.h"
#include "temp-tree.h"

#define HEAD "index, name, pci.bus_id, driver_version, memory.total [MiB], compute_mode\n"
#define LINE "0, Tesla \"T4\", 00000000:00:1E.0, 535.1, 15360 MiB, Default"
#define OBJECT                                                                                  \
	"{\"index\": \"0\", \"name\": \"Tesla \\\"T4\\\"\", \"bus_id\": \"00000000:00:1E.0\", " \
	"\"driver_version\": \"535.1\", \"memory.total\": \"15360 MiB\", \"compute_mode\": "    \
	"\"Default\"}"

static void assert_parsed(const char *text, const char *json)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	assert_int_equal(duct_gpu_parse(text, strlen(text), &out), json != NULL);
	assert_string_equal(strbuf_str(&out), json ? json : "");
}

static void test_parse(void **state)
{
	(void)state;
	assert_parsed(HEAD LINE "\n", "[" OBJECT "]");
	assert_parsed(HEAD LINE "\n" LINE "\r\n\n", "[" OBJECT ", " OBJECT "]");
	assert_parsed(HEAD LINE ", more\n", "[" OBJECT "]");
	/* con-duct has an empty list, too. */
	assert_parsed(HEAD, "[]");
	assert_parsed("", NULL);
	assert_parsed("\n \n", NULL);
	assert_parsed(HEAD "No devices were found\n", NULL);
	assert_parsed(HEAD LINE "\n0, cut", NULL);
}

/* Runs a shell script in the place of nvidia-smi. */
static int run(const struct temp_tree *tree, const char *script, struct strbuf *out,
               struct strbuf *reason)
{
	cleanup_(mem_freep) char *path = strdup(getenv("PATH"));
	cleanup_(duct_gpu_done) struct duct_gpu gpu = DUCT_GPU_INIT;
	cleanup_(strbuf_done) struct strbuf search = STRBUF_INIT;
	cleanup_(mem_freep) char *directory = temp_tree_path(tree, "bin");

	if (script) {
		temp_tree_write_text(tree, "bin/nvidia-smi", script);
		assert_int_equal(fchmodat(tree->fd, "bin/nvidia-smi", 0755, 0), 0);
	}
	strbuf_addf(&search, "%s:/usr/bin:/bin", directory);
	assert_int_equal(setenv("PATH", strbuf_str(&search), 1), 0);
	duct_gpu_start(&gpu);
	assert_int_equal(setenv("PATH", path, 1), 0);
	return duct_gpu_finish(&gpu, script && strstr(script, "sleep") ? 50 : 60000, out, reason);
}

static void test_run(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT, reason = STRBUF_INIT;

	assert_int_equal(run(tree, NULL, &out, &reason), 0);
	assert_int_equal(run(tree, "#!/bin/sh\necho 'head'; echo '" LINE "'\n", &out, &reason), 1);
	assert_string_equal(strbuf_str(&out), "[" OBJECT "]");
	strbuf_clear(&out);
	assert_int_equal(run(tree, "#!/bin/sh\necho head; exit 9\n", &out, &reason), -EIO);
	assert_string_equal(strbuf_str(&reason), "status 9");
	strbuf_clear(&reason);
	assert_int_equal(run(tree, "#!/bin/sh\nkill -9 $$\n", &out, &reason), -EIO);
	assert_string_equal(strbuf_str(&reason), "signal 9");
	strbuf_clear(&reason);
	assert_int_equal(run(tree, "#!/bin/sh\necho head; echo 1, 2\n", &out, &reason), -EINVAL);
	strbuf_clear(&reason);
	/* It gets no answer, and is killed. */
	assert_int_equal(run(tree, "#!/bin/sh\nexec sleep 1000\n", &out, &reason), -ETIMEDOUT);
	strbuf_clear(&reason);
	assert_int_equal(run(tree, "#!/bin/sh\nexec >&-\nexec sleep 1000\n", &out, &reason),
	                 -ETIMEDOUT);
	assert_string_equal(strbuf_str(&reason), "it does not end");
	assert_int_equal(out.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_parse),
	        cmocka_unit_test_setup_teardown(test_run, temp_tree_setup, temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
