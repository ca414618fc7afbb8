// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording-survey.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/regular-file.h"
#include "group/group.h"
#include "recording/frame-source.h"
#include "recording/frame.h"
#include "recording/recording-directory.h"
#include "recording/recording-order.h"
#include "snapshot/frame-base.h"

const char *const recording_amount_names[RECORDING_AMOUNT_COUNT] = {
        [RECORDING_cpu_ns] = "cpu_ns",
        [RECORDING_wait_ns] = "wait_ns",
        [RECORDING_read_bytes] = "read_bytes",
        [RECORDING_write_bytes] = "write_bytes",
        [RECORDING_cpu_some_ns] = "cpu_some_ns",
        [RECORDING_cpu_full_ns] = "cpu_full_ns",
        [RECORDING_memory_some_ns] = "memory_some_ns",
        [RECORDING_memory_full_ns] = "memory_full_ns",
        [RECORDING_io_some_ns] = "io_some_ns",
        [RECORDING_io_full_ns] = "io_full_ns",
};

/* The metrics that are added up. */
enum { OF_THREADS = 3 };

/* One window: its info, its rows as one group, and what they add up to. */
struct window_load {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct snapshot_info info;
	struct group_table rows;
	bool seen[RECORDING_AMOUNT_COUNT], partial[RECORDING_AMOUNT_COUNT];
	uint64_t amounts[RECORDING_AMOUNT_COUNT];
	/* The times by which single threads waited for longer than they lived in the window, where a wait began before it. Owned. */
	uint64_t *beyond_ns;
	size_t beyond_count, beyond_capacity;
};

/* The window before. */
struct before {
	uint64_t end_unix_ns, end_boottime_ns;
	char *boot_id; /* owned */
};

struct reading {
	struct recording_survey *survey;
	const struct snapshot_limits *limits;
	struct frame_budget budget;
	struct strbuf *reterr;
	struct before before;
	bool begins_file;       /* the next window */
	struct frame_base base; /* of the file */
	/* In the file: rows that are left out have not changed. */
	bool has_seen[OF_THREADS], has_lacked[OF_THREADS];
};

static void add_amount(struct window_load *window, enum recording_amount_id id, uint64_t value)
{
	window->seen[id] = true;
	saturating_add_to(&window->amounts[id], value);
}

static const struct {
	enum metric_id metric;
	enum recording_amount_id id;
} of_threads[OF_THREADS] = {
        {METRIC_wait_time_ns, RECORDING_wait_ns},
        {METRIC_read_bytes, RECORDING_read_bytes},
        {METRIC_write_bytes, RECORDING_write_bytes},
};

static int add_thread(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct window_load *window = (struct window_load *)self;

	window->rows.host = &window->info.host;
	window->rows.info = &window->info;
	group_table_add(&window->rows, sample);
	if (sample_began_before(sample, METRIC_wait_time_ns))
		*array_add(window->beyond_ns, window->beyond_count, window->beyond_capacity) =
		        sample_number(sample, METRIC_wait_time_ns) -
		        sample_inside(sample, METRIC_wait_time_ns);
	return 0;
}

/* Returns all rows as one group with the work of exited threads, as show has it. */
static struct group *total_of(struct group_table *rows)
{
	group_table_finish(rows);
	for (size_t i = 0; i < rows->map.count; i++)
		group_include_exited(rows, rows->map.entries[i].value,
		                     (1u << PROCESS_SOURCE_COUNT) - 1, 0);
	return group_table_total(rows);
}

/* Rows without a change, which later windows of a file leave out, have nothing to add. They may be those that lack the value. */
static void add_threads(struct reading *reading, struct window_load *window)
{
	struct group *total = total_of(&window->rows);
	struct derive_frame frame = derive_frame_of(&window->info);

	for (unsigned i = 0; i < OF_THREADS; i++) {
		enum metric_id metric = of_threads[i].metric;
		const struct fold_cell *cell = &total->cells[metric];

		if (cell->seen > 0 || reading->has_seen[i])
			add_amount(window, of_threads[i].id, fold_number_capped(cell->number));
		reading->has_seen[i] = reading->has_seen[i] || cell->seen > 0;
		reading->has_lacked[i] = reading->has_lacked[i] ||
		                         cell->seen < group_threads_for(total, metric) ||
		                         group_lacks_exited(total, &frame, metric);
		window->partial[of_threads[i].id] = reading->has_lacked[i];
	}
	group_free(total, 0);
}

/* Waits that ended in the window may have begun in an earlier one of the hour; what is longer than these began before the hour. */
static void leave_out_before(struct window_load *window, struct recording_hour *hour)
{
	uint64_t *wait_ns = &window->amounts[RECORDING_wait_ns];

	for (size_t i = 0; i < window->beyond_count; i++) {
		uint64_t before_ns;

		if (window->beyond_ns[i] <= hour->length_ns)
			continue;
		before_ns = window->beyond_ns[i] - hour->length_ns;
		*wait_ns -= before_ns < *wait_ns ? before_ns : *wait_ns;
		hour->amounts[RECORDING_wait_ns].began_before = true;
	}
}

static void add_cpu(struct window_load *window)
{
	static const enum host_field fields[] = {HOST_user_clock_ticks, HOST_system_clock_ticks,
	                                         HOST_irq_clock_ticks, HOST_softirq_clock_ticks};
	const struct host *host = &window->info.host;
	uint64_t ticks = 0, hz = host->numbers[HOST_clock_ticks_per_second];

	if (!host->seen[HOST_user_clock_ticks] || !host->seen[HOST_system_clock_ticks] || hz == 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (host->seen[fields[i]])
			saturating_add_to(&ticks, host->numbers[fields[i]]);
	add_amount(window, RECORDING_cpu_ns, saturating_multiply(ticks, NS_PER_SECOND / hz));
}

static void add_pressure(struct window_load *window)
{
	static const struct {
		enum psi_resource resource;
		enum psi_row row;
		enum recording_amount_id id;
	} lines[] = {
	        {PSI_cpu, PSI_ROW_some, RECORDING_cpu_some_ns},
	        {PSI_cpu, PSI_ROW_full, RECORDING_cpu_full_ns},
	        {PSI_memory, PSI_ROW_some, RECORDING_memory_some_ns},
	        {PSI_memory, PSI_ROW_full, RECORDING_memory_full_ns},
	        {PSI_io, PSI_ROW_some, RECORDING_io_some_ns},
	        {PSI_io, PSI_ROW_full, RECORDING_io_full_ns},
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		const struct psi_line *line =
		        &window->info.psi.lines[lines[i].resource][lines[i].row];

		if (line->seen)
			add_amount(window, lines[i].id,
			           saturating_multiply(line->total_usec, 1000));
	}
}

static char *copy_of(const char *text)
{
	return text ? mem_copy(text, strlen(text)) : NULL;
}

static uint64_t begin_of(const struct snapshot_info *info, enum window_number number, uint64_t end)
{
	uint64_t length_ns = info->window.numbers[WINDOW_length_ns];

	if (info->window.seen[number])
		return info->window.numbers[number];
	return end > length_ns ? end - length_ns : 0;
}

static bool is_same_boot(const struct before *before, const struct snapshot_info *info)
{
	const char *boot_id = host_text(&info->host, HOST_boot_id);

	return !boot_id || !before->boot_id || strcmp(boot_id, before->boot_id) == 0;
}

static enum recording_gap_reason reason_of(const struct reading *reading, bool same_boot,
                                           const char *text)
{
	if (!same_boot)
		return RECORDING_GAP_BOOT;
	return text || !reading->begins_file ? RECORDING_GAP_NOT_WRITTEN : RECORDING_GAP_NONE_RAN;
}

/* Adds the time between the window before and this one, if there is any. */
static void add_gap(struct reading *reading, const struct snapshot_info *info,
                    struct recording_hour *hour)
{
	struct recording_survey *survey = reading->survey;
	const struct before *before = &reading->before;
	bool same_boot = is_same_boot(before, info);
	uint64_t begin_unix_ns = begin_of(info, WINDOW_begin_unix_ns, info->captured_at_unix_ns);
	uint64_t begin_ns =
	        same_boot ? begin_of(info, WINDOW_begin_boottime_ns, info->captured_boottime_ns)
	                  : begin_unix_ns;
	uint64_t end_ns = same_boot ? before->end_boottime_ns : before->end_unix_ns;
	const char *text = labels_find(&info->labels, RECORDING_LABEL_GAP);
	struct recording_gap *gap;

	if (survey->windows == 0 || (same_boot && begin_ns <= end_ns))
		return;
	gap = array_add(survey->gaps, survey->gap_count, survey->gap_capacity);
	*gap = (struct recording_gap){before->end_unix_ns, begin_unix_ns,
	                              begin_ns > end_ns ? begin_ns - end_ns : 0,
	                              reason_of(reading, same_boot, text), copy_of(text)};
	hour->gaps++;
	saturating_add_to(&hour->gap_ns, gap->length_ns);
	saturating_add_to(&survey->gap_ns, gap->length_ns);
}

static void add_dense(struct recording_survey *survey, const struct snapshot_info *info,
                      uint64_t begin_unix_ns)
{
	const char *text = labels_find(&info->labels, RECORDING_LABEL_TRIGGER);
	struct recording_dense *last =
	        survey->dense_count > 0 ? &survey->dense[survey->dense_count - 1] : NULL;

	if (!text)
		return;
	if (!last || last->end_unix_ns != begin_unix_ns || strcmp(last->text, text) != 0) {
		last = array_add(survey->dense, survey->dense_count, survey->dense_capacity);
		*last = (struct recording_dense){.begin_unix_ns = begin_unix_ns,
		                                 .text = copy_of(text)};
	}
	last->end_unix_ns = info->captured_at_unix_ns;
	last->windows++;
}

/* Returns the row of the hour of UTC, in which the window begins. */
static struct recording_hour *hour_of(struct recording_survey *survey, uint64_t begin_unix_ns)
{
	const uint64_t hour_ns = 3600 * NS_PER_SECOND;
	struct recording_hour *last =
	        survey->hour_count > 0 ? &survey->hours[survey->hour_count - 1] : NULL;

	if (last && last->begin_unix_ns / hour_ns == begin_unix_ns / hour_ns)
		return last;
	last = array_add(survey->hours, survey->hour_count, survey->hour_capacity);
	*last = (struct recording_hour){.begin_unix_ns = begin_unix_ns};
	return last;
}

static void add_to_hour(struct recording_hour *hour, const struct window_load *window,
                        uint64_t bytes)
{
	uint64_t length_ns = window->info.window.numbers[WINDOW_length_ns];

	hour->end_unix_ns = window->info.captured_at_unix_ns;
	hour->windows++;
	saturating_add_to(&hour->length_ns, length_ns);
	hour->bytes += bytes;
	for (unsigned i = 0; i < RECORDING_AMOUNT_COUNT; i++)
		if (window->seen[i]) {
			saturating_add_to(&hour->amounts[i].sum, window->amounts[i]);
			saturating_add_to(&hour->amounts[i].length_ns, length_ns);
			hour->amounts[i].partial |= window->partial[i];
		}
}

static void add_window(struct reading *reading, struct window_load *window, uint64_t bytes)
{
	struct recording_survey *survey = reading->survey;
	const struct snapshot_info *info = &window->info;
	uint64_t begin_unix_ns = begin_of(info, WINDOW_begin_unix_ns, info->captured_at_unix_ns);
	struct recording_hour *hour = hour_of(survey, begin_unix_ns);

	add_threads(reading, window);
	leave_out_before(window, hour);
	add_cpu(window);
	add_pressure(window);
	add_gap(reading, info, hour);
	add_dense(survey, info, begin_unix_ns);
	add_to_hour(hour, window, bytes);
	survey->windows++;
	saturating_add_to(&survey->length_ns, info->window.numbers[WINDOW_length_ns]);
	saturating_add_to(&survey->cost_cpu_ns, info->cost[COST_user_cpu_ns]);
	saturating_add_to(&survey->cost_cpu_ns, info->cost[COST_system_cpu_ns]);
	survey->last_unix_ns = info->captured_at_unix_ns;
	free(reading->before.boot_id);
	reading->before = (struct before){info->captured_at_unix_ns, info->captured_boottime_ns,
	                                  copy_of(host_text(&info->host, HOST_boot_id))};
	reading->begins_file = false;
}

static int read_window(struct reading *reading, int fd, uint64_t begin, uint64_t end)
{
	struct window_load window = {.visitor = {.thread = add_thread, .base = &reading->base}};
	struct frame_source source = frame_source_make(fd, begin, end);
	struct snapshot_limits limits =
	        frame_limits(&reading->budget, reading->limits, end - begin);
	int r;

	group_table_init(&window.rows, group_by_key(GROUP_KEY_host, true));
	r = snapshot_read(&source.source, &limits, &window.visitor, &window.info, reading->reterr);
	if (r == 0 && window.info.kind != KIND_window) {
		strbuf_add_str(reading->reterr, "a frame in it is no window");
		r = -EINVAL;
	}
	if (r == 0)
		add_window(reading, &window, end - begin);
	free(window.beyond_ns);
	group_table_done(&window.rows);
	snapshot_info_done(&window.info);
	return r;
}

static int read_file(struct reading *reading, int dir_fd, const struct recording_file *file)
{
	cleanup_(fd_closep) int fd = regular_file_open_beside(dir_fd, file->name);
	uint64_t begin = 0, end = 0;
	int r;

	/* The recorder may have removed it. */
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	reading->survey->files++;
	reading->survey->bytes += file->bytes;
	reading->begins_file = true;
	memset(reading->has_seen, 0, sizeof(reading->has_seen));
	memset(reading->has_lacked, 0, sizeof(reading->has_lacked));
	while ((r = frame_find_end(fd, begin, &end)) > 0) {
		r = read_window(reading, fd, begin, end);
		if (r < 0)
			break;
		begin = end;
	}
	if (r == -EBADMSG && reading->reterr->len == 0)
		frame_explain_damage(begin, reading->reterr);
	frame_base_done(&reading->base);
	reading->base = (struct frame_base){0};
	if (r < 0 && reading->reterr->len > 0)
		strbuf_addf(reading->reterr, " (%s)", file->name);
	return r;
}

int recording_survey_read(int dir_fd, const struct snapshot_limits *limits,
                          struct recording_survey *survey, struct strbuf *reterr)
{
	cleanup_(recording_files_done) struct recording_files files = {0};
	struct reading reading = {.survey = survey, .limits = limits, .reterr = reterr};
	int r = recording_files_list(dir_fd, &files);

	recording_files_order(dir_fd, &files);
	for (size_t i = 0; r == 0 && i < files.count; i++)
		r = read_file(&reading, dir_fd, &files.entries[i]);
	free(reading.before.boot_id);
	frame_budget_done(&reading.budget);
	return r;
}

double recording_amount_rate(const struct recording_hour *hour, enum recording_amount_id id)
{
	const struct recording_amount *amount = &hour->amounts[id];

	return amount->length_ns > 0
	               ? (double)amount->sum / (double)amount->length_ns *
	                         (id == RECORDING_read_bytes || id == RECORDING_write_bytes
	                                  ? (double)NS_PER_SECOND
	                                  : 1)
	               : NAN;
}

bool recording_amount_is_partial(const struct recording_hour *hour, enum recording_amount_id id)
{
	return hour->amounts[id].length_ns > 0 && hour->amounts[id].partial;
}

bool recording_amount_began_before(const struct recording_hour *hour, enum recording_amount_id id)
{
	return hour->amounts[id].length_ns > 0 && hour->amounts[id].began_before;
}

void recording_survey_done(struct recording_survey *survey)
{
	for (size_t i = 0; i < survey->gap_count; i++)
		free(survey->gaps[i].text);
	for (size_t i = 0; i < survey->dense_count; i++)
		free(survey->dense[i].text);
	free(survey->hours);
	free(survey->gaps);
	free(survey->dense);
	*survey = (struct recording_survey){0};
}
