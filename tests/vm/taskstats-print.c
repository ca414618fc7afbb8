// SPDX-License-Identifier: GPL-2.0-or-later
#include "taskstats-print.h"

#include <dirent.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	HEADER = sizeof(struct nlattr),
	MESSAGE_HEADERS = sizeof(struct nlmsghdr) + sizeof(struct genlmsghdr)
};

static size_t aligned(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* One attribute is all that is ever asked with. */
struct request {
	struct nlmsghdr message;
	struct genlmsghdr command;
	struct nlattr attribute;
	char value[16];
};

static char reply[8192];

/* Sends one request and receives one reply; returns where its attributes begin, or NULL for an error. */
static const char *ask(int fd, unsigned short family, unsigned char command, unsigned short type,
                       const void *value, unsigned short len, const char **ret_end)
{
	struct request request = {
	        .message = {.nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST},
	        .command = {.cmd = command, .version = 1},
	        .attribute = {.nla_type = type, .nla_len = (unsigned short)(HEADER + len)},
	};
	const struct nlmsghdr *message = (const struct nlmsghdr *)(const void *)reply;
	ssize_t got;

	memcpy(request.value, value, len);
	request.message.nlmsg_len = (unsigned)(MESSAGE_HEADERS + HEADER + aligned(len));
	if (send(fd, &request, request.message.nlmsg_len, 0) < 0)
		return NULL;
	got = recv(fd, reply, sizeof(reply), 0);
	if (got < (ssize_t)sizeof(*message) || message->nlmsg_len > got ||
	    message->nlmsg_type == NLMSG_ERROR)
		return NULL;
	*ret_end = reply + message->nlmsg_len;
	return reply + MESSAGE_HEADERS;
}

/* The attribute of that type, or NULL. */
static const struct nlattr *attribute(const char *at, const char *end, unsigned short type)
{
	while (end - at >= HEADER) {
		const struct nlattr *found = (const struct nlattr *)(const void *)at;

		if (found->nla_len < HEADER || found->nla_len > end - at)
			return NULL;
		if (found->nla_type == type)
			return found;
		at += aligned(found->nla_len);
	}
	return NULL;
}

static void print_one(int fd, unsigned short family, const char *kind, unsigned short ask_type,
                      unsigned short reply_type, unsigned id)
{
	const char *end, *at = ask(fd, family, TASKSTATS_CMD_GET, ask_type, &id, sizeof(id), &end);
	const struct nlattr *all, *stats;

	if (at == NULL || (all = attribute(at, end, reply_type)) == NULL)
		return;
	end = (const char *)all + all->nla_len;
	stats = attribute((const char *)all + HEADER, end, TASKSTATS_TYPE_STATS);
	if (stats == NULL)
		return;
	printf("%s %u ", kind, id);
	for (unsigned i = HEADER; i < stats->nla_len; i++)
		printf("%02x", ((const unsigned char *)stats)[i]);
	putchar('\n');
}

int taskstats_print(char **pids)
{
	static const char name[] = TASKSTATS_GENL_NAME;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	const struct nlattr *id;
	const char *at, *end;
	unsigned short family;

	if (fd < 0)
		return 1;
	at = ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, name, sizeof(name),
	         &end);
	if (at == NULL || (id = attribute(at, end, CTRL_ATTR_FAMILY_ID)) == NULL)
		return 1;
	memcpy(&family, (const char *)id + HEADER, sizeof(family));
	for (; *pids != NULL; pids++) {
		struct dirent *entry;
		char path[64];
		DIR *tasks;

		snprintf(path, sizeof(path), "/proc/%s/task", *pids);
		tasks = opendir(path);
		while (tasks != NULL && (entry = readdir(tasks)) != NULL)
			if (entry->d_name[0] != '.')
				print_one(fd, family, "thread", TASKSTATS_CMD_ATTR_PID,
				          TASKSTATS_TYPE_AGGR_PID, (unsigned)atoi(entry->d_name));
		if (tasks != NULL)
			closedir(tasks);
		print_one(fd, family, "process", TASKSTATS_CMD_ATTR_TGID, TASKSTATS_TYPE_AGGR_TGID,
		          (unsigned)atoi(*pids));
	}
	close(fd);
	return 0;
}
