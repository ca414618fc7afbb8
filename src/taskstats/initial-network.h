/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* initial-network - the network namespace that the kernel sends exit records to. Each one takes a registration for such records, but
 * send_cpu_listeners() of kernel/taskstats.c finds the sockets of the initial one only. */
#include <stdbool.h>

#include "ctprof/base/macro.h"

/* Calls @work in the network namespace of process 1, which is the initial one in the initial pid namespace; others may not register.
 * In another namespace a thread of its own enters that (CAP_SYS_ADMIN), so that this one stays where it is. If it is unknown which
 * namespace that is, since /proc/1/ns/net is for who may trace process 1, @work is called here, and @ret_known is false. Returns what
 * @work returns, or -errno if the namespace cannot be entered. */
must_check_ int initial_network_call(int (*work)(void *context), void *context, bool *ret_known);
