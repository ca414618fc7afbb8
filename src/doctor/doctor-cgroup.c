// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "cgroup/cgroup-read.h"
#include "doctor-find.h"

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

/* Parses lines such as "memory 4 12 1": name, hierarchy, cgroups, enabled. A hierarchy other than 0 is one of version
 * 1. */
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

/* Returns whether the cgroup has a value of the controller. Every cgroup has cpu.stat, with or without the
 * controller. */
static bool has_values(const struct cgroup_stats *stats, unsigned version, const char *object)
{
	for (unsigned v = 0; v < CGROUP_VALUE_COUNT; v++) {
		const struct cgroup_value_desc *row = &cgroup_value_table[v];

		if (row->version == version && strcmp(row->object, object) == 0 &&
		    strcmp(row->file, "cpu.stat") != 0 && stats->values[v].state != FACT_UNSEEN)
			return true;
	}
	for (unsigned l = 0; l < CGROUP_LIST_COUNT; l++)
		if (stats->has_list[l] && strcmp(cgroup_list_table[l].object, object) == 0)
			return true;
	return false;
}

/* Reads the cgroup @name below the root of the mount, or the root with "", as a capture does. */
static void find_in_cgroup(struct cgroup_reader *reader, const char *name, bool with_controllers,
                           struct doctor_findings *findings)
{
	const struct strbuf *root = &reader->mounts->unified.root;
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	int r;

	strbuf_addf(&path, "%s%s%s", strbuf_str(root),
	            name[0] != '\0' && strcmp(strbuf_str(root), "/") != 0 ? "/" : "", name);
	r = cgroup_read_v2(reader, (struct span){strbuf_str(&path), path.len});
	if (r < 0 || !(r & CGROUP_READ_DONE))
		return;
	if (reader->stats.psi.lines[PSI_cpu][PSI_ROW_some].seen)
		findings->psi_cgroups++;
	for (unsigned c = 0; with_controllers && c < DOCTOR_CONTROLLER_COUNT; c++)
		if (has_values(&reader->stats, 2, doctor_controller_table[c].name))
			findings->controllers[c].read++;
}

/* A controller is enabled from the root downwards: if any cgroup has it, one right below the root has it. The root
 * itself has no files of most controllers, unless it is the root of a namespace only. */
static void find_in_cgroup2(struct cgroup_reader *reader, struct doctor_findings *findings)
{
	cleanup_(strbuf_done) struct strbuf offered = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf enabled = STRBUF_INIT;
	DIR *listing = opendir(strbuf_str(&reader->mounts->unified.point));
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
	find_in_cgroup(reader, "", faccessat(root_fd, "cgroup.type", F_OK, 0) == 0, findings);
	for (unsigned seen = 0; seen < CGROUPS_MAX && (entry = readdir(listing));) {
		if (entry->d_name[0] == '.' || entry->d_type != DT_DIR)
			continue;
		find_in_cgroup(reader, entry->d_name, true, findings);
		seen++;
	}
	closedir(listing);
}

void doctor_find_cgroups(int proc_fd, const struct cgroup_mounts *mounts,
                         struct doctor_findings *findings)
{
	cleanup_(cgroup_reader_done) struct cgroup_reader reader;
	struct cgroup_v1_controllers v1;

	cgroup_v1_controllers_init(&v1);
	cgroup_reader_init(&reader, mounts, &v1, NULL);
	find_in_proc_cgroups(proc_fd, findings);
	findings->has_cgroup2 = mounts->unified.found;
	if (mounts->unified.found) {
		strbuf_add_str(&findings->cgroup2_point, strbuf_str(&mounts->unified.point));
		find_in_cgroup2(&reader, findings);
	}
	findings->has_cgroup1 = mounts->any_v1;
	for (size_t c = 0; c < v1.count; c++) {
		const struct strbuf *root = &mounts->v1[c].root;
		int r = mounts->v1[c].found
		                ? cgroup_read_v1(&reader,
		                                 (struct span){strbuf_str(root), root->len},
		                                 UINT32_C(1) << c)
		                : 0;

		if (r > 0 && (r & CGROUP_READ_DONE) && has_values(&reader.stats, 1, v1.names[c]))
			findings->cgroup1_read++;
	}
}
