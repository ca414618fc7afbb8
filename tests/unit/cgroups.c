// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroups.h"

void random_values(struct random *random, struct keyed_values *values)
{
	static const char *const keys[] = {"anon",      "Shared_Clean", "",
	                                   "a \"b\"\\", "\xc3\xa9",     "\n"};

	keyed_values_clear(values);
	for (uint64_t i = random_below(random, 6); i > 0; i--) {
		const char *key = keys[random_below(random, ARRAY_SIZE(keys))];

		keyed_values_set(values, key, strlen(key), random_number(random));
	}
}

static void random_devices(struct random *random, struct keyed_values *values)
{
	static const char *const keys[] = {"8:0 rbytes", "8:16 rbytes", "8:0 wbytes", "lone",
	                                   " ",          "8:0 x ios",   "8:0 ",       " rios"};

	keyed_values_clear(values);
	for (uint64_t i = random_below(random, 8); i > 0; i--) {
		const char *key = keys[random_below(random, ARRAY_SIZE(keys))];

		keyed_values_set(values, key, strlen(key), random_number(random));
	}
}

static void random_fact(struct random *random, enum fact_form form, struct fact_value *value)
{
	static const char *const texts[] = {"", "0-3", "0,8191", "enabled", "\"\\\n\xc3\xa9"};
	const char *text = texts[random_below(random, ARRAY_SIZE(texts))];

	switch (form) {
	case FORM_LIMIT:
	case FORM_FIELD_LIMIT:
		if (random_chance(random, 40)) {
			fact_set_unlimited(value);
			return;
		}
		break;
	case FORM_NUMBER:
	case FORM_PLACE:
	case FORM_FIELD:
	case FORM_FLAT:
	case FORM_DEVICES:
		break;
	case FORM_CPUS:
	case FORM_TEXT:
		fact_set_text(value, text, strlen(text));
		return;
	}
	fact_set_number(value, (int64_t)random_number(random));
}

void random_psi(struct random *random, struct psi *psi)
{
	*psi = (struct psi){0};
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++) {
			struct psi_line *line = &psi->lines[resource][row];

			if (random_chance(random, 50))
				continue;
			line->seen = true;
			for (unsigned i = 0; i < PSI_AVERAGE_COUNT; i++)
				line->averages[i] = (uint32_t)random_number(random);
			line->total_usec = random_number(random);
		}
}

void random_sched_ext(struct random *random, struct sched_ext *sched_ext)
{
	sched_ext->present = random_chance(random, 60);
	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++)
		if (sched_ext->present && random_chance(random, 70))
			random_fact(random, sched_ext_table[i].form, &sched_ext->values[i]);
}

void random_cgroup(struct random *random, bool is_v1, struct cgroup_stats *stats)
{
	cgroup_stats_reset(stats);
	stats->is_v1 = is_v1;
	stats->read_boottime_ns = random_number(random) & INT64_MAX;
	stats->interval_ns = random_number(random) & INT64_MAX;
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if (cgroup_value_table[i].version == (is_v1 ? 1u : 2u) && random_chance(random, 50))
			random_fact(random, cgroup_value_table[i].form, &stats->values[i]);
	for (unsigned i = 0; i < CGROUP_LIST_COUNT && !is_v1; i++) {
		stats->has_list[i] = random_chance(random, 60);
		if (stats->has_list[i] && i == CGROUP_LIST_io_stat)
			random_devices(random, &stats->lists[i]);
		else if (stats->has_list[i])
			random_values(random, &stats->lists[i]);
	}
	if (random_chance(random, 50))
		random_psi(random, &stats->psi);
}

void keyed_values_copy(struct keyed_values *to, const struct keyed_values *from)
{
	*to = (struct keyed_values){0};
	for (size_t i = 0; i < from->count; i++)
		keyed_values_set(to, from->entries[i].key, strlen(from->entries[i].key),
		                 from->entries[i].value);
}

void cgroup_stats_copy(struct cgroup_stats *to, const struct cgroup_stats *from)
{
	memset(to, 0, sizeof(*to));
	cgroup_stats_merge(to, 0, from);
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		to->has_list[i] = from->has_list[i];
	to->is_gone = from->is_gone;
	to->read_boottime_ns = from->read_boottime_ns;
	to->interval_ns = from->interval_ns;
	strbuf_add(&to->path, from->path.data, from->path.len);
}

bool same_keyed_values(const struct keyed_values *a, const struct keyed_values *b)
{
	for (size_t i = 0; i < a->count; i++) {
		const char *key = a->entries[i].key;
		const struct keyed_value *other = keyed_values_find(b, key, strlen(key), i);

		if (!other || other->value != a->entries[i].value)
			return false;
	}
	return a->count == b->count;
}

static bool same_fact(const struct fact_value *a, const struct fact_value *b)
{
	if (a->state != b->state)
		return false;
	return a->state == FACT_TEXT ? strcmp(a->text, b->text) == 0
	                             : a->state != FACT_NUMBER || a->number == b->number;
}

bool same_psi(const struct psi *a, const struct psi *b)
{
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++) {
			const struct psi_line *x = &a->lines[resource][row];
			const struct psi_line *y = &b->lines[resource][row];

			if (x->seen != y->seen)
				return false;
			if (x->seen && (x->total_usec != y->total_usec ||
			                memcmp(x->averages, y->averages, sizeof(x->averages)) != 0))
				return false;
		}
	return true;
}

bool same_sched_ext(const struct sched_ext *a, const struct sched_ext *b)
{
	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++)
		if (!same_fact(&a->values[i], &b->values[i]))
			return false;
	return a->present == b->present;
}

bool same_cgroup(const struct cgroup_stats *a, const struct cgroup_stats *b)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if (!same_fact(&a->values[i], &b->values[i]))
			return false;
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		if (a->has_list[i] != b->has_list[i] ||
		    (a->has_list[i] && !same_keyed_values(&a->lists[i], &b->lists[i])))
			return false;
	return a->is_v1 == b->is_v1 && a->read_boottime_ns == b->read_boottime_ns &&
	       a->interval_ns == b->interval_ns && a->path.len == b->path.len &&
	       (a->path.len == 0 || memcmp(a->path.data, b->path.data, a->path.len) == 0) &&
	       same_psi(&a->psi, &b->psi);
}
