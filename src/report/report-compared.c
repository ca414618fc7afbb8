// SPDX-License-Identifier: GPL-2.0-or-later
/* The first line above a table: what is compared. */
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "metric/units.h"
#include "report-overview.h"

/* Parts of the first line, in the order in which they leave it where it is too wide: what both sides have alike, and is in the
 * file anyway, before what is compared. */
enum { WITH_KERNEL, WITH_TIME, WITH_CPUS, WITH_HOSTNAME, WITH_RANGES, WITH_COUNT };

/* Returns the length of the path; without @RANGE if that is to be left out, since the bounds are below. */
static size_t path_len(const struct report *report, unsigned side, const char *path,
                       bool with_ranges)
{
	const struct snapshot_info *info = report->sides[side].info;
	const char *at = strrchr(path, '@');

	if (with_ranges || !at || info->kind != KIND_window || !info->window.seen[WINDOW_windows])
		return strlen(path);
	return (size_t)(at - path);
}

/* The room that a line has. */
struct room {
	unsigned left;  /* how many of the parts below have left it */
	bool distance;  /* the time between the two sides */
	size_t columns; /* for each name */
};

/* Returns how many bytes both names begin with alike, in whole characters. */
static size_t common_prefix(const char *a, const char *b)
{
	size_t len = 0;

	while (a[len] != '\0' && a[len] == b[len])
		len++;
	/* The second byte of a character and those behind it are 10xxxxxx. */
	while (len > 0 && ((unsigned char)a[len] & 0xc0) == 0x80)
		len--;
	return len;
}

/* Appends a name. One with more columns begins behind its first @common bytes, and its end is cut. */
static void add_name(const struct report *report, struct span name, size_t common, size_t columns,
                     struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	text_add_escaped(&text, name.text, name.len);
	if (report->style.ascii)
		text_make_ascii(&text);
	if (text_is_wider(strbuf_str(&text), text.len, columns) && common > 1 &&
	    common < name.len) {
		strbuf_clear(&text);
		strbuf_add_str(&text, "…");
		text_add_escaped(&text, name.text + common, name.len - common);
		if (report->style.ascii)
			text_make_ascii(&text);
	}
	if (text_is_wider(strbuf_str(&text), text.len, columns)) {
		strbuf_cut(&text, text_prefix_escaped(text.data, text.len, columns - 1));
		strbuf_add_str(&text, "…");
	}
	strbuf_add(out, strbuf_str(&text), text.len);
}

/* The files, without their folders where that tells them apart. */
static void add_paths(const struct report *report, const struct room *room, struct strbuf *out)
{
	const char *paths[SIDE_MAX] = {report->sides[0].path, report->sides[1].path};
	const char *names[SIDE_MAX] = {overview_last_part(paths[0])};
	size_t common = 0;

	if (report->rows->sides == SIDE_MAX) {
		names[1] = overview_last_part(paths[1]);
		if (strcmp(names[0], names[1]) == 0) {
			names[0] = paths[0];
			names[1] = paths[1];
		}
		common = common_prefix(names[0], names[1]);
	}
	for (unsigned side = 0; side < report->rows->sides; side++) {
		struct span name = {names[side],
		                    path_len(report, side, names[side], room->left <= WITH_RANGES)};

		if (side > 0)
			strbuf_addf(out, " %s ", overview_arrow(report));
		add_name(report, name, common, room->columns, out);
	}
}

/* A field of the host, of both sides where they differ: "6.1.0→6.12.0". Nothing where no side has it. */
static void add_host_text(const struct report *report, enum host_field field, const char *separator,
                          struct strbuf *out)
{
	const char *shown = NULL;

	for (unsigned side = 0; side < report->rows->sides; side++) {
		const char *text = host_text(&report->sides[side].info->host, field);

		if (!text || (shown && strcmp(shown, text) == 0))
			continue;
		strbuf_add_str(out, shown ? overview_arrow(report) : separator);
		text_add_escaped(out, text, strlen(text));
		shown = text;
	}
}

/* Returns the number of CPUs of a side, or of the other one if it is not known. */
static uint64_t cpus_of(const struct report *report, unsigned side)
{
	const struct row_set *rows = report->rows;

	return rows->frames[side].online_cpus > 0
	               ? rows->frames[side].online_cpus
	               : rows->frames[rows->sides - 1 - side].online_cpus;
}

bool report_has_unlike_cpus(const struct report *report)
{
	return report->rows->sides > 1 && cpus_of(report, 0) != cpus_of(report, 1);
}

void overview_add_cpus(const struct report *report, uint64_t factor, struct strbuf *out)
{
	unsigned last = report->rows->sides - 1;

	if (report_has_unlike_cpus(report))
		strbuf_addf(out, "%llu%s", (unsigned long long)factor * cpus_of(report, 0),
		            overview_arrow(report));
	strbuf_addf(out, "%llu", (unsigned long long)factor * cpus_of(report, last));
}

static uint64_t hosts_of(const struct report *report, unsigned side)
{
	const struct host *host = &report->sides[side].info->host;

	return host->seen[HOST_hosts] ? host->numbers[HOST_hosts] : 1;
}

/* ", 3 hosts" of merged windows, "3→1 hosts" where the sides differ. */
static void add_host_count(const struct report *report, struct strbuf *out)
{
	uint64_t last = hosts_of(report, report->rows->sides - 1), first = hosts_of(report, 0);

	if (first == last && last == 1)
		return;
	strbuf_add_str(out, ", ");
	if (first != last)
		strbuf_addf(out, "%llu%s", (unsigned long long)first, overview_arrow(report));
	strbuf_addf(out, "%llu hosts", (unsigned long long)last);
}

/* Those of several hosts are not known, and are not those of the other side. */
static bool has_cpus(const struct report *report)
{
	return hosts_of(report, 0) == 1 && hosts_of(report, report->rows->sides - 1) == 1;
}

static void add_host(const struct report *report, unsigned left, struct strbuf *out)
{
	const struct host *host = &report->sides[report->rows->sides - 1].info->host;

	if (left <= WITH_HOSTNAME)
		add_host_text(report, HOST_hostname, ", ", out);
	add_host_count(report, out);
	if (left <= WITH_KERNEL) {
		add_host_text(report, HOST_kernel_name, ", ", out);
		add_host_text(report, HOST_kernel_release,
		              host->seen[HOST_kernel_name] ? " " : ", ", out);
	}
	if (left <= WITH_CPUS && host->seen[HOST_online_cpus] && has_cpus(report)) {
		strbuf_add_str(out, ", ");
		overview_add_cpus(report, 1, out);
		strbuf_add_str(out, host->numbers[HOST_online_cpus] == 1 ? " CPU" : " CPUs");
	}
}

static void add_length(uint64_t length_ns, struct strbuf *out)
{
	if (length_ns > 0)
		overview_add_time((double)length_ns, out);
	else
		strbuf_add_str(out, "unknown length");
}

/* Appends the length of the window of a side, with @asked the one that was asked for, and the gaps of a sum of windows. */
static void add_window_length(const struct report *report, unsigned side, const char *asked,
                              struct strbuf *out)
{
	const struct snapshot_window *window = &report->sides[side].info->window;
	uint64_t gaps = window->numbers[WINDOW_gaps];

	add_length(report->rows->frames[side].length_ns, out);
	if (asked) {
		strbuf_add_str(out, " (");
		overview_add_time((double)window->numbers[WINDOW_asked_length_ns], out);
		strbuf_addf(out, " %s)", asked);
	}
	if (!window->seen[WINDOW_gaps] || gaps == 0)
		return;
	strbuf_add_str(out, " (");
	/* Between two boots there is a gap. */
	if (window->numbers[WINDOW_boots] > 1)
		strbuf_addf(out, "%llu boots, ", (unsigned long long)window->numbers[WINDOW_boots]);
	strbuf_addf(out, "%llu %s of ", (unsigned long long)gaps, gaps == 1 ? "gap" : "gaps");
	overview_add_time((double)window->numbers[WINDOW_gap_ns], out);
	strbuf_add_str(out, " left out)");
}

/* "3.1s and 3.2s (3.0s asked of each)": a length that was asked for is there if the window is longer, and once if it is that of both. */
static void add_window_lengths(const struct report *report, struct strbuf *out)
{
	const char *asked[SIDE_MAX] = {NULL};
	uint64_t lengths[SIDE_MAX] = {0};

	for (unsigned side = 0; side < report->rows->sides; side++) {
		const struct snapshot_window *window = &report->sides[side].info->window;

		if (window_is_longer_than_asked(window))
			asked[side] = "asked";
		lengths[side] = window->numbers[WINDOW_asked_length_ns];
	}
	if (asked[0] && asked[1] && lengths[0] == lengths[1]) {
		asked[0] = NULL;
		asked[1] = "asked of each";
	}
	for (unsigned side = 0; side < report->rows->sides; side++) {
		if (side > 0)
			strbuf_add_str(out, " and ");
		add_window_length(report, side, asked[side], out);
	}
}

static bool differs(const struct report *report, enum host_field field)
{
	const char *a = host_text(&report->sides[SIDE_BASELINE].info->host, field);
	const char *b = host_text(&report->sides[SIDE_CANDIDATE].info->host, field);

	return a && b && strcmp(a, b) != 0;
}

/* Appends the time between the two snapshots or windows, by the clock of their boot if they have the same one. */
static void add_distance(const struct report *report, struct strbuf *out)
{
	const struct snapshot_info *first = report->sides[SIDE_BASELINE].info;
	const struct snapshot_info *last = report->sides[SIDE_CANDIDATE].info;
	bool one_boot = host_text(&first->host, HOST_boot_id) && !differs(report, HOST_boot_id) &&
	                host_text(&last->host, HOST_boot_id) && first->captured_boottime_ns > 0 &&
	                last->captured_boottime_ns > 0;
	uint64_t a = one_boot ? first->captured_boottime_ns : first->captured_at_unix_ns;
	uint64_t b = one_boot ? last->captured_boottime_ns : last->captured_at_unix_ns;

	if (a == 0 || b == 0)
		return;
	strbuf_add_str(out, ", ");
	overview_add_time((double)(b >= a ? b - a : a - b), out);
	strbuf_add_str(out, b == a ? "of one moment" : b > a ? " later" : " EARLIER");
}

static void add_lengths(const struct report *report, bool distance, struct strbuf *out)
{
	switch (overview_kind_of(report->rows)) {
	case OVERVIEW_WINDOW:
		strbuf_add_str(out, ": window of ");
		add_window_lengths(report, out);
		break;
	case OVERVIEW_INTERVAL:
		strbuf_add_str(out, ": the ");
		add_length(report->rows->interval_frame.length_ns, out);
		strbuf_add_str(out, " in between");
		if (!host_text(&report->sides[0].info->host, HOST_boot_id))
			strbuf_add_str(out, " (boot unknown, same threads)");
		return;
	case OVERVIEW_CHANGE:
		strbuf_add_str(out, ": windows of ");
		add_window_lengths(report, out);
		break;
	case OVERVIEW_LIVES:
		strbuf_add_str(out, ": amounts since each thread's start");
		break;
	case OVERVIEW_LIVES_CHANGE:
		strbuf_add_str(out, ": since each thread's start");
		break;
	}
	if (report->rows->sides == 1)
		return;
	if (differs(report, HOST_hostname))
		strbuf_add_str(out, ", two hosts");
	else if (differs(report, HOST_boot_id))
		strbuf_add_str(out, ", two boots");
	if (distance)
		add_distance(report, out);
}

static void make_line(const struct report *report, const struct room *room, struct strbuf *line)
{
	uint64_t time = report->sides[0].info->captured_at_unix_ns;

	strbuf_clear(line);
	add_paths(report, room, line);
	add_lengths(report, room->distance, line);
	add_host(report, room->left, line);
	if (report->rows->sides == 1 && time > 0 && room->left <= WITH_TIME &&
	    !report->sides[0].info->window.seen[WINDOW_windows]) {
		strbuf_add_str(line, ", ");
		report_add_time(time, line);
	}
}

/* Makes the line with as many columns for the names as fit, and no fewer than @least. Returns false if it is still too wide. */
static bool make_line_with_names(const struct report *report, struct room *room, size_t least,
                                 struct strbuf *line)
{
	for (room->columns = report->style.width; room->columns >= least; room->columns--) {
		make_line(report, room, line);
		if (!overview_is_too_wide(report, line))
			return true;
	}
	return false;
}

void report_add_compared(const struct report *report, struct strbuf *out)
{
	enum { NAME_COLUMNS = 12, NAME_COLUMNS_LEAST = 6 };
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;
	struct room room = {.distance = true, .columns = SIZE_MAX};
	bool fits = false;

	for (; !fits && room.left <= WITH_COUNT; room.left++) {
		make_line(report, &room, &line);
		fits = !overview_is_too_wide(report, &line);
	}
	fits = fits || make_line_with_names(report, &room, NAME_COLUMNS, &line);
	room.distance = false;
	if (!fits)
		(void)make_line_with_names(report, &room, NAME_COLUMNS_LEAST, &line);
	overview_add_line(report, &line, out);
}
