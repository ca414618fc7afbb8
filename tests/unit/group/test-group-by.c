// SPDX-License-Identifier: GPL-2.0-or-later
/* The name of a thread for each key, the names that form one pattern, and the text of a pattern. */
#include "check.h"

#include "group/group-by.h"
#include "random.h"
#include "samples.h"

static struct host host;

static void set_users(void)
{
	host_map_set(&host, HOST_users, "0", "root", 4);
	host_map_set(&host, HOST_users, "100", "with space\x1b", 11);
}

/* NULL: the file does not say. */
static void set_hierarchies(const char *text)
{
	if (text)
		host_set_text(&host, HOST_cgroup_v1_hierarchies, text, strlen(text));
	else
		host.seen[HOST_cgroup_v1_hierarchies] = false;
}

/* The name of a thread; NULL is not known. */
struct called {
	const char *pcomm, *comm, *cgroup, *exe, *cgroups_v1;
	bool is_v1, has_uid;
	uint32_t uid;
};

static void fill(struct thread_sample *sample, struct called called)
{
	sample_reset(sample);
	sample->tid = 12;
	sample->tgid = 11;
	sample->start_time_clock_ticks = 13;
	sample_name(&sample->pcomm, called.pcomm ? called.pcomm : "p");
	sample_name(&sample->comm, called.comm ? called.comm : "c");
	if (called.cgroup)
		sample_name(&sample->cgroup, called.cgroup);
	sample->has_cgroup = called.cgroup != NULL;
	sample->cgroup_is_v1 = called.is_v1;
	if (called.cgroups_v1)
		sample_name(&sample->cgroups_v1, called.cgroups_v1);
	if (called.exe)
		sample_name(&sample->exe, called.exe);
	sample->has_exe = called.exe != NULL;
	sample->has_uid = called.has_uid;
	sample->uid = called.uid;
}

static uint32_t number_of(struct key_names *names, const struct group_by *by, struct called called)
{
	struct thread_sample sample = {0};
	uint32_t number;

	fill(&sample, called);
	number = key_names_of_thread(names, by, 0, &sample, &host);
	sample_done(&sample);
	return number;
}

static struct span pattern_at(const struct key_names *names, uint32_t number)
{
	return (struct span){names->map.entries[number].key, names->map.entries[number].key_len};
}

static void check_span(struct span span, const char *expected)
{
	if (span.len != strlen(expected) || memcmp(span.text, expected, span.len) != 0)
		fail_msg("\"%.*s\" is not \"%s\"", (int)span.len, span.text, expected);
}

/* The only thread is shown by its name, which has this pattern. */
static void check_name(const struct group_by *by, struct called called, const char *name,
                       const char *pattern)
{
	cleanup_(key_names_done) struct key_names names = {0};
	const struct key_names *all[] = {&names};
	uint32_t number = number_of(&names, by, called);

	check_span(pattern_at(&names, number), pattern);
	check_span(key_names_shown(all, 1, pattern_at(&names, number)), name);
}

/* The same for a user: the number is what counts. */
static void check_user(struct called called, const char *name, const char *pattern)
{
	struct group_by by = group_by_key(GROUP_KEY_user, false);

	check_name(&by, called, name, pattern);
}

static void check_both(enum group_key key, struct called called, const char *name,
                       const char *pattern)
{
	struct group_by by = group_by_key(key, false), literal = group_by_key(key, true);

	check_name(&by, called, name, pattern);
	check_name(&literal, called, name, name);
}

static void test_names_of_threads(void **state)
{
	(void)state;
	check_both(GROUP_KEY_pcomm, (struct called){.pcomm = "python3"}, "python3", "python{N}");
	check_both(GROUP_KEY_pcomm, (struct called){.pcomm = ""}, "(without a name)",
	           "(without a name)");
	check_both(GROUP_KEY_comm, (struct called){.comm = "worker-12"}, "worker-12", "worker-{N}");
	check_both(GROUP_KEY_comm_exact, (struct called){.comm = "pool-12"}, "pool-12", "pool-12");
	/* They do not look at one another. */
	check_both(GROUP_KEY_pcomm, (struct called){.comm = "worker-12"}, "p", "p");
	check_both(GROUP_KEY_comm, (struct called){.pcomm = "python3"}, "c", "c");
}

static void test_names_of_cgroups(void **state)
{
	(void)state;
	check_both(GROUP_KEY_cgroup, (struct called){.cgroup = "/"}, "/", "/");
	check_both(GROUP_KEY_cgroup, (struct called){.cgroup = ""}, "", "");
	check_both(GROUP_KEY_cgroup, (struct called){0}, "(no cgroup)", "(no cgroup)");
	check_both(GROUP_KEY_cgroup, (struct called){.cgroup = "/a/getty@tty1.service"},
	           "/a/getty@tty1.service", "/a/getty@{I}.service");
	check_both(GROUP_KEY_cgroup, (struct called){.cgroup = "/a/session-3.scope"},
	           "/a/session-3.scope", "/a/session-{N}.scope");
	/* Version 1 is another tree. */
	check_both(GROUP_KEY_cgroup, (struct called){.cgroup = "/a", .is_v1 = true}, "v1:/a",
	           "v1:/a");
	check_both(GROUP_KEY_cgroup, (struct called){.cgroup = "/a-1", .is_v1 = true}, "v1:/a-1",
	           "v1:/a-{N}");
}

static void test_names_of_executables(void **state)
{
	(void)state;
	check_both(GROUP_KEY_exe, (struct called){.exe = "/usr/bin/python3.11"},
	           "/usr/bin/python3.11", "/usr/bin/python3.11");
	check_both(GROUP_KEY_exe, (struct called){.exe = ""}, "(no exe)", "(no exe)");
	check_both(GROUP_KEY_exe, (struct called){0}, "(exe not read)", "(exe not read)");
}

static void test_names_of_users(void **state)
{
	struct group_by by = group_by_key(GROUP_KEY_user, false);
	cleanup_(key_names_done) struct key_names names = {0}, unnamed = {0};
	const struct key_names *both[] = {&names, &unnamed};
	struct thread_sample sample = {0};
	uint32_t named;

	(void)state;
	set_users();
	check_user((struct called){.has_uid = true, .uid = 0}, "root (0)", "0");
	check_user((struct called){.has_uid = true, .uid = 100}, "with space\x1b (100)", "100");
	/* No part of a number is one. */
	check_user((struct called){.has_uid = true, .uid = 10}, "10", "10");
	check_user((struct called){.has_uid = true, .uid = UINT32_MAX}, "4294967295", "4294967295");
	check_both(GROUP_KEY_user, (struct called){.uid = 0}, "(uid not read)", "(uid not read)");
	/* One side may know the name only. */
	named = number_of(&names, &by, (struct called){.has_uid = true, .uid = 0});
	host_done(&host);
	host = (struct host){0};
	check_user((struct called){.has_uid = true, .uid = 0}, "0", "0");
	assert_int_equal(number_of(&unnamed, &by, (struct called){.has_uid = true, .uid = 0}),
	                 named);
	check_span(key_names_shown(both, 2, pattern_at(&names, named)), "root (0)");
	both[0] = &unnamed;
	both[1] = &names;
	check_span(key_names_shown(both, 2, pattern_at(&names, named)), "root (0)");
	fill(&sample, (struct called){.has_uid = true, .uid = 0});
	check_span(pattern_at(&names, key_names_of_thread(&names, &by, 0, &sample, NULL)), "0");
	sample_done(&sample);
}

#define HEX16 "0123456789abcdef"
#define HEX64 HEX16 HEX16 HEX16 HEX16

static void test_names_of_parts(void **state)
{
	static const char pod[] = "/kubepods.slice/kubepods-besteffort.slice/"
	                          "kubepods-besteffort-pod0a1b2c3d_0a1b_0a1b_0a1b_0a1b2c3d4e5f"
	                          ".slice/cri-containerd-" HEX64 ".scope";
	struct called in_pod = {.cgroup = pod}, in_root = {.cgroup = "/"}, nowhere = {0};
	struct called in_unit = {.cgroup = "/system.slice/system-getty.slice/getty@tty1.service"};

	(void)state;
	check_both(GROUP_KEY_cgroup_container, in_pod, HEX64, HEX64);
	check_both(GROUP_KEY_cgroup_pod, in_pod, "0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f",
	           "0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f");
	check_both(GROUP_KEY_cgroup_service, in_unit, "getty@tty1.service", "getty@{I}.service");
	check_both(GROUP_KEY_cgroup_slice, in_unit, "system-getty.slice", "system-getty.slice");
	check_both(GROUP_KEY_cgroup_slice, (struct called){.cgroup = "/user.slice/user-1000.slice"},
	           "user-1000.slice", "user-{N}.slice");
	check_both(GROUP_KEY_cgroup_container, in_root, "(no container)", "(no container)");
	check_both(GROUP_KEY_cgroup_pod, in_root, "(no pod)", "(no pod)");
	check_both(GROUP_KEY_cgroup_service, in_root, "(no service)", "(no service)");
	check_both(GROUP_KEY_cgroup_slice, in_root, "(no slice)", "(no slice)");
	check_both(GROUP_KEY_cgroup_service, nowhere, "(no service)", "(no service)");
	/* Parts are the same in both versions. */
	in_unit.is_v1 = true;
	check_both(GROUP_KEY_cgroup_service, in_unit, "getty@tty1.service", "getty@{I}.service");
}

static void test_names_of_version_1(void **state)
{
	struct called called = {.cgroup = "/",
	                        .cgroups_v1 = "pids:/p\ncpuacct,cpu:/job-7\n"
	                                      "name=systemd:/s\n"};
	struct called nowhere = {.cgroup = "/"}, unread = {0};

	(void)state;
	check_both(GROUP_KEY_cgroup_v1_cpu, called, "v1:/job-7", "v1:/job-{N}");
	check_both(GROUP_KEY_cgroup_v1_cpuacct, called, "v1:/job-7", "v1:/job-{N}");
	check_both(GROUP_KEY_cgroup_v1_pids, called, "v1:/p", "v1:/p");
	check_both(GROUP_KEY_cgroup_v1_name_systemd, called, "v1:/s", "v1:/s");
	/* A file that does not say which hierarchies there were says nothing about those that a row lacks. */
	check_both(GROUP_KEY_cgroup_v1_memory, called, "(cgroup of memory not read)",
	           "(cgroup of memory not read)");
	check_both(GROUP_KEY_cgroup_v1_cpu, nowhere, "(cgroup of cpu not read)",
	           "(cgroup of cpu not read)");
	check_both(GROUP_KEY_cgroup_v1_cpu, unread, "(cgroup of cpu not read)",
	           "(cgroup of cpu not read)");
	set_hierarchies("pids cpuacct,cpu name=systemd");
	check_both(GROUP_KEY_cgroup_v1_memory, called, "(no cgroup of memory)",
	           "(no cgroup of memory)");
	check_both(GROUP_KEY_cgroup_v1_cpu, nowhere, "(cgroup of cpu not read)",
	           "(cgroup of cpu not read)");
	set_hierarchies("none");
	check_both(GROUP_KEY_cgroup_v1_cpu, nowhere, "(no cgroup of cpu)", "(no cgroup of cpu)");
	set_hierarchies(NULL);
}

/* Hierarchies that the registry does not know have a key as well, one in a grouping. */
static void test_other_hierarchies(void **state)
{
	static const char *const bad[] = {"cgroup:v1:",    "cgroup:v1:a b", "cgroup:v1:name=",
	                                  "cgroup:v1:a/b", "cgroup:v2:cpu", "cgroup:v1:a=b"};
	struct called called = {.cgroup = "/", .cgroups_v1 = "schedtune:/top\nname=mine:/job-7\n"};
	struct key_names names = {0};
	struct group_by by = {.count = 1};
	struct strbuf text = STRBUF_INIT;
	char longest[128];

	(void)state;
	by.keys[0] = group_by_find(&by, (struct span){"cgroup:v1:schedtune", 19});
	assert_int_equal(by.keys[0], GROUP_KEY_cgroup_v1_other);
	check_span(pattern_at(&names, number_of(&names, &by, called)), "v1:/top");
	by = (struct group_by){0};
	by.keys[by.count++] = group_by_find(&by, (struct span){"cgroup:v1:name=mine", 19});
	check_span(pattern_at(&names, number_of(&names, &by, called)), "v1:/job-{N}");
	group_by_add_name(&by, 0, &text);
	assert_string_equal(strbuf_str(&text), "cgroup:v1:name=mine");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(group_by_find(&by, (struct span){bad[i], strlen(bad[i])}),
		                 GROUP_KEY_COUNT);
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "cgroup:v1:", 10);
	assert_int_equal(group_by_find(&by, (struct span){longest, sizeof(longest)}),
	                 GROUP_KEY_COUNT);
	strbuf_done(&text);
	key_names_done(&names);
}

/* A thread is itself under whatever name, and is shown by the last one. */
static void test_threads(void **state)
{
	struct group_by by = group_by_key(GROUP_KEY_thread, false);
	cleanup_(key_names_done) struct key_names before = {0}, after = {0};
	const struct key_names *both[] = {&before, &after};
	struct thread_sample sample = {0};
	uint32_t number, again;

	(void)state;
	host_set_text(&host, HOST_boot_id, "boot", 4);
	host_set_text(&host, HOST_pid_namespace, "ns", 2);
	number = number_of(&before, &by, (struct called){.comm = "old-1"});
	check_span(pattern_at(&before, number), "11 12 13 boot ns");
	check_span(key_names_shown(both, 1, pattern_at(&before, number)), "12 old-1 (11 p)");
	assert_int_equal(number_of(&before, &by, (struct called){.comm = "old-1"}), number);
	again = number_of(&after, &by, (struct called){.comm = "new-1"});
	check_span(pattern_at(&after, again), "11 12 13 boot ns");
	check_span(key_names_shown(both, 2, pattern_at(&before, number)), "12 new-1 (11 p)");

	/* The same ids, and another thread. */
	fill(&sample, (struct called){.comm = "old-1"});
	sample.start_time_clock_ticks++;
	assert_int_not_equal(key_names_of_thread(&before, &by, 0, &sample, &host), number);
	sample.start_time_clock_ticks--;
	assert_int_equal(key_names_of_thread(&before, &by, 0, &sample, &host), number);
	sample.tgid++;
	assert_int_not_equal(key_names_of_thread(&before, &by, 0, &sample, &host), number);
	sample.tgid--;
	assert_int_not_equal(key_names_of_thread(&before, &by, 0, &sample, NULL), number);
	sample_done(&sample);
	host_done(&host);
	host = (struct host){0};
}

static const struct exited_process exited = {7, 9, 0, "app-3", 5, &STRBUF_INIT, &STRBUF_INIT};

static void check_exited(enum group_key key, const char *name, const char *pattern)
{
	struct group_by by = group_by_key(key, false);
	cleanup_(key_names_done) struct key_names names = {0};
	const struct key_names *all[] = {&names};
	uint32_t number = key_names_of_exited(&names, &by, 0, &exited, NULL);

	check_span(pattern_at(&names, number), pattern);
	check_span(key_names_shown(all, 1, pattern_at(&names, number)), name);
}

static void test_exited(void **state)
{
	(void)state;
	check_exited(GROUP_KEY_comm, "app-3 (exited threads)", "app-{N} (exited threads)");
	check_exited(GROUP_KEY_comm_exact, "app-3 (exited threads)", "app-3 (exited threads)");
	check_exited(GROUP_KEY_thread, "7 app-3 (exited threads)", "7 0 9  ");
	check_exited(GROUP_KEY_state, "(exited threads)", "(exited threads)");
	for (enum group_key k = 0; k < GROUP_KEY_COUNT; k++)
		assert_int_equal(group_key_is_of_thread(k),
		                 k == GROUP_KEY_comm || k == GROUP_KEY_comm_exact ||
		                         k == GROUP_KEY_thread || k == GROUP_KEY_state ||
		                         k == GROUP_KEY_wchan || k == GROUP_KEY_syscall);
}

/* The pattern where names differ, on one side or over both; else the name. */
static void test_shown(void **state)
{
	struct group_by by = group_by_key(GROUP_KEY_comm, false);
	cleanup_(key_names_done) struct key_names a = {0}, b = {0};
	const struct key_names *both[] = {&a, &b}, *only_b[] = {NULL, &b};
	struct span pattern = {"w-{N}", 5}, unknown = {"none", 4};

	(void)state;
	number_of(&a, &by, (struct called){.comm = "w-1"});
	number_of(&a, &by, (struct called){.comm = "w-1"});
	number_of(&a, &by, (struct called){.comm = "main"});
	number_of(&a, &by, (struct called){.comm = "w-1"});
	check_span(key_names_shown(both, 2, pattern), "w-1");
	number_of(&b, &by, (struct called){.comm = "w-1"});
	check_span(key_names_shown(both, 2, pattern), "w-1");
	number_of(&b, &by, (struct called){.comm = "w-2"});
	check_span(key_names_shown(both, 2, pattern), "w-{N}");
	check_span(key_names_shown(both, 1, pattern), "w-1");
	check_span(key_names_shown(only_b, 2, pattern), "w-{N}");
	check_span(key_names_shown(both, 2, unknown), "none");
	/* A name that looks like the pattern is one name more. */
	number_of(&a, &by, (struct called){.comm = "w-{N}"});
	check_span(key_names_shown(both, 1, pattern), "w-{N}");
	assert_int_equal(a.map.count, 2);
}

/* Two snapshots with one name each, other ones. */
static void test_shown_over_both(void **state)
{
	struct group_by by = group_by_key(GROUP_KEY_comm, false);
	cleanup_(key_names_done) struct key_names a = {0}, b = {0};
	const struct key_names *both[] = {&a, &b};

	(void)state;
	number_of(&a, &by, (struct called){.comm = "w-1"});
	number_of(&b, &by, (struct called){.comm = "w-2"});
	check_span(key_names_shown(both, 2, (struct span){"w-{N}", 5}), "w-{N}");
	/* The name that is its own pattern, and another one. */
	number_of(&a, &by, (struct called){.comm = "x-{N}"});
	check_span(key_names_shown(both, 2, (struct span){"x-{N}", 5}), "x-{N}");
	number_of(&b, &by, (struct called){.comm = "x-3"});
	check_span(key_names_shown(both, 2, (struct span){"x-{N}", 5}), "x-{N}");
}

/* The name met last is remembered by its bytes. */
static void test_last_name(void **state)
{
	struct group_by by = group_by_key(GROUP_KEY_comm, true);
	cleanup_(key_names_done) struct key_names names = {0};
	uint32_t empty = number_of(&names, &by, (struct called){.comm = ""});
	uint32_t a = number_of(&names, &by, (struct called){.comm = "a"});
	uint32_t ab = number_of(&names, &by, (struct called){.comm = "ab"});

	(void)state;
	assert_int_equal(names.map.count, 3);
	assert_int_equal(number_of(&names, &by, (struct called){.comm = "ab"}), ab);
	assert_int_equal(number_of(&names, &by, (struct called){.comm = "a"}), a);
	assert_int_equal(number_of(&names, &by, (struct called){.comm = ""}), empty);
	assert_int_equal(names.map.count, 3);
}

static const char *const globs[] = {"/a/*", "/a/b/**", "/a/**", "/x-[0-9]"};

static void check_flat(const char *path, bool is_v1, const char *shown)
{
	struct group_by by = group_by_key(GROUP_KEY_cgroup, false);
	cleanup_(key_names_done) struct key_names names = {0};
	const struct key_names *all[] = {&names};
	uint32_t number;

	by.flatten = globs;
	by.flatten_count = ARRAY_SIZE(globs);
	number = number_of(&names, &by, (struct called){.cgroup = path, .is_v1 = is_v1});
	check_span(key_names_shown(all, 1, pattern_at(&names, number)), shown);
	if (!path)
		return;
	assert_int_equal(key_names_of_cgroup(&names, &by, path, strlen(path), is_v1), number);
	/* To the letter, what no glob matches is its path, and the rest is as before. */
	by.literal_cgroups = true;
	key_names_done(&names);
	number = number_of(&names, &by, (struct called){.cgroup = path, .is_v1 = is_v1});
	check_span(pattern_at(&names, number), shown);
}

/* The first glob that matches is the group, also with one member only. */
static void test_flatten(void **state)
{
	(void)state;
	check_flat("/a/b", false, "/a/*");
	check_flat("/a/b/c", false, "/a/b/**");
	check_flat("/a/c/d/e", false, "/a/**");
	check_flat("/a", false, "/a/**");
	check_flat("/x-1", false, "/x-[0-9]");
	check_flat("/x-10", false, "/x-10");
	check_flat("/ab", false, "/ab");
	check_flat("/", false, "/");
	check_flat("", false, "");
	/* Globs are of paths, in both versions; what stands for no path is none. */
	check_flat("/a/b", true, "/a/*");
	check_flat("/b-1", true, "v1:/b-1");
	check_flat("v1:/a/b", false, "/a/*");
	check_flat(NULL, false, "(no cgroup)");
}

static void test_flatten_everything(void **state)
{
	static const char *const all[] = {"**"};
	struct group_by by = group_by_key(GROUP_KEY_cgroup, false);
	cleanup_(key_names_done) struct key_names names = {0};

	(void)state;
	by.flatten = all;
	by.flatten_count = 1;
	check_span(pattern_at(&names, number_of(&names, &by, (struct called){0})), "(no cgroup)");
	check_span(pattern_at(&names, number_of(&names, &by, (struct called){.cgroup = ""})), "");
	check_span(pattern_at(&names, number_of(&names, &by, (struct called){.cgroup = "/"})),
	           "**");
	check_span(pattern_at(&names, number_of(&names, &by, (struct called){.cgroup = "/a/b"})),
	           "**");
	assert_int_equal(names.map.count, 3);
}

/* Names of which the reference's description says what they become. @pattern NULL: not a process or thread. */
static void test_examples(void **state)
{
	static const struct {
		enum group_key key;
		const char *name, *other, *pattern;
	} examples[] = {
	        {GROUP_KEY_comm, "tokio-worker-12", "tokio-worker-7", "tokio-worker-{N}"},
	        {GROUP_KEY_comm, "kworker/0:1H-wq_prio", "kworker/3:0H-wq_prio",
	         "kworker/{N}:{N}H-wq_prio"},
	        {GROUP_KEY_comm, "kworker/u8:3", "kworker/u16:0", "kworker/u{N}:{N}"},
	        {GROUP_KEY_comm, "kworker/0:1+evt", "kworker/0:2+evt", "kworker/{N}:{N}+evt"},
	        {GROUP_KEY_comm, "kworker/0:1-evt", "kworker/0:2-evt", "kworker/{N}:{N}-evt"},
	        {GROUP_KEY_comm, "a0", "b1", "{H}"},
	        {GROUP_KEY_comm, "42abc", "0f", "{H}"},
	        {GROUP_KEY_comm, "100Hz", "50Hz", "{N}Hz"},
	        {GROUP_KEY_comm, "cpu0", "cpu15", "cpu{N}"},
	        {GROUP_KEY_comm, "gadget-v2", "gadget-v3", "gadget-v{N}"},
	        {GROUP_KEY_comm, "pool-2-thread-7", "pool-1-thread-1", "pool-{N}-thread-{N}"},
	        {GROUP_KEY_comm, "dev[1ab]", "dev[2]", NULL},
	        {GROUP_KEY_comm, "dev[1ab]", "dev[2c]", "dev[{H}]"},
	        {GROUP_KEY_comm, "Chrome thread 4", "Chrome thread 5", "Chrome thread {N}"},
	        {GROUP_KEY_comm, "proto303handler", "proto304handler", NULL},
	        {GROUP_KEY_comm, "deadbeef", "beefdead", NULL},
	        {GROUP_KEY_comm, "kworker/0:1+evt", "kworker/0:1-evt", NULL},
	        {GROUP_KEY_pcomm, "python3", "python2", "python{N}"},
	        {GROUP_KEY_comm_exact, "cpu0", "cpu1", NULL},
	        {GROUP_KEY_cgroup, "/s/foo@a.service", "/s/foo@b.service", "/s/foo@{I}.service"},
	        {GROUP_KEY_cgroup, "/s/foo@1.service", "/s/foo@2.service", "/s/foo@{I}.service"},
	        /* Instances with one of . - _ in them, or none, are none. */
	        {GROUP_KEY_cgroup, "/s/foo@a-b.service", "/s/foo@a-c.service", NULL},
	        {GROUP_KEY_cgroup, "/s/foo@a_b.service", "/s/foo@a_c.service", NULL},
	        {GROUP_KEY_cgroup, "/s/foo@a.b.service", "/s/foo@a.c.service", NULL},
	        {GROUP_KEY_cgroup, "/s/foo@.service", "/s/foo@a.service", NULL},
	        {GROUP_KEY_cgroup, "/s/foo@a.scope", "/s/foo@b.scope", NULL},
	        {GROUP_KEY_cgroup, "/u/session-1.scope", "/u/session-2.scope",
	         "/u/session-{N}.scope"},
	        {GROUP_KEY_cgroup, "/a0/b", "/c1/b", "/{H}/b"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		struct group_by by = group_by_key(examples[i].key, false);
		cleanup_(key_names_done) struct key_names names = {0};
		const struct key_names *all[] = {&names};
		const char *both[] = {examples[i].name, examples[i].other};
		uint32_t numbers[2];

		for (unsigned n = 0; n < 2; n++) {
			numbers[n] = number_of(&names, &by,
			                       (struct called){.pcomm = both[n],
			                                       .comm = both[n],
			                                       .cgroup = both[n]});
			/* One name is shown as it is. */
			if (n == 0)
				check_span(key_names_shown(all, 1, pattern_at(&names, numbers[n])),
				           both[n]);
		}
		for (unsigned n = 0; n < 2; n++)
			check_span(key_names_shown(all, 1, pattern_at(&names, numbers[n])),
			           examples[i].pattern ? examples[i].pattern : both[n]);
		assert_int_equal(numbers[0] == numbers[1], examples[i].pattern != NULL);
	}
}

/* Neither the order of threads nor how many of them have a name makes a difference. */
static void test_order_of_names(void **state)
{
	static const char *const pool[] = {"w-1",  "w-2",    "w-{N}", "main", "cpu0",
	                                   "cpu1", "cpu{N}", "a0",    "",     "b1"};
	enum { SEED = 41, ROUNDS = 300, NAMES = 12 };
	struct group_by by = group_by_key(GROUP_KEY_comm, false);

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		cleanup_(key_names_done) struct key_names once = {0}, again = {0};
		const struct key_names *first[] = {&once}, *second[] = {&again};
		const char *names[NAMES];
		size_t order[NAMES];

		for (size_t i = 0; i < NAMES; i++)
			names[i] = pool[random_below(&random, ARRAY_SIZE(pool))];
		random_shuffle(&random, order, NAMES);
		for (size_t i = 0; i < NAMES; i++) {
			number_of(&once, &by, (struct called){.comm = names[i]});
			number_of(&again, &by, (struct called){.comm = names[order[i]]});
			if (random_chance(&random, 30))
				number_of(&again, &by, (struct called){.comm = names[order[i]]});
		}
		check_random(&random, once.map.count == again.map.count);
		for (uint32_t i = 0; i < once.map.count; i++) {
			struct span pattern = pattern_at(&once, i);
			struct span a = key_names_shown(first, 1, pattern);
			struct span b = key_names_shown(second, 1, pattern);

			check_random(&random, a.len == b.len && memcmp(a.text, b.text, a.len) == 0);
		}
	}
}

static void test_group_by(void **state)
{
	struct group_by by = group_by_key(GROUP_KEY_cgroup, false);
	const struct group_tree_desc *tree = &group_tree_table[0];

	(void)state;
	assert_true(group_by_is_cgroup(&by));
	by.keys[by.count++] = GROUP_KEY_comm;
	assert_false(group_by_is_cgroup(&by));
	assert_true(group_by_has(&by, GROUP_KEY_cgroup));
	assert_true(group_by_has(&by, GROUP_KEY_comm));
	assert_false(group_by_has(&by, GROUP_KEY_pcomm));
	assert_string_equal(group_by_heading(&by, 0), "cgroup");
	assert_string_equal(group_by_heading(&by, 1), "comm-pattern");
	by.literal_names = true;
	assert_string_equal(group_by_heading(&by, 1), "comm");
	by = group_by_key(GROUP_KEY_comm, false);
	assert_false(group_by_is_cgroup(&by));
	assert_int_equal(group_tree_count, 1);
	assert_string_equal(tree->name, "all");
	assert_int_equal(tree->count, 3);
	assert_int_equal(tree->keys[0], GROUP_KEY_cgroup);
	assert_int_equal(tree->keys[1], GROUP_KEY_pcomm);
	assert_int_equal(tree->keys[2], GROUP_KEY_comm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_names_of_threads),
	        cmocka_unit_test(test_names_of_cgroups),
	        cmocka_unit_test(test_names_of_executables),
	        cmocka_unit_test(test_names_of_users),
	        cmocka_unit_test(test_names_of_parts),
	        cmocka_unit_test(test_names_of_version_1),
	        cmocka_unit_test(test_other_hierarchies),
	        cmocka_unit_test(test_threads),
	        cmocka_unit_test(test_exited),
	        cmocka_unit_test(test_shown),
	        cmocka_unit_test(test_shown_over_both),
	        cmocka_unit_test(test_last_name),
	        cmocka_unit_test(test_flatten),
	        cmocka_unit_test(test_flatten_everything),
	        cmocka_unit_test(test_examples),
	        cmocka_unit_test(test_order_of_names),
	        cmocka_unit_test(test_group_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
