/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* facts - what snapshots hold beside their threads, to test with. */
#include "check.h"
#include "facts/fact-rows.h"

struct fact_fixture {
	struct cgroup_table cgroups[SIDE_MAX];
	struct smaps_table smaps[SIDE_MAX];
	struct snapshot_info infos[SIDE_MAX];
	struct fact_row_options options;
	struct fact_row_set set;
};

/* For cmocka_unit_test_setup_teardown(): *state is the fixture, in which no section is chosen. */
int fact_fixture_setup(void **state);
int fact_fixture_teardown(void **state);

/* Adds a cgroup with one value; a further one of that path is merged. */
void add_cgroup(struct cgroup_table *table, const char *path, enum cgroup_value_id id,
                int64_t number);

/* Adds a cgroup under its path to the letter. */
void add_cgroup_stats(struct cgroup_table *table, const struct cgroup_stats *stats);

/* Adds a process with up to two lines of smaps_rollup. */
void add_process(struct smaps_table *table, const char *name, uint32_t tgid, uint64_t rss_kib,
                 uint64_t pss_kib);

/* Sets a line of pressure: the three averages, and the total. */
void set_psi(struct psi *psi, enum psi_resource resource, enum psi_row row, uint32_t hundredths,
             uint64_t total_usec);

/* Makes both sides windows of so many seconds, shown per second. */
void make_windows(struct fact_fixture *fixture, const uint64_t *seconds);

/* Makes the rows of one or two sides anew. */
void make_facts(struct fact_fixture *fixture, unsigned sides);

/* The rows as text: "group metric A B delta;", with "-" for unseen and "max" for unlimited. */
void describe_facts(const struct fact_row_set *set, struct strbuf *out);

/* The row, or NULL. */
const struct fact_row *find_fact(const struct fact_row_set *set, const char *group,
                                 const char *metric);
