/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* taskstats-exits - receives the records that the kernel makes of exiting threads, from sockets that have registered
 * for the CPUs on which they exit (CAP_NET_ADMIN in the initial user namespace, and in the initial pid namespace
 * only). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

struct cpu_mask;
struct taskstats_exits;

/* Handles the struct taskstats of a record, and that of the whole process (NULL if it is not the last thread of a process
 * that had several), as the kernel sent them; borrowed until it returns. */
typedef void taskstats_exit_handler(void *context, const void *payload, size_t len,
                                    const void *process, size_t process_len);

/* Registers for the exits on @cpus: others are not seen, so these are all possible CPUs unless the user wants fewer.
 * @buffer_bytes is the room of each socket, 0 for the default; the kernel doubles it. Returns 0, or -errno: -EPERM without the
 * capability, -EINVAL outside of the initial namespaces, -ENOENT and similar errors if the kernel has no such
 * records. */
must_check_ int taskstats_exits_open(const struct cpu_mask *cpus, uint64_t buffer_bytes,
                                     struct taskstats_exits **ret_exits);
void taskstats_exits_freep(struct taskstats_exits **exits);

/* Passes all waiting records to @handle. Never waits. */
void taskstats_exits_read(struct taskstats_exits *exits, taskstats_exit_handler *handle,
                          void *context);

/* Waits until there is a record, or @fd is readable, or @timeout_ms are over. Returns whether @fd is readable. Another thread may read
 * the records meanwhile. */
bool taskstats_exits_wait(struct taskstats_exits *exits, int fd, int timeout_ms);

/* Returns how often the kernel had no room for a record, or for several in a row. */
uint64_t taskstats_exits_overruns(const struct taskstats_exits *exits);

/* Passes the records of one datagram to @handle and skips all but whole records of @family. The message of a process's
 * last thread may have a second structure, of the whole process. @bytes are aligned as a struct nlmsghdr
 * is. */
void taskstats_exits_parse(uint16_t family, void *bytes, size_t len, taskstats_exit_handler *handle,
                           void *context);
