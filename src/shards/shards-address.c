// SPDX-License-Identifier: GPL-2.0-or-later
#include "shards/shards-address.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "base/sha256.h"
#include "fleet/ddl.h"

#define SCHEME "clickhouse://"
#define PORT "8123"

bool shards_is_address(const char *text)
{
	return strncmp(text, SCHEME, strlen(SCHEME)) == 0;
}

void shards_address_done(struct shards_address *address)
{
	for (size_t i = 0; i < address->count; i++)
		free(address->hosts[i]);
	free(address->hosts);
	free(address->database);
	*address = (struct shards_address){0};
}

static bool is_name(const char *text, size_t len)
{
	if (len == 0 || isdigit((unsigned char)text[0]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return true;
}

static bool is_port(const char *text, size_t len)
{
	uint64_t port;

	return scan_u64(text, len, &port) && port > 0 && port <= UINT16_MAX;
}

/* A name, an IPv4 address, or an IPv6 address in brackets. */
static bool is_host(const char *text, size_t len)
{
	const char *more = ".-_";

	if (len > 2 && text[0] == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
		more = ":.";
	}
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr(more, text[i]))
			return false;
	return len > 0;
}

static bool add_host(struct shards_address *address, const char *text, size_t len)
{
	cleanup_(strbuf_done) struct strbuf host = STRBUF_INIT;
	const char *colon = memrchr(text, ':', len);
	size_t name = len;

	if (memchr(text, '\0', len))
		return false;
	/* The last colon may be part of an address in brackets. */
	if (colon && !memchr(colon, ']', len - (size_t)(colon - text)))
		name = (size_t)(colon - text);
	if (!is_host(text, name) || (name < len && !is_port(text + name + 1, len - name - 1)))
		return false;
	strbuf_add(&host, text, len);
	if (name == len)
		strbuf_add_str(&host, ":" PORT);
	*array_add(address->hosts, address->count, address->capacity) =
	        mem_copy(strbuf_str(&host), host.len);
	return true;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns a sentence, or NULL. */
static const char *parse(const char *text, struct shards_address *ret)
{
	size_t hosts = strcspn(text, "/");
	const char *database =
	        text[hosts] == '/' && text[hosts + 1] ? text + hosts + 1 : DDL_DATABASE;

	if (strchr(text, '@'))
		return "a user or a password does not belong into a URL: CLICKHOUSE_USER and "
		       "CLICKHOUSE_PASSWORD have them";
	if (!is_name(database, strlen(database)))
		return "the name of the database has other characters than letters, digits and '_'";
	for (size_t at = 0; at <= hosts;) {
		size_t len = strcspn(text + at, ",/");

		if (!add_host(ret, text + at, len))
			return "it is not clickhouse://HOST:PORT,HOST:PORT/DATABASE";
		at += len + 1;
	}
	qsort(ret->hosts, ret->count, sizeof(ret->hosts[0]), by_bytes);
	for (size_t i = 1; i < ret->count; i++)
		if (strcmp(ret->hosts[i - 1], ret->hosts[i]) == 0)
			return "a server is there twice";
	ret->database = mem_copy_text(database);
	return NULL;
}

int shards_address_parse(const char *text, struct shards_address *ret, struct strbuf *reterr)
{
	cleanup_(shards_address_done) struct shards_address address = {0};
	const char *reason = parse(text + strlen(SCHEME), &address);

	if (reason) {
		strbuf_add_str(reterr, reason);
		return -EINVAL;
	}
	*ret = address;
	address = (struct shards_address){0};
	return 0;
}

size_t shards_address_of(const struct shards_address *address, const char *digest)
{
	char largest[SHA256_HEX_BYTES] = "";
	size_t place = 0;

	for (size_t i = 0; i < address->count; i++) {
		char hex[SHA256_HEX_BYTES];
		struct sha256 hash;

		sha256_init(&hash);
		sha256_add(&hash, digest, strlen(digest));
		sha256_add(&hash, " ", 1);
		sha256_add(&hash, address->hosts[i], strlen(address->hosts[i]));
		sha256_finish(&hash, hex);
		if (strcmp(hex, largest) > 0) {
			memcpy(largest, hex, sizeof(largest));
			place = i;
		}
	}
	return place;
}
