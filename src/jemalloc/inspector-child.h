/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* inspector-child - the helper process that looks into files, and what it and its parent say to each other. */
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "elf-file.h"

enum { INSPECTOR_LINK_MAX = 256 };

/* Parent to child: look into the file that comes with this. */
struct inspector_question {
	uint32_t machine;
};

/* Parent to child: the debugging information that was asked for, with its file; or an errno, without. */
struct inspector_debug_file {
	int32_t error;
};

enum inspector_reply_kind { INSPECTOR_RESULT, INSPECTOR_WANTS_DEBUG_FILE };

/* Child to parent. Either knows that the other one may be broken: all is checked. */
struct inspector_reply {
	uint32_t kind;
	uint32_t tag;
	uint32_t is_found;
	uint32_t has_slot;
	uint64_t slot_address;
	int64_t allocated;
	int64_t deallocated;
	uint64_t first_address;
	uint64_t first_offset;
	/* Of a debug file. */
	uint32_t build_id_len;
	uint8_t build_id[ELF_BUILD_ID_MAX];
	char link[INSPECTOR_LINK_MAX]; /* with a NUL; empty where there is none */
};

/* The whole life of the child, whose end of the socket is @socket. @guard_fd, or -1, is kept open. Without anything to do for
 * a second it ends. */
noreturn_ void inspector_child_run(int socket, int guard_fd, pid_t parent);
