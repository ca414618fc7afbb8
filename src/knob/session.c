// SPDX-License-Identifier: GPL-2.0-or-later
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scan.h"

enum { STAT_BYTES = 8192 };

struct process {
	char state;
	uint64_t session;
	uint64_t start_ticks;
};

/* Fields 3, 6 and 22 of /proc/PID/stat; the name before them may hold anything. */
static bool parse(const char *text, struct process *ret)
{
	enum { STATE = 3, SESSION = 6, START = 22 };
	const char *end = strrchr(text, ')');
	struct span rest, word;

	if (!end)
		return false;
	rest = (struct span){end + 1, strlen(end + 1)};
	for (int field = STATE; field <= START; field++) {
		if (!scan_word(&rest, &word))
			return false;
		if (field == STATE)
			ret->state = word.text[0];
		/* Kernel threads have session 0, and so have processes outside our pid namespace. */
		if (field == SESSION && !scan_u64(word.text, word.len, &ret->session))
			return false;
		if (field == START && !scan_u64(word.text, word.len, &ret->start_ticks))
			return false;
	}
	return true;
}

static int read_process(int proc_fd, uint32_t pid, struct process *ret)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char name[32];
	int r;

	snprintf(name, sizeof(name), "%u/stat", pid);
	r = fd_read_record_at(proc_fd, name, &text, STAT_BYTES);
	return r < 0 ? r : parse(strbuf_str(&text), ret) ? 0 : -EBADMSG;
}

int session_start_ticks(pid_t pid, uint64_t *ret)
{
	cleanup_(fd_closep) int proc_fd = fd_open_dir_at(AT_FDCWD, "/proc");
	struct process process;
	int r = proc_fd < 0 ? proc_fd : read_process(proc_fd, (uint32_t)pid, &process);

	if (r == 0)
		*ret = process.start_ticks;
	return r;
}

/* Returns whether a process is of the session and has not ended. */
static bool is_member(int proc_fd, uint32_t pid, uint64_t session, uint64_t start_ticks)
{
	struct process process;

	return read_process(proc_fd, pid, &process) == 0 && process.session == session &&
	       process.start_ticks >= start_ticks && process.state != 'Z' && process.state != 'X';
}

/* The descriptor of the process is opened before the process is looked at. */
static bool signal_member(int proc_fd, uint32_t pid, uint64_t session, uint64_t start_ticks,
                          int signal)
{
	cleanup_(fd_closep) int pidfd = -1;

	if (!is_member(proc_fd, pid, session, start_ticks))
		return false;
	if (signal == 0)
		return true;
	pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	if (pidfd < 0 || !is_member(proc_fd, pid, session, start_ticks))
		return false;
	return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) == 0 || errno != ESRCH;
}

int session_signal(pid_t session, uint64_t start_ticks, int signal)
{
	cleanup_(fd_closep) int proc_fd = fd_open_dir_at(AT_FDCWD, "/proc");
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT;
	struct id_list pids = {0};
	struct process leader;
	int r, found = 0;

	if (proc_fd < 0)
		return proc_fd;
	if (read_process(proc_fd, (uint32_t)session, &leader) == 0 &&
	    leader.start_ticks != start_ticks)
		return 0;
	r = fd_list_ids(proc_fd, &pids, &scratch);
	for (size_t i = 0; i < pids.count; i++)
		found +=
		        signal_member(proc_fd, pids.ids[i], (uint64_t)session, start_ticks, signal);
	id_list_done(&pids);
	return r < 0 ? r : found;
}
