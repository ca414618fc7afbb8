// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroup/cgroup-read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/boot-clock.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "cgroup/cgroup-files.h"
#include "cgroup/cgroup-open.h"
#include "ctprof/metric/psi.h"
#include "procfs/procfs.h"

enum {
	CGROUP_FILE_BYTES = 8 << 20, /* io.stat of a thousand devices is a hundredth of it */
	CONTROLLERS_BYTES = 1 << 16,
};

/* The result of reading one directory of a cgroup, the best first. */
enum reading {
	READING_DONE,
	READING_GONE,
	READING_DENIED,
	READING_OUTSIDE,
};

static struct cgroup_file *plan_add(struct cgroup_plan *plan, const char *name, size_t controller)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->files[i].controller == controller &&
		    strcmp(plan->files[i].name, name) == 0)
			return &plan->files[i];
	plan->files[plan->count] = (struct cgroup_file){
	        .name = name, .controller = controller, .list = -1, .resource = -1};
	return &plan->files[plan->count++];
}

static size_t controller_index(const struct cgroup_v1_controllers *controllers, const char *name)
{
	uint32_t bits = cgroup_v1_controllers_find(controllers, (struct span){name, strlen(name)});

	return bits == 0 ? CGROUP_V1_CONTROLLERS_MAX : (size_t)__builtin_ctz(bits);
}

/* Returns whether cgroups of version 2 may have the file if the root has these controllers: others are not enabled
 * anywhere below it. CPU time and pressure need no controller. */
static bool may_exist(const char *name, const struct strbuf *at_root)
{
	const size_t len = strcspn(name, ".");
	struct span rest = {strbuf_str(at_root), at_root->len}, word;

	if (strcmp(name, "cpu.stat") == 0 || strcmp(name + len, ".pressure") == 0 ||
	    span_is((struct span){name, len}, "cgroup"))
		return true;
	while (scan_word(&rest, &word))
		if (word.len == len && memcmp(word.text, name, len) == 0)
			return true;
	return false;
}

/* Removes the files that no cgroup can have from the plan of version 2; none if the root's controllers are unknown. A
 * tree that was given may be incomplete. */
static void plan_narrow(struct cgroup_reader *reader)
{
	struct cgroup_plan *plan = &reader->plans[1];
	size_t count = 0;

	if (reader->unified_fd < 0 || !reader->mounts->is_system ||
	    fd_read_record_at(reader->unified_fd, "cgroup.controllers", &reader->text,
	                      CONTROLLERS_BYTES) < 0)
		return;
	for (size_t i = 0; i < plan->count; i++)
		if (may_exist(plan->files[i].name, &reader->text))
			plan->files[count++] = plan->files[i];
	plan->count = count;
}

static void plan_init(struct cgroup_reader *reader, const struct cgroup_v1_controllers *controllers)
{
	struct cgroup_plan *v1 = &reader->plans[0], *v2 = &reader->plans[1];

	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		const struct cgroup_value_desc *row = &cgroup_value_table[i];

		if (strcmp(row->file, CGROUP_VALUE_BY_TASKSTATS) == 0)
			continue;
		if (row->version == 1)
			(void)plan_add(v1, row->file, controller_index(controllers, row->object));
		else
			(void)plan_add(v2, row->file, 0);
	}
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		plan_add(v2, cgroup_list_table[i].file, 0)->list = (int)i;
	for (unsigned i = 0; i < PSI_RESOURCE_COUNT; i++) {
		snprintf(reader->pressure_names[i], PRESSURE_NAME_BYTES, "%s.pressure",
		         psi_resource_names[i]);
		plan_add(v2, reader->pressure_names[i], 0)->resource = (int)i;
	}
}

static int mount_open(const struct cgroup_mount *mount)
{
	return mount->found ? fd_open_path_at(AT_FDCWD, strbuf_str(&mount->point)) : -ENOENT;
}

void cgroup_reader_init(struct cgroup_reader *reader, const struct cgroup_mounts *mounts,
                        const struct cgroup_v1_controllers *controllers,
                        const uint64_t *tree_boottime_ns)
{
	*reader = (struct cgroup_reader){
	        .mounts = mounts, .controllers = controllers, .tree_boottime_ns = tree_boottime_ns};
	plan_init(reader, controllers);
	reader->unified_fd = mount_open(&mounts->unified);
	plan_narrow(reader);
	for (size_t i = 0; i < CGROUP_V1_CONTROLLERS_MAX; i++)
		reader->v1_fds[i] = controllers->with_values & UINT32_C(1) << i
		                            ? mount_open(&mounts->v1[i])
		                            : -ENOENT;
}

void cgroup_reader_done(struct cgroup_reader *reader)
{
	fd_closep(&reader->unified_fd);
	for (size_t i = 0; i < CGROUP_V1_CONTROLLERS_MAX; i++)
		fd_closep(&reader->v1_fds[i]);
	cgroup_states_done(&reader->states);
	strbuf_done(&reader->text);
	cgroup_stats_done(&reader->stats);
}

static enum reading reading_of_errno(int r)
{
	if (error_is_denied(r))
		return READING_DENIED;
	return r == -EXDEV || r == -ELOOP ? READING_OUTSIDE : READING_GONE;
}

static void parse_file(const struct cgroup_file *file, const struct strbuf *buf,
                       struct cgroup_stats *stats)
{
	const char *text = strbuf_str(buf);

	cgroup_file_parse(file->name, text, buf->len, stats);
	if (file->list >= 0)
		cgroup_list_parse((enum cgroup_list_id)file->list, text, buf->len, stats);
	if (file->resource >= 0 &&
	    psi_parse(text, buf->len, stats->psi.lines[file->resource]) != OUTCOME_read)
		memset(stats->psi.lines[file->resource], 0,
		       sizeof(stats->psi.lines[file->resource]));
}

/* The first file of a cgroup that can be read sets the time: it has the CPU time, and the others follow at once. The
 * time is the middle of the reading, which may have waited for a CPU before the kernel made the text or after it. */
static void set_read_time(struct cgroup_reader *reader, uint64_t begin_ns)
{
	if (reader->tree_boottime_ns)
		reader->stats.read_boottime_ns = *reader->tree_boottime_ns;
	else
		reader->stats.read_boottime_ns = begin_ns + (boot_clock_now_ns() - begin_ns) / 2;
}

/* The kernel makes the text of such a file as one record; another file system may not. */
static int read_file(struct cgroup_reader *reader, int cgroup_fd, const char *name)
{
	if (reader->mounts->is_system)
		return fd_read_record_at(cgroup_fd, name, &reader->text, CGROUP_FILE_BYTES);
	return fd_read_all_at(cgroup_fd, name, &reader->text, CGROUP_FILE_BYTES);
}

/* Most cgroups lack most files: their controllers are not enabled, or they are the root. */
static int read_files(struct cgroup_reader *reader, const struct cgroup_plan *plan,
                      size_t controller, int cgroup_fd)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct cgroup_file *file = &plan->files[i];
		uint64_t begin_ns = reader->any ? 0 : boot_clock_now_ns();
		int r;

		if (file->controller != controller)
			continue;
		r = read_file(reader, cgroup_fd, file->name);
		if (error_is_own(r))
			return r;
		reader->was_there = r == 0;
		if (r == 0) {
			if (!reader->any)
				set_read_time(reader, begin_ns);
			reader->any = true;
			parse_file(file, &reader->text, &reader->stats);
		} else if (error_is_denied(r)) {
			reader->denied = true;
		}
	}
	return 0;
}

/* The inode of a cgroup is its number. In a copy of a tree it is none. */
static void set_id(struct cgroup_reader *reader, int cgroup_fd, const char *key)
{
	struct stat status;

	if (reader->mounts->is_system && fstat(cgroup_fd, &status) == 0)
		keyed_values_set(&reader->stats.ids, key, strlen(key), status.st_ino);
}

/* Reads the files in one directory of the cgroup. Returns an enum reading or -errno. A cgroup that is removed during
 * the reading would leave some of its values, so its existence is checked at the end, unless its last file could be
 * opened: a directory that was removed has no files. */
static int read_directory(struct cgroup_reader *reader, int mount_fd,
                          const struct cgroup_mount *mount, const struct cgroup_plan *plan,
                          size_t controller)
{
	const struct strbuf *path = &reader->stats.path;
	cleanup_(fd_closep) int cgroup_fd = cgroup_walk_open(mount_fd, mount, path);
	cleanup_(fd_closep) int again_fd = -1;
	int r;

	if (cgroup_fd < 0)
		return error_is_own(cgroup_fd) ? cgroup_fd : (int)reading_of_errno(cgroup_fd);
	set_id(reader, cgroup_fd,
	       reader->stats.is_v1 ? reader->controllers->names[controller] : CGROUP_ID_UNIFIED);
	reader->was_there = false;
	r = read_files(reader, plan, controller, cgroup_fd);
	if (r < 0)
		return r;
	/* The threads of one path may be others in another hierarchy: those of the first one count. */
	if (reader->stats.is_v1 && reader->mounts->is_system &&
	    reader->stats.values[CGROUP_VALUE_threads_v1_running].state == FACT_UNSEEN)
		cgroup_states_read(&reader->states, cgroup_fd, &reader->stats);
	if (reader->was_there)
		return READING_DONE;
	again_fd = cgroup_walk_open(mount_fd, mount, path);
	if (again_fd < 0)
		return error_is_own(again_fd) ? again_fd : (int)reading_of_errno(again_fd);
	return READING_DONE;
}

/* Returns the outcome of a cgroup: that of the best of its directories. DENIED is set as well if anything was denied,
 * because the missing values would look like those of a controller that is not enabled. */
static unsigned outcome_of(const struct cgroup_reader *reader, bool done, int failure)
{
	bool denied = done ? reader->denied : failure == READING_DENIED;
	unsigned outcome = denied ? CGROUP_READ_DENIED : 0;

	if (done && (reader->any || !reader->denied))
		return outcome | CGROUP_READ_DONE;
	if (denied)
		return outcome;
	return failure == READING_OUTSIDE ? CGROUP_READ_OUTSIDE : CGROUP_READ_GONE;
}

static void stats_begin(struct cgroup_reader *reader, struct span path, bool is_v1)
{
	cgroup_stats_reset(&reader->stats);
	strbuf_add(&reader->stats.path, path.text, path.len);
	reader->stats.is_v1 = is_v1;
	reader->denied = false;
	reader->any = false;
}

int cgroup_read_v2(struct cgroup_reader *reader, struct span path)
{
	const struct cgroup_mount *mount = &reader->mounts->unified;
	int r;

	if (!mount->found && !reader->mounts->is_system)
		return 0;
	stats_begin(reader, path, false);
	r = read_directory(reader, reader->unified_fd, mount, &reader->plans[1], 0);
	return r < 0 ? r : (int)outcome_of(reader, r == READING_DONE, r);
}

int cgroup_read_v1(struct cgroup_reader *reader, struct span path, uint32_t controllers)
{
	bool done = false, tried = false;
	int failure = READING_OUTSIDE;

	stats_begin(reader, path, true);
	for (size_t i = 0; i < CGROUP_V1_CONTROLLERS_MAX; i++) {
		const struct cgroup_mount *mount = &reader->mounts->v1[i];
		int r;

		if (!(controllers & (UINT32_C(1) << i)) ||
		    (!mount->found && !reader->mounts->is_system))
			continue;
		tried = true;
		r = read_directory(reader, reader->v1_fds[i], mount, &reader->plans[0], i);
		if (r < 0)
			return r;
		if (r == READING_DONE)
			done = true;
		else if (r < failure)
			failure = r;
		if (r == READING_DENIED)
			reader->denied = true;
	}
	return tried ? (int)outcome_of(reader, done, failure) : 0;
}
