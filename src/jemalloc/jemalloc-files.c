// SPDX-License-Identifier: GPL-2.0-or-later
#include "jemalloc/jemalloc-files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/watch.h"

/* All files together may cost no more than this. */
static const uint64_t longest_ns = 10 * NS_PER_SECOND;

struct known_file {
	struct jemalloc_object object;
	uint32_t reading; /* the last one that asked for it */
};

/* The files that could not be looked into. */
static const struct jemalloc_object failures[] = {
        [PROBE_TAG_budget] = {.tag = PROBE_TAG_budget},
        [PROBE_TAG_not_permitted] = {.tag = PROBE_TAG_not_permitted},
        [PROBE_TAG_maps_read_failure] = {.tag = PROBE_TAG_maps_read_failure},
        [PROBE_TAG_pid_missing] = {.tag = PROBE_TAG_pid_missing},
        [PROBE_TAG_remote_file_system] = {.tag = PROBE_TAG_remote_file_system},
        [PROBE_TAG_earlier_helper] = {.tag = PROBE_TAG_earlier_helper},
        [PROBE_TAG_no_helper_guard] = {.tag = PROBE_TAG_no_helper_guard},
        [PROBE_TAG_no_helper] = {.tag = PROBE_TAG_no_helper},
};

void jemalloc_files_init(struct jemalloc_files *files, enum file_systems allowed)
{
	*files = (struct jemalloc_files){
	        .allowed = allowed,
	        .guard = HELPER_GUARD_INIT,
	        .trusted = TRUSTED_FILES_INIT,
	        .systems = MOUNT_SYSTEMS_INIT,
	        .budget_ns = longest_ns,
	        .look_budget_ns = longest_ns,
	};
	pthread_mutex_init(&files->lock, NULL);
}

void jemalloc_files_rest(struct jemalloc_files *files)
{
	file_looker_freep(&files->looker);
	helper_guard_leave(&files->guard);
}

void jemalloc_files_done(struct jemalloc_files *files)
{
	jemalloc_files_rest(files);
	for (size_t i = 0; i < files->by_name.count; i++)
		free(files->by_name.entries[i].value);
	strmap_done(&files->by_name);
	pthread_mutex_destroy(&files->lock);
	mount_systems_done(&files->systems);
	trusted_files_done(&files->trusted);
	thread_pointers_freep(&files->pointers);
	strbuf_done(&files->key);
}

/* Mounts and files that root alone can write are found again, and their tables must not grow for ever either. */
static void forget_unused(struct jemalloc_files *files)
{
	struct strmap old = files->by_name;

	files->by_name = STRMAP_INIT;
	files->name_bytes = 0;
	for (size_t i = 0; i < old.count; i++) {
		struct known_file *file = old.entries[i].value;
		size_t len = old.entries[i].key_len;

		if (file->reading == files->reading) {
			strmap_add(&files->by_name, old.entries[i].key, len)->value = file;
			files->name_bytes += len;
		} else {
			free(file);
		}
	}
	strmap_done(&old);
	trusted_files_done(&files->trusted);
	files->trusted = TRUSTED_FILES_INIT;
	mount_systems_done(&files->systems);
	files->has_systems = false;
}

/* Nothing is known of the use of files that there was no time to ask for. */
void jemalloc_files_limit(struct jemalloc_files *files, uint64_t budget_ns, uint64_t look_budget_ns)
{
	if (files->lacks_room && files->used_ns < files->budget_ns)
		forget_unused(files);
	files->lacks_room = false;
	files->reading++;
	files->used_ns = 0;
	files->budget_ns = budget_ns;
	files->looked_ns = 0;
	files->look_budget_ns = look_budget_ns;
	files->allowed = FILE_SYSTEMS_LOCAL;
}

bool jemalloc_files_spend(struct jemalloc_files *files, uint64_t *since_ns)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC), part_ns = now_ns - *since_ns;

	*since_ns = now_ns;
	return atomic_fetch_add(&files->used_ns, part_ns) + part_ns < files->budget_ns;
}

uint64_t jemalloc_files_until_ns(const struct jemalloc_files *files, uint64_t now_ns)
{
	uint64_t used_ns = files->used_ns;

	return used_ns < files->budget_ns ? now_ns + files->budget_ns - used_ns : now_ns;
}

void jemalloc_files_use(struct jemalloc_files *files, struct task_record_reader *reader)
{
	files->pointers_tried = reader != NULL;
	files->pointers = reader ? thread_pointers_of(reader) : NULL;
}

struct thread_pointers *jemalloc_files_pointers(struct jemalloc_files *files)
{
	if (!files->pointers_tried && thread_pointers_open(&files->pointers) < 0)
		files->pointers = NULL;
	files->pointers_tried = true;
	return files->pointers;
}

void jemalloc_files_drop_pointers(struct jemalloc_files *files)
{
	thread_pointers_freep(&files->pointers);
}

/* The same path may stand for different files if parts of one file system are mounted in different namespaces. */
void mapping_process_init(struct mapping_process *process, uint32_t tgid, uint32_t tid,
                          int thread_fd)
{
	ssize_t len;

	*process = (struct mapping_process){.tgid = tgid, .tid = tid, .thread_fd = thread_fd};
	watch_enter();
	len = readlinkat(thread_fd, "ns/mnt", process->mounts, sizeof(process->mounts));
	watch_leave();
	if (len < 0)
		process->mounts[0] = '\0';
}

/* A failure of this process is not kept for the file: another process may have it open to us. */
static const struct jemalloc_object *failure_of(const struct mapping_process *process, int r)
{
	if (error_is_denied(r))
		return &failures[PROBE_TAG_not_permitted];
	switch (-r) {
	case EBUSY:
		return &failures[PROBE_TAG_earlier_helper];
	case ENOLCK:
		return &failures[PROBE_TAG_no_helper_guard];
	case ENOPKG:
		return &failures[PROBE_TAG_no_helper];
	case EREMOTE:
	case ENOENT:
	case ESRCH:
		if (faccessat(process->thread_fd, "stat", F_OK, 0) != 0)
			return &failures[PROBE_TAG_pid_missing];
		break;
	}
	return &failures[r == -EREMOTE ? PROBE_TAG_remote_file_system
	                               : PROBE_TAG_maps_read_failure];
}

/* A file system that does not answer is not asked what it is: the mounts say so. */
static enum file_system_kind find_system(struct jemalloc_files *files,
                                         const struct mapping_process *process,
                                         const struct mapped_file *mapped, uint64_t until_ns)
{
	struct span line = mapped->file, device;

	if (!files->has_systems)
		mount_systems_init(&files->systems);
	files->has_systems = true;
	return scan_word(&line, &device)
	               ? mount_systems_find(&files->systems, process->thread_fd, device, until_ns)
	               : FILE_SYSTEM_UNKNOWN;
}

static bool has_room(const struct jemalloc_files *files)
{
	return files->by_name.count < JEMALLOC_FILES_MAX &&
	       files->key.len <= JEMALLOC_NAMES_BYTES_MAX - files->name_bytes;
}

static const struct jemalloc_object *keep(struct jemalloc_files *files,
                                          const struct jemalloc_object *object)
{
	struct known_file *known = mem_calloc(1, sizeof(*known));

	*known = (struct known_file){*object, files->reading};
	pthread_mutex_lock(&files->lock);
	strmap_add(&files->by_name, strbuf_str(&files->key), files->key.len)->value = known;
	pthread_mutex_unlock(&files->lock);
	files->name_bytes += files->key.len;
	return &known->object;
}

/* Returns 0, or why the file could not be looked into. @until_ns is of CLOCK_MONOTONIC. */
static int inspect(struct jemalloc_files *files, const struct mapping_process *process,
                   const struct mapped_file *mapped, enum file_system_kind system,
                   uint64_t until_ns, struct jemalloc_object *ret_object)
{
	const struct trusted_file_question question = {.tgid = process->tgid,
	                                               .thread_fd = process->thread_fd,
	                                               .mapped = mapped,
	                                               .until_ns = until_ns};
	uint64_t now_ns;

	*ret_object = (struct jemalloc_object){.tag = PROBE_TAG_jemalloc_not_found};
	/* A memory file is on no mount that anybody sees. */
	if ((system == FILE_SYSTEM_LOCAL || system == FILE_SYSTEM_UNKNOWN) &&
	    trusted_file_lacks_jemalloc(&files->trusted, &question))
		return 0;
	now_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (now_ns >= until_ns)
		return -ETIME;
	if (files->allowed == FILE_SYSTEMS_LOCAL && system == FILE_SYSTEM_UNKNOWN)
		return -EREMOTE;
	if (!files->looker)
		files->looker = file_looker_new(&files->guard);
	file_looker_allow(files->looker, files->allowed);
	return file_looker_inspect(files->looker, process->tgid, process->tid, mapped,
	                           until_ns - now_ns, ret_object);
}

static const struct jemalloc_object *examine(struct jemalloc_files *files,
                                             const struct mapping_process *process,
                                             const struct mapped_file *mapped, uint64_t until_ns)
{
	enum file_system_kind system = find_system(files, process, mapped, until_ns);
	struct jemalloc_object object;
	int r;

	if (files->allowed == FILE_SYSTEMS_LOCAL && system == FILE_SYSTEM_REMOTE)
		return keep(files, &failures[PROBE_TAG_remote_file_system]);
	r = inspect(files, process, mapped, system, until_ns, &object);
	if (r == -ETIME && clock_now_ns(CLOCK_MONOTONIC) >= until_ns)
		return &failures[PROBE_TAG_budget];
	/* A file system that does not answer would not answer the next one either. */
	return r < 0 && r != -ETIME ? failure_of(process, r) : keep(files, &object);
}

static const struct jemalloc_object *look(struct jemalloc_files *files,
                                          const struct mapping_process *process,
                                          const struct mapped_file *mapped)
{
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC),
	         until_ns = jemalloc_files_until_ns(files, begin_ns);
	const struct jemalloc_object *object;

	if (!has_room(files)) {
		files->lacks_room = true;
		return &failures[PROBE_TAG_budget];
	}
	if (files->looked_ns >= files->look_budget_ns || until_ns <= begin_ns)
		return &failures[PROBE_TAG_budget];
	if (until_ns - begin_ns > files->look_budget_ns - files->looked_ns)
		until_ns = begin_ns + files->look_budget_ns - files->looked_ns;
	object = examine(files, process, mapped, until_ns);
	files->looked_ns += clock_now_ns(CLOCK_MONOTONIC) - begin_ns;
	return object;
}

/* A path that is too long to be asked for is none. */
const struct jemalloc_object *jemalloc_files_find_known(struct jemalloc_files *files,
                                                        const struct mapping_process *process,
                                                        const struct mapped_file *mapped,
                                                        struct strbuf *key)
{
	const bool is_named = mapped->path.len < PATH_MAX;
	struct known_file *known;
	struct span line = mapped->file, device = {"", 0};

	(void)scan_word(&line, &device);
	strbuf_clear(key);
	strbuf_add(key, process->mounts, sizeof(process->mounts));
	strbuf_add(key, device.text, device.len);
	strbuf_addf(key, " %" PRIu64 " ", mapped->inode);
	strbuf_add(key, mapped->path.text, is_named ? mapped->path.len : 0);
	pthread_mutex_lock(&files->lock);
	known = strmap_get(&files->by_name, strbuf_str(key), key->len);
	if (known)
		known->reading = files->reading;
	pthread_mutex_unlock(&files->lock);
	return known ? &known->object : NULL;
}

const struct jemalloc_object *jemalloc_files_find(struct jemalloc_files *files,
                                                  const struct mapping_process *process,
                                                  const struct mapped_file *mapped)
{
	const struct jemalloc_object *known =
	        jemalloc_files_find_known(files, process, mapped, &files->key);

	return known ? known : look(files, process, mapped);
}
