// SPDX-License-Identifier: GPL-2.0-or-later
/* The settings that differ, in lines above the table, the most relevant first. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/strmap.h"
#include "base/text.h"
#include "compare/row-setting.h"
#include "facts/cgroup-knobs.h"
#include "report-overview.h"
#include "report/report-text.h"
#include "settings/settings-compare.h"

enum { LINES_SHOWN = 4 };

struct change {
	struct difference difference; /* owns its texts */
	char *pattern;                /* the name with a star for each number; owned */
	const char *behind;           /* what is behind it */
	unsigned count;               /* settings of that pattern with that change */
	bool of_group;
};

struct change_list {
	struct change *entries; /* owned */
	size_t count, capacity;
	struct strmap places; /* pattern and texts to the place in entries, plus 1 */
};

static void changes_done(struct change_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->entries[i].difference.field);
		free(list->entries[i].difference.texts[SIDE_BASELINE]);
		free(list->entries[i].difference.texts[SIDE_CANDIDATE]);
		free(list->entries[i].pattern);
	}
	free(list->entries);
	strmap_done(&list->places);
}

/* Returns a copy on one line: values have tabs and newlines between their parts. */
static char *copy_line(const char *text)
{
	char *copy = mem_copy(text, strlen(text));

	for (char *c = copy; *c; c++)
		if (*c == '\t' || *c == '\n')
			*c = ' ';
	return copy;
}

/* Makes a star of each number, and of the name of a block device. */
static void add_pattern(const char *name, struct strbuf *out)
{
	static const char block[] = "/sys/block/";
	const char *digits = "0123456789";

	if (strncmp(name, block, strlen(block)) == 0) {
		strbuf_addf(out, "%s*", block);
		name += strlen(block);
		name += strcspn(name, "/");
	}
	while (*name) {
		size_t number = strspn(name, digits), other = strcspn(name, digits);

		if (number > 0)
			strbuf_add_char(out, '*');
		else
			strbuf_add(out, name, other);
		name += number > 0 ? number : other;
	}
}

static struct change *add_change(struct change_list *list, const char *name, const char *baseline,
                                 const char *candidate)
{
	struct change *change = array_add(list->entries, list->count, list->capacity);

	*change = (struct change){
	        .difference = {.field = mem_copy(name, strlen(name)),
	                       .texts = {copy_line(baseline), copy_line(candidate)}},
	        .behind = "",
	        .count = 1,
	};
	return change;
}

/* Adds a setting. Those of all CPUs, or of all disks, that changed in the same way are one line. */
static void add_setting(struct change_list *list, const char *name, const char *baseline,
                        const char *candidate)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT;
	struct strmap_entry *place;
	struct change *change;
	size_t pattern_len;

	add_pattern(name, &key);
	pattern_len = key.len;
	strbuf_addf(&key, "\n%s\n%s", baseline, candidate);
	place = strmap_add(&list->places, strbuf_str(&key), key.len);
	if (place->value) {
		list->entries[(uintptr_t)place->value - 1].count++;
		return;
	}
	change = add_change(list, name, baseline, candidate);
	change->pattern = mem_copy(strbuf_str(&key), pattern_len);
	place->value = (void *)(uintptr_t)list->count;
}

static const struct settings *settings_of(const struct report *report, unsigned side)
{
	return &report->sides[side].info->settings;
}

/* Adds fields of the host that somebody sets. A setting that has the same value stands in for the field. */
static void add_host_fields(const struct report *report, struct change_list *list)
{
	cleanup_(differences_done) struct difference_list differences = {0};
	const bool both = settings_of(report, SIDE_BASELINE)->seen &&
	                  settings_of(report, SIDE_CANDIDATE)->seen;

	differences_find(report, true, &differences);
	for (size_t i = 0; i < differences.count; i++) {
		const struct difference *difference = &differences.entries[i];
		const struct settings_host_desc *field = settings_host_find(difference->field);

		if (difference->texts[SIDE_BASELINE] && difference->texts[SIDE_CANDIDATE] &&
		    field && !(field->covered && both))
			add_change(list, difference->field, difference->texts[SIDE_BASELINE],
			           difference->texts[SIDE_CANDIDATE]);
	}
}

static void add_settings(const struct report *report, struct change_list *list)
{
	cleanup_(setting_pairs_done) struct setting_pairs pairs = {0};

	settings_compare(settings_of(report, SIDE_BASELINE), settings_of(report, SIDE_CANDIDATE),
	                 false, &pairs);
	for (size_t i = 0; i < pairs.count; i++)
		add_setting(list, pairs.entries[i].baseline->name, pairs.entries[i].baseline->text,
		            pairs.entries[i].candidate->text);
}

/* Adds what was set while a window lasted. */
static void add_changes_inside(const struct report *report, unsigned side, struct change_list *list)
{
	static const char *const behind[SIDE_MAX] = {" (during the baseline)",
	                                             " (during the candidate)"};
	const struct settings *settings = settings_of(report, side);

	for (size_t i = 0; i < settings->count; i++)
		if (settings->entries[i].before)
			add_change(list, settings->entries[i].name, settings->entries[i].before,
			           settings->entries[i].text)
			        ->behind =
			        report->rows->sides == 1 ? " (during the window)" : behind[side];
}

static void add_cgroups(const struct report *report, struct change_list *list)
{
	cleanup_(knob_changes_done) struct knob_changes changes = {0};

	cgroup_knobs_compare(report->sides[SIDE_BASELINE].cgroup_knobs,
	                     report->sides[SIDE_CANDIDATE].cgroup_knobs, &changes);
	for (size_t i = 0; i < changes.count; i++)
		add_change(list, changes.entries[i].name, changes.entries[i].texts[SIDE_BASELINE],
		           changes.entries[i].texts[SIDE_CANDIDATE]);
}

/* Returns whether the kernel puts threads of a session into a group of their own, so that nice acts inside of it only. */
static bool has_autogroup(const struct report *report)
{
	static const char name[] = "kernel.sched_autogroup_enabled";
	const struct snapshot_info *info = report->sides[SIDE_CANDIDATE].info;
	const struct setting *setting = settings_find(&info->settings, name);
	const char *text =
	        setting ? setting->text
	                : host_map_get(&info->host, HOST_sched_tunables, "sched_autogroup_enabled");

	return text && strcmp(text, "1") == 0;
}

/* Returns what limits the effect of the group's nice value, which only counts among threads that share CPU time as single ones. */
static const char *nice_note(const struct report *report, const struct group *group)
{
	const struct settings *knobs = report->sides[SIDE_CANDIDATE].cgroup_knobs;

	if (group->several_cpu_cgroups ||
	    (group->cpu_cgroup && knobs && cgroup_knobs_share_cpu(knobs, group->cpu_cgroup)))
		return " (nice acts within a cpu cgroup only)";
	/* Threads in a cgroup are in no autogroup. */
	return has_autogroup(report) ? " (autogroup is on: nice acts within a session only)" : "";
}

static void add_group(const struct report *report, const struct row_group *group,
                      struct change_list *list)
{
	static const enum metric_id metrics[] = {METRIC_policy, METRIC_nice, METRIC_rt_priority,
	                                         METRIC_cpu_affinity, METRIC_ext_enabled};

	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
		struct strbuf texts[SIDE_MAX] = {STRBUF_INIT, STRBUF_INIT};
		struct row_view view;
		struct fold_cell cells[SIDE_MAX];
		struct change *change;
		bool differs;

		memset(cells, 0, sizeof(cells));
		row_view(report->rows, group, metrics[i], &view);
		differs = row_is_set_differently(report->rows, &view, cells);
		for (unsigned side = 0; side < SIDE_MAX; side++) {
			view.cells[side] = &cells[side];
			if (differs)
				report_add_value(&view, side, &texts[side]);
			fold_cell_done(metrics[i], &cells[side]);
		}
		if (!differs)
			continue;
		strbuf_addf(&name, "%s: %s", group->label, metric_table[metrics[i]].name);
		change = add_change(list, strbuf_str(&name), strbuf_str(&texts[SIDE_BASELINE]),
		                    strbuf_str(&texts[SIDE_CANDIDATE]));
		change->of_group = true;
		if (metrics[i] == METRIC_nice)
			change->behind = nice_note(report, group->sides[SIDE_CANDIDATE]);
		for (unsigned side = 0; side < SIDE_MAX; side++)
			strbuf_done(&texts[side]);
	}
}

static void add_groups(const struct report *report, struct change_list *list)
{
	for (size_t i = 0; i < report->rows->group_count; i++) {
		const struct row_group *group = &report->rows->groups[i];

		if (!group->exited && group->sides[SIDE_BASELINE] && group->sides[SIDE_CANDIDATE])
			add_group(report, group, list);
	}
}

/* Appends @text as far as the terminal is wide, or @all of it, and in ASCII where it has nothing else. */
static void add_text(const struct table_style *style, struct strbuf *text, bool all,
                     struct strbuf *out)
{
	size_t len;
	const size_t width = style->width > 0 && !all ? style->width : SIZE_MAX;
	bool cut;

	if (style->ascii)
		text_make_ascii(text);
	len = text->len;
	cut = text_width(strbuf_str(text), len) > width;
	if (cut)
		len = text_prefix_escaped(text->data, len, width - 1);
	strbuf_add(out, text->data, len);
	if (cut)
		strbuf_add_str(out, style->ascii ? "~" : "…");
	strbuf_add_char(out, '\n');
}

static void add_line(const struct report *report, const struct change *change, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;
	static const char devices[] = "/sys/devices/system/";
	struct difference shown = change->difference;

	if (change->count > 1)
		shown.field = change->pattern;
	/* "cpu/cpufreq/policy*" is said as well. */
	if (strncmp(shown.field, devices, strlen(devices)) == 0)
		shown.field += strlen(devices);
	strbuf_add_str(&line, "set: ");
	report_add_change(&shown, report->limit == 0, &line);
	if (change->count > 1)
		strbuf_addf(&line, " (%u of them)", change->count);
	strbuf_add_str(&line, change->behind);
	add_text(&report->style, &line, report->limit == 0, out);
}

void report_add_settings(const struct report *report, struct strbuf *out)
{
	cleanup_(changes_done) struct change_list list = {0};
	size_t shown, first_group = 0;

	if (report->rows->sides == SIDE_MAX) {
		add_host_fields(report, &list);
		add_settings(report, &list);
	}
	for (unsigned side = 0; side < report->rows->sides; side++)
		add_changes_inside(report, side, &list);
	if (report->rows->sides == SIDE_MAX) {
		add_cgroups(report, &list);
		first_group = list.count;
		add_groups(report, &list);
	}
	shown = report->limit == 0 || list.count <= LINES_SHOWN ? list.count : LINES_SHOWN - 1;
	for (size_t i = 0; i < shown; i++)
		/* If the list is cut, its last line is a group's, if any. */
		add_line(report,
		         &list.entries[i + 1 == shown && shown < list.count && first_group > i &&
		                                       first_group < list.count
		                               ? first_group
		                               : i],
		         out);
	if (shown < list.count)
		strbuf_addf(out, "set: and %zu more (--limit 0 lists all)\n", list.count - shown);
}

/* Returns whether a setting like the report's differs between the sides. */
static bool any_differs(const struct report *report)
{
	cleanup_(setting_pairs_done) struct setting_pairs pairs = {0};
	bool any = false;

	settings_compare(settings_of(report, SIDE_BASELINE), settings_of(report, SIDE_CANDIDATE),
	                 false, &pairs);
	for (size_t i = 0; i < pairs.count; i++) {
		const char *name = pairs.entries[i].baseline->name;

		any = any || glob_match_name(report->settings_like, name, strlen(name));
	}
	return any;
}

void report_add_no_settings(const struct report *report, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	if (report->rows->sides != SIDE_MAX || any_differs(report))
		return;
	strbuf_add_str(&line, "no setting like '");
	text_add_escaped(&line, report->settings_like, strlen(report->settings_like));
	strbuf_add_str(&line, "' differs (--unchanged shows them)");
	overview_add_line(report, &line, out);
}

void report_add_denied_settings(const struct report *report, struct strbuf *out)
{
	for (unsigned side = 0; side < report->rows->sides; side++) {
		const struct settings *settings = settings_of(report, side);
		size_t count = 0;

		for (size_t i = 0; i < settings->denied_count; i++) {
			const char *name = settings->denied[i];

			if (report->settings_like &&
			    !glob_match_name(report->settings_like, name, strlen(name)))
				continue;
			strbuf_add_str(out, count == 0 ? "could not be read: " : ", ");
			text_add_escaped(out, name, strlen(name));
			count++;
		}
		if (count > 0 && report->rows->sides == SIDE_MAX)
			strbuf_addf(out, " (%s)", side == SIDE_BASELINE ? "baseline" : "candidate");
		if (count > 0)
			strbuf_add_char(out, '\n');
	}
}
