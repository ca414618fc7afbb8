// SPDX-License-Identifier: GPL-2.0-or-later
#include "jemalloc-files.h"

#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fd.h"

static const char *environment(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value ? value : otherwise;
}

static printf_(2, 0) int run(const struct temp_tree *tree, const char *format, va_list arguments)
{
	cleanup_(strbuf_done) struct strbuf command = STRBUF_INIT;

	strbuf_addf(&command, "cd '%s' && CC='%s' SOURCES='%s' && { ", tree->path,
	            environment("TEST_CC", "cc"),
	            environment("TEST_SOURCES", "tests/unit/jemalloc"));
	strbuf_vaddf(&command, format, arguments);
	strbuf_add_str(&command, " ; }");
	return system(strbuf_str(&command));
}

bool jemalloc_files_try(const struct temp_tree *tree, const char *format, ...)
{
	va_list arguments;
	int status;

	va_start(arguments, format);
	status = run(tree, format, arguments);
	va_end(arguments);
	return status == 0;
}

void jemalloc_files_run(const struct temp_tree *tree, const char *format, ...)
{
	va_list arguments;
	int status;

	va_start(arguments, format);
	status = run(tree, format, arguments);
	va_end(arguments);
	if (status != 0)
		fail_msg("failed: %s", format);
}

int jemalloc_files_open(const struct temp_tree *tree, const char *name)
{
	int fd = openat(tree->fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	assert_true(fd >= 0);
	return fd;
}

struct jemalloc_object jemalloc_files_look(const struct temp_tree *tree, const char *name,
                                           unsigned machine,
                                           struct jemalloc_debug_files *debug_files)
{
	cleanup_(fd_closep) int fd = jemalloc_files_open(tree, name);
	struct jemalloc_object object;

	jemalloc_inspect(fd, machine, debug_files, &object);
	return object;
}

void jemalloc_files_assert_true(const struct temp_tree *tree, const struct jemalloc_object *object,
                                const char *program)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char *end;
	long allocated, deallocated, word;

	assert_int_equal(object->tag, PROBE_TAG_ok);
	if (object->has_slot)
		jemalloc_files_run(tree, "%s %lx mallctl > said", program,
		                   (unsigned long)object->slot_address);
	else
		jemalloc_files_run(tree, "%s > said", program);
	assert_int_equal(fd_read_all_at(tree->fd, "said", &text, 4096), 0);
	allocated = strtol(strbuf_str(&text), &end, 10);
	deallocated = strtol(end, &end, 10);
	word = strtol(end, &end, 10);
	assert_int_equal(object->allocated + word, allocated);
	assert_int_equal(object->deallocated + word, deallocated);
}
