// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroup-walk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ctprof/cgroup-stats.h"
#include "ctprof/fd.h"
#include "ctprof/mem.h"
#include "ctprof/psi.h"
#include "ctprof/source.h"

enum {
	CGROUP_FILE_BYTES = 8 << 20, /* io.stat of a thousand devices is a hundredth of it */
	CGROUP_FILES_MAX = CGROUP_VALUE_COUNT + CGROUP_LIST_COUNT + PSI_RESOURCE_COUNT,
	PRESSURE_NAME_BYTES = 32,
};

/* A file to read once, whatever is in it: values by cgroup_file_parse(), and what is named here. */
struct planned_file {
	const char *name;
	size_t controller; /* version 1: whose directory it is in */
	int list;          /* enum cgroup_list_id, or -1 */
	int resource;      /* enum psi_resource, or -1 */
};

struct plan {
	struct planned_file files[CGROUP_FILES_MAX];
	size_t count;
};

/* What became of one cgroup. */
enum reading {
	READING_DONE,
	READING_GONE,
	READING_DENIED,
	READING_OUTSIDE,
};

struct reading_state {
	const struct cgroup_mounts *mounts;
	struct plan plans[2]; /* of version 1 and of version 2 */
	int unified_fd;
	int v1_fds[CGROUP_V1_CONTROLLERS_MAX];
	char pressure_names[PSI_RESOURCE_COUNT][PRESSURE_NAME_BYTES];
	struct strbuf text;
	struct cgroup_stats stats;
	bool denied; /* of the cgroup being read: a file was */
	bool any;    /* a file could be read */
};

void cgroup_walk_init(struct cgroup_walk *walk)
{
	*walk = (struct cgroup_walk){0};
	cgroup_v1_controllers_init(&walk->controllers);
}

void cgroup_walk_done(struct cgroup_walk *walk)
{
	strmap_done(&walk->v2);
	strmap_done(&walk->v1);
	strbuf_done(&walk->last);
}

/* Threads of one process follow one another and nearly always share their cgroups. */
void cgroup_walk_note(struct cgroup_walk *walk, const char *text, size_t len)
{
	struct span rest = {text, len};
	struct cgroup_line line;
	bool has_v2 = false;

	if (len == 0 || (len == walk->last.len && memcmp(text, walk->last.data, len) == 0))
		return;
	strbuf_clear(&walk->last);
	strbuf_add(&walk->last, text, len);
	while (cgroup_next_line(&walk->controllers, &rest, &line)) {
		struct strmap_entry *entry;

		if (cgroup_path_is_cut(line.path)) {
			has_v2 = has_v2 || line.is_v2;
		} else if (line.is_v2 && !has_v2) {
			(void)strmap_add(&walk->v2, line.path.text, line.path.len);
			has_v2 = true;
		} else if (line.controllers != 0) {
			entry = strmap_add(&walk->v1, line.path.text, line.path.len);
			entry->value =
			        (void *)((uintptr_t)entry->value | (uintptr_t)line.controllers);
		}
	}
}

static void merge_paths(struct strmap *paths, const struct strmap *other)
{
	for (size_t i = 0; i < other->count; i++) {
		const struct strmap_entry *from = &other->entries[i];
		struct strmap_entry *entry = strmap_add(paths, from->key, from->key_len);

		entry->value = (void *)((uintptr_t)entry->value | (uintptr_t)from->value);
	}
}

void cgroup_walk_merge(struct cgroup_walk *walk, const struct cgroup_walk *other)
{
	merge_paths(&walk->v2, &other->v2);
	merge_paths(&walk->v1, &other->v1);
}

static struct planned_file *plan_add(struct plan *plan, const char *name, size_t controller)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->files[i].controller == controller &&
		    strcmp(plan->files[i].name, name) == 0)
			return &plan->files[i];
	plan->files[plan->count] = (struct planned_file){
	        .name = name, .controller = controller, .list = -1, .resource = -1};
	return &plan->files[plan->count++];
}

static size_t controller_index(const struct cgroup_v1_controllers *controllers, const char *name)
{
	uint32_t bits = cgroup_v1_controllers_find(controllers, (struct span){name, strlen(name)});

	return bits == 0 ? CGROUP_V1_CONTROLLERS_MAX : (size_t)__builtin_ctz(bits);
}

static void plan_init(struct reading_state *state, const struct cgroup_v1_controllers *controllers)
{
	struct plan *v1 = &state->plans[0], *v2 = &state->plans[1];

	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		const struct cgroup_value_desc *row = &cgroup_value_table[i];

		if (row->version == 1)
			(void)plan_add(v1, row->file, controller_index(controllers, row->object));
		else
			(void)plan_add(v2, row->file, 0);
	}
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		plan_add(v2, cgroup_list_table[i].file, 0)->list = (int)i;
	for (unsigned i = 0; i < PSI_RESOURCE_COUNT; i++) {
		snprintf(state->pressure_names[i], PRESSURE_NAME_BYTES, "%s.pressure",
		         psi_resource_names[i]);
		plan_add(v2, state->pressure_names[i], 0)->resource = (int)i;
	}
}

static int mount_open(const struct cgroup_mount *mount)
{
	return mount->found ? fd_open_path_at(AT_FDCWD, strbuf_str(&mount->point)) : -ENOENT;
}

static void state_init(struct reading_state *state, const struct cgroup_mounts *mounts,
                       const struct cgroup_v1_controllers *controllers)
{
	*state = (struct reading_state){.mounts = mounts};
	plan_init(state, controllers);
	state->unified_fd = mount_open(&mounts->unified);
	for (size_t i = 0; i < CGROUP_V1_CONTROLLERS_MAX; i++)
		state->v1_fds[i] = mount_open(&mounts->v1[i]);
}

static void state_done(struct reading_state *state)
{
	fd_closep(&state->unified_fd);
	for (size_t i = 0; i < CGROUP_V1_CONTROLLERS_MAX; i++)
		fd_closep(&state->v1_fds[i]);
	strbuf_done(&state->text);
	cgroup_stats_done(&state->stats);
}

/* "..", as a namespace shows what is above it, may stand in the part that the mount's root has as well, but not
 * behind it. */
static bool has_parent(const char *path)
{
	while (*path != '\0') {
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.')
			return true;
		path += len;
		path += strspn(path, "/");
	}
	return false;
}

static int open_beneath(int fd, const char *path)
{
	struct open_how how = {
	        .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
	        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS |
	                   RESOLVE_NO_XDEV,
	};
	long opened = syscall(SYS_openat2, fd, path, &how, sizeof(how));

	return opened < 0 ? -errno : (int)opened;
}

/* Another mount below ours shows another cgroup under this one's name. Without mount ids (before 5.8) nobody knows. */
static bool is_other_mount(int mount_fd, int fd)
{
	struct statx ours, there;

	return statx(mount_fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &ours) == 0 &&
	       statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &there) == 0 &&
	       (ours.stx_mask & there.stx_mask & STATX_MNT_ID) != 0 &&
	       ours.stx_mnt_id != there.stx_mnt_id;
}

/* Part by part, where openat2(2) is not to be had: some containers' seccomp filters refuse it, with ENOSYS or with
 * EPERM. */
static int open_by_parts(int mount_fd, const char *path)
{
	cleanup_(mem_freep) char *copy = mem_copy(path, strlen(path));
	int fd = fd_open_path_at(mount_fd, ".");
	char *rest = NULL;

	for (char *part = strtok_r(copy, "/", &rest); part && fd >= 0;
	     part = strtok_r(NULL, "/", &rest)) {
		int next = openat(fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int r = next < 0 ? -errno : next;

		fd_closep(&fd);
		fd = r;
	}
	if (fd >= 0 && is_other_mount(mount_fd, fd)) {
		fd_closep(&fd);
		return -EXDEV;
	}
	return fd;
}

int cgroup_walk_open(int mount_fd, const struct cgroup_mount *mount, const struct strbuf *path)
{
	cleanup_(strbuf_done) struct strbuf located = STRBUF_INIT;
	const char *below;
	int fd;

	if (!mount->found || strlen(strbuf_str(path)) != path->len ||
	    !cgroup_mount_locate(mount, strbuf_str(path), &located))
		return -EXDEV;
	below = strbuf_str(&located);
	if (has_parent(below))
		return -EXDEV;
	if (mount_fd < 0)
		return mount_fd;
	fd = open_beneath(mount_fd, below);
	if (fd == -ENOSYS || fd == -EPERM || fd == -EAGAIN || fd == -ENAMETOOLONG)
		fd = open_by_parts(mount_fd, below);
	return fd;
}

/* Out of what we need ourselves: nothing that the cgroup is to blame for. */
static bool is_fatal(int r)
{
	return r == -EMFILE || r == -ENFILE || r == -ENOMEM;
}

static enum reading reading_of_errno(int r)
{
	switch (-r) {
	case EACCES:
	case EPERM:
		return READING_DENIED;
	case EXDEV:
	case ELOOP:
		return READING_OUTSIDE;
	default:
		return READING_GONE;
	}
}

static void parse_file(const struct planned_file *file, const struct strbuf *buf,
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

/* Most cgroups lack most files: their controllers are not enabled, or they are the root. */
static int read_files(struct reading_state *state, const struct plan *plan, size_t controller,
                      int cgroup_fd)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct planned_file *file = &plan->files[i];
		int r;

		if (file->controller != controller)
			continue;
		r = fd_read_all_at(cgroup_fd, file->name, &state->text, CGROUP_FILE_BYTES);
		if (is_fatal(r))
			return r;
		if (r == 0) {
			state->any = true;
			parse_file(file, &state->text, &state->stats);
		} else if (r == -EACCES || r == -EPERM) {
			state->denied = true;
		}
	}
	return 0;
}

/* Reads the files in one directory of the cgroup. Returns an enum reading or -errno. A cgroup that was removed
 * meanwhile leaves us with some of its values, so whether it is there is asked again at the end. */
static int read_directory(struct reading_state *state, int mount_fd,
                          const struct cgroup_mount *mount, const struct plan *plan,
                          size_t controller)
{
	const struct strbuf *path = &state->stats.path;
	cleanup_(fd_closep) int cgroup_fd = cgroup_walk_open(mount_fd, mount, path);
	cleanup_(fd_closep) int again_fd = -1;
	int r;

	if (cgroup_fd < 0)
		return is_fatal(cgroup_fd) ? cgroup_fd : (int)reading_of_errno(cgroup_fd);
	r = read_files(state, plan, controller, cgroup_fd);
	if (r < 0)
		return r;
	again_fd = cgroup_walk_open(mount_fd, mount, path);
	if (again_fd < 0)
		return is_fatal(again_fd) ? again_fd : (int)reading_of_errno(again_fd);
	return READING_DONE;
}

/* Returns whether the cgroup is to be written, or -errno. A cgroup is what the best of its directories is; one of
 * which something was denied is among the denied even so, because the values that it lacks would look like those of a
 * controller that is not enabled. */
static int count_reading(const struct reading_state *state, bool done, int failure,
                         struct snapshot_tally *tally)
{
	bool denied = done ? state->denied : failure == READING_DENIED;

	if (denied)
		tally->cgroups_denied++;
	if (done && (state->any || !state->denied)) {
		tally->cgroups++;
		return 1;
	}
	if (denied)
		return 0;
	if (failure == READING_OUTSIDE)
		tally->cgroups_outside++;
	else
		tally->cgroups_gone++;
	return 0;
}

static void stats_begin(struct reading_state *state, const struct strmap_entry *entry, bool is_v1)
{
	cgroup_stats_reset(&state->stats);
	strbuf_add(&state->stats.path, entry->key, entry->key_len);
	state->stats.is_v1 = is_v1;
	state->denied = false;
	state->any = false;
}

static int read_v2(struct reading_state *state, const struct strmap_entry *entry,
                   struct snapshot_tally *tally)
{
	const struct cgroup_mount *mount = &state->mounts->unified;
	int r;

	if (!mount->found && !state->mounts->is_system)
		return 0;
	stats_begin(state, entry, false);
	r = read_directory(state, state->unified_fd, mount, &state->plans[1], 0);
	return r < 0 ? r : count_reading(state, r == READING_DONE, r, tally);
}

/* One path may stand for a cgroup in each of several hierarchies. */
static int read_v1(struct reading_state *state, const struct strmap_entry *entry,
                   struct snapshot_tally *tally)
{
	uintptr_t controllers = (uintptr_t)entry->value;
	bool done = false, tried = false;
	int failure = READING_OUTSIDE;

	stats_begin(state, entry, true);
	for (size_t i = 0; i < CGROUP_V1_CONTROLLERS_MAX; i++) {
		const struct cgroup_mount *mount = &state->mounts->v1[i];
		int r;

		if (!(controllers & ((uintptr_t)1 << i)) ||
		    (!mount->found && !state->mounts->is_system))
			continue;
		tried = true;
		r = read_directory(state, state->v1_fds[i], mount, &state->plans[0], i);
		if (r < 0)
			return r;
		if (r == READING_DONE)
			done = true;
		else if (r < failure)
			failure = r;
		if (r == READING_DENIED)
			state->denied = true;
	}
	return tried ? count_reading(state, done, failure, tally) : 0;
}

static int compare_entries(const void *a, const void *b)
{
	const struct strmap_entry *entry_a = *(const struct strmap_entry *const *)a;
	const struct strmap_entry *entry_b = *(const struct strmap_entry *const *)b;
	size_t shorter = entry_a->key_len < entry_b->key_len ? entry_a->key_len : entry_b->key_len;
	int order = memcmp(entry_a->key, entry_b->key, shorter);

	if (order != 0)
		return order;
	return (entry_a->key_len > entry_b->key_len) - (entry_a->key_len < entry_b->key_len);
}

typedef int read_function(struct reading_state *state, const struct strmap_entry *entry,
                          struct snapshot_tally *tally);

static int read_all(struct reading_state *state, const struct strmap *paths, read_function *read,
                    struct snapshot_writer *writer, struct snapshot_tally *tally)
{
	const struct strmap_entry **sorted = mem_calloc(paths->count + 1, sizeof(*sorted));
	int r = 0;

	for (size_t i = 0; i < paths->count; i++)
		sorted[i] = &paths->entries[i];
	qsort(sorted, paths->count, sizeof(*sorted), compare_entries);
	for (size_t i = 0; i < paths->count && r >= 0; i++) {
		r = read(state, sorted[i], tally);
		if (r > 0)
			r = snapshot_write_cgroup(writer, &state->stats);
	}
	free(sorted);
	return r < 0 ? r : 0;
}

int cgroup_walk_read(const struct cgroup_walk *walk, const struct cgroup_mounts *mounts,
                     struct snapshot_writer *writer, struct snapshot_tally *tally)
{
	cleanup_(state_done) struct reading_state state;
	int r;

	state_init(&state, mounts, &walk->controllers);
	r = read_all(&state, &walk->v2, read_v2, writer, tally);
	if (r == 0)
		r = read_all(&state, &walk->v1, read_v1, writer, tally);
	return r;
}
