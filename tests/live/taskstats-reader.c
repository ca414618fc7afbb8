// SPDX-License-Identifier: GPL-2.0-or-later
/* taskstats-reader - a second reading of taskstats, to hold the tool's against. It shares nothing with the tool: its
 * own socket, one request at a time, and the structure written down as a structure, which the compiler compares
 * with the system's header as far as that goes.
 *
 *   taskstats-reader TID...     "tid metric value" for each thread, by the tool's names, and elapsed_ns
 *   taskstats-reader -g TGID... the same for whole thread groups
 *   taskstats-reader -r TID     the reply's structure as it came, as the bytes of a C array
 *
 * Threads that have exited are passed over. Ends with 77 where this user may not ask, or the layout is another. */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { CANNOT = 77 };

struct delay {
	uint64_t count, total;
};

struct range {
	uint64_t max, min;
};

/* Versions 8 to 14 as far as they go, and from 16 on. */
struct reply {
	uint64_t head[2];
	struct delay cpu, blkio, swapin;
	uint64_t cpu_run_real_total, cpu_run_virtual_total;
	char comm[32];
	uint64_t identity[4];
	uint64_t ac_etime, ac_utime, ac_stime, ac_minflt, ac_majflt;
	uint64_t coremem, virtmem, hiwater_rss, hiwater_vm;
	uint64_t read_char, write_char, read_syscalls, write_syscalls;
	uint64_t read_bytes, write_bytes, cancelled_write_bytes;
	uint64_t nvcsw, nivcsw, ac_utimescaled, ac_stimescaled, cpu_scaled_run_real_total;
	struct delay freepages, thrashing;
	uint64_t ac_btime64;
	struct delay compact;
	uint64_t ac_tgid, ac_tgetime, ac_exe_dev, ac_exe_inode;
	struct delay wpcopy, irq;
	struct range cpu_range, blkio_range, swapin_range, freepages_range, thrashing_range;
	struct range compact_range, wpcopy_range, irq_range;
};

#if TASKSTATS_VERSION != 15
#define SAME(mine_, theirs_) \
	_Static_assert(offsetof(struct reply, mine_) == offsetof(struct taskstats, theirs_), #mine_)
SAME(cpu.count, cpu_count);
SAME(cpu.total, cpu_delay_total);
SAME(blkio.total, blkio_delay_total);
SAME(swapin.total, swapin_delay_total);
SAME(cpu_run_virtual_total, cpu_run_virtual_total);
SAME(ac_etime, ac_etime);
SAME(hiwater_rss, hiwater_rss);
SAME(hiwater_vm, hiwater_vm);
SAME(freepages.total, freepages_delay_total);
#if TASKSTATS_VERSION >= 9
SAME(thrashing.total, thrashing_delay_total);
#endif
#if TASKSTATS_VERSION >= 11
SAME(compact.total, compact_delay_total);
#endif
#if TASKSTATS_VERSION >= 13
SAME(wpcopy.total, wpcopy_delay_total);
#endif
#if TASKSTATS_VERSION >= 16
SAME(irq.total, irq_delay_total);
SAME(cpu_range.max, cpu_delay_max);
SAME(irq_range.min, irq_delay_min);
#endif
#endif

struct named {
	const char *metric;
	size_t offset;
	uint64_t factor;
};

#define AT(member_) offsetof(struct reply, member_)
#define BUCKET(name_)                                               \
	{#name_ "_delay_count", AT(name_.count), 1},                \
	        {#name_ "_delay_total_ns", AT(name_.total), 1},     \
	        {#name_ "_delay_max_ns", AT(name_##_range.max), 1}, \
	{                                                           \
#name_ "_delay_min_ns", AT(name_##_range.min), 1    \
	}

static const struct named of_threads[] = {
        BUCKET(cpu),
        BUCKET(blkio),
        BUCKET(swapin),
        BUCKET(freepages),
        BUCKET(thrashing),
        BUCKET(compact),
        BUCKET(wpcopy),
        BUCKET(irq),
        {"cpu_run_real_total_ns", AT(cpu_run_real_total), 1},
        {"hiwater_rss_bytes", AT(hiwater_rss), 1024},
        {"hiwater_vm_bytes", AT(hiwater_vm), 1024},
        {"elapsed_ns", AT(ac_etime), 1000},
};

#define TOTAL(name_)                                         \
	{#name_ "_delay_count", AT(name_.count), 1},         \
	{                                                    \
#name_ "_delay_total_ns", AT(name_.total), 1 \
	}

static const struct named of_groups[] = {
        {"run_time_ns", AT(cpu_run_virtual_total), 1},
        {"cpu_run_real_total_ns", AT(cpu_run_real_total), 1},
        {"wait_time_ns", AT(cpu.total), 1},
        {"timeslices", AT(cpu.count), 1},
        TOTAL(cpu),
        TOTAL(blkio),
        TOTAL(swapin),
        TOTAL(freepages),
        TOTAL(thrashing),
        TOTAL(compact),
        TOTAL(wpcopy),
        TOTAL(irq),
};

struct message {
	struct nlmsghdr header;
	struct genlmsghdr genl;
	unsigned char data[8192];
};

static void give_up(int status, const char *what)
{
	fprintf(stderr, "taskstats-reader: %s\n", what);
	exit(status);
}

/* One attribute of @len bytes in a message; returns what came back. */
static size_t ask(int fd, uint16_t family, uint8_t command, uint16_t attribute, const void *value,
                  size_t len, struct message *message)
{
	static uint32_t sequence;
	struct nlattr header = {.nla_len = (uint16_t)(sizeof(header) + len), .nla_type = attribute};
	size_t size = offsetof(struct message, data) + sizeof(header) + ((len + 3) & ~(size_t)3);
	ssize_t got;

	memset(message, 0, size);
	message->header.nlmsg_len = (uint32_t)size;
	message->header.nlmsg_type = family;
	message->header.nlmsg_flags = NLM_F_REQUEST;
	message->header.nlmsg_seq = ++sequence;
	message->genl.cmd = command;
	message->genl.version = 1;
	memcpy(message->data, &header, sizeof(header));
	memcpy(message->data + sizeof(header), value, len);
	if (send(fd, message, size, 0) != (ssize_t)size)
		give_up(1, strerror(errno));
	got = recv(fd, message, sizeof(*message), 0);
	if (got < (ssize_t)offsetof(struct message, data) || message->header.nlmsg_seq != sequence)
		give_up(1, "no reply");
	return (size_t)got;
}

/* The attribute of a type, from @from on; its value, or NULL. */
static const unsigned char *find(const unsigned char *from, const unsigned char *end, uint16_t type,
                                 size_t *ret_len)
{
	struct nlattr header;

	while ((size_t)(end - from) >= sizeof(header)) {
		memcpy(&header, from, sizeof(header));
		if (header.nla_len < sizeof(header) || header.nla_len > end - from)
			return NULL;
		if ((header.nla_type & NLA_TYPE_MASK) == type) {
			*ret_len = header.nla_len - sizeof(header);
			return from + sizeof(header);
		}
		from += (header.nla_len + 3) & ~3;
		if (from > end)
			return NULL;
	}
	return NULL;
}

static int error_of(const struct message *message)
{
	int error;

	if (message->header.nlmsg_type != NLMSG_ERROR)
		return 0;
	memcpy(&error, &message->genl, sizeof(error));
	return -error;
}

static uint16_t find_family(int fd)
{
	static const char name[] = TASKSTATS_GENL_NAME;
	struct message message;
	size_t size = ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, name,
	                  sizeof(name), &message);
	const unsigned char *end = (unsigned char *)&message + size, *id;
	size_t len;
	uint16_t family;

	if (error_of(&message) != 0)
		give_up(CANNOT, "the kernel has no taskstats");
	id = find(message.data, end, CTRL_ATTR_FAMILY_ID, &len);
	if (!id || len < sizeof(family))
		give_up(1, "no family");
	memcpy(&family, id, sizeof(family));
	return family;
}

/* Returns the length of the structure, or 0 where the thread has exited. */
static size_t read_one(int fd, uint16_t family, bool group, uint32_t id, struct reply *ret_reply)
{
	struct message message;
	size_t size = ask(fd, family, TASKSTATS_CMD_GET,
	                  group ? TASKSTATS_CMD_ATTR_TGID : TASKSTATS_CMD_ATTR_PID, &id, sizeof(id),
	                  &message);
	const unsigned char *end = (unsigned char *)&message + size, *both, *stats;
	size_t len;
	uint16_t version;

	if (error_of(&message) == ESRCH)
		return 0;
	if (error_of(&message) != 0)
		give_up(error_of(&message) == EPERM ? CANNOT : 1, strerror(error_of(&message)));
	both = find(message.data, end, group ? TASKSTATS_TYPE_AGGR_TGID : TASKSTATS_TYPE_AGGR_PID,
	            &len);
	stats = both ? find(both, both + len, TASKSTATS_TYPE_STATS, &len) : NULL;
	if (!stats || len < sizeof(version))
		give_up(1, "no structure in the reply");
	memcpy(&version, stats, sizeof(version));
	if (version < 8 || version == 15 || (version == 14 && len != 432))
		give_up(CANNOT, "this version of struct taskstats is another one");
	memset(ret_reply, 0, sizeof(*ret_reply));
	memcpy(ret_reply, stats, len < sizeof(*ret_reply) ? len : sizeof(*ret_reply));
	return len;
}

static void print_values(const struct named *named, size_t count, uint32_t id,
                         const struct reply *reply, size_t len)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value;

		if (named[i].offset + sizeof(value) > len)
			continue;
		memcpy(&value, (const char *)reply + named[i].offset, sizeof(value));
		printf("%u %s %llu\n", id, named[i].metric,
		       (unsigned long long)(value * named[i].factor));
	}
}

static void print_bytes(const struct reply *reply, size_t len)
{
	const unsigned char *bytes = (const unsigned char *)reply;

	for (size_t i = 0; i < len && i < sizeof(*reply); i++)
		printf("0x%02x,%c", bytes[i], i % 16 == 15 ? '\n' : ' ');
}

static int open_socket(void)
{
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	const struct timeval timeout = {.tv_sec = 5};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&kernel, sizeof(kernel)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) < 0)
		give_up(CANNOT, strerror(errno));
	return fd;
}

int main(int argc, char **argv)
{
	bool group = argc > 1 && strcmp(argv[1], "-g") == 0;
	bool raw = argc > 1 && strcmp(argv[1], "-r") == 0;
	int fd = open_socket();
	uint16_t family = find_family(fd);

	for (int i = group || raw ? 2 : 1; i < argc; i++) {
		uint32_t id = (uint32_t)strtoul(argv[i], NULL, 10);
		struct reply reply;
		size_t len = read_one(fd, family, group, id, &reply);

		if (len == 0)
			continue;
		if (raw)
			print_bytes(&reply, len);
		else if (group)
			print_values(of_groups, sizeof(of_groups) / sizeof(of_groups[0]), id,
			             &reply, len);
		else
			print_values(of_threads, sizeof(of_threads) / sizeof(of_threads[0]), id,
			             &reply, len);
	}
	close(fd);
	return 0;
}
