// SPDX-License-Identifier: GPL-2.0-or-later
#include "serve/serve-address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

#include "base/scan.h"

enum { HOST_BYTES = 64 };

/* Splits at the colon in front of the port; brackets around the host go. Returns false if the host is too long. */
static bool split(const char *text, char host[HOST_BYTES], const char **ret_port)
{
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;

	/* The colon may be one of an address in brackets. */
	if (colon && strchr(colon, ']')) {
		colon = NULL;
		len = strlen(text);
	}
	*ret_port = colon ? colon + 1 : NULL;
	if (len > 1 && text[0] == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
	} else if (memchr(text, ':', len)) {
		return false;
	}
	if (len >= HOST_BYTES)
		return false;
	memcpy(host, text, len);
	host[len] = '\0';
	return true;
}

static bool is_loopback_v4(struct in_addr address)
{
	return ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET;
}

static bool is_loopback_v6(const struct in6_addr *address)
{
	struct in_addr inside;

	if (!IN6_IS_ADDR_V4MAPPED(address))
		return IN6_IS_ADDR_LOOPBACK(address);
	memcpy(&inside, &address->s6_addr[12], sizeof(inside));
	return is_loopback_v4(inside);
}

static bool set_host(const char *host, uint16_t port, struct serve_address *ret)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};

	if (inet_pton(AF_INET, host, &v4.sin_addr) == 1) {
		memcpy(&ret->socket, &v4, sizeof(v4));
		ret->len = sizeof(v4);
		ret->is_loopback = is_loopback_v4(v4.sin_addr);
		return true;
	}
	if (inet_pton(AF_INET6, host, &v6.sin6_addr) != 1)
		return false;
	memcpy(&ret->socket, &v6, sizeof(v6));
	ret->len = sizeof(v6);
	ret->is_loopback = is_loopback_v6(&v6.sin6_addr);
	return true;
}

bool serve_address_parse(const char *text, struct serve_address *ret, struct strbuf *reterr)
{
	char host[HOST_BYTES] = "";
	const char *port_text = text;
	uint64_t port = 0;
	bool has_colon = strchr(text, ':') != NULL;

	*ret = (struct serve_address){0};
	if (has_colon && !split(text, host, &port_text))
		port_text = NULL;
	if (!port_text || !scan_u64(port_text, strlen(port_text), &port) || port > UINT16_MAX) {
		strbuf_addf(reterr, "'%s' is no PORT, ADDRESS:PORT or [ADDRESS]:PORT, such as 9101",
		            text);
		return false;
	}
	if (host[0] == '\0' || strcasecmp(host, "localhost") == 0)
		return set_host("127.0.0.1", (uint16_t)port, ret);
	if (set_host(host, (uint16_t)port, ret))
		return true;
	strbuf_addf(reterr, "'%s' is no address in numbers", host);
	return false;
}

void serve_address_add(int socket, struct strbuf *out)
{
	struct sockaddr_storage own = {0};
	socklen_t len = sizeof(own);
	char text[INET6_ADDRSTRLEN] = "?";
	unsigned port = 0;

	if (getsockname(socket, (struct sockaddr *)&own, &len) == 0 && own.ss_family == AF_INET) {
		struct sockaddr_in v4;

		memcpy(&v4, &own, sizeof(v4));
		(void)inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
		port = ntohs(v4.sin_port);
	} else if (own.ss_family == AF_INET6) {
		struct sockaddr_in6 v6;

		memcpy(&v6, &own, sizeof(v6));
		(void)inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
		port = ntohs(v6.sin6_port);
	}
	strbuf_addf(out, own.ss_family == AF_INET6 ? "[%s]:%u" : "%s:%u", text, port);
}

bool serve_host_is_loopback(const char *host)
{
	struct serve_address address = {0};
	char name[HOST_BYTES];
	const char *port;

	if (!strchr(host, ':')) {
		if (strlen(host) >= HOST_BYTES)
			return false;
		strcpy(name, host);
	} else if (!split(host, name, &port)) {
		return false;
	}
	if (strcasecmp(name, "localhost") == 0)
		return true;
	return set_host(name, 0, &address) && address.is_loopback;
}
