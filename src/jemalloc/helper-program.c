// SPDX-License-Identifier: GPL-2.0-or-later
#include "helper-program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"

/* The program's descriptor comes behind those that the new process keeps. Those of this process are moved above all of
 * them first. */
enum { PROGRAM = HELPER_GUARD + 1, ABOVE = 16 };

static const char name[] = "ctprof-jemalloc";

const char *const helper_purpose_names[HELPER_PURPOSES] = {
        [HELPER_FOR_FILES] = "files",
        [HELPER_FOR_MEMORY] = "memory",
};

/* For files: to follow links in /proc to files that others have mapped, and to read files of others. For memory: to trace, to read
 * the memory of others, and a real-time priority while threads are stopped. */
const uint64_t helper_capabilities[HELPER_PURPOSES] = {
        [HELPER_FOR_FILES] = UINT64_C(1) << CAP_SYS_PTRACE | UINT64_C(1) << CAP_DAC_READ_SEARCH |
                             UINT64_C(1) << CAP_CHECKPOINT_RESTORE,
        [HELPER_FOR_MEMORY] = UINT64_C(1) << CAP_SYS_PTRACE | UINT64_C(1) << CAP_SYS_NICE,
};

static bool is_trusted(int fd, mode_t type, const struct stat *own)
{
	struct stat status;

	return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type &&
	       (status.st_uid == 0 || status.st_uid == own->st_uid) &&
	       !(status.st_mode & (S_ISUID | S_IWOTH)) &&
	       (!(status.st_mode & S_IWGRP) ||
	        (status.st_gid == own->st_gid && (own->st_mode & S_IWGRP)));
}

int helper_program_find(const char *directory, const struct stat *own)
{
	cleanup_(fd_closep) int dir_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = dir_fd < 0 || !is_trusted(dir_fd, S_IFDIR, own)
	                 ? -1
	                 : openat(dir_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && !is_trusted(fd, S_IFREG, own))
		fd_closep(&fd);
	return fd < 0 ? -ENOPKG : fd;
}

/* Finds the program beside the one that runs, as in a build directory, or else where it is installed. A program with more rights
 * than its user (AT_SECURE) may have been given another name by a link, and looks at the second place only. */
static int find(void)
{
	static const char self[] = "/proc/self/exe";
	char directory[PATH_MAX], *slash;
	struct stat own;
	ssize_t len;
	int fd = -ENOPKG;

	if (stat(self, &own) < 0)
		return -ENOPKG;
	len = getauxval(AT_SECURE) ? -1 : readlink(self, directory, sizeof(directory) - 1);
	directory[len < 0 ? 0 : len] = '\0';
	slash = strrchr(directory, '/');
	if (slash) {
		slash[1] = '\0';
		fd = helper_program_find(directory, &own);
	}
	return fd < 0 ? helper_program_find(CTPROF_LIBEXEC, &own) : fd;
}

/* The capabilities that a program keeps which this thread executes. */
struct passed {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct before[_LINUX_CAPABILITY_U32S_3];
	uint64_t raised;
};

/* Capabilities are those of a thread: no other one executes with them. A failure leaves the helper without. */
static void pass_capabilities(uint64_t capabilities, struct passed *passed)
{
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	*passed = (struct passed){.header.version = _LINUX_CAPABILITY_VERSION_3};
	if (syscall(SYS_capget, &passed->header, passed->before) < 0)
		return;
	memcpy(sets, passed->before, sizeof(sets));
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		sets[i].inheritable |= sets[i].permitted & (uint32_t)(capabilities >> (32 * i));
	if (syscall(SYS_capset, &passed->header, sets) < 0)
		return;
	for (unsigned i = 0; i < 64; i++)
		if (capabilities >> i & 1 &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, i, 0, 0) == 0 &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, i, 0, 0) == 0)
			passed->raised |= UINT64_C(1) << i;
}

static void take_capabilities_back(const struct passed *passed)
{
	struct __user_cap_header_struct header = passed->header;

	for (unsigned i = 0; i < 64; i++)
		if (passed->raised >> i & 1)
			(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, i, 0, 0);
	(void)syscall(SYS_capset, &header, passed->before);
}

/* The places of the descriptors in the new process. All others are closed there, also those without O_CLOEXEC. */
static int place(posix_spawn_file_actions_t *actions, int program, int socket, int guard_fd)
{
	int r = posix_spawn_file_actions_adddup2(actions, socket, HELPER_SOCKET);

	if (r == 0)
		r = guard_fd < 0
		            ? posix_spawn_file_actions_addclose(actions, HELPER_GUARD)
		            : posix_spawn_file_actions_adddup2(actions, guard_fd, HELPER_GUARD);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(actions, program, PROGRAM);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && r == 0; fd++)
		r = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR, 0);
	return r == 0 ? posix_spawn_file_actions_addclosefrom_np(actions, PROGRAM + 1) : r;
}

/* Signals stay blocked until the helper ignores them. A program with more rights than its user passes no environment. */
static int spawn(enum helper_purpose purpose, const posix_spawn_file_actions_t *actions,
                 pid_t *ret_pid)
{
	char *const arguments[] = {(char *)(uintptr_t)name,
	                           (char *)(uintptr_t)helper_purpose_names[purpose],
	                           (char *)(uintptr_t)CTPROF_VERSION, NULL};
	char *const none[] = {NULL};
	posix_spawnattr_t attributes;
	char path[32];
	sigset_t all;
	int r;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", (int)PROGRAM);
	sigfillset(&all);
	r = posix_spawnattr_init(&attributes);
	if (r != 0)
		return -r;
	r = posix_spawnattr_setsigmask(&attributes, &all);
	if (r == 0)
		r = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	if (r == 0)
		r = posix_spawn(ret_pid, path, actions, &attributes, arguments,
		                getauxval(AT_SECURE) ? none : environ);
	(void)posix_spawnattr_destroy(&attributes);
	return r == 0 || r == EAGAIN || error_is_own(-r) ? -r : -ENOPKG;
}

static int move_up(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE);

	return moved < 0 ? -errno : moved;
}

int helper_program_start(enum helper_purpose purpose, int guard_fd, pid_t *ret_pid, int *ret_socket)
{
	cleanup_(fd_closep) int program = find(), moved_program = -1, moved_guard = -1,
	                        moved_socket = -1;
	int sockets[2], r;
	posix_spawn_file_actions_t actions;
	struct passed passed;
	pid_t pid = -1;

	if (program < 0)
		return program;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	moved_program = move_up(program);
	moved_socket = move_up(sockets[1]);
	moved_guard = guard_fd < 0 ? -1 : move_up(guard_fd);
	close(sockets[1]);
	r = moved_program < 0 || moved_socket < 0 || (guard_fd >= 0 && moved_guard < 0) ? -EMFILE
	                                                                                : 0;
	if (r == 0)
		r = -posix_spawn_file_actions_init(&actions);
	if (r == 0) {
		r = -place(&actions, moved_program, moved_socket, moved_guard);
		pass_capabilities(helper_capabilities[purpose], &passed);
		if (r == 0)
			r = spawn(purpose, &actions, &pid);
		take_capabilities_back(&passed);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	if (r < 0) {
		close(sockets[0]);
		return r;
	}
	*ret_pid = pid;
	*ret_socket = sockets[0];
	return 0;
}
