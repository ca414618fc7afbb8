// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/mount-systems.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/fd.h"

enum { MOUNTINFO_BYTES = 64 << 20 };

struct device {
	uint32_t major, minor;
};

static void add(struct mount_systems *systems, struct device device, enum file_system_kind kind)
{
	struct strmap_entry *entry =
	        strmap_add(&systems->by_device, (const char *)&device, sizeof(device));

	if ((uintptr_t)entry->value < kind)
		entry->value = (void *)(uintptr_t)kind;
}

/* Parses "MAJOR:MINOR", both with this base. */
static bool parse_device(struct span text, int base, struct device *ret_device)
{
	char copy[32], *end;
	unsigned long major, minor;

	if (text.len == 0 || text.len >= sizeof(copy))
		return false;
	memcpy(copy, text.text, text.len);
	copy[text.len] = '\0';
	major = strtoul(copy, &end, base);
	if (end == copy || *end != ':' || major > UINT32_MAX)
		return false;
	text.text = end + 1;
	minor = strtoul(text.text, &end, base);
	if (end == text.text || *end != '\0' || minor > UINT32_MAX)
		return false;
	*ret_device = (struct device){(uint32_t)major, (uint32_t)minor};
	return true;
}

/* The third word is the device; the word behind the lone dash is the type. See proc(5). */
static void add_line(struct mount_systems *systems, struct span line)
{
	enum { DEVICE_WORD = 3 };
	struct span word, device_text = {NULL, 0};
	struct device device;
	int number = 0;

	while (scan_word(&line, &word)) {
		if (++number == DEVICE_WORD)
			device_text = word;
		if (span_is(word, "-"))
			break;
	}
	if (number > DEVICE_WORD && scan_word(&line, &word) &&
	    parse_device(device_text, 10, &device))
		add(systems, device, file_system_kind_of_type(word.text, word.len));
}

void mount_systems_add(struct mount_systems *systems, const char *text, size_t len)
{
	struct span rest = {text, len}, line;

	while (scan_line(&rest, &line))
		add_line(systems, line);
}

static void read_mounts(struct mount_systems *systems, int dir_fd, const char *name)
{
	if (fd_read_all_at(dir_fd, name, &systems->text, MOUNTINFO_BYTES) == 0)
		mount_systems_add(systems, strbuf_str(&systems->text), systems->text.len);
}

/* The kernel's own mount of tmpfs, for files of memfd_create(2) and shared memory, is in no mountinfo. */
static void add_memory_files(struct mount_systems *systems)
{
	cleanup_(fd_closep) int fd = memfd_create("ctprof", MFD_CLOEXEC);
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0)
		add(systems, (struct device){major(status.st_dev), minor(status.st_dev)},
		    FILE_SYSTEM_LOCAL);
}

void mount_systems_init(struct mount_systems *systems)
{
	*systems = (struct mount_systems){0};
	add_memory_files(systems);
	read_mounts(systems, AT_FDCWD, "/proc/self/mountinfo");
	read_mounts(systems, AT_FDCWD, "/proc/1/mountinfo");
}

void mount_systems_done(struct mount_systems *systems)
{
	strmap_done(&systems->by_device);
	strbuf_done(&systems->text);
}

enum file_system_kind mount_systems_find(struct mount_systems *systems, int process_fd,
                                         struct span device)
{
	struct device key;
	void *known;

	if (!parse_device(device, 16, &key))
		return FILE_SYSTEM_UNKNOWN;
	known = strmap_get(&systems->by_device, (const char *)&key, sizeof(key));
	if (!known) {
		read_mounts(systems, process_fd, "mountinfo");
		known = strmap_get(&systems->by_device, (const char *)&key, sizeof(key));
	}
	return (enum file_system_kind)(uintptr_t)known;
}
