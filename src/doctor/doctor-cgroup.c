// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "cgroup/cgroup-files.h"
#include "doctor-find.h"
#include "procfs/procfs.h"

enum { CGROUP_FILE_BYTES = 1 << 20, CGROUPS_MAX = 64 };

static bool has_word(struct span text, const char *word)
{
	struct span here;

	while (scan_word(&text, &here))
		if (span_is(here, word))
			return true;
	return false;
}

static struct span read_span(int dir_fd, const char *name, struct strbuf *text)
{
	if (fd_read_all_at(dir_fd, name, text, CGROUP_FILE_BYTES) < 0)
		strbuf_clear(text);
	return (struct span){strbuf_str(text), text->len};
}

/* "memory 4 12 1": name, hierarchy, cgroups, enabled. A hierarchy other than 0 is one of version 1. */
static void find_in_proc_cgroups(int proc_fd, struct doctor_findings *findings)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest = read_span(proc_fd, "cgroups", &text), line, words[4];

	while (scan_line(&rest, &line)) {
		size_t count = 0;

		while (count < ARRAY_SIZE(words) && scan_word(&line, &words[count]))
			count++;
		for (unsigned c = 0; count == ARRAY_SIZE(words) && c < DOCTOR_CONTROLLER_COUNT;
		     c++) {
			if (!span_is(words[0], doctor_controller_table[c].v1_name))
				continue;
			findings->controllers[c].on_v1 = !span_is(words[1], "0");
			findings->controllers[c].disabled = span_is(words[3], "0");
		}
	}
}

static bool has_value(const struct cgroup_stats *stats, unsigned version, const char *object)
{
	for (unsigned v = 0; v < CGROUP_VALUE_COUNT; v++)
		if (cgroup_value_table[v].version == version &&
		    strcmp(cgroup_value_table[v].object, object) == 0 &&
		    stats->values[v].state != FACT_UNSEEN)
			return true;
	return false;
}

/* Whether a file of the controller is in the directory and makes sense. Every cgroup has cpu.stat, with the
 * controller or without. */
static bool reads_controller(int dir_fd, unsigned version, const char *object)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(cgroup_stats_done) struct cgroup_stats stats = {.is_v1 = version == 1};

	for (unsigned v = 0; v < CGROUP_VALUE_COUNT; v++) {
		const struct cgroup_value_desc *row = &cgroup_value_table[v];

		if (row->version == version && strcmp(row->object, object) == 0 &&
		    (version == 1 || strcmp(row->file, "cpu.stat") != 0) &&
		    fd_read_all_at(dir_fd, row->file, &text, CGROUP_FILE_BYTES) == 0)
			cgroup_file_parse(row->file, strbuf_str(&text), text.len, &stats);
	}
	if (has_value(&stats, version, object))
		return true;
	for (unsigned l = 0; version == 2 && l < CGROUP_LIST_COUNT; l++)
		if (strcmp(cgroup_list_table[l].object, object) == 0 &&
		    fd_read_all_at(dir_fd, cgroup_list_table[l].file, &text, CGROUP_FILE_BYTES) ==
		            0)
			return true;
	return false;
}

static void find_in_cgroup(int dir_fd, bool with_controllers, struct doctor_findings *findings)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span pressure = read_span(dir_fd, "cpu.pressure", &text);
	struct psi_line lines[PSI_ROW_COUNT] = {{0}};

	if (psi_parse(pressure.text, pressure.len, lines) == OUTCOME_read)
		findings->psi_cgroups++;
	for (unsigned c = 0; with_controllers && c < DOCTOR_CONTROLLER_COUNT; c++)
		if (findings->controllers[c].read == 0 &&
		    reads_controller(dir_fd, 2, doctor_controller_table[c].name))
			findings->controllers[c].read++;
}

/* A controller is enabled from the root downwards, so where any cgroup has it, one right below the root has it. The
 * root itself has no files of most controllers, unless it is the root of a namespace only. */
static void find_in_cgroup2(const char *point, struct doctor_findings *findings)
{
	cleanup_(strbuf_done) struct strbuf offered = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf enabled = STRBUF_INIT;
	DIR *listing = opendir(point);
	const struct dirent *entry;
	int root_fd;

	if (!listing)
		return;
	root_fd = dirfd(listing);
	read_span(root_fd, "cgroup.controllers", &offered);
	read_span(root_fd, "cgroup.subtree_control", &enabled);
	for (unsigned c = 0; c < DOCTOR_CONTROLLER_COUNT; c++) {
		const char *name = doctor_controller_table[c].name;

		findings->controllers[c].offered =
		        has_word((struct span){strbuf_str(&offered), offered.len}, name);
		findings->controllers[c].enabled =
		        has_word((struct span){strbuf_str(&enabled), enabled.len}, name);
	}
	find_in_cgroup(root_fd, faccessat(root_fd, "cgroup.type", F_OK, 0) == 0, findings);
	for (unsigned seen = 0; seen < CGROUPS_MAX && (entry = readdir(listing));) {
		cleanup_(fd_closep) int fd = -1;

		if (entry->d_name[0] == '.' || entry->d_type != DT_DIR)
			continue;
		fd = fd_open_path_at(root_fd, entry->d_name);
		if (fd >= 0)
			find_in_cgroup(fd, true, findings);
		seen++;
	}
	closedir(listing);
}

void doctor_find_cgroups(int proc_fd, const struct cgroup_mounts *mounts,
                         struct doctor_findings *findings)
{
	struct cgroup_v1_controllers v1;

	find_in_proc_cgroups(proc_fd, findings);
	findings->has_cgroup2 = mounts->unified.found;
	if (mounts->unified.found) {
		strbuf_add_str(&findings->cgroup2_point, strbuf_str(&mounts->unified.point));
		find_in_cgroup2(strbuf_str(&mounts->unified.point), findings);
	}
	findings->has_cgroup1 = mounts->any_v1;
	cgroup_v1_controllers_init(&v1);
	for (size_t c = 0; c < v1.count; c++) {
		cleanup_(fd_closep) int fd =
		        mounts->v1[c].found
		                ? fd_open_path_at(AT_FDCWD, strbuf_str(&mounts->v1[c].point))
		                : -1;

		if (fd >= 0 && reads_controller(fd, 1, v1.names[c]))
			findings->cgroup1_read++;
	}
}
