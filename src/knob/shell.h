/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* shell - command lines of the user, each in a session of its own. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

struct shell {
	pid_t pid; /* of the leader of its session, our child; 0: none */
	int pidfd; /* owned */
	int go_fd; /* owned: it runs when a byte is written here, and ends if this is closed before */
	uint64_t
	        start_ticks; /* field 22 of /proc/PID/stat: with the pid it names one process of this boot */
};

#define SHELL_INIT ((struct shell){.pidfd = -1, .go_fd = -1})

/* Starts a process that waits for shell_go(), in the directory @directory_fd. Standard input is /dev/null; @output_fd, or /dev/null if it is -1, is the output.
 * Nothing else is open there. Returns 0 or -errno. */
must_check_ int shell_start(struct shell *shell, const char *command, int directory_fd,
                            int output_fd);

/* Lets it run. Returns 0 or -errno. */
must_check_ int shell_go(struct shell *shell);

/* Waits until the leader has ended. @stop_fd has input where the wait is to end; -1: none. Returns 0 with the status of wait(2), -EINTR by
 * @stop_fd, or -ETIME after @wait_ms, if that is not negative; the shell still runs then. */
must_check_ int shell_wait(struct shell *shell, int stop_fd, int wait_ms, int *ret_status);

/* Ends all processes of the shell's session: by SIGTERM, and after 5 s by SIGKILL. Returns false where some have not
 * ended. Frees the shell. */
bool shell_end(struct shell *shell);

/* Does so for a session whose leader may be no child of ours, or may be gone. */
bool shell_end_session(pid_t session, uint64_t start_ticks);

/* Appends how a command ended: "exit status 3", "killed by signal 9". */
void shell_add_status(struct strbuf *out, int status);
