/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* helper-message - the protocol between ctprof and its helper processes, and between these. Each pair has a socket of its own
 * (AF_UNIX, SOCK_SEQPACKET). Every message is one packet, of the length that belongs to its kind, and some carry a
 * descriptor. A question has one answer, and the next question comes after it. Neither side trusts the other one. */
#include <limits.h>
#include <stdint.h>

#include "base/regular-file.h"
#include "ctprof/base/macro.h"
#include "elf-file.h"
#include "jemalloc/jemalloc-inspect.h"

enum { HELPER_LINK_MAX = 256 };

enum helper_message_kind {
	/* To the process that opens files: a file that a process has mapped. Its answer. */
	HELPER_LOOK,
	HELPER_LOOKED,
	/* To the process that parses files, with the file's descriptor. Its answer. */
	HELPER_INSPECT,
	HELPER_INSPECTED,
	/* A question back, before the answer: the file with debugging information. The answer to that, with its descriptor if
	 * there is such a file. */
	HELPER_WANT_DEBUG_FILE,
	HELPER_DEBUG_FILE,
	/* To the process that reads memory: the request lies in memory that both have mapped. The first one has the descriptor
	 * of that memory. Its answer, when the results lie there. */
	HELPER_PROBE,
	HELPER_PROBED,
	HELPER_MESSAGE_KINDS,
};

struct helper_message {
	uint32_t kind;
	union {
		struct {
			uint32_t tgid, tid;
			uint64_t start, end, inode;
			uint32_t allowed; /* enum file_systems */
			char path[PATH_MAX];
		} look;
		struct {
			int32_t result; /* looked: 0, or -errno where the file could not be opened */
			uint32_t tag, is_found, has_slot;
			uint64_t slot_address;
			int64_t allocated, deallocated;
			uint64_t first_address, first_offset;
		} object; /* looked and inspected: a struct jemalloc_object */
		struct {
			uint32_t build_id_len;
			uint8_t build_id[ELF_BUILD_ID_MAX];
			char link[HELPER_LINK_MAX]; /* with a NUL; empty where there is none */
		} wanted;
	};
};

/* Sends a message, without waiting, and a descriptor with it unless @fd is -1. Returns 0 or -errno. */
must_check_ int helper_message_send(int socket, const struct helper_message *message, int fd);

/* Waits for a message. @ret_fd is the descriptor that came with it, or -1; where it is NULL, descriptors are refused. Returns 0,
 * or -EPIPE where the other side is gone or has sent what is no message. */
must_check_ int helper_message_receive(int socket, struct helper_message *ret_message, int *ret_fd);

/* Makes an answer about a file. */
void helper_message_set_object(struct helper_message *message, enum helper_message_kind kind,
                               int result, const struct jemalloc_object *object);

/* Reads an answer about a file. Returns 0, or -EPIPE where the message is none of this kind or makes no sense. */
must_check_ int helper_message_object(const struct helper_message *message,
                                      enum helper_message_kind kind,
                                      struct jemalloc_object *ret_object);
