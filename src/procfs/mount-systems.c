// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/mount-systems.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/fd.h"
#include "procfs/mount-line.h"

enum { MOUNTINFO_BYTES = 64 << 20 };

static void add(struct mount_systems *systems, struct mount_device device,
                enum file_system_kind kind)
{
	struct strmap_entry *entry =
	        strmap_add(&systems->by_device, (const char *)&device, sizeof(device));

	if ((uintptr_t)entry->value < kind)
		entry->value = (void *)(uintptr_t)kind;
}

void mount_systems_add(struct mount_systems *systems, const char *text, size_t len)
{
	struct span rest = {text, len}, line;
	struct mount_line mount;

	while (scan_line(&rest, &line))
		if (mount_line_parse(line, &mount))
			add(systems, mount.device, mount.kind);
}

static void read_mounts(struct mount_systems *systems, int dir_fd, const char *name,
                        uint64_t until_ns)
{
	if (fd_read_all_until(dir_fd, name, &systems->text, MOUNTINFO_BYTES, until_ns) == 0)
		mount_systems_add(systems, strbuf_str(&systems->text), systems->text.len);
}

/* The kernel's own mount of tmpfs, for files of memfd_create(2) and shared memory, is in no mountinfo. */
static void add_memory_files(struct mount_systems *systems)
{
	cleanup_(fd_closep) int fd = memfd_create("ctprof", MFD_CLOEXEC);
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0)
		add(systems, (struct mount_device){major(status.st_dev), minor(status.st_dev)},
		    FILE_SYSTEM_LOCAL);
}

void mount_systems_init(struct mount_systems *systems)
{
	*systems = (struct mount_systems){0};
	add_memory_files(systems);
	read_mounts(systems, AT_FDCWD, "/proc/self/mountinfo", UINT64_MAX);
	read_mounts(systems, AT_FDCWD, "/proc/1/mountinfo", UINT64_MAX);
}

void mount_systems_done(struct mount_systems *systems)
{
	strmap_done(&systems->by_device);
	strbuf_done(&systems->text);
}

enum file_system_kind mount_systems_find(struct mount_systems *systems, int process_fd,
                                         struct span device, uint64_t until_ns)
{
	struct mount_device key;
	void *known;

	if (!mount_device_parse(device, 16, &key))
		return FILE_SYSTEM_UNKNOWN;
	known = strmap_get(&systems->by_device, (const char *)&key, sizeof(key));
	if (!known) {
		read_mounts(systems, process_fd, "mountinfo", until_ns);
		known = strmap_get(&systems->by_device, (const char *)&key, sizeof(key));
	}
	return (enum file_system_kind)(uintptr_t)known;
}
