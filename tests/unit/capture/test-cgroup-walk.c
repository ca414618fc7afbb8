// SPDX-License-Identifier: GPL-2.0-or-later
/* The cgroups that are read, their files and order, and the outcome of those that cannot be read. */
#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "capture/cgroup-walk.h"
#include "temp-tree.h"

static struct cgroup_walk walk;
static struct cgroup_mounts mounts;
static struct snapshot_tally tally;
static const struct temp_tree *tree;
static int take(struct cgroup_sink *self, const struct cgroup_stats *stats);
static struct cgroup_sink sink = {take};

/* The output: one line for each cgroup. */
static struct strbuf written;
static int write_result;
static bool with_ancestors;
static uint64_t read_ns; /* of the one written last */
static const char *remove_while_reading;
static int openat2_errno; /* what openat2(2) fails with, or 0 */

long __wrap_syscall(long number, ...);
long __real_syscall(long number, ...);
enum source_outcome __wrap_psi_parse(const char *text, size_t len,
                                     struct psi_line lines[PSI_ROW_COUNT]);
enum source_outcome __real_psi_parse(const char *text, size_t len,
                                     struct psi_line lines[PSI_ROW_COUNT]);

static void add_value(const struct cgroup_stats *stats, enum cgroup_value_id id, const char *name)
{
	if (stats->values[id].state == FACT_NUMBER)
		strbuf_addf(&written, " %s=%ld", name, (long)stats->values[id].number);
}

static int take(struct cgroup_sink *self, const struct cgroup_stats *stats)
{
	const struct strmap *paths = stats->is_v1 ? &walk.v1 : &walk.v2;
	uintptr_t bits = (uintptr_t)strmap_get(paths, strbuf_str(&stats->path), stats->path.len);

	(void)self;
	if (!with_ancestors && !(bits & CGROUP_HAS_THREADS))
		return 0;
	read_ns = stats->read_boottime_ns;
	strbuf_addf(&written, "%s %s", stats->is_v1 ? "v1" : "v2", strbuf_str(&stats->path));
	add_value(stats, CGROUP_VALUE_memory_current, "memory");
	add_value(stats, CGROUP_VALUE_pids_current, "pids");
	add_value(stats, CGROUP_VALUE_cpuacct_usage_ns, "v1_usage");
	add_value(stats, CGROUP_VALUE_memory_v1_usage, "v1_memory");
	add_value(stats, CGROUP_VALUE_pids_v1_current, "v1_pids");
	if (stats->has_list[CGROUP_LIST_memory_events])
		strbuf_addf(&written, " events=%zu", stats->lists[CGROUP_LIST_memory_events].count);
	if (stats->psi.lines[PSI_irq][PSI_ROW_full].seen)
		strbuf_addf(&written, " irq=%lu",
		            (unsigned long)stats->psi.lines[PSI_irq][PSI_ROW_full].total_usec);
	strbuf_add_char(&written, '\n');
	return write_result;
}

long __wrap_syscall(long number, ...)
{
	va_list args;
	long values[4];

	va_start(args, number);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		values[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_openat2 && openat2_errno != 0) {
		errno = openat2_errno;
		return -1;
	}
	return __real_syscall(number, values[0], values[1], values[2], values[3]);
}

enum source_outcome __wrap_psi_parse(const char *text, size_t len,
                                     struct psi_line lines[PSI_ROW_COUNT])
{
	if (remove_while_reading)
		temp_tree_remove(tree, remove_while_reading);
	remove_while_reading = NULL;
	return __real_psi_parse(text, len, lines);
}

static int setup(void **state)
{
	assert_int_equal(temp_tree_setup(state), 0);
	tree = *state;
	cgroup_walk_init(&walk);
	write_result = 0;
	with_ancestors = false;
	openat2_errno = 0;
	tally = (struct snapshot_tally){0};
	return 0;
}

static int teardown(void **state)
{
	cgroup_walk_done(&walk);
	cgroup_mounts_done(&mounts);
	strbuf_done(&written);
	return temp_tree_teardown(state);
}

static void note(const char *text)
{
	char *copy = exact_copy(text, strlen(text));

	cgroup_walk_note(&walk, copy, strlen(text));
	free(copy);
}

static void forget_readings(struct strmap *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		paths->entries[i].value = (void *)((uintptr_t)paths->entries[i].value &
		                                   (0xffff | CGROUP_HAS_THREADS));
}

static void check_written(const char *expected)
{
	forget_readings(&walk.v2);
	forget_readings(&walk.v1);
	strbuf_clear(&written);
	tally = (struct snapshot_tally){0};
	assert_int_equal(cgroup_walk_read(&walk, &mounts, &sink, &tally), 0);
	assert_text(&written, expected);
}

static void check_tally(uint64_t read, uint64_t gone, uint64_t denied, uint64_t outside)
{
	assert_int_equal(tally.cgroups, read);
	assert_int_equal(tally.cgroups_gone, gone);
	assert_int_equal(tally.cgroups_denied, denied);
	assert_int_equal(tally.cgroups_outside, outside);
}

static void use_v2(void)
{
	temp_tree_write_text(tree, "cgroup.controllers", "cpu memory\n");
	cgroup_mounts_done(&mounts);
	cgroup_mounts_from_directory(tree->path, &mounts);
}

static void use_root(const char *root)
{
	strbuf_clear(&mounts.unified.root);
	strbuf_add_str(&mounts.unified.root, root);
}

/* Each cgroup is written once, in the order of the paths and not of the threads. One without files is written as well. */
static void test_walk_order(void **state)
{
	(void)state;
	use_v2();
	temp_tree_write_text(tree, "b/memory.current", "2\n");
	temp_tree_write_text(tree, "b/memory.events", "low 0\nhigh 1\n");
	temp_tree_write_text(tree, "b/irq.pressure",
	                     "full avg10=0.00 avg60=0.00 avg300=0.00 total=77\n");
	temp_tree_write_text(tree, "a/x/memory.current", "3\n");
	temp_tree_write_text(tree, "a/memory.current", "garbage\n");
	temp_tree_make_dir(tree, "a b");
	temp_tree_write_text(tree, "memory.current", "1\n");
	note("0::/b\n");
	note("0::/b\n");
	note("0::/a/x\n");
	note("0::/b\n");
	note("0::/a b\n");
	note("0::/a\n0::/second\n");
	note("0::/\n");
	note("");
	note("nonsense\n");
	check_written("v2 / memory=1\nv2 /a\nv2 /a b\nv2 /a/x memory=3\n"
	              "v2 /b memory=2 events=2 irq=77\n");
	check_tally(5, 0, 0, 0); /* the first line of a text is its cgroup */
}

/* A file that was read once is not read again, and counts in the tally all the same. */
static void test_walk_twice(void **state)
{
	(void)state;
	use_v2();
	temp_tree_write_text(tree, "a/memory.current", "1\n");
	temp_tree_write_text(tree, "b/memory.current", "2\n");
	note("0::/b\n");
	note("0::/gone\n");
	check_written("v2 /b memory=2\n");
	check_tally(1, 1, 0, 0);
	note("0::/a\n");
	note("0::/b\n");
	strbuf_clear(&written);
	assert_int_equal(cgroup_walk_read(&walk, &mounts, &sink, &tally), 0);
	assert_text(&written, "v2 /a memory=1\n");
	check_tally(2, 1, 0, 0);
}

/* A cgroup above one with threads is read once, before it, and counts by itself; a thread may come to it later. */
static void test_walk_ancestors(void **state)
{
	(void)state;
	use_v2();
	with_ancestors = true;
	temp_tree_write_text(tree, "a/b/c/memory.current", "3\n");
	temp_tree_write_text(tree, "a/b/d/memory.current", "4\n");
	temp_tree_write_text(tree, "a/memory.current", "1\n");
	temp_tree_write_text(tree, "a b/memory.current", "666\n");
	temp_tree_write_text(tree, "memory.current", "9\n");
	note("0::/a/b/d\n");
	note("0::/a/b/c\n");
	note("0::/gone/x\n");
	note("0::/..\n");
	check_written(
	        "v2 / memory=9\nv2 /a memory=1\nv2 /a/b\nv2 /a/b/c memory=3\nv2 /a/b/d memory=4\n");
	check_tally(2, 1, 0, 1);
	assert_int_equal(tally.cgroup_ancestors, 3);
	note("0::/a\n");
	strbuf_clear(&written);
	assert_int_equal(cgroup_walk_read(&walk, &mounts, &sink, &tally), 0);
	assert_text(&written, "");
	check_tally(3, 1, 0, 1);
	assert_int_equal(tally.cgroup_ancestors, 2);
}

static void test_walk_ancestors_v1(void **state)
{
	(void)state;
	with_ancestors = true;
	temp_tree_write_text(tree, "pids/a/pids.current", "30\n");
	temp_tree_write_text(tree, "pids/a/x/pids.current", "31\n");
	temp_tree_write_text(tree, "pids/pids.current", "32\n");
	temp_tree_write_text(tree, "memory/a/memory.usage_in_bytes", "40\n");
	temp_tree_write_text(tree, "memory/memory.usage_in_bytes", "41\n");
	cgroup_mounts_from_directory(tree->path, &mounts);
	note("8:pids:/a/x\n7:memory:/\n");
	check_written("v1 / v1_memory=41 v1_pids=32\nv1 /a v1_pids=30\nv1 /a/x v1_pids=31\n");
	check_tally(2, 0, 0, 0);
	assert_int_equal(tally.cgroup_ancestors, 1);
}

static void test_walk_ancestors_of_namespace(void **state)
{
	(void)state;
	use_v2();
	with_ancestors = true;
	temp_tree_write_text(tree, "memory.current", "1\n");
	temp_tree_write_text(tree, "a/memory.current", "2\n");
	temp_tree_write_text(tree, "a/sub/memory.current", "3\n");
	note("0::/sub\n");
	use_root("/..");
	mounts.unified.namespace_known = true;
	strbuf_add_str(&mounts.unified.namespace_root, "a");
	check_written("v2 / memory=2\nv2 /.. memory=1\nv2 /sub memory=3\n");
	assert_int_equal(tally.cgroup_ancestors, 2);
}

static void test_walk_times(void **state)
{
	uint64_t before_ns = clock_now_ns(CLOCK_BOOTTIME), tree_ns = 5;

	(void)state;
	use_v2();
	temp_tree_write_text(tree, "a/memory.current", "1\n");
	temp_tree_make_dir(tree, "empty");
	note("0::/a\n");
	check_written("v2 /a memory=1\n");
	assert_in_range(read_ns, before_ns, clock_now_ns(CLOCK_BOOTTIME));
	walk.tree_boottime_ns = &tree_ns;
	check_written("v2 /a memory=1\n");
	assert_int_equal(read_ns, 5);
	tree_ns = 0;
	check_written("v2 /a memory=1\n");
	assert_int_equal(read_ns, 0);
}

static void test_walk_nothing_looked_for(void **state)
{
	(void)state;
	note("0::/\n");
	note("1:memory:/\n");
	check_written("");
	check_tally(0, 0, 0, 0);
}

static void check_hostile_names(void)
{
	static const char *const names[] = {"a:b::c",       "0::", "blank at end ",
	                                    "\x1b[31m\xff", "..x", "real (deleted)"};
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		strbuf_clear(&name);
		strbuf_addf(&name, "%s/memory.current", names[i]);
		temp_tree_write_text(tree, name.data, "5\n");
		strbuf_clear(&name);
		strbuf_addf(&name, "1:pids:/elsewhere\n0::/%s\n", names[i]);
		note(name.data);
	}
	note("0::/gone\n");
	note("0::/removed (deleted)\n");
	note("0::/real (deleted)/sub (deleted)\n");
	check_written("v2 /\x1b[31m\xff memory=5\nv2 /..x memory=5\nv2 /0:: memory=5\n"
	              "v2 /a:b::c memory=5\nv2 /blank at end  memory=5\n"
	              "v2 /real (deleted) memory=5\n");
	check_tally(6, 3, 0, 0);
}

static void test_walk_hostile_names(void **state)
{
	(void)state;
	use_v2();
	check_hostile_names();
}

/* Some containers' filters refuse openat2(2). */
static void test_walk_without_openat2(void **state)
{
	(void)state;
	use_v2();
	openat2_errno = ENOSYS;
	check_hostile_names();
	openat2_errno = EPERM;
	check_hostile_names();
}

/* Nothing outside of the mount is read, neither by ".." nor by a link. */
static void check_outside(void)
{
	cgroup_mounts_done(&mounts);
	temp_tree_write_text(tree, "m/in/memory.current", "1\n");
	temp_tree_write_text(tree, "out/memory.current", "666\n");
	temp_tree_write_text(tree, "m/cgroup.controllers", "memory\n");
	(void)symlinkat("../out", tree->fd, "m/link");
	(void)symlinkat("in", tree->fd, "m/inner");
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "m");
	cgroup_mounts_from_directory(path, &mounts);
	note("0::/..\n");
	note("0::/../out\n");
	note("0::/in/../../out\n");
	note("0::/in/..\n");
	note("0::/link\n");
	note("0::/inner\n");
	note("0::relative\n");
	note("0::\n");
	note("0::/in\n");
	note("0::/in/memory.current\n");
	check_written("v2 /in memory=1\n");
}

static void test_walk_outside(void **state)
{
	(void)state;
	check_outside();
	check_tally(1, 1, 0, 8);
	openat2_errno = ENOSYS;
	check_outside();
	assert_int_equal(tally.cgroups_gone + tally.cgroups_outside, 9);
}

static void test_walk_nul(void **state)
{
	static const char text[] = "0::/in\0side\n";

	(void)state;
	use_v2();
	temp_tree_make_dir(tree, "in");
	cgroup_walk_note(&walk, text, sizeof(text) - 1);
	check_written("");
	check_tally(0, 0, 0, 1);
}

/* A bind mount of a part of the hierarchy, as a container without a cgroup namespace has it, and a mount of what is
 * above our cgroup namespace. */
static void test_walk_roots(void **state)
{
	(void)state;
	use_v2();
	temp_tree_write_text(tree, "memory.current", "1\n");
	temp_tree_write_text(tree, "sub/memory.current", "2\n");
	temp_tree_write_text(tree, "docker/x/memory.current", "666\n");
	note("0::/docker/x\n");
	note("0::/docker/x/sub\n");
	note("0::/docker/xsub\n");
	note("0::/docker\n");
	note("0::/\n");
	use_root("/docker/x");
	check_written("v2 /docker/x memory=1\nv2 /docker/x/sub memory=2\n");
	check_tally(2, 0, 0, 3);

	cgroup_walk_done(&walk);
	cgroup_walk_init(&walk);
	note("0::/../..\n");
	note("0::/../../sub\n");
	note("0::/../../../sub\n");
	note("0::/../x\n");
	note("0::/\n");
	use_root("/../..");
	check_written("v2 /../.. memory=1\nv2 /../../sub memory=2\n");
	check_tally(2, 0, 0, 3);
}

/* A path stands for a cgroup in each version 1 hierarchy in which threads have it, and in no other. */
static void test_walk_v1(void **state)
{
	(void)state;
	temp_tree_write_text(tree, "cpu,cpuacct/a/cpuacct.usage", "10\n");
	temp_tree_write_text(tree, "memory/a/memory.usage_in_bytes", "20\n");
	temp_tree_write_text(tree, "memory/b/memory.usage_in_bytes", "21\n");
	temp_tree_write_text(tree, "pids/a/pids.current", "30\n");
	temp_tree_write_text(tree, "pids/b/pids.current", "31\n");
	temp_tree_write_text(tree, "unified/a/memory.current", "40\n");
	temp_tree_write_text(tree, "unified/a/pids.current", "41\n");
	cgroup_mounts_from_directory(tree->path, &mounts);
	note("9:name=systemd:/s\n8:pids:/b\n7:memory:/a\n6:cpu,cpuacct:/a\n0::/a\n");
	note("9:name=systemd:/t\n8:pids:/b\n7:memory:/gone\n6:cpu,cpuacct:/b\n0::/a\n");
	check_written(
	        "v2 /a memory=40 pids=41\nv1 /a v1_usage=10 v1_memory=20\nv1 /b v1_pids=31\n");
	check_tally(3, 1, 0, 0);
}

/* A hierarchy without a directory in a given tree has no cgroups. If the system itself has no mount of it, its cgroups count as
 * outside. */
static void test_walk_missing_mounts(void **state)
{
	(void)state;
	temp_tree_write_text(tree, "pids/a/pids.current", "30\n");
	cgroup_mounts_from_directory(tree->path, &mounts);
	note("8:pids:/a\n7:memory:/a\n0::/a\n");
	note("7:memory:/b\n");
	check_written("v1 /a v1_pids=30\n");
	check_tally(1, 0, 0, 0);
	mounts.is_system = true;
	check_written("v1 /a v1_pids=30\n");
	check_tally(1, 0, 0, 2);
}

/* A cgroup that goes away while it is read has only some of its values, and is not passed on. */
static void test_walk_removed_meanwhile(void **state)
{
	(void)state;
	use_v2();
	temp_tree_write_text(tree, "a/memory.current", "1\n");
	temp_tree_write_text(tree, "a/cpu.pressure",
	                     "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n");
	temp_tree_write_text(tree, "b/memory.current", "2\n");
	note("0::/a\n");
	note("0::/b\n");
	remove_while_reading = "a";
	check_written("v2 /b memory=2\n");
	check_tally(1, 1, 0, 0);
}

static void test_walk_denied(void **state)
{
	(void)state;
	use_v2();
	temp_tree_write_text(tree, "shut/in/memory.current", "1\n");
	temp_tree_write_text(tree, "files/memory.current", "1\n");
	temp_tree_write_text(tree, "one/memory.current", "1\n");
	temp_tree_write_text(tree, "one/pids.current", "1\n");
	note("0::/shut/in\n");
	note("0::/files\n");
	note("0::/one\n");
	assert_int_equal(fchmodat(tree->fd, "shut", 0, 0), 0);
	assert_int_equal(fchmodat(tree->fd, "files/memory.current", 0, 0), 0);
	assert_int_equal(fchmodat(tree->fd, "one/memory.current", 0, 0), 0);
	assert_int_equal(fchmodat(tree->fd, ".", 0755, 0), 0);
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	check_written("v2 /one pids=1\n");
	/* One of them is among those that were read as well, and one has no thread. */
	check_tally(1, 0, 4, 0);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(fchmodat(tree->fd, "shut", 0755, 0), 0);
}

/* In version 1 the same path can be readable in one hierarchy and not in another. */
static void test_walk_denied_v1(void **state)
{
	(void)state;
	temp_tree_write_text(tree, "memory/a/memory.usage_in_bytes", "20\n");
	temp_tree_write_text(tree, "pids/a/pids.current", "30\n");
	cgroup_mounts_from_directory(tree->path, &mounts);
	note("8:pids:/a\n7:memory:/a\n");
	assert_int_equal(fchmodat(tree->fd, "memory", 0, 0), 0);
	assert_int_equal(fchmodat(tree->fd, ".", 0755, 0), 0);
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	check_written("v1 /a v1_pids=30\n");
	check_tally(1, 0, 2, 0);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(fchmodat(tree->fd, "memory", 0755, 0), 0);
}

/* The kernel cuts what is longer, and the rest would be the path of another cgroup. */
static void test_walk_cut_paths(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const size_t longest = 4095;

	(void)state;
	use_v2();
	for (size_t len = longest - 1; len <= longest + 10; len += len > longest ? 10 : 1) {
		strbuf_clear(&text);
		strbuf_add_str(&text, "0::/");
		for (size_t i = 1; i < len; i++)
			strbuf_add_char(&text, i % 100 == 0 ? '/' : 'x');
		strbuf_add_str(&text, "\n0::/second\n");
		note(strbuf_str(&text));
	}
	check_written("");
	check_tally(0, 1, 0, 0);
	assert_int_equal(walk.v2.count, 1 + longest / 100 + 1);
	assert_int_equal(walk.v2.entries[0].key_len, longest - 1);
}

/* A mount from outside of our cgroup namespace, whose name below it was found. */
static void test_walk_namespace(void **state)
{
	(void)state;
	use_v2();
	temp_tree_write_text(tree, "memory.current", "1\n");
	temp_tree_write_text(tree, "a/memory.current", "2\n");
	temp_tree_write_text(tree, "a/sub/memory.current", "3\n");
	temp_tree_write_text(tree, "b/memory.current", "4\n");
	note("0::/\n");
	note("0::/sub\n");
	note("0::/..\n");
	note("0::/../b\n");
	note("0::/../../b\n");
	note("0::/sub/../../b\n");
	use_root("/..");
	mounts.unified.namespace_known = true;
	strbuf_add_str(&mounts.unified.namespace_root, "a");
	check_written("v2 / memory=2\nv2 /.. memory=1\nv2 /../b memory=4\nv2 /sub memory=3\n");
	check_tally(4, 0, 0, 2);
}

static void test_walk_writer_fails(void **state)
{
	(void)state;
	use_v2();
	note("0::/\n");
	note("0::/x\n");
	temp_tree_make_dir(tree, "x");
	write_result = -ENOSPC;
	assert_int_equal(cgroup_walk_read(&walk, &mounts, &sink, &tally), -ENOSPC);
	assert_text(&written, "v2 /\n");
}

/* Our own lack of a resource is no property of a cgroup. */
static void test_walk_no_descriptors(void **state)
{
	(void)state;
	use_v2();
	note("0::/\n");
	openat2_errno = EMFILE;
	assert_int_equal(cgroup_walk_read(&walk, &mounts, &sink, &tally), -EMFILE);
	check_tally(0, 0, 0, 0);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_walk_ancestors),
	        in_tree(test_walk_ancestors_v1),
	        in_tree(test_walk_ancestors_of_namespace),
	        in_tree(test_walk_twice),
	        in_tree(test_walk_times),
	        in_tree(test_walk_order),
	        in_tree(test_walk_nothing_looked_for),
	        in_tree(test_walk_hostile_names),
	        in_tree(test_walk_without_openat2),
	        in_tree(test_walk_outside),
	        in_tree(test_walk_nul),
	        in_tree(test_walk_roots),
	        in_tree(test_walk_v1),
	        in_tree(test_walk_missing_mounts),
	        in_tree(test_walk_removed_meanwhile),
	        in_tree(test_walk_denied),
	        in_tree(test_walk_writer_fails),
	        in_tree(test_walk_no_descriptors),
	        in_tree(test_walk_denied_v1),
	        in_tree(test_walk_cut_paths),
	        in_tree(test_walk_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
