// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/text.h"
#include "job-statistics.h"
#include "job/job-report.h"

enum { WIDTH = 80, LABEL = 11, GROUPS_MAX = 5, LEFT_MAX = 10 };

void job_report_command(char *const *argv, struct strbuf *out)
{
	for (size_t i = 0; argv[i]; i++) {
		if (i > 0)
			strbuf_add_char(out, ' ');
		text_add_shell_word(out, argv[i]);
	}
}

/* Appends the command, safe to print, with an ellipsis if it has more than @columns columns. */
static void add_command(const struct job_report *report, size_t columns, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf words = STRBUF_INIT, safe = STRBUF_INIT;
	size_t fits;

	job_report_command(report->argv, &words);
	text_add_escaped(&safe, strbuf_str(&words), words.len);
	fits = text_prefix_escaped(strbuf_str(&safe), safe.len, columns);
	if (fits < safe.len) {
		fits = text_prefix_escaped(strbuf_str(&safe), safe.len, columns - strlen("..."));
		strbuf_add(out, safe.data, fits);
		strbuf_add_str(out, "...");
		return;
	}
	strbuf_add(out, strbuf_str(&safe), safe.len);
}

static void begin(struct strbuf *out, const char *label)
{
	strbuf_addf(out, "  %-*s", LABEL - 2, label);
}

/* Appends a value between two texts. */
static void put(struct strbuf *out, const char *before, const struct job_values *values,
                enum job_value_id id, const char *after)
{
	strbuf_add_str(out, before);
	job_value_format(values, id, out);
	strbuf_add_str(out, after);
}

/* Appends a count and what it counts. */
static void put_count(struct strbuf *out, const char *before, const struct job_values *values,
                      enum job_value_id id, const char *one, const char *many)
{
	put(out, before, values, id, values->numbers[id] == 1 ? one : many);
}

static void add_head(const struct job_report *report, struct strbuf *out)
{
	const struct job_result *run = report->runs;
	cleanup_(strbuf_done) struct strbuf tail = STRBUF_INIT;
	enum { SIGNAL = 128 };

	put(&tail, ": ", &run->values, JOB_wall_clock_time, "");
	if (run->code > SIGNAL)
		strbuf_addf(&tail, ", exit %d (signal %d: %s)", run->code, run->code - SIGNAL,
		            strsignal(run->code - SIGNAL));
	else
		strbuf_addf(&tail, ", exit %d", run->code);
	if (run->left_count > 0)
		strbuf_addf(&tail, ", %zu %s on", run->left_count,
		            run->left_count == 1 ? "process goes" : "processes go");
	add_command(report, WIDTH - tail.len, out);
	strbuf_add(out, tail.data, tail.len);
	strbuf_add_char(out, '\n');
}

static void add_cpu(const struct job_values *values, struct strbuf *out)
{
	begin(out, "CPU");
	put(out, "", values, JOB_cpu_time, "");
	put(out, " (user ", values, JOB_user_time, "");
	put(out, ", system ", values, JOB_system_time, ")");
	put(out, ", ", values, JOB_average_pcpu, "");
	put_count(out, " of one CPU (", values, JOB_cpus, " CPU)\n", " CPUs)\n");
}

static void add_memory(const struct job_values *values, struct strbuf *out)
{
	begin(out, "memory");
	put(out, "", values, JOB_peak_memory, " peak in the cgroup");
	put(out, ", largest process ", values, JOB_largest_rss, "\n");
	begin(out, "RSS");
	put(out, "", values, JOB_peak_rss, " peak");
	put(out, ", ", values, JOB_average_rss, " average of the sum");
	put_count(out, " (", values, JOB_num_samples, " sample)\n", " samples)\n");
	if (values->numbers[JOB_num_pss_samples] <= 0)
		return;
	begin(out, "PSS");
	put(out, "", values, JOB_peak_pss, " peak");
	put(out, ", ", values, JOB_average_pss, " average");
	put_count(out, " (", values, JOB_num_pss_samples, " sample)\n", " samples)\n");
}

static void add_delays(const struct job_values *values, struct strbuf *out)
{
	static const struct {
		const char *name;
		enum job_value_id id;
	} delays[] = {
	        {"swap", JOB_swapin_delay},         {"reclaim", JOB_freepages_delay},
	        {"thrashing", JOB_thrashing_delay}, {"compaction", JOB_compact_delay},
	        {"copies", JOB_wpcopy_delay},       {"interrupts", JOB_irq_delay},
	};
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(delays); i++)
		any = any || values->seen[delays[i].id];
	begin(out, "delays");
	for (size_t i = 0; any && i < ARRAY_SIZE(delays); i++) {
		strbuf_addf(out, "%s%s ", i > 0 ? ", " : "", delays[i].name);
		put(out, "", values, delays[i].id, "");
	}
	strbuf_add_str(out, any ? "\n" : "not counted: 'ctprof doctor' says why\n");
}

/* "left out 16 impossible values of threads (*): blkio_delay 16" */
static void add_impossible(const struct job_values *values, struct strbuf *out)
{
	const char *separator = ": ";
	double count = 0;

	for (unsigned id = 0; id < JOB_VALUE_COUNT; id++)
		count += values->impossible[id];
	if (count == 0)
		return;
	begin(out, "left out");
	job_number_format(JOB_UNIT_count, count, out);
	strbuf_addf(out, " impossible value%s of threads (*)", count == 1 ? "" : "s");
	for (unsigned id = 0; id < JOB_VALUE_COUNT; id++) {
		if (values->impossible[id] == 0)
			continue;
		strbuf_addf(out, "%s%s ", separator, job_value_table[id].name);
		job_number_format(JOB_UNIT_count, values->impossible[id], out);
		separator = ", ";
	}
	strbuf_add_char(out, '\n');
}

static void add_counts(const struct job_values *values, struct strbuf *out)
{
	begin(out, "waited");
	put(out, "", values, JOB_run_queue_wait, " for a CPU");
	put(out, ", ", values, JOB_blkio_delay, " for storage\n");
	begin(out, "ran");
	put_count(out, "", values, JOB_processes, " process", " processes");
	put_count(out, ", ", values, JOB_threads, " thread\n", " threads\n");
	begin(out, "faults");
	put(out, "", values, JOB_minor_faults, " minor");
	put(out, ", ", values, JOB_major_faults, " major\n");
	begin(out, "switches");
	put(out, "", values, JOB_voluntary_switches, " voluntary");
	put(out, ", ", values, JOB_involuntary_switches, " involuntary\n");
	begin(out, "storage");
	put(out, "read ", values, JOB_read_bytes, "");
	put(out, ", written ", values, JOB_write_bytes, "");
	put(out, ", of that cancelled ", values, JOB_cancelled_write_bytes, "\n");
	begin(out, "calls");
	put(out, "read ", values, JOB_rchar, "");
	put(out, " in ", values, JOB_syscr, "");
	put(out, ", written ", values, JOB_wchar, "");
	put(out, " in ", values, JOB_syscw, "\n");
	add_delays(values, out);
	add_impossible(values, out);
}

static void add_groups(const struct job_groups *groups, struct strbuf *out)
{
	if (groups->count == 0)
		return;
	begin(out, "most CPU");
	for (size_t i = 0; i < groups->count && i < GROUPS_MAX; i++) {
		const struct job_group *group = &groups->entries[i];

		strbuf_add_str(out, i > 0 ? ", " : "");
		text_add_escaped(out, group->name, strlen(group->name));
		strbuf_addf(out, " %.3f s (", group->cpu_time);
		job_number_format(JOB_UNIT_count, group->processes, out);
		strbuf_add_char(out, ')');
	}
	strbuf_add_char(out, '\n');
}

static void add_left(const struct job_result *run, struct strbuf *out)
{
	if (run->left_count == 0)
		return;
	begin(out, "goes on");
	for (size_t i = 0; i < run->left_count && i < LEFT_MAX; i++) {
		const struct job_live *live = &run->left[i];

		strbuf_addf(out, "%s%u%s", i > 0 ? ", " : "", live->pid,
		            live->comm[0] != '\0' ? " " : "");
		text_add_escaped(out, live->comm, strlen(live->comm));
	}
	if (run->left_count > LEFT_MAX)
		strbuf_addf(out, ", %zu more", run->left_count - LEFT_MAX);
	strbuf_add_char(out, '\n');
}

static void add_stalled(const struct job_values *values, struct strbuf *out)
{
	double count = values->numbers[JOB_processes_stalled];

	if (count == 0)
		return;
	begin(out, "stalled");
	put(out, "", values, JOB_processes_stalled, count == 1 ? " process" : " processes");
	strbuf_add_str(out, ", whose files could not be read all the time\n");
}

static void add_container(const struct job_result *run, struct strbuf *out)
{
	begin(out, "counted");
	if (run->container == JOB_CONTAINER_CGROUP) {
		strbuf_add_str(out, "in the cgroup ");
		text_add_escaped(out, strbuf_str(&run->cgroup), run->cgroup.len);
		if (run->reason.len > 0)
			strbuf_addf(out, "; %s", strbuf_str(&run->reason));
	} else {
		strbuf_add_str(out, run->container == JOB_CONTAINER_SUBREAPER
		                            ? "by wait4(2), orphans too; no cgroup: "
		                            : "by wait4(2); no cgroup: ");
		strbuf_add_str(out, strbuf_str(&run->reason));
	}
	strbuf_add_char(out, '\n');
	if (run->leftover.len > 0) {
		begin(out, "");
		text_add_escaped(out, strbuf_str(&run->leftover), run->leftover.len);
		strbuf_add_str(out, " stays: something is in it\n");
	}
}

void job_report_text(const struct job_report *report, struct strbuf *out)
{
	const struct job_result *run = report->runs;

	add_head(report, out);
	add_cpu(&run->values, out);
	add_memory(&run->values, out);
	add_counts(&run->values, out);
	add_groups(&run->groups, out);
	add_left(run, out);
	add_stalled(&run->values, out);
	add_container(run, out);
}

static void add_number(enum job_unit unit, double number, int width, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	job_number_format(unit, number, &text);
	strbuf_addf(out, " %*s", width, strbuf_str(&text));
}

static void add_statistics(enum job_value_id id, const struct job_statistics *statistics,
                           struct strbuf *out)
{
	enum job_unit unit = job_value_table[id].unit;
	enum { NAME = 21, NUMBER = 11 };

	strbuf_addf(out, "  %-*s", NAME, job_value_table[id].name);
	add_number(unit, statistics->mean, NUMBER, out);
	if (statistics->has_sd)
		add_number(unit, statistics->sd, NUMBER, out);
	else
		strbuf_addf(out, " %*s", NUMBER, "-");
	if (statistics->has_interval) {
		add_number(unit, statistics->low, NUMBER, out);
		add_number(unit, statistics->high, NUMBER, out);
	} else {
		strbuf_addf(out, " %*s %*s", NUMBER, "-", NUMBER, "-");
	}
	strbuf_add_char(out, '\n');
}

void job_report_repeats(const struct job_report *report, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf tail = STRBUF_INIT;
	size_t failed = 0;

	for (size_t i = 0; i < report->count; i++)
		failed += report->runs[i].code != 0;
	strbuf_addf(&tail, ": %zu runs, %zu failed", report->count, failed);
	add_command(report, WIDTH - tail.len, out);
	strbuf_add(out, tail.data, tail.len);
	strbuf_addf(out, "\n  %-21s %11s %11s %23s\n", "", "mean", "sd", "95 % interval of it");
	for (unsigned id = 0; id < JOB_VALUE_COUNT; id++) {
		struct job_statistics statistics;

		/* Zero in all runs is no news in a table for people. */
		if (job_statistics_apply((enum job_value_id)id) &&
		    job_statistics_of(report, (enum job_value_id)id, &statistics) &&
		    statistics.most > 0)
			add_statistics((enum job_value_id)id, &statistics, out);
	}
	add_container(report->runs, out);
}
