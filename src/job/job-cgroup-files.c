// SPDX-License-Identifier: GPL-2.0-or-later
#include "job-cgroup-files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum { TEXT_BYTES = 64 << 20, DEPTH_MAX = 64 };

int job_list_length(struct span list)
{
	int count = list.len > 0;

	for (size_t i = 0; i < list.len; i++)
		count += list.text[i] == ',';
	return count;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

void job_ids_sort(struct id_list *list)
{
	size_t kept = 0;

	if (list->count > 0)
		qsort(list->ids, list->count, sizeof(list->ids[0]), compare_ids);
	for (size_t i = 0; i < list->count; i++)
		if (kept == 0 || list->ids[kept - 1] != list->ids[i])
			list->ids[kept++] = list->ids[i];
	list->count = kept;
}

int job_procs_list(int dir_fd, struct id_list *list)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	int r = fd_read_all_at(dir_fd, "cgroup.procs", &text, TEXT_BYTES);
	struct span rest, word;
	uint64_t pid;

	/* A threaded cgroup below has no list; its processes are in that of its domain. */
	if (r < 0)
		return r == -EOPNOTSUPP ? 0 : r;
	rest = (struct span){strbuf_str(&text), text.len};
	while (scan_word(&rest, &word))
		if (scan_u64(word.text, word.len, &pid) && pid > 0 && pid <= UINT32_MAX)
			*array_add(list->ids, list->count, list->capacity) = (uint32_t)pid;
	return 0;
}

/* A cgroup that vanishes meanwhile has no processes. */
static int list_below(DIR *dir, unsigned depth, struct id_list *list)
{
	struct dirent *entry;
	int r = 0;

	while (r == 0 && (entry = readdir(dir))) {
		cleanup_(fd_closep) int fd = -1;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		fd = openat(dirfd(dir), entry->d_name,
		            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			r = job_directory_list(fd, depth + 1, list);
		if (r == -ENODEV || r == -ENOENT)
			r = 0;
	}
	return r;
}

int job_directory_list(int dir_fd, unsigned depth, struct id_list *list)
{
	int r = job_procs_list(dir_fd, list), fd;
	DIR *dir;

	if (r < 0 || depth >= DEPTH_MAX)
		return r;
	fd = fd_open_dir_at(dir_fd, ".");
	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		r = -errno;
		close(fd);
		return r;
	}
	r = list_below(dir, depth, list);
	closedir(dir);
	return r;
}

static bool read_number(int dir_fd, const char *name, double *ret)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest, word;
	uint64_t number;

	if (fd_read_all_at(dir_fd, name, &text, TEXT_BYTES) < 0)
		return false;
	rest = (struct span){strbuf_str(&text), text.len};
	if (!scan_word(&rest, &word) || !scan_u64(word.text, word.len, &number))
		return false;
	*ret = (double)number;
	return true;
}

void job_read_cpu_stat(int dir_fd, struct job_values *values)
{
	static const struct {
		const char *key;
		enum job_value_id id;
	} keys[] = {
	        {"usage_usec", JOB_cpu_time},
	        {"user_usec", JOB_user_time},
	        {"system_usec", JOB_system_time},
	};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest, word, number;
	uint64_t us;

	if (fd_read_all_at(dir_fd, "cpu.stat", &text, TEXT_BYTES) < 0)
		return;
	rest = (struct span){strbuf_str(&text), text.len};
	while (scan_word(&rest, &word) && scan_word(&rest, &number))
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			if (span_is(word, keys[i].key) && scan_u64(number.text, number.len, &us))
				job_set(values, keys[i].id, JOB_SOURCE_cgroup,
				        (double)us * NS_PER_US / NS_PER_SECOND);
}

void job_read_cpuacct(int dir_fd, struct job_values *values)
{
	double ns;

	if (read_number(dir_fd, "cpuacct.usage", &ns))
		job_set(values, JOB_cpu_time, JOB_SOURCE_cgroup, ns / NS_PER_SECOND);
	if (read_number(dir_fd, "cpuacct.usage_user", &ns))
		job_set(values, JOB_user_time, JOB_SOURCE_cgroup, ns / NS_PER_SECOND);
	if (read_number(dir_fd, "cpuacct.usage_sys", &ns))
		job_set(values, JOB_system_time, JOB_SOURCE_cgroup, ns / NS_PER_SECOND);
}

void job_read_peak(int dir_fd, const char *name, struct job_values *values)
{
	double bytes;

	if (read_number(dir_fd, name, &bytes))
		job_set(values, JOB_peak_memory, JOB_SOURCE_cgroup, bytes);
}
