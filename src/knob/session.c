// SPDX-License-Identifier: GPL-2.0-or-later
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scan.h"

enum { STAT_BYTES = 8192 };

/* Field 22 of /proc/PID/stat; the name before may hold anything. */
static bool parse(const char *text, uint64_t *ret_start_ticks)
{
	enum { STATE = 3, START = 22 };
	const char *end = strrchr(text, ')');
	struct span rest, word;

	if (!end)
		return false;
	rest = (struct span){end + 1, strlen(end + 1)};
	for (int field = STATE; field <= START; field++)
		if (!scan_word(&rest, &word))
			return false;
	return scan_u64(word.text, word.len, ret_start_ticks);
}

static int read_start(int proc_fd, pid_t pid, uint64_t *ret)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char name[32];
	int r;

	snprintf(name, sizeof(name), "%d/stat", (int)pid);
	r = fd_read_record_at(proc_fd, name, &text, STAT_BYTES);
	return r < 0 ? r : parse(strbuf_str(&text), ret) ? 0 : -EBADMSG;
}

int session_start_ticks(pid_t pid, uint64_t *ret)
{
	cleanup_(fd_closep) int proc_fd = fd_open_dir_at(AT_FDCWD, "/proc");

	return proc_fd < 0 ? proc_fd : read_start(proc_fd, pid, ret);
}

/* Returns whether the process has ended, threads included; it may be a zombie. */
static bool has_ended(int pidfd)
{
	struct pollfd end = {.fd = pidfd, .events = POLLIN};

	return poll(&end, 1, 0) != 0;
}

/* The descriptor of the process is opened before the process is looked at. getsid(2) waits for nobody, and /proc/PID/stat of a process that
 * executes a program may wait for as long as somebody likes. */
static bool signal_member(uint32_t pid, pid_t session, int signal)
{
	cleanup_(fd_closep) int pidfd = -1;

	if (getsid((pid_t)pid) != session)
		return false;
	pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	if (pidfd < 0 || getsid((pid_t)pid) != session || has_ended(pidfd))
		return false;
	return signal == 0 || syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) == 0 ||
	       errno != ESRCH;
}

int session_signal(pid_t session, uint64_t start_ticks, int signal)
{
	cleanup_(fd_closep) int proc_fd = fd_open_dir_at(AT_FDCWD, "/proc");
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT;
	struct id_list pids = {0};
	uint64_t leader_ticks;
	int r, found = 0;

	if (proc_fd < 0)
		return proc_fd;
	if (read_start(proc_fd, session, &leader_ticks) == 0 && leader_ticks != start_ticks)
		return 0;
	r = fd_list_ids(proc_fd, &pids, &scratch);
	for (size_t i = 0; i < pids.count; i++)
		found += signal_member(pids.ids[i], session, signal);
	id_list_done(&pids);
	return r < 0 ? r : found;
}
