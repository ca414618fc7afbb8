// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/scan.h"
#include "base/trust.h"
#include "capture/own-proc.h"
#include "cgroup/cgroup-open.h"
#include "cgroup/cgroup.h"
#include "job-cgroup-files.h"

enum { NAME_TRIES = 100, TEXT_BYTES = 1 << 20 };

/* Controllers that divide what a job gets: a leaf with one of them would get less or more than before. */
static const char *const dividing[] = {"cpu", "cpuset", "io", "hugetlb", "rdma", "dmem"};

static bool has_word(const struct strbuf *text, const char *wanted)
{
	struct span rest = {strbuf_str(text), text->len}, word;

	while (scan_word(&rest, &word))
		if (span_is(word, wanted))
			return true;
	return false;
}

/* Returns whether the caller's cgroup of version 2 can have a leaf. */
static bool may_have_leaf(int parent_fd, struct strbuf *reason)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	/* The root has no type. */
	if (fd_read_all_at(parent_fd, "cgroup.type", &text, TEXT_BYTES) == 0 &&
	    !has_word(&text, "domain")) {
		strbuf_add_str(reason, "the cgroup of the caller is threaded");
		return false;
	}
	if (has_word(&text, "threaded")) {
		strbuf_add_str(reason, "the cgroup of the caller has threaded ones below it");
		return false;
	}
	if (fd_read_all_at(parent_fd, "cgroup.subtree_control", &text, TEXT_BYTES) < 0) {
		strbuf_add_str(reason, "the cgroup of the caller cannot be read");
		return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(dividing); i++)
		if (has_word(&text, dividing[i])) {
			strbuf_addf(reason,
			            "a cgroup below that of the caller would have the controller "
			            "%s, which changes what the command gets",
			            dividing[i]);
			return false;
		}
	return true;
}

/* In version 1 without a hierarchy of limits, a leaf would be outside of those of the caller. */
static bool has_hierarchy(int parent_fd)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	return fd_read_all_at(parent_fd, "memory.use_hierarchy", &text, TEXT_BYTES) == 0 &&
	       has_word(&text, "1");
}

static int make_directory(struct job_cgroup *cgroup, int parent_fd)
{
	/* The first leaf chooses the name. */
	if (cgroup->name[0] != '\0')
		return mkdirat(parent_fd, cgroup->name, 0755) < 0 ? -errno : 0;
	for (int i = 0; i < NAME_TRIES; i++) {
		snprintf(cgroup->name, sizeof(cgroup->name), "ctprof-run-%d-%d", (int)getpid(), i);
		if (mkdirat(parent_fd, cgroup->name, 0755) == 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	cgroup->name[0] = '\0';
	return -errno;
}

static int make_leaf(struct job_cgroup *cgroup, struct job_leaf *leaf, int parent_fd,
                     struct span path)
{
	int r = make_directory(cgroup, parent_fd);
	struct stat status;

	if (r < 0)
		return r;
	leaf->fd = openat(parent_fd, cgroup->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	r = leaf->fd < 0 ? -errno : 0;
	if (r == 0 && (fstat(leaf->fd, &status) < 0 || !trust_is_own_user(status.st_uid))) {
		fd_closep(&leaf->fd);
		r = -EACCES;
	}
	if (r < 0) {
		(void)unlinkat(parent_fd, cgroup->name, AT_REMOVEDIR);
		return r;
	}
	leaf->used = true;
	leaf->parent_fd = parent_fd;
	strbuf_add(&leaf->path, path.text, path.len);
	if (path.len == 0 || path.text[path.len - 1] != '/')
		strbuf_add_char(&leaf->path, '/');
	strbuf_add_str(&leaf->path, cgroup->name);
	return 0;
}

static int open_own(const struct cgroup_mount *mount, struct span path)
{
	cleanup_(strbuf_done) struct strbuf copy = STRBUF_INIT;
	cleanup_(fd_closep) int mount_fd = -1;

	if (!mount->found || cgroup_path_is_cut(path))
		return -ENOENT;
	strbuf_add(&copy, path.text, path.len);
	mount_fd = fd_open_path_at(AT_FDCWD, strbuf_str(&mount->point));
	return mount_fd < 0 ? mount_fd : cgroup_walk_open(mount_fd, mount, &copy);
}

static void try_unified(struct job_cgroup *cgroup, struct span path)
{
	struct strbuf *reason = &cgroup->reason;
	int parent_fd = open_own(&cgroup->mounts.unified, path), r;

	if (parent_fd < 0) {
		strbuf_add_str(reason, "the cgroup of the caller is not below a mount");
		return;
	}
	if (!may_have_leaf(parent_fd, reason)) {
		fd_closep(&parent_fd);
		return;
	}
	r = make_leaf(cgroup, &cgroup->leaves[JOB_LEAF_UNIFIED], parent_fd, path);
	if (r < 0) {
		strbuf_addf(reason, "a cgroup below that of the caller cannot be made: %s",
		            strerror(-r));
		fd_closep(&parent_fd);
	}
}

static uint32_t controller_bit(const struct cgroup_v1_controllers *controllers, const char *name)
{
	return cgroup_v1_controllers_find(controllers, (struct span){name, strlen(name)});
}

/* @bits are the controllers of the hierarchy, and @wanted is one of them. */
static void try_v1(struct job_cgroup *cgroup, enum job_leaf_id id, struct span path,
                   uint32_t wanted)
{
	int parent_fd = open_own(&cgroup->mounts.v1[__builtin_ctz(wanted)], path);

	if (parent_fd < 0)
		return;
	if ((id == JOB_LEAF_MEMORY && !has_hierarchy(parent_fd)) ||
	    make_leaf(cgroup, &cgroup->leaves[id], parent_fd, path) < 0)
		fd_closep(&parent_fd);
}

/* Makes the leaves of version 1, of hierarchies that have no other controllers than the three that only count. A process that leaves the
 * one of memory is found in our own /proc alone. */
static void try_all_v1(struct job_cgroup *cgroup, const struct strbuf *text, bool has_proc)
{
	struct cgroup_v1_controllers controllers;
	struct span rest = {strbuf_str(text), text->len};
	struct cgroup_line line;
	uint32_t cpuacct, memory, harmless;

	cgroup_v1_controllers_init(&controllers);
	cpuacct = controller_bit(&controllers, "cpuacct");
	memory = controller_bit(&controllers, "memory");
	harmless = cpuacct | memory | controller_bit(&controllers, "pids");
	while (cgroup_next_line(&controllers, &rest, &line)) {
		if (line.is_v2 || (line.controllers & ~harmless) != 0 ||
		    job_list_length(line.list) != __builtin_popcount(line.controllers))
			continue;
		if (has_proc && (line.controllers & memory))
			try_v1(cgroup, JOB_LEAF_MEMORY, line.path, memory);
		else if ((line.controllers & cpuacct) && !cgroup->leaves[JOB_LEAF_UNIFIED].used)
			try_v1(cgroup, JOB_LEAF_CPUACCT, line.path, cpuacct);
	}
}

void job_cgroup_init(struct job_cgroup *cgroup)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(fd_closep) int proc_fd = fd_open_path_at(AT_FDCWD, "/proc");
	struct cgroup_v1_controllers controllers;
	struct cgroup_line line;
	struct span rest;

	*cgroup = (struct job_cgroup){0};
	for (int i = 0; i < JOB_LEAF_COUNT; i++)
		cgroup->leaves[i].fd = cgroup->leaves[i].parent_fd = -1;
	if (proc_fd < 0 || fd_read_all_at(proc_fd, "thread-self/cgroup", &text, TEXT_BYTES) < 0) {
		strbuf_add_str(&cgroup->reason, "the cgroup of the caller is not known");
		return;
	}
	cgroup_mounts_find(proc_fd, true, &cgroup->mounts);
	cgroup_v1_controllers_init(&controllers);
	rest = (struct span){strbuf_str(&text), text.len};
	while (cgroup_next_line(&controllers, &rest, &line))
		if (line.is_v2)
			try_unified(cgroup, line.path);
	try_all_v1(cgroup, &text, proc_is_own(proc_fd));
	if (!job_cgroup_leaf(cgroup) && cgroup->reason.len == 0)
		strbuf_add_str(&cgroup->reason, "no hierarchy of cgroups that counts CPU time can "
		                                "have one more without changing what the command "
		                                "gets");
}

static void leaf_done(struct job_leaf *leaf)
{
	fd_closep(&leaf->fd);
	fd_closep(&leaf->parent_fd);
	strbuf_done(&leaf->path);
	*leaf = (struct job_leaf){.fd = -1, .parent_fd = -1};
}

bool job_cgroup_remove(struct job_cgroup *cgroup)
{
	bool all = true;

	for (int i = 0; i < JOB_LEAF_COUNT; i++) {
		struct job_leaf *leaf = &cgroup->leaves[i];

		if (!leaf->used)
			continue;
		if (unlinkat(leaf->parent_fd, cgroup->name, AT_REMOVEDIR) < 0) {
			strbuf_clear(&cgroup->reason);
			strbuf_add(&cgroup->reason, leaf->path.data, leaf->path.len);
			all = false;
		}
		leaf_done(leaf);
	}
	return all;
}

void job_cgroup_done(struct job_cgroup *cgroup)
{
	(void)job_cgroup_remove(cgroup);
	cgroup_mounts_done(&cgroup->mounts);
	strbuf_done(&cgroup->reason);
}

static int write_pid(int dir_fd, pid_t pid)
{
	cleanup_(fd_closep) int fd =
	        openat(dir_fd, "cgroup.procs", O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	char text[32];
	int len = snprintf(text, sizeof(text), "%d\n", (int)pid);

	return fd < 0 ? -errno : fd_write_all(fd, text, (size_t)len);
}

void job_cgroup_enter(struct job_cgroup *cgroup, pid_t pid, bool in_unified)
{
	for (int i = 0; i < JOB_LEAF_COUNT; i++) {
		struct job_leaf *leaf = &cgroup->leaves[i];
		bool enters = leaf->used && !(in_unified && i == JOB_LEAF_UNIFIED);
		int r = enters ? write_pid(leaf->fd, pid) : 0;

		if (r == 0)
			continue;
		if (i != JOB_LEAF_MEMORY) {
			strbuf_clear(&cgroup->reason);
			strbuf_addf(&cgroup->reason,
			            "the command cannot be moved into a cgroup: %s", strerror(-r));
		}
		(void)unlinkat(leaf->parent_fd, cgroup->name, AT_REMOVEDIR);
		leaf_done(leaf);
	}
}

const struct job_leaf *job_cgroup_leaf(const struct job_cgroup *cgroup)
{
	const struct job_leaf *unified = &cgroup->leaves[JOB_LEAF_UNIFIED],
	                      *cpuacct = &cgroup->leaves[JOB_LEAF_CPUACCT];

	return unified->used ? unified : cpuacct->used ? cpuacct : NULL;
}

int job_cgroup_list(const struct job_cgroup *cgroup, struct id_list *list)
{
	int r = 0;

	list->count = 0;
	for (int i = 0; i < JOB_LEAF_COUNT && r == 0; i++)
		if (cgroup->leaves[i].used)
			r = job_directory_list(cgroup->leaves[i].fd, 0, list);
	job_ids_sort(list);
	return r;
}

/* A process that is born while its parent is moved may still be in the leaf, so the list is read until it is empty. */
static int move_leaf(const struct job_leaf *leaf)
{
	enum { ROUNDS = 1000 };
	cleanup_(id_list_done) struct id_list list = {0};
	int last = 0;

	for (int round = 0; round < ROUNDS; round++) {
		int r;

		list.count = 0;
		r = job_procs_list(leaf->fd, &list);
		if (r < 0 || list.count == 0)
			return r;
		for (size_t i = 0; i < list.count; i++) {
			r = write_pid(leaf->parent_fd, (pid_t)list.ids[i]);
			if (r < 0 && r != -ESRCH)
				last = r;
		}
		if (last < 0)
			return last;
	}
	return -EBUSY;
}

int job_cgroup_move_back(struct job_cgroup *cgroup)
{
	int r = 0;

	for (int i = 0; i < JOB_LEAF_COUNT; i++) {
		int moved = cgroup->leaves[i].used ? move_leaf(&cgroup->leaves[i]) : 0;

		r = r < 0 ? r : moved;
	}
	return r;
}

/* A leaf that was left has too little of everything. */
static bool counts(const struct job_cgroup *cgroup, enum job_leaf_id id)
{
	return cgroup->leaves[id].used && !cgroup->leaves[id].was_left;
}

static void read_cpu_time(const struct job_cgroup *cgroup, struct job_values *values)
{
	if (counts(cgroup, JOB_LEAF_UNIFIED))
		job_read_cpu_stat(cgroup->leaves[JOB_LEAF_UNIFIED].fd, values);
	else if (counts(cgroup, JOB_LEAF_CPUACCT))
		job_read_cpuacct(cgroup->leaves[JOB_LEAF_CPUACCT].fd, values);
}

bool job_cgroup_cpu_time(const struct job_cgroup *cgroup, double *ret)
{
	struct job_values values = {0};

	read_cpu_time(cgroup, &values);
	*ret = values.numbers[JOB_cpu_time];
	return values.seen[JOB_cpu_time];
}

void job_cgroup_values(const struct job_cgroup *cgroup, struct job_values *values)
{
	read_cpu_time(cgroup, values);
	if (counts(cgroup, JOB_LEAF_UNIFIED))
		job_read_peak(cgroup->leaves[JOB_LEAF_UNIFIED].fd, "memory.peak", values);
	if (counts(cgroup, JOB_LEAF_MEMORY))
		job_read_peak(cgroup->leaves[JOB_LEAF_MEMORY].fd, "memory.max_usage_in_bytes",
		              values);
}
