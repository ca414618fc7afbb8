/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* helper-program - starts helper processes. They run a program of their own, ctprof-jemalloc, which alone parses
 * files of others. */
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"

/* The descriptors that a helper process has when its program begins, beside /dev/null as the standard ones. */
enum {
	HELPER_SOCKET = 3, /* the helper's end of the socket */
	HELPER_GUARD = 4,  /* that of the struct helper_guard, if there is one */
};

enum helper_purpose {
	HELPER_FOR_FILES, /* opens files that processes have mapped, and has them parsed by a process of its own */
	HELPER_FOR_MEMORY, /* stops threads, and reads the memory of processes */
	HELPER_PURPOSES,
};

/* The first argument of the program. The second one is the version of ctprof. */
extern const char *const helper_purpose_names[HELPER_PURPOSES];
/* The capabilities of each: bits 1 << CAP_... */
extern const uint64_t helper_capabilities[HELPER_PURPOSES];

/* Starts a helper process. Its program executes with those capabilities of its purpose that this thread has; the
 * kernel gives root's programs all, and the program gives up what it does not need. @guard_fd may be -1. No code of
 * ours runs between the making of the process and its program (posix_spawn(3)). Returns 0; -ENOPKG where no
 * program can be trusted, see helper_program_find(), or executed; or another -errno. The caller owns @ret_socket and reaps @ret_pid. */
must_check_ int helper_program_start(enum helper_purpose purpose, int guard_fd, pid_t *ret_pid,
                                     int *ret_socket);

/* Finds the program in the directory @directory. Only users who can change the running program, @own, may be able to change it: the
 * directory and the program belong to root or to the owner of @own, and others cannot write them; nor can a group, unless
 * the same group can write @own. Returns an O_PATH descriptor, or -ENOPKG. */
must_check_ int helper_program_find(const char *directory, const struct stat *own);
