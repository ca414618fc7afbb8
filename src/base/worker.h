/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* worker - threads that take no signals, and waiting with a deadline. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

/* Creates a thread with all signals blocked: they are for the thread that waits for them. @name may be NULL. Returns false where the system has no
 * thread to give. */
must_check_ bool worker_start(pthread_t *ret_thread, void *(*run)(void *), void *context,
                              const char *name);

/* Gives the calling thread a table of descriptors of its own, which saves the lock of the shared one, and counting the users of its
 * files. If that is refused, reading is only slower. */
void worker_own_descriptors(void);
/* Does so, and closes all but @fd in it. If that is refused, all of them are the shared ones. */
void worker_keep_descriptor(int fd);

/* A condition whose deadlines are of CLOCK_MONOTONIC, and a wait until @until_ns at most. */
void worker_cond_init(pthread_cond_t *condition);
void worker_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t until_ns);
