// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts/cgroup-knobs.h"

#include <string.h>

/* States that stand among the limits, and files that say the same as another one. */
static bool is_knob(enum cgroup_value_id id)
{
	return cgroup_value_table[id].section == SECTION_cgroup_limits &&
	       id != CGROUP_VALUE_pids_current && id != CGROUP_VALUE_pids_v1_current &&
	       id != CGROUP_VALUE_cpu_weight_nice && id != CGROUP_VALUE_cpu_max_period_us;
}

static void add_value(const struct fact_value *value, struct strbuf *out)
{
	if (value->state == FACT_NUMBER)
		strbuf_addf(out, "%lld", (long long)value->number);
	else if (value->state == FACT_TEXT)
		strbuf_add_str(out, value->text);
	else
		strbuf_add_str(out, "max");
}

void cgroup_knobs_add(struct settings *settings, const struct cgroup_stats *stats)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	const struct fact_value *period = &stats->values[CGROUP_VALUE_cpu_max_period_us];

	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		if (!is_knob((enum cgroup_value_id)i) || stats->values[i].state == FACT_UNSEEN)
			continue;
		strbuf_addf(&text, "%s%s=", text.len > 0 ? " " : "", cgroup_value_table[i].file);
		add_value(&stats->values[i], &text);
		if (i == CGROUP_VALUE_cpu_max_quota_us && period->state == FACT_NUMBER) {
			strbuf_add_char(&text, '/');
			add_value(period, &text);
		}
	}
	if (text.len == 0 || settings->count >= CGROUP_KNOBS_MAX ||
	    memchr(strbuf_str(&stats->path), '\0', stats->path.len))
		return;
	strbuf_add_str(&name, stats->is_v1 ? "v1:" : "");
	strbuf_add(&name, strbuf_str(&stats->path), stats->path.len);
	settings_add(settings, strbuf_str(&name), name.len, strbuf_str(&text), text.len);
	settings->seen = true;
}
