// SPDX-License-Identifier: GPL-2.0-or-later
#include "trigger/trigger.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "cgroup/cgroup-mount.h"
#include "cgroup/cgroup-open.h"
#include "procfs/procfs.h"

/* Windows of which anyone may have a trigger are multiples of it: Linux 6.5, and stable branches before (6.1.0-50 of Debian 12). */
enum { USEC_FOR_ALL = 2000000 };

static bool is_for_all(const struct trigger *trigger)
{
	return trigger->window_usec % USEC_FOR_ALL == 0;
}

/* The kernel keeps pressure, and none of interrupts. */
static bool lacks_interrupts(const struct trigger *trigger, const struct trigger_refusal *refusal)
{
	return trigger->resource == PSI_irq && refusal->has_pressure &&
	       (refusal->error == -ENOENT || (refusal->error == -EOPNOTSUPP && !trigger->cgroup));
}

void trigger_add_reason(const struct trigger *trigger, const struct trigger_refusal *refusal,
                        struct strbuf *out)
{
	int error = refusal->error;
	bool is_denied = error_is_denied(error);

	if (error == -EBUSY)
		strbuf_add_str(out, "another trigger holds this file (EBUSY): each one takes an "
		                    "open of its own; start the recorder again");
	else if (error == -EACCES && !refusal->written && trigger->cgroup && refusal->has_file)
		strbuf_addf(out,
		            "the file %s.pressure of the cgroup cannot be opened for writing: it "
		            "belongs to user %u, with mode %04o",
		            psi_resource_names[trigger->resource], (unsigned)refusal->owner,
		            (unsigned)refusal->mode & 07777);
	else if (is_denied || (refusal->written && error == -EINVAL && !is_for_all(trigger)))
		strbuf_add_str(out,
		               "a trigger takes CAP_SYS_RESOURCE (root); Linux 6.5, and 6.1 of "
		               "Debian 12, let anyone have one with a window of 2s, 4s, 6s, 8s "
		               "or 10s");
	else if (lacks_interrupts(trigger, refusal))
		strbuf_add_str(out, "the kernel keeps no pressure of interrupts: that takes Linux "
		                    "6.1 with CONFIG_IRQ_TIME_ACCOUNTING");
	else if (error == -EOPNOTSUPP || (error == -ENOENT && !trigger->cgroup))
		strbuf_addf(out, "the kernel keeps no %s: boot with psi=1, and CONFIG_PSI%s",
		            trigger->resource == PSI_irq ? "pressure of interrupts" : "pressure",
		            trigger->cgroup ? ", and have 1 in cgroup.pressure of the cgroup" : "");
	else if (error == -ENOENT)
		strbuf_add_str(out, "there is no such cgroup in the hierarchy of version 2, or "
		                    "the kernel keeps no pressure (boot with psi=1)");
	else if (error == -ENODEV)
		strbuf_add_str(out, "the removal of the cgroup was under way");
	else
		strbuf_add_str(out, strerror(-error));
}

/* Returns a descriptor of the cgroup's directory, or -errno. */
static int open_cgroup(const struct trigger *trigger)
{
	cleanup_(cgroup_mounts_done) struct cgroup_mounts mounts = {0};
	cleanup_(fd_closep) int proc_fd = fd_open_dir_at(AT_FDCWD, "/proc"), mount_fd = -1;
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	if (proc_fd < 0)
		return proc_fd;
	cgroup_mounts_find(proc_fd, true, &mounts);
	if (!mounts.unified.found)
		return -ENOENT;
	mount_fd = fd_open_dir_at(AT_FDCWD, strbuf_str(&mounts.unified.point));
	if (mount_fd < 0)
		return mount_fd;
	strbuf_add_str(&path, trigger->cgroup);
	return cgroup_walk_open(mount_fd, &mounts.unified, &path);
}

static void name_file(const struct trigger *trigger, enum psi_resource resource, char *ret,
                      size_t size)
{
	snprintf(ret, size, "%s%s", psi_resource_names[resource],
	         trigger->cgroup ? ".pressure" : "");
}

static void note_files(const struct trigger *trigger, int dir_fd, const char *name,
                       struct trigger_refusal *ret)
{
	char other[64];
	struct stat status;

	ret->has_file = fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
	ret->owner = ret->has_file ? status.st_uid : 0;
	ret->mode = ret->has_file ? status.st_mode : 0;
	name_file(trigger, PSI_cpu, other, sizeof(other));
	ret->has_pressure = fstatat(dir_fd, other, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Both have a fixed name below a directory that is the kernel's. @ret_refusal is set without the error. */
static int open_pressure(const struct trigger *trigger, struct trigger_refusal *ret_refusal)
{
	cleanup_(fd_closep) int dir_fd =
	        trigger->cgroup ? open_cgroup(trigger) : fd_open_dir_at(AT_FDCWD, "/proc/pressure");
	char name[64];
	int fd, error;

	if (dir_fd < 0)
		return dir_fd;
	name_file(trigger, trigger->resource, name, sizeof(name));
	fd = openat(dir_fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	error = fd < 0 ? errno : 0;
	note_files(trigger, dir_fd, name, ret_refusal);
	return fd < 0 ? -error : fd;
}

/* The kernel takes the NUL for the end of the text. */
static int write_trigger(const struct trigger *trigger)
{
	char text[96];
	int len = snprintf(text, sizeof(text), "%s %llu %llu", psi_row_names[trigger->row],
	                   (unsigned long long)trigger->stall_usec,
	                   (unsigned long long)trigger->window_usec);

	return write(trigger->fd, text, (size_t)len + 1) < 0 ? -errno : 0;
}

int trigger_open(struct trigger *trigger, struct strbuf *reterr)
{
	struct trigger_refusal refusal = {0};
	int r;

	if (trigger->kind == TRIGGER_LOAD) {
		trigger->fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
		if (trigger->fd >= 0)
			return 0;
		r = -errno;
		strbuf_addf(reterr, "/proc/loadavg: %s", strerror(-r));
		return r;
	}
	r = trigger->fd = open_pressure(trigger, &refusal);
	if (r >= 0) {
		refusal.written = true;
		r = write_trigger(trigger);
	}
	if (r < 0) {
		fd_closep(&trigger->fd);
		refusal.error = r;
		trigger_add_reason(trigger, &refusal, reterr);
		return r;
	}
	trigger_note_pressure(trigger, clock_now_ns(CLOCK_MONOTONIC));
	return 0;
}

void trigger_note_pressure(struct trigger *trigger, uint64_t now_ns)
{
	struct psi_line lines[PSI_ROW_COUNT] = {0};
	const struct psi_line *line = &lines[trigger->row];
	char text[512];
	ssize_t len = pread(trigger->fd, text, sizeof(text), 0);

	if (len > 0 && psi_parse(text, (size_t)len, lines) == OUTCOME_read && line->seen)
		trigger_past_add(&trigger->past, trigger->window_usec,
		                 (struct trigger_reading){now_ns / NS_PER_US, line->total_usec});
}

enum trigger_state trigger_judge_events(struct trigger *trigger, short events, uint64_t now_ns)
{
	if ((events & (POLLERR | POLLNVAL)) != 0) {
		fd_closep(&trigger->fd);
		return TRIGGER_GONE;
	}
	if ((events & POLLPRI) == 0)
		return TRIGGER_QUIET;
	trigger_note_pressure(trigger, now_ns);
	return trigger_past_allows(&trigger->past, trigger->stall_usec, trigger->window_usec)
	               ? TRIGGER_FIRED
	               : TRIGGER_QUIET;
}

enum trigger_state trigger_judge_load(const struct trigger *trigger)
{
	char text[128];
	ssize_t len = pread(trigger->fd, text, sizeof(text) - 1, 0);

	if (len <= 0)
		return TRIGGER_QUIET;
	text[len] = '\0';
	return strtod(text, NULL) > trigger->load ? TRIGGER_FIRED : TRIGGER_QUIET;
}

void trigger_done(struct trigger *trigger)
{
	free(trigger->text);
	free(trigger->cgroup);
	trigger->text = trigger->cgroup = NULL;
	fd_closep(&trigger->fd);
}
