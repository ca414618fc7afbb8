// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot-row.h"

bool thread_row_has_identity(uint64_t identities, enum thread_row_identity identity)
{
	return (identities & UINT64_C(1) << identity) != 0;
}

bool thread_row_is_superseded(uintptr_t meaning, uint64_t identities)
{
	switch (meaning) {
	case ROW_pcomm:
		return thread_row_has_identity(identities, ROW_pcomm_hex);
	case ROW_comm:
		return thread_row_has_identity(identities, ROW_comm_hex);
	case ROW_cgroup:
		return thread_row_has_identity(identities, ROW_cgroup_hex);
	case ROW_cgroup_v1:
		return thread_row_has_identity(identities, ROW_cgroup_v1_hex) ||
		       thread_row_has_identity(identities, ROW_cgroup) ||
		       thread_row_has_identity(identities, ROW_cgroup_hex);
	case ROW_cgroup_v1_hex:
		return thread_row_has_identity(identities, ROW_cgroup) ||
		       thread_row_has_identity(identities, ROW_cgroup_hex);
	case ROW_cgroups_v1:
		return thread_row_has_identity(identities, ROW_cgroups_v1_hex);
	case ROW_exe:
		return thread_row_has_identity(identities, ROW_exe_hex);
	case ROW_cwd:
		return thread_row_has_identity(identities, ROW_cwd_hex);
	case ROW_title:
		return thread_row_has_identity(identities, ROW_title_hex);
	}
	return false;
}

int thread_row_set_label(struct thread_row_reader *rows, enum metric_id metric, const char *text,
                         size_t len, struct thread_sample *sample)
{
	if (!rows->is_own && reference_row_is_unread(&rows->reference, metric, text, len))
		return 0;
	return sample_set_label(sample, metric, text, len)
	               ? 0
	               : value_refuse(&rows->values, metric_table[metric].name, "a label");
}
