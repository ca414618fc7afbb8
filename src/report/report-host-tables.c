// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/report-host-tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/csv-text.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/text.h"
#include "metric/units.h"
#include "report-overview.h"

/* In the order of /proc/stat. */
static const char *const mode_names[HOST_CPU_MODES] = {"user",   "nice",      "system",  "idle",
                                                       "iowait", "irq",       "softirq", "steal",
                                                       "guest",  "guest_nice"};
enum { CPU_OWN_MODES = 8, MODE_IDLE = 3 };

static bool parse_numbers(const char *text, int64_t ret[static HOST_CPU_MODES])
{
	struct span rest = {text, strlen(text)}, word;
	uint64_t number;

	for (int i = 0; i < HOST_CPU_MODES; i++) {
		if (!scan_word(&rest, &word) || !scan_u64(word.text, word.len, &number) ||
		    number > INT64_MAX / HOST_CPU_MODES)
			return false;
		ret[i] = (int64_t)number;
	}
	return true;
}

bool host_cpu_ticks_parse(const char *text, const char *before, struct host_cpu_ticks *ret)
{
	int64_t then[HOST_CPU_MODES] = {0};

	*ret = (struct host_cpu_ticks){.all = 0};
	if (!parse_numbers(text, ret->modes) || (before && !parse_numbers(before, then)))
		return false;
	for (int i = 0; i < HOST_CPU_MODES; i++) {
		ret->modes[i] -= then[i];
		if (i < CPU_OWN_MODES)
			ret->all += ret->modes[i];
	}
	return true;
}

struct quantity host_cpu_share(const struct host_cpu_ticks *ticks, unsigned mode)
{
	if (ticks->all <= 0 || ticks->modes[mode] < 0)
		return (struct quantity){0};
	for (unsigned i = 0; i < CPU_OWN_MODES; i++)
		if (ticks->modes[i] < 0)
			return (struct quantity){0};
	return quantity_real(100 * (double)ticks->modes[mode] / (double)ticks->all);
}

struct quantity host_cpu_busy(const struct host_cpu_ticks *ticks, bool clamped)
{
	int64_t busy = ticks->all - ticks->modes[MODE_IDLE];
	double percent;

	if (clamped && busy <= 0)
		return quantity_real(0);
	if (clamped && ticks->all <= 0)
		return quantity_real(100);
	if (ticks->all <= 0)
		return (struct quantity){0};
	percent = 100 * (double)busy / (double)ticks->all;
	return quantity_real(clamped && percent > 100 ? 100 : percent);
}

enum { CPU_NAME, CPU_BUSY, CPU_CLAMPED, CPU_MODES, CPU_COLUMNS = CPU_MODES + HOST_CPU_MODES };
static const struct table_column cpu_columns[CPU_COLUMNS] = {
        {.heading = "cpu"},
        {.heading = "busy%", .right = true},
        {.heading = "0..100", .right = true, .leaves = 4},
        {.heading = "user", .right = true},
        {.heading = "nice", .right = true},
        {.heading = "sys", .right = true},
        {.heading = "idle", .right = true},
        {.heading = "iowait", .right = true},
        {.heading = "irq", .right = true, .leaves = 3},
        {.heading = "softirq", .right = true},
        {.heading = "steal", .right = true},
        {.heading = "guest", .right = true, .leaves = 2},
        {.heading = "gnice", .right = true, .leaves = 1},
};

struct host_lines {
	const struct host *host;
	const struct host_pair *pair;
	bool window;
	uint32_t *order; /* entries of the map; owned */
	size_t count;
};

static const char *before_of(const struct host_lines *lines, const char *name)
{
	return lines->window ? host_map_get(lines->host, lines->pair->before, name) : NULL;
}

static bool ticks_of(const struct host_lines *lines, size_t row, struct host_cpu_ticks *ret)
{
	const struct host_map_entry *entry =
	        &lines->host->maps[lines->pair->now].entries[lines->order[row]];
	const char *before = before_of(lines, entry->name);

	/* A CPU that came online in the window has no time at its begin. */
	return (!lines->window || before) && host_cpu_ticks_parse(entry->text, before, ret);
}

static void add_percent(struct quantity percent, struct strbuf *out)
{
	if (percent.kind == QUANTITY_NONE)
		strbuf_add_char(out, '-');
	else
		strbuf_addf(out, "%.1f", quantity_double(percent));
}

static enum table_color cpu_cell(void *opaque, size_t row, unsigned column, struct strbuf *out)
{
	const struct host_lines *lines = opaque;
	const char *name = lines->host->maps[lines->pair->now].entries[lines->order[row]].name;
	struct host_cpu_ticks ticks;
	bool known = ticks_of(lines, row, &ticks);

	if (column == CPU_NAME)
		text_add_escaped(out, strcmp(name, "cpu") == 0 ? "all" : name,
		                 strlen(strcmp(name, "cpu") == 0 ? "all" : name));
	else if (!known)
		strbuf_add_char(out, '-');
	else if (column < CPU_MODES)
		add_percent(host_cpu_busy(&ticks, column == CPU_CLAMPED), out);
	else
		add_percent(host_cpu_share(&ticks, column - CPU_MODES), out);
	return COLOR_NONE;
}

static uint64_t cpu_number(const char *name)
{
	uint64_t number;
	size_t skip = strlen("cpu");

	return strlen(name) > skip && scan_u64(name + skip, strlen(name) - skip, &number)
	               ? number + 1
	               : 0;
}

/* CPUs by their numbers, behind the line of all; other tables as they are. */
static void order_lines(struct host_lines *lines)
{
	const struct host_map *map = &lines->host->maps[lines->pair->now];

	lines->count = map->count;
	lines->order = mem_calloc(map->count + 1, sizeof(lines->order[0]));
	for (uint32_t i = 0; i < map->count; i++) {
		uint32_t at = i;

		while (lines->pair->now == HOST_cpus_clock_ticks && at > 0 &&
		       cpu_number(map->entries[lines->order[at - 1]].name) >
		               cpu_number(map->entries[i].name)) {
			lines->order[at] = lines->order[at - 1];
			at--;
		}
		lines->order[at] = i;
	}
}

static bool open_lines(const struct report *report, size_t pair, struct host_lines *ret)
{
	const struct snapshot_info *info = report->sides[SIDE_BASELINE].info;

	*ret = (struct host_lines){.host = &info->host,
	                           .pair = &host_pairs[pair],
	                           .window = info->kind == KIND_window};
	if (!info->host.seen[ret->pair->now] ||
	    (ret->window && !info->host.seen[ret->pair->before]))
		return false;
	order_lines(ret);
	return true;
}

static void print_cpus_csv(FILE *file, const struct report *report, const struct host_lines *lines)
{
	struct host_cpu_ticks ticks;

	fputs("cpu,busy_percent,busy_percent_clamped", file);
	for (int i = 0; i < HOST_CPU_MODES; i++)
		fprintf(file, ",%s_clock_ticks", mode_names[i]);
	putc('\n', file);
	for (size_t row = 0; row < lines->count; row++) {
		struct quantity busy;

		csv_print_text(file,
		               lines->host->maps[lines->pair->now].entries[lines->order[row]].name,
		               report->csv_raw);
		if (!ticks_of(lines, row, &ticks)) {
			fputs(",,,,,,,,,,,,\n", file);
			continue;
		}
		busy = host_cpu_busy(&ticks, false);
		putc(',', file);
		if (busy.kind != QUANTITY_NONE)
			fprintf(file, "%.6g", quantity_double(busy));
		fprintf(file, ",%.6g", quantity_double(host_cpu_busy(&ticks, true)));
		for (int i = 0; i < HOST_CPU_MODES; i++) {
			putc(',', file);
			if (ticks.modes[i] >= 0)
				fprintf(file, "%lld", (long long)ticks.modes[i]);
		}
		putc('\n', file);
	}
}

static void add_cpus_foot(const struct host *host, struct strbuf *out)
{
	strbuf_add_str(
	        out, "in percent of each CPU's time; busy is all but idle, and 0..100 the same as\n"
	             "gopsutil cuts it; guest is in user, gnice in nice\n");
	if (host->seen[HOST_boot_unix_s]) {
		strbuf_add_str(out, "booted ");
		report_add_time(saturating_multiply(host->numbers[HOST_boot_unix_s], NS_PER_SECOND),
		                out);
	}
	if (host->seen[HOST_kernel_hz])
		strbuf_addf(out, ", CONFIG_HZ %llu",
		            (unsigned long long)host->numbers[HOST_kernel_hz]);
	if (host->seen[HOST_clock_ticks_per_second])
		strbuf_addf(out, ", %llu clock ticks a second",
		            (unsigned long long)host->numbers[HOST_clock_ticks_per_second]);
	strbuf_add_char(out, '\n');
}

bool report_print_cpus(FILE *file, const struct report *report, bool csv)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct host_lines lines;

	if (!open_lines(report, 0, &lines))
		return false;
	if (csv) {
		print_cpus_csv(file, report, &lines);
		free(lines.order);
		return true;
	}
	report_add_two_lines(report, &text);
	table_print_text(file, &report->style, &text);
	table_print(file, &report->style, cpu_columns, CPU_COLUMNS, lines.count, cpu_cell, &lines);
	free(lines.order);
	strbuf_clear(&text);
	add_cpus_foot(lines.host, &text);
	if (report->style.markdown)
		putc('\n', file);
	table_print_text(file, &report->style, &text);
	return true;
}

enum { MEMORY_NAME, MEMORY_VALUE, MEMORY_CHANGE, MEMORY_COLUMNS };
static const struct table_column memory_columns[MEMORY_COLUMNS] = {
        {.heading = "name"},
        {.heading = "value", .right = true},
        {.heading = "change", .right = true},
};

/* Returns whether the line has numbers; @ret_change is 0 without a begin. */
static bool values_of(const struct host_lines *lines, size_t row, uint64_t *ret_value,
                      int64_t *ret_change, bool *ret_has_change)
{
	const struct host_map_entry *entry =
	        &lines->host->maps[lines->pair->now].entries[lines->order[row]];
	const char *before = before_of(lines, entry->name);
	uint64_t then;

	if (!scan_u64(entry->text, strlen(entry->text), ret_value))
		return false;
	*ret_has_change = before && scan_u64(before, strlen(before), &then);
	*ret_change = *ret_has_change ? (int64_t)(*ret_value - then) : 0;
	return true;
}

static enum table_color memory_cell(void *opaque, size_t row, unsigned column, struct strbuf *out)
{
	const struct host_lines *lines = opaque;
	const char *name = lines->host->maps[lines->pair->now].entries[lines->order[row]].name;
	/* Lines of meminfo are KiB but for the numbers of huge pages. */
	bool kib = lines->pair->now == HOST_meminfo && strncmp(name, "HugePages_", 10) != 0;
	bool has_change;
	uint64_t value;
	int64_t change;

	if (column == MEMORY_NAME) {
		text_add_escaped(out, name, strlen(name));
		return COLOR_NONE;
	}
	if (!values_of(lines, row, &value, &change, &has_change) ||
	    (column == MEMORY_CHANGE && !has_change)) {
		strbuf_add_char(out, '-');
		return COLOR_NONE;
	}
	if (column == MEMORY_VALUE && kib)
		units_format(UNIT_bytes, quantity_integer(saturating_multiply(value, 1024)), false,
		             out);
	else if (column == MEMORY_VALUE)
		strbuf_addf(out, "%llu", (unsigned long long)value);
	else if (kib)
		units_format_delta(UNIT_bytes, quantity_real((double)change * 1024), false, out);
	else
		strbuf_addf(out, "%+lld", (long long)change);
	return COLOR_NONE;
}

/* Drops the lines of vmstat that say nothing: 0 since boot, or unchanged in a window. */
static void drop_idle(struct host_lines *lines)
{
	size_t kept = 0;

	for (size_t row = 0; row < lines->count; row++) {
		bool has_change;
		uint64_t value;
		int64_t change;

		if (values_of(lines, row, &value, &change, &has_change) &&
		    (lines->window ? change == 0 : value == 0))
			continue;
		lines->order[kept++] = lines->order[row];
	}
	lines->count = kept;
}

static void print_memory_csv(FILE *file, const struct report *report,
                             const struct host_lines *lines, const char *table)
{
	for (size_t row = 0; row < lines->count; row++) {
		bool has_change;
		uint64_t value;
		int64_t change;

		if (!values_of(lines, row, &value, &change, &has_change))
			continue;
		fprintf(file, "%s,", table);
		csv_print_text(file,
		               lines->host->maps[lines->pair->now].entries[lines->order[row]].name,
		               report->csv_raw);
		fprintf(file, ",%llu,", (unsigned long long)value);
		if (has_change)
			fprintf(file, "%lld", (long long)change);
		putc('\n', file);
	}
}

bool report_print_memory(FILE *file, const struct report *report, bool csv)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct host_lines tables[2];
	static const char *const names[] = {"meminfo", "vmstat"};
	unsigned columns;

	if (!open_lines(report, 1, &tables[0]))
		return false;
	if (!open_lines(report, 2, &tables[1]))
		tables[1].count = 0;
	/* One snapshot has no change. */
	columns = tables[0].window ? MEMORY_COLUMNS : MEMORY_CHANGE;
	if (csv)
		fputs("table,name,value,change\n", file);
	report_add_two_lines(report, &text);
	if (!csv)
		table_print_text(file, &report->style, &text);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		if (csv) {
			print_memory_csv(file, report, &tables[i], names[i]);
		} else {
			if (i == 1)
				drop_idle(&tables[i]);
			fprintf(file, "%s## %s\n%s", i > 0 ? "\n" : "", names[i],
			        report->style.markdown ? "\n" : "");
			table_print(file, &report->style, memory_columns, columns, tables[i].count,
			            memory_cell, &tables[i]);
		}
		free(tables[i].order);
	}
	if (!csv)
		fputs(tables[0].window ? "lines of vmstat that did not change are left out\n"
		                       : "lines of vmstat that are 0 are left out\n",
		      file);
	return true;
}
