// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings are read from a tree, whatever stands in it, and from this system. */
#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "kernel-ability.h"
#include "settings/settings-read.h"
#include "temp-tree.h"

static const char *const files[][2] = {
        {"proc/sys/vm/swappiness", "60\n"},
        {"proc/sys/vm/stat_refresh", "acts\n"},
        {"proc/sys/kernel/hostname", "somewhere\n"},
        {"proc/sys/kernel/random/uuid", "random\n"},
        {"proc/sys/kernel/empty", "\n"},
        {"proc/sys/fs/binfmt_misc/register", "elsewhere\n"},
        {"proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n"},
        {"proc/sys/net/ipv4/conf/all/forwarding", "0\n"},
        {"proc/sys/net/ipv4/conf/eth0/forwarding", "1\n"},
        {"proc/sys/net/ipv6/conf/all/stable_secret", "secret\n"},
        {"proc/modules", "zram 28672 1 - Live 0x0\nbtrfs 9 0 xor,raid6_pq, Live 0x0 (E)\n"},
        {"sys/kernel/debug/sched/features", "PLACE_LAG NO_HRTICK \n"},
        {"sys/kernel/debug/sched/debug", "long\n"},
        {"sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"},
        {"sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "8\n"},
        {"sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "7\n"},
        {"sys/devices/pci0/block/sda/queue/scheduler", "none [bfq]\n"},
        {"sys/devices/pci0/block/sda/size", "536870912\n"},
        {"sys/devices/virtual/block/loop0/size", "0\n"},
        {"sys/devices/virtual/block/loop0/queue/scheduler", "none\n"},
        {"sys/devices/virtual/block/loop0/queue/iosched/slice_idle", "8\n"},
        {"sys/devices/pci0/block/sda/queue/nr_zones", "0\n"},
        {"sys/devices/pci0/block/sda/queue/iosched/slice_idle", "8\n"},
        {"sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n"},
        {"sys/devices/system/cpu/smt/control", "off\n"},
        {"sys/devices/system/node/node0/cpulist", "0-1\n"},
        {"sys/devices/system/node/node0/meminfo", "counters\n"},
};

static int setup(void **state)
{
	const struct temp_tree *tree;
	int r = temp_tree_setup(state);

	tree = *state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		temp_tree_write_text(tree, files[i][0], files[i][1]);
	temp_tree_make_dir(tree, "sys/block");
	return r != 0 || symlinkat("../devices/pci0/block/sda", tree->fd, "sys/block/sda") != 0 ||
	       symlinkat("../devices/virtual/block/loop0", tree->fd, "sys/block/loop0") != 0;
}

static void read_tree(const struct temp_tree *tree, bool anonymous, struct settings *ret)
{
	cleanup_(fd_closep) int proc_fd = fd_open_path_at(tree->fd, "proc");
	cleanup_(fd_closep) int sys_fd = fd_open_path_at(tree->fd, "sys");

	need_openat2();
	settings_read(proc_fd, sys_fd, false, anonymous, ret);
}

static void expect(const struct settings *settings, const char *name, const char *text)
{
	const struct setting *entry = settings_find(settings, name);

	if (!text) {
		if (entry)
			fail_msg("%s is \"%s\"", name, entry->text);
		return;
	}
	if (!entry)
		fail_msg("%s was not read", name);
	assert_string_equal(entry->text, text);
}

static void test_read_tree(void **state)
{
	cleanup_(settings_done) struct settings settings = {0};

	read_tree(*state, false, &settings);
	assert_true(settings.seen);
	expect(&settings, "vm.swappiness", "60");
	expect(&settings, "kernel.hostname", "somewhere");
	expect(&settings, "kernel.empty", "");
	expect(&settings, "net.ipv4.tcp_rmem", "4096\t131072\t6291456");
	expect(&settings, "net.ipv4.conf.all.forwarding", "0");
	expect(&settings, "modules", "btrfs zram");
	expect(&settings, "/sys/kernel/debug/sched/features", "PLACE_LAG NO_HRTICK");
	expect(&settings, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
	expect(&settings, "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "8");
	expect(&settings, "/sys/block/sda/queue/scheduler", "none [bfq]");
	expect(&settings, "/sys/block/sda/queue/iosched/slice_idle", "8");
	expect(&settings, "/sys/block/loop0/queue/scheduler", NULL);
	expect(&settings, "/sys/block/loop0/queue/iosched/slice_idle", NULL);
	expect(&settings, "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
	       "performance");
	expect(&settings, "/sys/devices/system/cpu/smt/control", "off");
	expect(&settings, "/sys/devices/system/node/node0/cpulist", "0-1");
	assert_int_equal(settings.count, 14);
	assert_int_equal(settings.denied_count, 0);
	assert_int_equal(settings.left_out, 0);
}

static void test_read_anonymous(void **state)
{
	cleanup_(settings_done) struct settings settings = {0};

	read_tree(*state, true, &settings);
	expect(&settings, "kernel.hostname", NULL);
	expect(&settings, "vm.swappiness", "60");
}

/* A link leads nowhere, a FIFO does not hold anybody up, and what is no text is no value. */
static void test_read_other_files(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(settings_done) struct settings settings = {0};

	temp_tree_write_text(tree, "secret", "secret\n");
	assert_int_equal(symlinkat("../../../secret", tree->fd, "proc/sys/vm/link"), 0);
	assert_int_equal(symlinkat("../..", tree->fd, "sys/block/up"), 0);
	temp_tree_write_text(tree, "queue/scheduler", "outside\n");
	assert_int_equal(mkfifoat(tree->fd, "proc/sys/vm/fifo", 0600), 0);
	assert_int_equal(mkfifoat(tree->fd, "sys/devices/pci0/block/sda/queue/nr_requests", 0600),
	                 0);
	temp_tree_write(tree, "proc/sys/vm/zeros", "a\0b\n", 4);
	read_tree(tree, false, &settings);
	expect(&settings, "vm.link", NULL);
	expect(&settings, "vm.fifo", NULL);
	expect(&settings, "vm.zeros", NULL);
	expect(&settings, "/sys/block/sda/queue/nr_requests", NULL);
	expect(&settings, "/sys/block/up/queue/scheduler", NULL);
	assert_int_equal(settings.count, 14);
}

/* 4096 bytes stand as they are. A longer value stands as its length and a hash, and a far longer one is left out. */
static void test_read_long(void **state)
{
	enum { LONGEST = 1 << 17 };
	static char text[LONGEST];
	cleanup_(settings_done) struct settings settings = {0};

	memset(text, 'x', sizeof(text));
	temp_tree_write(*state, "proc/sys/vm/most", text, SETTING_TEXT_BYTES);
	temp_tree_write(*state, "proc/sys/vm/long", text, SETTING_TEXT_BYTES + 1);
	temp_tree_write(*state, "proc/sys/vm/longest", text, LONGEST);
	read_tree(*state, false, &settings);
	assert_int_equal(strlen(settings_find(&settings, "vm.most")->text), SETTING_TEXT_BYTES);
	expect(&settings, "vm.long", "4097 bytes, SipHash 007be0e31f272cf4");
	expect(&settings, "vm.longest", NULL);
	assert_int_equal(settings.left_out, 1);
}

/* All that is kept has a bound, whatever the tree has. */
static void test_read_bounds(void **state)
{
	enum { FILES = SETTINGS_JSON_BYTES / SETTING_TEXT_BYTES + 8 };
	static char text[SETTING_TEXT_BYTES];
	cleanup_(settings_done) struct settings settings = {0};
	size_t bytes = 0;

	memset(text, '"', sizeof(text));
	for (int i = 0; i < FILES; i++) {
		char name[64];

		snprintf(name, sizeof(name), "proc/sys/vm/many%d", i);
		temp_tree_write(*state, name, text, sizeof(text));
	}
	read_tree(*state, false, &settings);
	for (size_t i = 0; i < settings.count; i++)
		bytes += strlen(settings.entries[i].text);
	assert_true(bytes <= SETTINGS_JSON_BYTES / 2);
	assert_true(settings.left_out > 0);
}

static void make_private(const struct temp_tree *tree, const char *name, mode_t mode)
{
	assert_int_equal(fchmodat(tree->fd, name, mode, 0), 0);
}

/* A file that a user may not read is denied, and so is a directory. A file that nobody may read is a trigger. */
static void test_read_denied(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(settings_done) struct settings settings = {0};

	if (geteuid() != 0)
		skip_because("nothing is denied to its owner");
	temp_tree_write_text(tree, "proc/sys/vm/private", "1\n");
	temp_tree_write_text(tree, "proc/sys/vm/trigger", "1\n");
	temp_tree_write_text(tree, "proc/sys/crypto/fips_enabled", "1\n");
	make_private(tree, ".", 0755);
	make_private(tree, "proc/sys/vm/private", 0600);
	make_private(tree, "proc/sys/vm/trigger", 0200);
	make_private(tree, "proc/sys/crypto", 0700);
	make_private(tree, "sys/kernel/debug", 0700);
	assert_int_equal(seteuid(65534), 0);
	read_tree(tree, false, &settings);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(settings.count, 13);
	assert_int_equal(settings.denied_count, 4);
	assert_string_equal(settings.denied[0], "/sys/kernel/debug");
	assert_string_equal(settings.denied[1], "/sys/kernel/debug/sched");
	assert_string_equal(settings.denied[2], "crypto");
	assert_string_equal(settings.denied[3], "vm.private");
}

/* This system has these. */
static void test_read_live(void **state)
{
	cleanup_(fd_closep) int proc_fd = fd_open_path_at(AT_FDCWD, "/proc");
	cleanup_(fd_closep) int sys_fd = fd_open_path_at(AT_FDCWD, "/sys");
	cleanup_(settings_done) struct settings settings = {0};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	need_openat2();
	settings_read(proc_fd, sys_fd, true, false, &settings);
	assert_true(settings.count > 100);
	assert_int_equal(fd_read_all_at(proc_fd, "sys/vm/swappiness", &text, 100), 0);
	strbuf_str(&text);
	text.data[strcspn(text.data, "\n")] = '\0';
	expect(&settings, "vm.swappiness", text.data);
	expect(&settings, "vm.stat_refresh", NULL);
	expect(&settings, "kernel.ns_last_pid", NULL);
}

static void test_read_nothing(void **state)
{
	cleanup_(settings_done) struct settings settings = {0};

	(void)state;
	settings_read(-1, -1, true, false, &settings);
	assert_true(settings.seen);
	assert_int_equal(settings.count, 0);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_read_tree),          in_tree(test_read_anonymous),
	        in_tree(test_read_other_files),   in_tree(test_read_long),
	        in_tree(test_read_bounds),        in_tree(test_read_denied),
	        cmocka_unit_test(test_read_live), cmocka_unit_test(test_read_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
