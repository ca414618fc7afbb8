// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/group-by.h"

bool group_key_is_of_process(enum group_key key)
{
	return key == GROUP_KEY_pcomm || key == GROUP_KEY_pid || key == GROUP_KEY_exe ||
	       key == GROUP_KEY_exe_dir || key == GROUP_KEY_cwd || key == GROUP_KEY_title ||
	       key == GROUP_KEY_user || key == GROUP_KEY_host;
}

bool group_key_is_of_thread(enum group_key key)
{
	return key == GROUP_KEY_comm || key == GROUP_KEY_comm_exact || key == GROUP_KEY_thread ||
	       key == GROUP_KEY_state || key == GROUP_KEY_wchan || key == GROUP_KEY_syscall;
}

bool group_by_has_thread_key(const struct group_by *by)
{
	for (unsigned i = 0; i < by->count; i++)
		if (group_key_is_of_thread(by->keys[i]))
			return true;
	return false;
}

bool group_by_has_thread_keys_alone(const struct group_by *by)
{
	for (unsigned i = 0; i < by->count; i++)
		if (!group_key_is_of_thread(by->keys[i]))
			return false;
	return true;
}
