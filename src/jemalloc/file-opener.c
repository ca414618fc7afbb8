// SPDX-License-Identifier: GPL-2.0-or-later
#include "file-opener.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/helper.h"
#include "base/local-path.h"
#include "base/mem.h"
#include "base/own-names.h"
#include "base/strmap.h"
#include "helper-message.h"
#include "helper-program.h"
#include "helper-sandbox.h"
#include "jemalloc/jemalloc-inspect.h"

/* A file is the same one if all of these are the same. */
struct identity {
	uint64_t device, inode, seconds, nanoseconds, bytes;
};

struct opener {
	struct helper_message question;
	struct strmap by_identity; /* struct jemalloc_object, owned */
	struct jemalloc_inspector *inspector;
	struct strbuf mounts; /* of the process that the question is about */
};

static enum file_systems allowed_by(const struct helper_message *question)
{
	return question->look.allowed == FILE_SYSTEMS_ALL ? FILE_SYSTEMS_ALL : FILE_SYSTEMS_LOCAL;
}

/* Opens the file that is mapped, also where it has been removed or lies on another mount. That takes
 * CAP_CHECKPOINT_RESTORE. */
static int open_mapping(const struct helper_message *question)
{
	char name[96];

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64,
	         question->look.tgid, question->look.start, question->look.end);
	return regular_file_open_link(AT_FDCWD, name, allowed_by(question));
}

/* Opens the root of the process; one whose leader has exited has it in its other threads only. */
static int open_root(const struct helper_message *question)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/task/%" PRIu32 "/root", question->look.tgid,
	         question->look.tid);
	return fd_open_path_at(AT_FDCWD, name);
}

/* Reads the mounts below that root; none if they cannot be read. */
static void read_mounts(struct opener *opener)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/task/%" PRIu32 "/mountinfo",
	         opener->question.look.tgid, opener->question.look.tid);
	if (local_mounts_read(name, &opener->mounts) < 0)
		strbuf_clear(&opener->mounts);
}

/* Opens what lies at the path of the mapping now, where it is the file that is mapped. */
static int open_in_root(struct opener *opener, const struct local_root *root)
{
	const struct helper_message *question = &opener->question;
	struct stat status;
	int fd = root->fd;

	if (fd < 0)
		return fd;
	read_mounts(opener);
	fd = local_path_open(root, question->look.path, allowed_by(question));
	if (fd >= 0 && (fstat(fd, &status) < 0 || status.st_ino != question->look.inode)) {
		fd_closep(&fd);
		return -ENOENT;
	}
	return fd == -EMEDIUMTYPE ? -ENOENT : fd;
}

/* If neither way leads to the file, and the first one is denied, the file is denied. */
static int open_mapped(struct opener *opener, const struct local_root *root)
{
	int first = open_mapping(&opener->question), fd = first;

	if (first < 0 && first != -EMEDIUMTYPE && first != -EREMOTE)
		fd = open_in_root(opener, root);
	if (fd < 0 && error_is_denied(first) && fd != -EREMOTE)
		return -EACCES;
	return fd;
}

static void inspect(struct opener *opener, int fd, const struct local_root *root,
                    struct jemalloc_object *ret_object)
{
	const char *path = opener->question.look.path;
	cleanup_(mem_freep) char *directory = mem_copy_text(path);
	char *slash = strrchr(directory, '/');

	if (slash)
		*slash = '\0';
	read_mounts(opener);
	jemalloc_inspector_allow(opener->inspector, allowed_by(&opener->question));
	jemalloc_inspector_run(opener->inspector, fd, root, slash ? directory : NULL, ret_object);
}

/* Anything but a regular file, such as a device, has no jemalloc. */
static int find_object(struct opener *opener, struct jemalloc_object *ret_object)
{
	cleanup_(fd_closep) int root_fd = open_root(&opener->question);
	const struct local_root root = {.fd = root_fd, .mounts = &opener->mounts};
	cleanup_(fd_closep) int fd = open_mapped(opener, &root);
	struct strmap_entry *entry;
	struct identity identity;
	struct stat status;

	*ret_object = (struct jemalloc_object){.tag = PROBE_TAG_jemalloc_not_found};
	if (fd == -EMEDIUMTYPE)
		return 0;
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0)
		return -errno;
	identity = (struct identity){
	        .device = status.st_dev,
	        .inode = status.st_ino,
	        .seconds = (uint64_t)status.st_mtim.tv_sec,
	        .nanoseconds = (uint64_t)status.st_mtim.tv_nsec,
	        .bytes = (uint64_t)status.st_size,
	};
	entry = strmap_add(&opener->by_identity, (const char *)&identity, sizeof(identity));
	if (!entry->value) {
		struct jemalloc_object *object = mem_calloc(1, sizeof(*object));

		entry->value = object;
		inspect(opener, fd, &root, object);
	}
	*ret_object = *(const struct jemalloc_object *)entry->value;
	return 0;
}

/* It leads a process group, which its own helper is in as well: one signal ends both. */
static void become_helper(pid_t parent)
{
	(void)setpgid(0, 0);
	helper_ignore_signals();
	helper_become_stranger(helper_capabilities[HELPER_FOR_FILES]);
	helper_end_with(parent);
	(void)prctl(PR_SET_NAME, own_names[OWN_NAME_look]);
	helper_sandbox_enter(HELPER_SANDBOX_FILES);
}

void file_opener_run(int socket, int guard_fd, pid_t parent)
{
	struct opener opener = {.inspector = jemalloc_inspector_new()};

	become_helper(parent);
	jemalloc_inspector_set_guard(opener.inspector, guard_fd);
	while (helper_message_receive(socket, &opener.question, NULL) == 0 &&
	       opener.question.kind == HELPER_LOOK &&
	       memchr(opener.question.look.path, '\0', sizeof(opener.question.look.path))) {
		struct helper_message answer;
		struct jemalloc_object object;
		int result = find_object(&opener, &object);

		helper_message_set_object(&answer, HELPER_LOOKED, result, &object);
		if (helper_message_send(socket, &answer, -1) < 0)
			break;
	}
	jemalloc_inspector_free(opener.inspector);
	strbuf_done(&opener.mounts);
	_exit(0);
}
