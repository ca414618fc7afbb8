// SPDX-License-Identifier: GPL-2.0-or-later
/* libraries - calls the libraries that ctprof reads its sources with, for a failed allocation at each place in them.
 *
 *   libraries inspect FILE   finds jemalloc's counters in an ELF file, with libelf, libdw and Unicorn in a helper process
 *   libraries taskstats      asks taskstats for this process and registers for exits, with libnl
 *
 * Prints the result. The status is 0 where there is one, whatever it says. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "ctprof/metric/sample.h"
#include "jemalloc/jemalloc-inspect.h"
#include "taskstats/taskstats-exits.h"
#include "taskstats/taskstats.h"

#if CTPROF_HAS_JEMALLOC
static int inspect(const char *path)
{
	cleanup_(jemalloc_inspector_freep) struct jemalloc_inspector *inspector = NULL;
	cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct jemalloc_object object;
	char line[256];
	int len;

	if (fd < 0)
		return 2;
	inspector = jemalloc_inspector_new();
	jemalloc_inspector_run(inspector, fd, &(struct local_root){.fd = -1}, NULL, &object);
	len = snprintf(line, sizeof(line), "%d %d %d %" PRIu64 " %" PRId64 " %" PRId64 "\n",
	               (int)object.tag, object.is_found, object.has_slot, object.slot_address,
	               object.allocated, object.deallocated);
	return write(STDOUT_FILENO, line, (size_t)len) == len ? 0 : 2;
}
#else
static int inspect(const char *path)
{
	(void)path;
	return 2;
}
#endif

static int taskstats(void)
{
	cleanup_(taskstats_freep) struct taskstats_client *client = NULL;
	cleanup_(taskstats_exits_freep) struct taskstats_exits *exits = NULL;
	struct taskstats_reply reply = {0};
	uint32_t id = (uint32_t)getpid();
	struct cpu_mask cpus;
	int opened, asked = 0, registered;
	char line[128];
	int len;

	cpu_mask_clear(&cpus);
	(void)!cpu_mask_add(&cpus, 0);
	opened = taskstats_open(&client);
	if (opened == 0)
		asked = taskstats_ask(client, false, &id, 1, &reply);
	registered = taskstats_exits_open(&cpus, 0, &exits);
	len = snprintf(line, sizeof(line), "%d %d %d %d\n", opened, asked, reply.error, registered);
	return write(STDOUT_FILENO, line, (size_t)len) == len ? 0 : 2;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "inspect") == 0)
		return inspect(argv[2]);
	if (argc == 2 && strcmp(argv[1], "taskstats") == 0)
		return taskstats();
	return 2;
}
