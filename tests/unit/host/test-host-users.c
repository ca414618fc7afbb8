// SPDX-License-Identifier: GPL-2.0-or-later
/* The users of the processes, and their names by the name service. */
#include "check.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/scan.h"
#include "host/host-read.h"
#include "temp-tree.h"

enum { GONE = 66 }; /* a process that exits between two looks at it */

#define USER "user \xff"

static unsigned asked; /* how often the name service was */
static size_t needed;  /* bytes that it wants for an entry */

/* Process N is user (N % 10)'s, but for some. */
int __wrap_fstatat(int fd, const char *name, struct stat *ret, int flags);
int __wrap_fstatat(int fd, const char *name, struct stat *ret, int flags)
{
	uint64_t pid;

	(void)fd;
	(void)flags;
	assert_true(scan_u64(name, strlen(name), &pid));
	if (pid == GONE) {
		errno = ENOENT;
		return -1;
	}
	*ret = (struct stat){.st_uid = pid == 77 ? UINT32_MAX : (uid_t)(pid % 10)};
	return 0;
}

int __wrap_fstatat64(int fd, const char *name, struct stat *ret, int flags);
int __wrap_fstatat64(int fd, const char *name, struct stat *ret, int flags)
{
	return __wrap_fstatat(fd, name, ret, flags);
}

/* User 3 has no name, 4 makes the service fail, 5 and 8 have senseless names. */
int __wrap_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t len,
                      struct passwd **ret);
int __wrap_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t len,
                      struct passwd **ret)
{
	*ret = NULL;
	if (len < needed)
		return ERANGE;
	asked++;
	if (uid == 4)
		return EIO;
	if (uid == 3)
		return 0;
	memset(buffer, 'x', len);
	*entry = (struct passwd){.pw_name = buffer, .pw_uid = uid};
	if (uid == 5)
		buffer[0] = '\0';
	else if (uid == 8)
		buffer[len - 1] = '\0';
	else
		snprintf(buffer, len, USER "%u", uid);
	*ret = entry;
	return 0;
}

/* The entries of /etc/passwd: the first four have their numbers as ids, and the others 1. */
static const char *const *entries;

int __wrap_fgetpwent_r(FILE *file, struct passwd *entry, char *buffer, size_t len,
                       struct passwd **ret);
int __wrap_fgetpwent_r(FILE *file, struct passwd *entry, char *buffer, size_t len,
                       struct passwd **ret)
{
	static unsigned uid;

	(void)file;
	*ret = NULL;
	if (!entries || !entries[uid]) {
		uid = 0;
		return ENOENT;
	}
	snprintf(buffer, len, "%s", entries[uid]);
	*entry = (struct passwd){.pw_name = buffer, .pw_uid = uid < 4 ? uid : 1};
	uid++;
	*ret = entry;
	return 0;
}

static struct host read_users(const struct temp_tree *tree)
{
	struct host host = {0};

	asked = 0;
	host_read_users(tree->fd, NULL, &host);
	return host;
}

static void make_processes(const struct temp_tree *tree, const unsigned *pids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char name[12];

		snprintf(name, sizeof(name), "%u", pids[i]);
		temp_tree_make_dir(tree, name);
	}
	temp_tree_make_dir(tree, "self");
	temp_tree_make_dir(tree, "sys");
}

static void test_users_once_each(void **state)
{
	static const unsigned pids[] = {1, 2, 11, 12, 21, 13, 14, 15, 77, 20, GONE};
	struct host host;

	needed = 0;
	make_processes(*state, pids, ARRAY_SIZE(pids));
	host = read_users(*state);
	assert_true(host.seen[HOST_users]);
	assert_int_equal(host.maps[HOST_users].count, 4);
	assert_string_equal(host_map_get(&host, HOST_users, "0"), USER "0");
	assert_string_equal(host_map_get(&host, HOST_users, "1"), USER "1");
	assert_string_equal(host_map_get(&host, HOST_users, "2"), USER "2");
	assert_string_equal(host_map_get(&host, HOST_users, "4294967295"), USER "4294967295");
	assert_int_equal(asked, 7);
	host_done(&host);
}

/* Owners of other processes are not asked about, and one that is gone has none. */
static void test_users_of_some(void **state)
{
	static const unsigned pids[] = {1, 2, 11, 20};
	uint32_t ids[] = {2, GONE};
	const struct id_list some = {.ids = ids, .count = ARRAY_SIZE(ids)}, none = {0};
	const struct temp_tree *tree = *state;
	struct host host = {0};

	asked = 0;
	needed = 0;
	make_processes(tree, pids, ARRAY_SIZE(pids));
	host_read_users(tree->fd, &some, &host);
	assert_int_equal(host.maps[HOST_users].count, 1);
	assert_string_equal(host_map_get(&host, HOST_users, "2"), USER "2");
	assert_int_equal(asked, 1);
	assert_int_equal(ids[0], 2);
	host_done(&host);
	host_read_users(tree->fd, &none, &host);
	assert_false(host.seen[HOST_users]);
	host_done(&host);
}

/* An entry may be long, but not of any length. */
static void test_users_long_entries(void **state)
{
	static const unsigned pids[] = {1};
	struct host host;

	make_processes(*state, pids, ARRAY_SIZE(pids));
	needed = 100000;
	host = read_users(*state);
	assert_string_equal(host_map_get(&host, HOST_users, "1"), USER "1");
	host_done(&host);
	needed = (1 << 20) + 1;
	host = read_users(*state);
	assert_false(host.seen[HOST_users]);
	assert_int_equal(asked, 0);
	host_done(&host);
}

static void test_users_senseless(void **state)
{
	static const unsigned pids[] = {3, 4, 5, 8};
	struct host host;

	make_processes(*state, pids, ARRAY_SIZE(pids));
	needed = 8192; /* the name of 8 is as long as that, and so no text of a host */
	host = read_users(*state);
	assert_false(host.seen[HOST_users]);
	assert_int_equal(asked, 4);
	host_done(&host);
}

static void test_users_of_nobody(void **state)
{
	struct host host = read_users(*state);

	assert_false(host.seen[HOST_users]);
	host_done(&host);
	host_read_users(-1, NULL, &host);
	assert_false(host.seen[HOST_users]);
	host_done(&host);
}

/* The name service is asked about nobody who is in the file, and the first entry counts. */
static void test_users_of_the_file(void **state)
{
	static const unsigned pids[] = {1, 11, 2, 6};
	static const char *const names[] = {"root",   "+nis", "bin",          "sys",
	                                    "daemon", "-nis", "daemon again", NULL};
	struct host host;

	needed = 0;
	entries = names;
	make_processes(*state, pids, ARRAY_SIZE(pids));
	host = read_users(*state);
	entries = NULL;
	assert_int_equal(host.maps[HOST_users].count, 3);
	assert_string_equal(host_map_get(&host, HOST_users, "1"), "daemon");
	assert_string_equal(host_map_get(&host, HOST_users, "2"), "bin");
	assert_string_equal(host_map_get(&host, HOST_users, "6"), USER "6");
	assert_int_equal(asked, 1);
	host_done(&host);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_users_once_each),    in_tree(test_users_of_some),
	        in_tree(test_users_long_entries), in_tree(test_users_senseless),
	        in_tree(test_users_of_nobody),    in_tree(test_users_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
