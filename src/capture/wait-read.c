// SPDX-License-Identifier: GPL-2.0-or-later
#include "wait-read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "metric/outcome.h"
#include "procfs/wait.h"
#include "syscall-name.h"

enum { NAME_BYTES = 64, FILE_BYTES = 1024 };

struct file_text {
	char bytes[FILE_BYTES];
	size_t len;
};

/* A file that is not there is one that the kernel lacks, or the thread has ended. */
static enum source_outcome outcome_of(int proc_fd, const struct thread_sample *sample, int r)
{
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%" PRIu32 "/task/%" PRIu32, sample->tgid, sample->tid);
	if (r == -ENOENT && faccessat(proc_fd, name, F_OK, 0) < 0)
		return OUTCOME_gone;
	return outcome_of_error(ERROR_OF_FEATURE, r);
}

static enum source_outcome read_file(int proc_fd, const struct thread_sample *sample,
                                     const char *file, struct file_text *ret)
{
	char name[NAME_BYTES];
	int r;

	snprintf(name, sizeof(name), "%" PRIu32 "/task/%" PRIu32 "/%s", sample->tgid, sample->tid,
	         file);
	r = fd_read_begin_at(proc_fd, name, ret->bytes, sizeof(ret->bytes), &ret->len);
	return r < 0 ? outcome_of(proc_fd, sample, r) : OUTCOME_read;
}

static enum source_outcome read_syscall(int proc_fd, struct thread_sample *sample)
{
	struct syscall_number call;
	struct file_text text;
	enum source_outcome outcome = read_file(proc_fd, sample, "syscall", &text);

	if (outcome != OUTCOME_read)
		return outcome;
	outcome = syscall_parse(text.bytes, text.len, &call);
	sample->has_syscall = outcome == OUTCOME_read;
	if (sample->has_syscall && call.has_number)
		syscall_name_add(call.number, call.is_narrow, &sample->syscall);
	return outcome;
}

/* The kernel prints "0" for a user without the right as well. Reading the link to the executable takes the same right, and is refused. */
static bool is_secret(int proc_fd, const struct thread_sample *sample)
{
	char name[NAME_BYTES], target[1];

	snprintf(name, sizeof(name), "%" PRIu32 "/task/%" PRIu32 "/exe", sample->tgid, sample->tid);
	return readlinkat(proc_fd, name, target, sizeof(target)) < 0 && error_is_denied(-errno);
}

static enum source_outcome read_wchan(int proc_fd, struct thread_sample *sample)
{
	struct file_text text;
	enum source_outcome outcome = read_file(proc_fd, sample, "wchan", &text);

	if (outcome != OUTCOME_read)
		return outcome;
	outcome = wchan_parse(text.bytes, text.len, &sample->wchan);
	if (outcome == OUTCOME_read && sample->wchan.len == 0 && !sample->has_syscall &&
	    is_secret(proc_fd, sample))
		return OUTCOME_denied;
	sample->has_wchan = outcome == OUTCOME_read;
	return outcome;
}

void wait_read(int proc_fd, bool stalls, struct thread_sample *sample)
{
	/* A thread that has ended waits in nothing, and has no such files any more. */
	if (sample_has_ended(sample)) {
		sample->has_wchan = sample->has_syscall = true;
		sample->outcomes[SOURCE_wchan] = sample->outcomes[SOURCE_syscall] = OUTCOME_read;
		return;
	}
	if (stalls) {
		sample->outcomes[SOURCE_wchan] = sample->outcomes[SOURCE_syscall] = OUTCOME_stalled;
		return;
	}
	sample->outcomes[SOURCE_syscall] = read_syscall(proc_fd, sample);
	sample->outcomes[SOURCE_wchan] = read_wchan(proc_fd, sample);
}
