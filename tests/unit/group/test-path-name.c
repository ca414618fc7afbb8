// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"
#include "group/group-by.h"
#include "group/path-name.h"
#include "samples.h"

typedef void name_function(const struct thread_sample *sample, struct strbuf *out);

/* @exe and @cwd may be NULL: not read. The function's name, and that of the key. */
static void check(name_function *function, enum group_key key, const char *exe, const char *cwd,
                  const char *expected)
{
	struct thread_sample sample = {0};
	const struct group_by by = group_by_key(key, false);
	cleanup_(key_names_done) struct key_names names = {0};
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	uint32_t number;

	sample_reset(&sample);
	sample.has_exe = exe != NULL;
	if (exe)
		sample_name(&sample.exe, exe);
	sample.has_cwd = cwd != NULL;
	if (cwd)
		sample_name(&sample.cwd, cwd);
	function(&sample, &name);
	assert_string_equal(strbuf_str(&name), expected);
	number = key_names_of_thread(&names, &by, 0, &sample, NULL);
	assert_string_equal(names.map.entries[number].key, expected);
	assert_true(group_key_is_of_process(key));
	sample_done(&sample);
}

static void test_executables(void **state)
{
	(void)state;
	check(path_name_exe, GROUP_KEY_exe, "/usr/bin/python3.11", "/x", "/usr/bin/python3.11");
	check(path_name_exe, GROUP_KEY_exe, "", NULL, "(no exe)");
	check(path_name_exe, GROUP_KEY_exe, NULL, NULL, "(exe not read)");
}

static void test_directories_of_executables(void **state)
{
	static const struct {
		const char *path, *dir;
	} cases[] = {
	        {"/usr/bin/python3.11", "/usr/bin"},
	        {"/init", "/"},
	        {"/usr/bin/a (deleted)", "/usr/bin"},
	        {"/memfd:a/b (deleted)", "(in memory)"},
	        {"/memfd:a/b", "/memfd:a"},
	        {"a/b", "a"},
	        {"a", "(no directory)"},
	        {"", "(no exe)"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(path_name_exe_dir, GROUP_KEY_exe_dir, cases[i].path, "/x", cases[i].dir);
	check(path_name_exe_dir, GROUP_KEY_exe_dir, NULL, NULL, "(exe not read)");
}

/* No digit is replaced: two directories are two. */
static void test_working_directories(void **state)
{
	(void)state;
	check(path_name_cwd, GROUP_KEY_cwd, "/x", "/srv/shop-1", "/srv/shop-1");
	check(path_name_cwd, GROUP_KEY_cwd, "/x", "/srv/\xff\n (deleted)", "/srv/\xff\n (deleted)");
	check(path_name_cwd, GROUP_KEY_cwd, "/x", "", "(no cwd)");
	check(path_name_cwd, GROUP_KEY_cwd, "/x", NULL, "(cwd not read)");
}

static void check_title(const char *title, const char *pcomm, const char *expected)
{
	struct thread_sample sample = {0};
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	sample_reset(&sample);
	sample.has_title = title != NULL;
	if (title)
		sample_name(&sample.title, title);
	sample_name(&sample.pcomm, pcomm);
	path_name_title(&sample, &name);
	assert_string_equal(strbuf_str(&name), expected);
	sample_done(&sample);
}

static void test_titles(void **state)
{
	const struct group_by by = group_by_key(GROUP_KEY_title, false);
	cleanup_(key_names_done) struct key_names names = {0};
	struct thread_sample sample = {0};
	uint32_t number;

	(void)state;
	check_title("postgres: walwriter ", "postgres", "postgres: walwriter ");
	check_title("", "bash", "bash");
	check_title("", "", "(without a name)");
	check_title(NULL, "bash", "(title not read)");
	sample_reset(&sample);
	sample.has_title = true;
	sample_name(&sample.title, "php-fpm: pool www2");
	number = key_names_of_thread(&names, &by, 0, &sample, NULL);
	assert_string_equal(names.map.entries[number].key, "php-fpm: pool www{N}");
	assert_true(group_key_is_of_process(GROUP_KEY_title));
	sample_done(&sample);
}

static void check_container(const char *cgroup, const struct host *host, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	struct thread_sample sample = {0};

	sample_reset(&sample);
	if (cgroup) {
		sample.has_cgroup = true;
		strbuf_add_str(&sample.cgroup, cgroup);
	}
	path_name_container(&sample, host, &name);
	assert_string_equal(strbuf_str(&name), expected);
	sample_done(&sample);
}

static void test_containers(void **state)
{
	static const char id[] = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	cleanup_(host_done) struct host host = {.seen = {false}};

	(void)state;
	strbuf_addf(&path, "/docker/%s/init.scope", id);
	check_container(strbuf_str(&path), NULL, id);
	check_container(strbuf_str(&path), &host, id);
	host_map_set(&host, HOST_containers, id, "web-1", 5);
	check_container(strbuf_str(&path), &host, "web-1");
	check_container("/docker", &host, "(no container)");
	check_container(NULL, &host, "(no container)");
	/* A file cannot put a container among the threads without one. */
	host_map_set(&host, HOST_containers, id, "(no container)", 14);
	check_container(strbuf_str(&path), &host, id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_executables),
	        cmocka_unit_test(test_directories_of_executables),
	        cmocka_unit_test(test_working_directories),
	        cmocka_unit_test(test_titles),
	        cmocka_unit_test(test_containers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
