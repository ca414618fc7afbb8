// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes the place of http.c in a build without libcurl: nothing can be made, and the other functions are never called. */
#include <errno.h>

#include "http.h"

struct http *http_new(struct strbuf *reterr)
{
	strbuf_add_str(reterr, "this ctprof was built without libcurl");
	return NULL;
}

void http_freep(struct http **http)
{
	(void)http;
}

int http_post(struct http *http, const char *host, const char *query, const void *body, size_t len,
              size_t most, struct strbuf *ret_answer, struct strbuf *reterr)
{
	(void)http;
	(void)host;
	(void)query;
	(void)body;
	(void)len;
	(void)most;
	(void)ret_answer;
	(void)reterr;
	return -EIO;
}
