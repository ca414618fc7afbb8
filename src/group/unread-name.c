// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/unread-name.h"

#include "group/path-name.h"

const char *unread_name(enum group_key key)
{
	switch (key) {
	case GROUP_KEY_exe:
	case GROUP_KEY_exe_dir:
		return path_name_unread_exe;
	case GROUP_KEY_cwd:
		return path_name_unread_cwd;
	case GROUP_KEY_title:
		return path_name_unread_title;
	case GROUP_KEY_wchan:
		return path_name_unread_wchan;
	case GROUP_KEY_syscall:
		return path_name_unread_syscall;
	default:
		return NULL;
	}
}

static bool lacks(bool is_known, const struct thread_sample *sample, enum metric_source source)
{
	return !is_known && sample->outcomes[source] != OUTCOME_gone &&
	       !sample_ended_inside(sample);
}

bool unread_name_has(enum group_key key, const struct thread_sample *sample)
{
	switch (key) {
	case GROUP_KEY_exe:
	case GROUP_KEY_exe_dir:
		return lacks(sample->has_exe, sample, SOURCE_exe);
	case GROUP_KEY_cwd:
		return lacks(sample->has_cwd, sample, SOURCE_cwd);
	case GROUP_KEY_title:
		return lacks(sample->has_title, sample, SOURCE_title);
	case GROUP_KEY_wchan:
		return lacks(sample->has_wchan, sample, SOURCE_wchan);
	case GROUP_KEY_syscall:
		return lacks(sample->has_syscall, sample, SOURCE_syscall);
	default:
		return false;
	}
}
