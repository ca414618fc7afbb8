/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* serve-address - where record --serve listens: an address of this host in numbers, and a port. No name is looked up. */
#include <stdbool.h>
#include <sys/socket.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

struct serve_address {
	struct sockaddr_storage socket;
	socklen_t len;
	bool is_loopback;
};

/* Parses PORT, HOST:PORT or [HOST]:PORT; without a host, and with "localhost", it is 127.0.0.1. Returns false, with a sentence in
 * @reterr. */
bool serve_address_parse(const char *text, struct serve_address *ret, struct strbuf *reterr);

/* Appends HOST:PORT of a socket's own address. */
void serve_address_add(int socket, struct strbuf *out);

/* Returns whether the field Host of a request names loopback: 127.0.0.0/8, [::1] or localhost, with a port or without. A page that a
 * browser has of elsewhere names another host, even if that name leads here. */
bool serve_host_is_loopback(const char *host);
