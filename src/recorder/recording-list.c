// SPDX-License-Identifier: GPL-2.0-or-later
#include "recorder/recording-list.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/operand-open.h"
#include "base/text.h"
#include "command/command.h"
#include "recording-rows.h"
#include "recording/recording-directory.h"
#include "recording/recording-survey.h"
#include "when/local-time.h"

/* Gaps, and dense windows, that people see; programs have all. */
enum { LINES_MAX = 12 };

#define KIB 1024.0

int recording_list_is(const char *path, struct strbuf *reterr)
{
	cleanup_(fd_closep) int fd = operand_open(AT_FDCWD, path, OPERAND_DIRECTORY, reterr);
	cleanup_(recording_files_done) struct recording_files files = {0};
	struct recording_owner owner;
	int r = fd < 0 ? fd : recording_files_list(fd, &files);

	if (r == -ENOMEM)
		mem_exhausted();
	if (r < 0)
		return r;
	return files.count > 0 || (recording_lock_owner(fd, &owner) == 0 && owner.pid != 0);
}

bool recording_list_has(enum run_list_format format)
{
	switch (format) {
	case RUN_LIST_AUTO:
	case RUN_LIST_TABLE:
	case RUN_LIST_MARKDOWN:
	case RUN_LIST_CSV:
	case RUN_LIST_NDJSON:
		return true;
	default:
		return false;
	}
}

void recording_list_print_head(FILE *file, enum run_list_format format)
{
	if (format == RUN_LIST_CSV)
		recording_rows_csv_head(file);
}

void recording_list_add_span(const char *before, uint64_t begin_unix_ns, uint64_t end_unix_ns,
                             struct strbuf *out)
{
	strbuf_add_str(out, before);
	local_time_add_span((time_t)(begin_unix_ns / NS_PER_SECOND),
	                    (time_t)(end_unix_ns / NS_PER_SECOND), out);
}

void recording_list_add_size(uint64_t bytes, struct strbuf *out)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
	double size = (double)bytes / KIB;
	size_t unit = 0;

	for (; size >= 1000 && unit + 1 < ARRAY_SIZE(units); unit++)
		size /= KIB;
	strbuf_addf(out, "%.1f %s", size, units[unit]);
}

/* "1.2", "12": two digits or so. */
static void add_number(double number, struct strbuf *out)
{
	strbuf_addf(out, number < 0.05 ? "0" : number < 9.95 ? "%.1f" : "%.0f", number);
}

static void add_length(uint64_t ns, struct strbuf *out)
{
	double seconds = (double)ns / (double)NS_PER_SECOND;

	if (seconds < 120)
		strbuf_addf(out, "%.1fs", seconds);
	else if (seconds < 2 * 3600)
		strbuf_addf(out, "%.1fmin", seconds / 60);
	else if (seconds < 48.0 * 3600)
		strbuf_addf(out, "%.1fh", seconds / 3600);
	else
		strbuf_addf(out, "%.1fd", seconds / (24 * 3600.0));
}

static void add_summary(const char *path, const struct recording_survey *survey, pid_t recorder,
                        struct strbuf *out)
{
	text_add_escaped(out, path, strlen(path));
	strbuf_addf(out, ": %llu %s of ", (unsigned long long)survey->windows,
	            survey->windows == 1 ? "window" : "windows");
	add_length(survey->length_ns, out);
	strbuf_addf(out, " in %llu %s of ", (unsigned long long)survey->files,
	            survey->files == 1 ? "file" : "files");
	recording_list_add_size(survey->bytes, out);
	strbuf_add_str(out, ", ");
	if (recorder > 0)
		strbuf_addf(out, "process %d records\n", (int)recorder);
	else if (recorder < 0)
		strbuf_add_str(out, "a process of another pid namespace records\n");
	else
		strbuf_add_str(out, "no recorder runs\n");
	if (survey->hour_count == 0)
		return;
	recording_list_add_span("from ", survey->hours[0].begin_unix_ns, survey->last_unix_ns, out);
	if (survey->gap_count > 0) {
		strbuf_addf(out, ", %zu %s of ", survey->gap_count,
		            survey->gap_count == 1 ? "gap" : "gaps");
		add_length(survey->gap_ns, out);
	}
	strbuf_add_char(out, '\n');
}

enum {
	COLUMN_HOUR,
	COLUMN_WINDOWS,
	COLUMN_GAP,
	COLUMN_CPU,
	COLUMN_WAIT,
	COLUMN_PSI_CPU,
	COLUMN_PSI_MEMORY,
	COLUMN_PSI_IO,
	COLUMN_READ,
	COLUMN_WRITE,
	COLUMN_SIZE,
	COLUMN_COUNT
};

static const struct table_column columns[COLUMN_COUNT] = {
        [COLUMN_HOUR] = {"hour from", false, SHRINKS_NEVER, 0},
        [COLUMN_WINDOWS] = {"windows", true, SHRINKS_NEVER, 2},
        [COLUMN_GAP] = {"gap", true, SHRINKS_NEVER, 3},
        [COLUMN_CPU] = {"CPU%", true, SHRINKS_NEVER, 0},
        [COLUMN_WAIT] = {"wait%", true, SHRINKS_NEVER, 0},
        [COLUMN_PSI_CPU] = {"psi cpu", true, SHRINKS_NEVER, 0},
        [COLUMN_PSI_MEMORY] = {"memory", true, SHRINKS_NEVER, 0},
        [COLUMN_PSI_IO] = {"io", true, SHRINKS_NEVER, 0},
        [COLUMN_READ] = {"read/s", true, SHRINKS_NEVER, 5},
        [COLUMN_WRITE] = {"write/s", true, SHRINKS_NEVER, 6},
        [COLUMN_SIZE] = {"size", true, SHRINKS_NEVER, 1},
};

/* "102K", in powers of 1024, as the overview has bytes. */
static void add_bytes(double number, struct strbuf *out)
{
	static const char units[] = "KMGTPE";
	size_t unit = 0;

	if (isnan(number)) {
		strbuf_add_char(out, '-');
		return;
	}
	if (number < 999.5) {
		strbuf_addf(out, "%.0f", number);
		return;
	}
	number /= KIB;
	while (number >= 999.5 && unit + 2 < sizeof(units)) {
		number /= KIB;
		unit++;
	}
	add_number(number, out);
	strbuf_add_char(out, units[unit]);
}

static void add_percent(double share, struct strbuf *out)
{
	if (isnan(share))
		strbuf_add_char(out, '-');
	else
		add_number(100 * share, out);
}

/* Shares of the time in which some, and in which all, stood still. */
static void add_pressure(const struct recording_hour *hour, enum recording_amount_id some,
                         enum recording_amount_id full, struct strbuf *out)
{
	add_percent(recording_amount_rate(hour, some), out);
	strbuf_add_char(out, '/');
	add_percent(recording_amount_rate(hour, full), out);
}

/* A sum of threads, of which some may lack the value. */
static void add_sum(const struct recording_hour *hour, enum recording_amount_id id,
                    struct strbuf *out)
{
	double rate = recording_amount_rate(hour, id);

	if (id == RECORDING_wait_ns)
		add_percent(rate, out);
	else
		add_bytes(rate, out);
	if (recording_amount_is_partial(hour, id))
		strbuf_add_char(out, '*');
	if (recording_amount_began_before(hour, id))
		strbuf_add_str(out, "§");
}

static void add_hour(const struct recording_hour *hour, struct strbuf *out)
{
	time_t seconds = (time_t)(hour->begin_unix_ns / NS_PER_SECOND), times[LOCAL_TIMES_MAX];
	char text[64];
	struct tm local;

	if (!localtime_r(&seconds, &local))
		return;
	/* The zone tells the two hours from each other where the clock is set back. */
	if (strftime(text, sizeof(text),
	             local_time_find(&local, times) > 1 ? "%m-%d %H:%M %Z" : "%m-%d %H:%M",
	             &local) > 0)
		strbuf_add_str(out, text);
}

static enum table_color add_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct recording_hour *hour = &((const struct recording_survey *)context)->hours[row];

	switch (column) {
	case COLUMN_HOUR:
		add_hour(hour, out);
		break;
	case COLUMN_WINDOWS:
		strbuf_addf(out, "%llu", (unsigned long long)hour->windows);
		break;
	case COLUMN_GAP:
		if (hour->gaps > 0)
			add_length(hour->gap_ns, out);
		break;
	case COLUMN_CPU:
		add_percent(recording_amount_rate(hour, RECORDING_cpu_ns), out);
		break;
	case COLUMN_WAIT:
		add_sum(hour, RECORDING_wait_ns, out);
		break;
	case COLUMN_PSI_CPU:
		add_pressure(hour, RECORDING_cpu_some_ns, RECORDING_cpu_full_ns, out);
		break;
	case COLUMN_PSI_MEMORY:
		add_pressure(hour, RECORDING_memory_some_ns, RECORDING_memory_full_ns, out);
		break;
	case COLUMN_PSI_IO:
		add_pressure(hour, RECORDING_io_some_ns, RECORDING_io_full_ns, out);
		break;
	case COLUMN_READ:
		add_sum(hour, RECORDING_read_bytes, out);
		break;
	case COLUMN_WRITE:
		add_sum(hour, RECORDING_write_bytes, out);
		break;
	case COLUMN_SIZE:
		add_bytes((double)hour->bytes, out);
		break;
	}
	return column == COLUMN_GAP && hour->gaps > 0 ? COLOR_MORE : COLOR_NONE;
}

static void add_footnote(const struct recording_survey *survey, struct strbuf *out)
{
	bool any_partial = false, any_before = false;

	for (size_t i = 0; i < survey->hour_count; i++)
		for (unsigned id = 0; id < RECORDING_AMOUNT_COUNT; id++) {
			const struct recording_hour *hour = &survey->hours[i];

			any_partial = any_partial || recording_amount_is_partial(hour, id);
			any_before = any_before || recording_amount_began_before(hour, id);
		}
	if (any_partial)
		strbuf_add_str(out, "* some threads are not in the value\n");
	if (any_before)
		strbuf_add_str(out,
		               "§ some waits began before the hour: their time in it counts\n");
}

static void add_more(size_t count, const char *what, struct strbuf *out)
{
	if (count > LINES_MAX)
		strbuf_addf(out, "%zu more %s before (--format csv has all)\n", count - LINES_MAX,
		            what);
}

static void add_gaps(const struct recording_survey *survey, struct strbuf *out)
{
	add_more(survey->gap_count, "gaps", out);
	for (size_t i = survey->gap_count > LINES_MAX ? survey->gap_count - LINES_MAX : 0;
	     i < survey->gap_count; i++) {
		const struct recording_gap *gap = &survey->gaps[i];

		recording_list_add_span("gap     ", gap->begin_unix_ns, gap->end_unix_ns, out);
		strbuf_add_str(out, ": ");
		recording_rows_add_reason(gap, out);
		strbuf_add_char(out, '\n');
	}
}

static void add_dense(const struct recording_survey *survey, struct strbuf *out)
{
	add_more(survey->dense_count, "triggers", out);
	for (size_t i = survey->dense_count > LINES_MAX ? survey->dense_count - LINES_MAX : 0;
	     i < survey->dense_count; i++) {
		const struct recording_dense *dense = &survey->dense[i];

		recording_list_add_span("trigger ", dense->begin_unix_ns, dense->end_unix_ns, out);
		strbuf_addf(out, ", %llu %s: ", (unsigned long long)dense->windows,
		            dense->windows == 1 ? "window" : "windows");
		text_add_escaped(out, dense->text, strlen(dense->text));
		strbuf_add_char(out, '\n');
	}
}

static void print_table(FILE *file, const char *path, struct recording_survey *survey,
                        pid_t recorder, const struct table_style *style)
{
	cleanup_(strbuf_done) struct strbuf head = STRBUF_INIT, foot = STRBUF_INIT;

	add_summary(path, survey, recorder, &head);
	fputs(strbuf_str(&head), file);
	if (survey->hour_count > 0) {
		if (style->markdown)
			fputc('\n', file);
		table_print(file, style, columns, COLUMN_COUNT, survey->hour_count, add_cell,
		            survey);
	}
	add_footnote(survey, &foot);
	add_gaps(survey, &foot);
	add_dense(survey, &foot);
	if (foot.len > 0)
		fprintf(file, "\n%s", strbuf_str(&foot));
}

int recording_list_print(FILE *file, const char *path, enum run_list_format format,
                         const struct table_style *style)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(fd_closep) int fd = operand_open(AT_FDCWD, path, OPERAND_DIRECTORY, &reason);
	cleanup_(recording_survey_done) struct recording_survey survey = {0};
	struct table_style markdown = {.markdown = true};
	struct recording_owner recorder = {0};
	int r = fd < 0 ? fd : recording_survey_read(fd, &snapshot_default_limits, &survey, &reason);

	if (r == 0)
		r = recording_lock_owner(fd, &recorder);
	if (r < 0) {
		cli_error("%s: %s", path, reason.len > 0 ? strbuf_str(&reason) : strerror(-r));
		return r;
	}
	if (format == RUN_LIST_CSV)
		recording_rows_csv(file, path, &survey);
	else if (format == RUN_LIST_NDJSON)
		recording_rows_ndjson(file, path, &survey);
	else
		print_table(file, path, &survey, recorder.pid,
		            format == RUN_LIST_MARKDOWN ? &markdown : style);
	return 0;
}
