// SPDX-License-Identifier: GPL-2.0-or-later
#include "taskstats/initial-network.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own-names.h"
#include "base/worker.h"

struct visit {
	int network_fd;
	int (*work)(void *context);
	void *context;
	int result;
};

static void *visit(void *argument)
{
	struct visit *visit = argument;

	visit->result =
	        setns(visit->network_fd, CLONE_NEWNET) < 0 ? -errno : visit->work(visit->context);
	return NULL;
}

static bool is_namespace(int fd)
{
	struct statfs status;

	return fstatfs(fd, &status) == 0 && status.f_type == NSFS_MAGIC;
}

static bool are_same(int a, int b)
{
	struct stat status_a, status_b;

	return fstat(a, &status_a) < 0 || fstat(b, &status_b) < 0 ||
	       (status_a.st_dev == status_b.st_dev && status_a.st_ino == status_b.st_ino);
}

int initial_network_call(int (*work)(void *context), void *context, bool *ret_known)
{
	cleanup_(fd_closep) int own_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	cleanup_(fd_closep) int first_fd = open("/proc/1/ns/net", O_RDONLY | O_CLOEXEC);
	struct visit here = {.network_fd = first_fd, .work = work, .context = context};
	pthread_t thread;

	*ret_known = own_fd >= 0 && first_fd >= 0 && is_namespace(first_fd);
	if (!*ret_known || are_same(own_fd, first_fd))
		return work(context);
	if (!worker_start(&thread, visit, &here, own_names[OWN_NAME_exits]))
		return -EAGAIN;
	pthread_join(thread, NULL);
	return here.result;
}
