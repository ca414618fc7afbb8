// SPDX-License-Identifier: GPL-2.0-or-later
#include "http.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/mem.h"

enum { CONNECT_SECONDS = 10, SILENT_SECONDS = 300, REQUEST_SECONDS = 3600, REASON_BYTES = 300 };
/* A server that sends less than this for SILENT_SECONDS is silent. */
enum { SPEED_LEAST = 1024 };

/* Functions of libcurl. It needs thirty other libraries. */
struct curl {
	__typeof__(&curl_easy_init) init;
	__typeof__(&curl_easy_setopt) set;
	__typeof__(&curl_easy_perform) perform;
	__typeof__(&curl_easy_getinfo) get;
	__typeof__(&curl_easy_cleanup) cleanup;
	__typeof__(&curl_easy_strerror) reason;
	__typeof__(&curl_slist_append) append;
	__typeof__(&curl_slist_free_all) free_all;
};

struct http {
	struct curl curl;
	CURL *handle;              /* owned; it keeps connections */
	struct curl_slist *fields; /* of the head of each request; owned */
};

struct answer {
	struct strbuf *text; /* borrowed */
	size_t most;
	bool is_long;
};

/* A library that libcurl needs for other protocols prepares itself when it is loaded, and says so on standard error if it lacks memory,
 * but for this variable. */
static void *open_library(const char *name)
{
	static const char variable[] = "GNUTLS_NO_IMPLICIT_INIT";
	bool is_set = getenv(variable) != NULL;
	void *library;

	if (!is_set && setenv(variable, "1", 0) < 0)
		mem_exhausted();
	library = library_open(name);
	if (!is_set)
		unsetenv(variable);
	return library;
}

/* It stays loaded. */
static bool load(struct curl *curl)
{
	void *library = open_library("libcurl.so.4");

	if (!library)
		library = open_library("libcurl-gnutls.so.4");
	return library && library_find(library, "curl_easy_init", &curl->init) &&
	       library_find(library, "curl_easy_setopt", &curl->set) &&
	       library_find(library, "curl_easy_perform", &curl->perform) &&
	       library_find(library, "curl_easy_getinfo", &curl->get) &&
	       library_find(library, "curl_easy_cleanup", &curl->cleanup) &&
	       library_find(library, "curl_easy_strerror", &curl->reason) &&
	       library_find(library, "curl_slist_append", &curl->append) &&
	       library_find(library, "curl_slist_free_all", &curl->free_all);
}

static void add_field(struct http *http, const char *field)
{
	struct curl_slist *fields = http->curl.append(http->fields, field);

	if (!fields)
		mem_exhausted();
	http->fields = fields;
}

/* Adds a field whose value is in the environment. Returns false if the value would end the field. */
static bool add_secret(struct http *http, const char *name, const char *variable)
{
	cleanup_(strbuf_done) struct strbuf field = STRBUF_INIT;
	const char *value = getenv(variable);

	if (!value)
		return true;
	for (const char *c = value; *c; c++)
		if (iscntrl((unsigned char)*c))
			return false;
	/* A field without a value has a semicolon here. */
	strbuf_addf(&field, *value ? "%s: %s" : "%s;", name, value);
	add_field(http, strbuf_str(&field));
	return true;
}

static size_t take(char *bytes, size_t size, size_t count, void *context)
{
	struct answer *answer = context;
	size_t len = size * count;

	answer->is_long = len > answer->most - answer->text->len;
	if (answer->is_long)
		return 0;
	strbuf_add(answer->text, bytes, len);
	return len;
}

static void set_up(struct http *http)
{
	const struct curl *curl = &http->curl;

	curl->set(http->handle, CURLOPT_PROTOCOLS_STR, "http");
	curl->set(http->handle, CURLOPT_PROXY, "");
	curl->set(http->handle, CURLOPT_NOSIGNAL, 1L);
	curl->set(http->handle, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	curl->set(http->handle, CURLOPT_LOW_SPEED_TIME, (long)SILENT_SECONDS);
	curl->set(http->handle, CURLOPT_LOW_SPEED_LIMIT, (long)SPEED_LEAST);
	curl->set(http->handle, CURLOPT_TIMEOUT, (long)REQUEST_SECONDS);
	curl->set(http->handle, CURLOPT_TCP_KEEPALIVE, 1L);
	curl->set(http->handle, CURLOPT_WRITEFUNCTION, take);
	curl->set(http->handle, CURLOPT_HTTPHEADER, http->fields);
}

struct http *http_new(struct strbuf *reterr)
{
	cleanup_(http_freep) struct http *http = mem_calloc(1, sizeof(*http));

	if (!load(&http->curl)) {
		library_add_reason(reterr, "libcurl.so.4");
		return NULL;
	}
	http->handle = http->curl.init();
	if (!http->handle)
		mem_exhausted();
	/* libcurl would ask first, and wait, before it sends much. */
	add_field(http, "Expect:");
	add_field(http, "Content-Type: application/octet-stream");
	if (!add_secret(http, "X-ClickHouse-User", "CLICKHOUSE_USER") ||
	    !add_secret(http, "X-ClickHouse-Key", "CLICKHOUSE_PASSWORD")) {
		strbuf_add_str(reterr, "CLICKHOUSE_USER or CLICKHOUSE_PASSWORD has a control "
		                       "character");
		return NULL;
	}
	set_up(http);
	return take_ptr(http);
}

void http_freep(struct http **pointer)
{
	struct http *http = *pointer;

	if (!http)
		return;
	if (http->handle)
		http->curl.cleanup(http->handle);
	if (http->fields)
		http->curl.free_all(http->fields);
	free(http);
	*pointer = NULL;
}

/* The first line of what the server says; a server may say anything. */
static void add_reason(struct strbuf *reterr, const char *text, size_t len)
{
	size_t line = 0;

	while (line < len && text[line] != '\n' && text[line] != '\r' && text[line] != '\0')
		line++;
	strbuf_add(reterr, text, line < REASON_BYTES ? line : REASON_BYTES);
}

static int judge(long status, const struct answer *answer, size_t before, struct strbuf *reterr)
{
	const char *text = strbuf_str(answer->text) + before;

	if (status == 200)
		return 0;
	strbuf_addf(reterr, "HTTP status %ld: ", status);
	add_reason(reterr, text, answer->text->len - before);
	strbuf_cut(answer->text, before);
	return status >= 500 ? -EAGAIN : -EIO;
}

int http_post(struct http *http, const char *host, const char *query, const void *body, size_t len,
              size_t most, struct strbuf *ret_answer, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf url = STRBUF_INIT;
	const struct curl *curl = &http->curl;
	size_t before = ret_answer->len;
	struct answer answer = {.text = ret_answer, .most = before + most};
	long status = 0;
	CURLcode code;

	strbuf_addf(&url, "http://%s/%s", host, query);
	curl->set(http->handle, CURLOPT_URL, strbuf_str(&url));
	curl->set(http->handle, CURLOPT_POSTFIELDS, body);
	curl->set(http->handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	curl->set(http->handle, CURLOPT_WRITEDATA, &answer);
	code = curl->perform(http->handle);
	if (code == CURLE_OUT_OF_MEMORY)
		mem_exhausted();
	if (code == CURLE_OK) {
		curl->get(http->handle, CURLINFO_RESPONSE_CODE, &status);
		return judge(status, &answer, before, reterr);
	}
	strbuf_cut(ret_answer, before);
	if (answer.is_long) {
		strbuf_add_str(reterr, "its answer is too long");
		return -EIO;
	}
	add_reason(reterr, curl->reason(code), strlen(curl->reason(code)));
	return -EAGAIN;
}

void http_add_escaped(struct strbuf *out, const char *text)
{
	for (const char *c = text; *c; c++) {
		if (isalnum((unsigned char)*c) || strchr("-_.~", *c))
			strbuf_add_char(out, *c);
		else
			strbuf_addf(out, "%%%02X", (unsigned char)*c);
	}
}
