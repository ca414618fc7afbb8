/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* descriptor-socket - messages with a descriptor in them, between two processes. */
#include <stddef.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"

/* Sends a message whole, without waiting, and a descriptor with it unless @fd is -1. Returns 0 or -errno. */
must_check_ int descriptor_socket_send(int socket, const void *bytes, size_t len, int fd);

/* Waits for a message of at most @len bytes. Returns its length, 0 where the other side is gone, or -errno; -EMSGSIZE
 * for a longer one. Where @ret_fd is NULL, descriptors are refused; else it is the one received, or -1. */
must_check_ ssize_t descriptor_socket_receive(int socket, void *bytes, size_t len, int *ret_fd);
