// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts.h"

#include "base/mem.h"
#include "metric/units.h"
#include "samples.h"

int fact_fixture_setup(void **state)
{
	struct fact_fixture *fixture = mem_calloc(1, sizeof(*fixture));

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		cgroup_table_init(&fixture->cgroups[side]);
		smaps_table_init(&fixture->smaps[side], false, NULL);
	}
	*state = fixture;
	return 0;
}

int fact_fixture_teardown(void **state)
{
	struct fact_fixture *fixture = *state;

	fact_rows_done(&fixture->set);
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		cgroup_table_done(&fixture->cgroups[side]);
		smaps_table_done(&fixture->smaps[side]);
		snapshot_info_done(&fixture->infos[side]);
	}
	free(fixture);
	return 0;
}

void add_cgroup_stats(struct cgroup_table *table, const struct cgroup_stats *stats)
{
	cleanup_(strbuf_done) struct strbuf pattern = STRBUF_INIT;

	strbuf_add_str(&pattern, stats->is_v1 ? "v1:" : "");
	strbuf_add(&pattern, strbuf_str(&stats->path), stats->path.len);
	cgroup_table_add(table, (struct span){strbuf_str(&pattern), pattern.len}, stats);
}

void add_cgroup(struct cgroup_table *table, const char *path, enum cgroup_value_id id,
                int64_t number)
{
	struct cgroup_stats stats = {0};

	strbuf_add_str(&stats.path, path);
	stats.is_v1 = cgroup_value_table[id].version == 1;
	fact_set_number(&stats.values[id], number);
	add_cgroup_stats(table, &stats);
	cgroup_stats_done(&stats);
}

void add_process(struct smaps_table *table, const char *name, uint32_t tgid, uint64_t rss_kib,
                 uint64_t pss_kib)
{
	static struct thread_sample sample;

	sample_reset(&sample);
	sample.tgid = sample.tid = tgid;
	sample_name(&sample.pcomm, name);
	sample.has_smaps = true;
	keyed_values_set(&sample.smaps_rollup_kib, "Rss", 3, rss_kib);
	keyed_values_set(&sample.smaps_rollup_kib, "Pss", 3, pss_kib);
	smaps_table_add(table, &sample);
	sample_done(&sample);
}

void set_psi(struct psi *psi, enum psi_resource resource, enum psi_row row, uint32_t hundredths,
             uint64_t total_usec)
{
	psi->lines[resource][row] =
	        (struct psi_line){true, {hundredths, hundredths, hundredths}, total_usec};
}

void make_windows(struct fact_fixture *fixture, const uint64_t *seconds)
{
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		fixture->infos[side].kind = KIND_window;
		window_set(&fixture->infos[side].window, WINDOW_length_ns,
		           seconds[side] * 1000000000);
	}
	fixture->options.per = PER_second;
}

void make_facts(struct fact_fixture *fixture, unsigned sides)
{
	struct fact_side given[SIDE_MAX];

	for (unsigned side = 0; side < SIDE_MAX; side++)
		given[side] = (struct fact_side){.cgroups = &fixture->cgroups[side],
		                                 .smaps = &fixture->smaps[side],
		                                 .info = &fixture->infos[side]};
	for (unsigned side = 0; side < sides; side++)
		cgroup_table_finish(&fixture->cgroups[side]);
	fact_rows_done(&fixture->set);
	fact_rows_init(&fixture->set, given, sides, &fixture->options);
}

static void describe_cell(const struct fact_cell *cell, struct strbuf *out)
{
	strbuf_add_char(out, ' ');
	if (cell->state == FACT_NUMBER)
		units_format_integer(cell->number.integer, out);
	else
		strbuf_add_str(out, cell->state == FACT_TEXT        ? cell->text
		                    : cell->state == FACT_UNLIMITED ? "max"
		                                                    : "-");
}

void describe_facts(const struct fact_row_set *set, struct strbuf *out)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct fact_row *row = &set->rows[i];

		strbuf_addf(out, "%s %s", row->group, row->metric);
		describe_cell(&row->sides[0], out);
		if (set->sides == SIDE_MAX) {
			describe_cell(&row->sides[1], out);
			if (row->delta.kind == QUANTITY_INTEGER) {
				strbuf_add_char(out, ' ');
				units_format_integer(row->delta.integer, out);
			}
		}
		strbuf_add_str(out, "; ");
	}
}

const struct fact_row *find_fact(const struct fact_row_set *set, const char *group,
                                 const char *metric)
{
	for (size_t i = 0; i < set->count; i++)
		if (strcmp(set->rows[i].group, group) == 0 &&
		    strcmp(set->rows[i].metric, metric) == 0)
			return &set->rows[i];
	return NULL;
}
