/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* jemalloc-service - a thread that owns the reader of jemalloc's counters, with its helpers, caches and budget. Other
 * threads send it one request at a time. If a reading stalls, the thread is given up and another one handles the next
 * request. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/stall.h"
#include "jemalloc/jemalloc-read.h"

struct jemalloc_service;

struct jemalloc_request {
	uint32_t tgid;
	ino_t inode; /* of the process's directory, which another process of this number does not have; 0: any */
	const struct id_list *threads; /* NULL: look into its files only, for readings to come */
	const struct known_pointers *known; /* may be NULL */
	struct jemalloc_reader *answer;     /* gets tag and threads; NULL where @threads is */
	bool has_jemalloc;                  /* the answer where @threads is NULL */
	bool is_done;                       /* the service's own */
};

/* @reader, @proc_fd and @stalls are borrowed. If no thread can be created, requests are served by the thread that sends
 * them. Never NULL. */
struct jemalloc_service *jemalloc_service_new(struct jemalloc_reader *reader, int proc_fd,
                                              struct stall_list *stalls);

/* Sends a request and waits until it is done. With @watches the calling thread does what jemalloc_service_watch() does meanwhile;
 * else another thread has to call that. */
void jemalloc_service_ask(struct jemalloc_service *service, struct jemalloc_request *request,
                          bool watches);

/* Gives up a request that has stalled: its tag is PROBE_TAG_stalled. @now_ns is of CLOCK_MONOTONIC. */
void jemalloc_service_watch(struct jemalloc_service *service, uint64_t now_ns);

/* Ends the thread. No request is under way. */
void jemalloc_service_free(struct jemalloc_service *service);
