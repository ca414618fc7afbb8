// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "metric/outcome.h"
#include "procfs/procfs.h"

/* clang-format off */
#define METRIC(id_, type_, bound_, rule_, encoding_, source_, ...)                                 \
	_Static_assert((int)SOURCE_##source_ != (int)SOURCE_affinity ||                            \
			       (int)METRIC_##id_ == (int)METRIC_cpu_affinity,                      \
		       "metric " #id_ ": affinity_read() does not set it");
#include CTPROF_METRICS_DEF
#undef METRIC
/* clang-format on */

/* The wrapper in libc hides how many bytes the kernel filled in, so the system call is made directly. */
enum source_outcome affinity_read(struct thread_sample *sample)
{
	struct cpu_mask *mask = &sample->cpu_affinity.v;
	long filled = syscall(SYS_sched_getaffinity, sample->tid, sizeof(mask->words), mask->words);

	if (filled < 0)
		return outcome_of_error(ERROR_OF_FEATURE, -errno);
	mask->used_words = (uint32_t)filled / sizeof(mask->words[0]);
	if (cpu_mask_count(mask) == 0)
		return OUTCOME_malformed;
	metric_set_add(&sample->seen, METRIC_cpu_affinity);
	return OUTCOME_read;
}
