// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "experiment/work-marks.h"

/* A mark has the bytes that were printed before it, read or waiting, and none from behind it, also if the reader is late. */
static void test_marks(void **state)
{
	struct work_marks *marks = work_marks_new();
	char bytes[16];
	int fds[2], status;
	pid_t pid;

	(void)state;
	assert_non_null(marks);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "0123456789", 10), 10);
	assert_int_equal(work_marks_read(marks, WORK_MARK_BEGIN, fds[0], bytes, 4), 4);
	pid = fork();
	if (pid == 0) {
		work_marks_set(marks, WORK_MARK_BEGIN, fds[0]);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(write(fds[1], "abc", 3), 3);
	work_marks_set(marks, WORK_MARK_END, fds[0]);
	assert_int_equal(write(fds[1], "xyz", 3), 3);
	assert_int_equal(work_marks_left(marks, WORK_MARK_BEGIN), 6);
	assert_int_equal(work_marks_left(marks, WORK_MARK_END), 9);
	/* Nothing is read from behind a mark that the reader has not heard of yet. */
	assert_int_equal(work_marks_read(marks, WORK_MARK_BEGIN, fds[0], bytes, 7), 6);
	assert_int_equal(work_marks_read(marks, WORK_MARK_BEGIN, fds[0], bytes, 7), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(work_marks_read(marks, WORK_MARK_END, fds[0], bytes, 1), 1);
	assert_int_equal(work_marks_left(marks, WORK_MARK_BEGIN), 0);
	assert_int_equal(work_marks_left(marks, WORK_MARK_END), 2);
	assert_int_equal(work_marks_read(marks, WORK_MARK_COUNT, fds[0], bytes, 5), 5);
	work_marks_set(marks, WORK_MARK_END, -1);
	assert_int_equal(work_marks_left(marks, WORK_MARK_END), 0);
	fd_closep(&fds[0]);
	fd_closep(&fds[1]);
	work_marks_freep(&marks);
	assert_null(marks);
}

/* A reader that is stopped while it reads does not stop who marks. */
static void test_stopped_reader(void **state)
{
	struct work_marks *marks = work_marks_new();
	int fds[2];

	(void)state;
	assert_non_null(marks);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "abc", 3), 3);
	marks->is_busy = true;
	work_marks_set(marks, WORK_MARK_BEGIN, fds[0]);
	assert_int_equal(work_marks_left(marks, WORK_MARK_BEGIN), 3);
	fd_closep(&fds[0]);
	fd_closep(&fds[1]);
	work_marks_freep(&marks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_marks),
	        cmocka_unit_test(test_stopped_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
