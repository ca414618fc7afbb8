/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* helper-sandbox - the system calls that a helper process may make (seccomp(2)). All others fail with EPERM. On a kernel
 * without filters nothing changes. */

enum helper_sandbox {
	HELPER_SANDBOX_PARSE, /* memory, reading files, the socket, and an end */
	HELPER_SANDBOX_FILES, /* also to look things up in directories, and to start, limit and end the process that parses */
	HELPER_SANDBOX_MEMORY, /* also to read the memory of processes, and to stop threads, read their registers and let them go */
};

/* Every filter of a process holds, and its children have it. */
void helper_sandbox_enter(enum helper_sandbox sandbox);
