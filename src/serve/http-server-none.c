// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "http-server.h"

int http_server_open(unused_ int listen_fd, unused_ http_answerer *answer, unused_ void *context,
                     unused_ struct http_server **ret)
{
	return -ENOSYS;
}

int http_server_fd(unused_ const struct http_server *server)
{
	return -1;
}

int http_server_run(unused_ struct http_server *server)
{
	return -1;
}

struct http_body *http_body_new(unused_ struct http_server *server, unused_ struct strbuf *text,
                                unused_ const char *type)
{
	return NULL;
}

void http_body_free(unused_ struct http_server *server, unused_ struct http_body *body)
{
}
