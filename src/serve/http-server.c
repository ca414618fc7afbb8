// SPDX-License-Identifier: GPL-2.0-or-later
/* libmicrohttpd is loaded when somebody wants to be served, as it brings ten other libraries. Each response ends its connection: a client
 * that is idle holds none. */
#include "http-server.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/library.h"
#include "base/mem.h"

struct microhttpd {
	__typeof__(&MHD_start_daemon) start;
	__typeof__(&MHD_run) run;
	__typeof__(&MHD_get_timeout) timeout;
	__typeof__(&MHD_get_daemon_info) info;
	__typeof__(&MHD_get_connection_info) connection_info;
	__typeof__(&MHD_lookup_connection_value) field;
	__typeof__(&MHD_create_response_from_buffer) make;
	__typeof__(&MHD_add_response_header) add_field;
	__typeof__(&MHD_queue_response) queue;
	__typeof__(&MHD_destroy_response) destroy;
};

struct connection {
	bool is_open;
	int fd; /* the library's */
	uint64_t until_ns;
};

struct http_server {
	struct microhttpd library;
	struct MHD_Daemon *daemon; /* owned */
	http_answerer *answer;
	void *context;
	int fd;
	struct connection connections[HTTP_CONNECTIONS_MAX];
};

/* It stays loaded. */
static bool load(struct microhttpd *of)
{
	void *library = library_open("libmicrohttpd.so.12");

	return library && library_find(library, "MHD_start_daemon", &of->start) &&
	       library_find(library, "MHD_run", &of->run) &&
	       library_find(library, "MHD_get_timeout", &of->timeout) &&
	       library_find(library, "MHD_get_daemon_info", &of->info) &&
	       library_find(library, "MHD_get_connection_info", &of->connection_info) &&
	       library_find(library, "MHD_lookup_connection_value", &of->field) &&
	       library_find(library, "MHD_create_response_from_buffer", &of->make) &&
	       library_find(library, "MHD_add_response_header", &of->add_field) &&
	       library_find(library, "MHD_queue_response", &of->queue) &&
	       library_find(library, "MHD_destroy_response", &of->destroy);
}

/* The body of the library is the response itself. */
static struct MHD_Response *response_of(struct http_body *body)
{
	return (struct MHD_Response *)body;
}

static struct MHD_Response *make_response(const struct microhttpd *library, void *text, size_t len,
                                          enum MHD_ResponseMemoryMode mode, const char *type)
{
	struct MHD_Response *response = library->make(len, text, mode);

	if (!response || library->add_field(response, "Content-Type", type) != MHD_YES ||
	    library->add_field(response, "Connection", "close") != MHD_YES ||
	    library->add_field(response, "Cache-Control", "no-store") != MHD_YES ||
	    library->add_field(response, "X-Content-Type-Options", "nosniff") != MHD_YES)
		mem_exhausted();
	return response;
}

struct http_body *http_body_new(struct http_server *server, struct strbuf *text, const char *type)
{
	size_t len = text->len;
	char *bytes = text->data ? text->data : mem_copy("", 0);

	*text = STRBUF_INIT;
	return (struct http_body *)make_response(&server->library, bytes, len,
	                                         MHD_RESPMEM_MUST_FREE, type);
}

void http_body_free(struct http_server *server, struct http_body *body)
{
	if (body)
		server->library.destroy(response_of(body));
}

static const char *words_of(unsigned status)
{
	switch (status) {
	case MHD_HTTP_NOT_FOUND:
		return "Not found; there is /metrics.\n";
	case MHD_HTTP_METHOD_NOT_ALLOWED:
		return "Only GET and HEAD are answered.\n";
	case MHD_HTTP_FORBIDDEN:
		return "Only requests to an address of loopback are answered.\n";
	case MHD_HTTP_SERVICE_UNAVAILABLE:
		return "There is no window yet.\n";
	default:
		return "The window cannot be printed.\n";
	}
}

static enum MHD_Result send_words(const struct http_server *server,
                                  struct MHD_Connection *connection, unsigned status)
{
	const struct microhttpd *library = &server->library;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct MHD_Response *response;
	enum MHD_Result r;

	strbuf_add_str(&text, words_of(status));
	response = make_response(library, text.data, text.len, MHD_RESPMEM_MUST_COPY,
	                         "text/plain; charset=utf-8");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)library->add_field(response, "Allow", "GET, HEAD");
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
		(void)library->add_field(response, "Retry-After", "1");
	r = library->queue(connection, status, response);
	library->destroy(response);
	return r;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *path, const char *method, unused_ const char *version,
                                  unused_ const char *upload, unused_ size_t *upload_len,
                                  unused_ void **of_request)
{
	const struct http_server *server = context;
	const struct microhttpd *library = &server->library;
	struct http_answer answer;

	/* Bytes that a client would send behind the head are not read. */
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return send_words(server, connection, MHD_HTTP_METHOD_NOT_ALLOWED);
	answer = server->answer(server->context, path,
	                        library->field(connection, MHD_HEADER_KIND, "Host"),
	                        library->field(connection, MHD_HEADER_KIND, "Accept"));
	if (!answer.body)
		return send_words(server, connection, answer.status);
	return library->queue(connection, answer.status, response_of(answer.body));
}

/* Notes when a connection has to end. */
static void on_connection(void *context, struct MHD_Connection *connection, void **of_socket,
                          enum MHD_ConnectionNotificationCode what)
{
	struct http_server *server = context;
	const union MHD_ConnectionInfo *info;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		struct connection *closed = *of_socket;

		if (closed)
			closed->is_open = false;
		return;
	}
	*of_socket = NULL;
	info = server->library.connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	for (size_t i = 0; info && i < ARRAY_SIZE(server->connections); i++) {
		struct connection *entry = &server->connections[i];

		if (entry->is_open)
			continue;
		*entry = (struct connection){.is_open = true,
		                             .fd = info->connect_fd,
		                             .until_ns = clock_now_ns(CLOCK_MONOTONIC) +
		                                         HTTP_SECONDS * NS_PER_SECOND};
		*of_socket = entry;
		return;
	}
}

int http_server_open(int listen_fd, http_answerer *answer, void *context, struct http_server **ret)
{
	struct http_server *server = mem_calloc(1, sizeof(*server));
	const union MHD_DaemonInfo *info;

	server->answer = answer;
	server->context = context;
	if (!load(&server->library)) {
		free(server);
		return -ENOSYS;
	}
	server->daemon = server->library.start(
	        MHD_USE_EPOLL | MHD_USE_ITC, 0, NULL, NULL, on_request, server,
	        MHD_OPTION_LISTEN_SOCKET, listen_fd, MHD_OPTION_CONNECTION_LIMIT,
	        (unsigned)HTTP_CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
	        (unsigned)HTTP_SILENT_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
	        (size_t)HTTP_CONNECTION_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1,
	        MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_END);
	info = server->daemon ? server->library.info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)
	                      : NULL;
	if (!info) {
		free(server);
		return -EIO;
	}
	server->fd = info->epoll_fd;
	*ret = server;
	return 0;
}

int http_server_fd(const struct http_server *server)
{
	return server->fd;
}

/* Ends the connections whose time is over. Returns the milliseconds up to the next end, or -1. */
static int end_late_ones(struct http_server *server)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC), next_ns = UINT64_MAX;

	for (size_t i = 0; i < ARRAY_SIZE(server->connections); i++) {
		struct connection *connection = &server->connections[i];

		if (!connection->is_open)
			continue;
		if (connection->until_ns <= now_ns)
			(void)shutdown(connection->fd, SHUT_RDWR);
		else if (connection->until_ns < next_ns)
			next_ns = connection->until_ns;
	}
	return next_ns == UINT64_MAX ? -1 : (int)((next_ns - now_ns) / NS_PER_MS) + 1;
}

int http_server_run(struct http_server *server)
{
	MHD_UNSIGNED_LONG_LONG wait_ms = 0;
	int until_ms = end_late_ones(server);

	(void)server->library.run(server->daemon);
	if (server->library.timeout(server->daemon, &wait_ms) != MHD_YES)
		return until_ms;
	if (until_ms >= 0 && wait_ms > (MHD_UNSIGNED_LONG_LONG)until_ms)
		return until_ms;
	return wait_ms > 60000 ? 60000 : (int)wait_ms;
}
