// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/report-load.h"

void report_load_init(struct load *load, const struct report_options *options, const char *path)
{
	load->path = path;
	load->limits = &options->limits;
	load->selection = selection_is_all(&options->selection) ? NULL : &options->selection;
	group_table_init(&load->groups,
	                 options->explains ? group_by_key(GROUP_KEY_thread, false) : options->by);
	load->groups.spread_measures = options->spread_measures;
	load->groups.spread_count = options->spread_count;
	load->groups.spread_per = options->rows.per;
	load->groups.with_elders =
	        options->sides == SIDE_MAX && load->groups.by.keys[0] != GROUP_KEY_thread;
	load->groups.lifetime_rates = &options->lifetime_rates;
	load->groups.window_rates = &options->window_rates;
	load->filter = (struct group_filter){.by = options->by, .label = options->explains};
	load->may_merge = !load->filter.label && !options->exits && options->spread_count == 0 &&
	                  options->selection.id_count == 0 &&
	                  !group_by_has(&load->groups.by, GROUP_KEY_pid) &&
	                  !group_by_has(&load->groups.by, GROUP_KEY_thread);
	cgroup_table_init(&load->cgroups);
	load->cgroups.keeps_ids = options->sides == SIDE_MAX;
	container_table_init(&load->containers);
	load->wants_containers = options->containers;
	smaps_table_init(&load->smaps, options->by.literal_names, &load->info.host);
	/* Settings that are listed by name are those of the host. */
	load->wants_ended = options->exits;
	load->wants_knobs = options->sides == SIDE_MAX && !options->facts.settings_like;
	for (unsigned i = 0; i < SECTION_COUNT; i++) {
		enum section_subject subject = section_table[i].subject;

		load->wants_cgroups = load->wants_cgroups ||
		                      (options->facts.sections[i] && subject == SUBJECT_CGROUPS);
		load->wants_smaps = load->wants_smaps ||
		                    (options->facts.sections[i] && subject == SUBJECT_PROCESSES);
	}
}
