/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* settings-read - reads the settings of a host from /proc and /sys. */
#include <stdbool.h>

#include "ctprof/settings/settings.h"

/* Reads the files of registry/settings.def and /proc/modules into @settings, which is zeroed. The two descriptors are the roots
 * /proc and /sys, or -1; @live says that they are this system's. Only files of procfs, sysfs and debugfs are opened on this
 * system, only regular files in another system's tree. No symbolic link is followed out of the tree, and nothing is read
 * that is mounted below a directory. Without openat2(2) (Linux 5.6, or a filter of system calls), nothing is
 * read and the directories count as denied. With @anonymous, names of the host are left out. */
void settings_read(int proc_fd, int sys_fd, bool live, bool anonymous, struct settings *settings);
