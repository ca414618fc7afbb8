/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* http - requests to servers of ClickHouse by libcurl, which is loaded when the first one is made: no other command pays for it. */
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

struct http;

/* Returns NULL with a sentence if there is no libcurl. The user and the password of CLICKHOUSE_USER and CLICKHOUSE_PASSWORD go with each
 * request. Free it with http_freep(). */
must_check_ struct http *http_new(struct strbuf *reterr);
void http_freep(struct http **http);

/* Sends a request with @body, which is borrowed, to HOST:PORT. @query is the part of the URL from '?' on. The answer is appended to
 * @ret_answer; one of more than @most bytes is a failure. Returns 0; -EAGAIN if the server cannot be reached or cannot do it now; -EIO
 * if it refuses the request. After an error, it is not known whether the server has done the request, and @reterr has a line, in
 * which a server may say anything. */
must_check_ int http_post(struct http *http, const char *host, const char *query, const void *body,
                          size_t len, size_t most, struct strbuf *ret_answer,
                          struct strbuf *reterr);

/* Appends @text as a part of a URL. */
void http_add_escaped(struct strbuf *out, const char *text);
