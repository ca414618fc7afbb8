/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* http-server - answers GET and HEAD by libmicrohttpd, in one thread, which its caller runs. Connections are limited in number, in
 * memory and in time. */
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

struct http_server;

/* The text of a response. Connections that are being answered keep it. */
struct http_body;

struct http_answer {
	unsigned status;
	struct http_body *body; /* borrowed; NULL: the words of the status */
};

/* Answers a request for @path. @host and @accept are fields of it, or NULL. */
typedef struct http_answer http_answerer(void *context, const char *path, const char *host,
                                         const char *accept);

enum {
	HTTP_CONNECTIONS_MAX = 32,
	HTTP_CONNECTION_BYTES = 16 << 10, /* for the head of a request */
	HTTP_SILENT_SECONDS = 10,
	HTTP_SECONDS = 30, /* of a connection, whatever its client does */
};

/* @listen_fd is a listening socket, which is borrowed; the server ends with its process. Returns 0; -ENOSYS without the library; or another -errno. */
must_check_ int http_server_open(int listen_fd, http_answerer *answer, void *context,
                                 struct http_server **ret);

/* Returns a descriptor that can be read when http_server_run() has something to do. */
int http_server_fd(const struct http_server *server);

/* Does what can be done without waiting. Returns the milliseconds after which it is to be called again; -1: when there is
 * something to do. */
int http_server_run(struct http_server *server);

/* Takes @text, and sends it with this type. Never NULL. */
struct http_body *http_body_new(struct http_server *server, struct strbuf *text, const char *type);
/* Gives the text up; connections that are being answered keep it as long as they need it. */
void http_body_free(struct http_server *server, struct http_body *body);
