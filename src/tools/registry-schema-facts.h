/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* registry-schema-facts - the schema of a snapshot's parts beside its threads. The caller owns the results. */
#include <stdbool.h>

struct json_t;

/* Return the definitions "numbers", "psi_line" and "psi", "cgroup" and "cgroup_v1". */
struct json_t *schema_numbers(void);
struct json_t *schema_psi_line(void);
struct json_t *schema_psi(void);
struct json_t *schema_cgroup(bool is_v1);

/* Returns the values of the top level's keys. */
struct json_t *schema_cgroups(bool is_v1);
struct json_t *schema_probe_summary(void);
struct json_t *schema_taskstats_summary(void);
struct json_t *schema_sched_ext(void);
struct json_t *schema_labels(void);
struct json_t *schema_settings(void);
struct json_t *schema_window(void);
struct json_t *schema_cost(void);

/* Returns the totals in a row. */
struct json_t *schema_process_totals(void);
