// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/mount-systems.h"

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/fd.h"
#include "procfs/mount-layers.h"
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

/* One place where it is known what the paths of the layers mean will do. */
static void add_overlay(struct mount_systems *systems, struct mount_device device, bool is_local)
{
	struct strmap_entry *entry =
	        strmap_add(&systems->by_device, (const char *)&device, sizeof(device));

	if (is_local)
		entry->value = (void *)(uintptr_t)FILE_SYSTEM_STACKED;
	else if (!entry->value)
		entry->value = (void *)(uintptr_t)FILE_SYSTEM_REMOTE;
}

void mount_systems_add(struct mount_systems *systems, const char *text, size_t len, bool are_ours)
{
	struct span rest = {text, len}, line;
	struct mount_layers layers = {STRMAP_INIT};
	struct mount_line mount;

	if (are_ours)
		mount_layers_init(&layers, text, len);
	while (scan_line(&rest, &line)) {
		if (!mount_line_parse(line, &mount))
			continue;
		if (mount.kind == FILE_SYSTEM_STACKED)
			add_overlay(systems, mount.device,
			            are_ours && mount_layers_are_local(&layers, &mount));
		else
			add(systems, mount.device, mount.kind);
	}
	mount_layers_done(&layers);
}

static void read_mounts(struct mount_systems *systems, int dir_fd, const char *name,
                        uint64_t until_ns, bool are_ours)
{
	if (fd_read_all_until(dir_fd, name, &systems->text, MOUNTINFO_BYTES, until_ns) == 0)
		mount_systems_add(systems, strbuf_str(&systems->text), systems->text.len, are_ours);
}

/* The kernel says so for each descriptor once, and a new one has no news, so it is opened before the text is read. */
static bool has_news(const struct mount_systems *systems)
{
	struct pollfd news[] = {{.fd = systems->own_fd, .events = POLLPRI},
	                        {.fd = systems->first_fd, .events = POLLPRI}};

	return poll(news, ARRAY_SIZE(news), 0) > 0;
}

/* The kernel's own mounts of tmpfs and hugetlbfs, for files of memfd_create(2) and shared memory, are in no mountinfo. */
static void add_memory_files(struct mount_systems *systems, unsigned flags)
{
	cleanup_(fd_closep) int fd = memfd_create("ctprof", MFD_CLOEXEC | flags);
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0)
		add(systems, (struct mount_device){major(status.st_dev), minor(status.st_dev)},
		    FILE_SYSTEM_LOCAL);
}

/* In a directory that is no mount our own root directory is in no mountinfo; this program runs there, so it may be asked. */
static void add_own_root(struct mount_systems *systems)
{
	cleanup_(fd_closep) int fd = fd_open_path_at(AT_FDCWD, "/");
	struct mount_device device;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return;
	device = (struct mount_device){major(status.st_dev), minor(status.st_dev)};
	if (!strmap_get(&systems->by_device, (const char *)&device, sizeof(device)) &&
	    file_system_check(fd, FILE_SYSTEMS_LOCAL) == 0)
		add(systems, device, FILE_SYSTEM_STACKED);
}

void mount_systems_init(struct mount_systems *systems)
{
	*systems = MOUNT_SYSTEMS_INIT;
	add_memory_files(systems, 0);
	add_memory_files(systems, MFD_HUGETLB);
	systems->own_fd = fd_open_file_at(AT_FDCWD, "/proc/self/mountinfo");
	systems->first_fd = fd_open_file_at(AT_FDCWD, "/proc/1/mountinfo");
	read_mounts(systems, AT_FDCWD, "/proc/self/mountinfo", UINT64_MAX, true);
	read_mounts(systems, AT_FDCWD, "/proc/1/mountinfo", UINT64_MAX, true);
	add_own_root(systems);
}

void mount_systems_done(struct mount_systems *systems)
{
	strmap_done(&systems->by_device);
	strbuf_done(&systems->text);
	fd_closep(&systems->own_fd);
	fd_closep(&systems->first_fd);
}

enum file_system_kind mount_systems_find(struct mount_systems *systems, int process_fd,
                                         struct span device, uint64_t until_ns)
{
	struct mount_device key;
	void *known;

	if (!mount_device_parse(device, 16, &key))
		return FILE_SYSTEM_UNKNOWN;
	if (has_news(systems)) {
		mount_systems_done(systems);
		mount_systems_init(systems);
	}
	known = strmap_get(&systems->by_device, (const char *)&key, sizeof(key));
	if (!known) {
		read_mounts(systems, process_fd, "mountinfo", until_ns, false);
		known = strmap_get(&systems->by_device, (const char *)&key, sizeof(key));
	}
	return (enum file_system_kind)(uintptr_t)known;
}
