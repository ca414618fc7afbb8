// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/fleet-row.h"

#include <string.h>

#include "base/text.h"
#include "json/json-write.h"

enum { NEVER = false, NULLABLE = true };

const struct fleet_column_desc fleet_column_table[FLEET_COLUMN_COUNT] = {
#define FLEET_COLUMN(id_, name_, type_, null_, text_) {name_, text_, FLEET_TYPE_##type_, null_},
#include "fleet-columns.def"
#undef FLEET_COLUMN
};

void fleet_set_text(struct fleet_row *row, enum fleet_column column, struct span text)
{
	row->cells[column] = (struct fleet_cell){.kind = FLEET_CELL_TEXT, .text = text};
}

void fleet_set_integer(struct fleet_row *row, enum fleet_column column, __int128 integer)
{
	row->cells[column] = (struct fleet_cell){.kind = FLEET_CELL_INTEGER, .integer = integer};
}

static void set_str(struct fleet_row *row, enum fleet_column column, const char *text)
{
	fleet_set_text(row, column, (struct span){text, strlen(text)});
}

static void set_null(struct fleet_row *row, enum fleet_column column)
{
	row->cells[column] = (struct fleet_cell){.kind = FLEET_CELL_NULL};
}

/* Sets a cell to a copy of bytes that may not be UTF-8. */
static void copy_text(struct fleet_file *file, enum fleet_column column, const char *bytes)
{
	struct strbuf *text = &file->texts[column];

	if (!bytes)
		return;
	text_add_replaced(text, bytes, strlen(bytes));
	set_str(&file->row, column, strbuf_str(text));
}

static void add_labels(const struct labels *labels, struct strbuf *out)
{
	struct json_writer writer = JSON_WRITER_INIT(out);

	json_write_open(&writer, '{');
	for (size_t i = 0; i < labels->count; i++) {
		json_write_key(&writer, labels->entries[i].key);
		json_write_str(&writer, labels->entries[i].value);
	}
	json_write_close(&writer, '}');
}

/* The time in which the counters counted. */
static void set_length(struct fleet_row *row, const struct snapshot_info *info)
{
	const struct snapshot_window *window = &info->window;

	if (info->kind == KIND_window && window->seen[WINDOW_length_ns])
		fleet_set_integer(row, FLEET_COLUMN_length_ns, window->numbers[WINDOW_length_ns]);
	else if (info->kind == KIND_lifetime && info->captured_boottime_ns != 0)
		fleet_set_integer(row, FLEET_COLUMN_length_ns, info->captured_boottime_ns);
}

static const char *const ends_words[WINDOW_ENDS_COUNT] = {
        [WINDOW_ENDS_NONE] = "none",
        [WINDOW_ENDS_RECORDED] = "recorded",
        [WINDOW_ENDS_COMPLETED] = "completed",
};

static void add_ends(const struct snapshot_window *window, struct strbuf *out)
{
	unsigned ways = window_ends_of(window->exits, window->exits_also);

	for (unsigned way = 0; way < WINDOW_ENDS_COUNT; way++)
		if (ways >> way & 1)
			strbuf_addf(out, "%s%s", out->len > 0 ? "+" : "", ends_words[way]);
}

unsigned fleet_ends_of(struct span text)
{
	unsigned ways = 0;

	for (unsigned way = 0; way < WINDOW_ENDS_COUNT; way++)
		if (text.len > 0 &&
		    memmem(text.text, text.len, ends_words[way], strlen(ends_words[way])))
			ways |= 1u << way;
	return ways;
}

void fleet_file_init(struct fleet_file *file, const char *digest, const struct snapshot_info *info)
{
	struct strbuf *labels = &file->texts[FLEET_COLUMN_labels];

	*file = (struct fleet_file){0};
	copy_text(file, FLEET_COLUMN_snapshot, digest);
	copy_text(file, FLEET_COLUMN_host, host_text(&info->host, HOST_hostname));
	copy_text(file, FLEET_COLUMN_boot_id, host_text(&info->host, HOST_boot_id));
	copy_text(file, FLEET_COLUMN_kernel, host_text(&info->host, HOST_kernel_release));
	add_labels(&info->labels, labels);
	fleet_set_text(&file->row, FLEET_COLUMN_labels,
	               (struct span){strbuf_str(labels), labels->len});
	set_str(&file->row, FLEET_COLUMN_kind, snapshot_kind_names[info->kind]);
	fleet_set_integer(&file->row, FLEET_COLUMN_end_unix_ns, info->captured_at_unix_ns);
	set_length(&file->row, info);
	if (info->kind != KIND_window)
		return;
	add_ends(&info->window, &file->texts[FLEET_COLUMN_ends]);
	set_str(&file->row, FLEET_COLUMN_ends, strbuf_str(&file->texts[FLEET_COLUMN_ends]));
}

void fleet_file_done(struct fleet_file *file)
{
	for (unsigned c = 0; c < FLEET_COLUMN_COUNT; c++)
		strbuf_done(&file->texts[c]);
}

bool fleet_has_metric(enum metric_id metric)
{
	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
	case REPRESENTATION_I32:
	case REPRESENTATION_U32:
		return metric_table[metric].type != METRIC_TYPE_dead_count;
	case REPRESENTATION_TEXT:
	case REPRESENTATION_LETTER:
	case REPRESENTATION_FLAG:
	case REPRESENTATION_CPUS:
		break;
	}
	return false;
}

bool fleet_zero_is_none(enum metric_id metric)
{
	return metric_table[metric].rule == RULE_MIN;
}

uint64_t fleet_own_ticks(const struct host *host, enum metric_id metric)
{
	uint64_t own = host->seen[HOST_clock_ticks_per_second]
	                       ? host->numbers[HOST_clock_ticks_per_second]
	                       : 0;

	return metric_type_table[metric_table[metric].type].unit == UNIT_ticks && own > 0
	               ? own
	               : FLEET_TICKS_PER_SECOND;
}

__int128 fleet_number(const struct thread_sample *sample, enum metric_id metric)
{
	const void *value = sample_value(sample, metric);

	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		return *(const uint64_t *)value;
	case REPRESENTATION_I32:
		return *(const int32_t *)value;
	case REPRESENTATION_U32:
		return *(const uint32_t *)value;
	case REPRESENTATION_TEXT:
	case REPRESENTATION_LETTER:
	case REPRESENTATION_FLAG:
	case REPRESENTATION_CPUS:
		break;
	}
	return 0;
}

__int128 fleet_value(const struct host *host, const struct thread_sample *sample,
                     enum metric_id metric)
{
	uint64_t own = fleet_own_ticks(host, metric);
	__int128 number = fleet_number(sample, metric);

	return own == FLEET_TICKS_PER_SECOND ? number : number * FLEET_TICKS_PER_SECOND / own;
}

void fleet_add_rate(struct summary *summary, const struct thread_sample *sample,
                    enum metric_id metric, __int128 value)
{
	const struct metric_desc *desc = &metric_table[metric];
	bool is_waiting = desc->bound == BOUND_waiting;
	uint64_t time_ns = sample->interval_ns;

	if (sample->window_part == WINDOW_PART_NONE || time_ns == 0 || value <= 0 ||
	    value > UINT64_MAX || !metric_is_counter(metric))
		return;
	/* A row of several threads has the time of one of them. */
	if (sample->merged_threads > 0)
		return;
	if (desc->source == SOURCE_jemalloc && sample->jemalloc_interval_ns > 0)
		time_ns = sample->jemalloc_interval_ns;
	summary_add_rate(summary, (uint64_t)value,
	                 is_waiting ? sample_inside(sample, metric) : (uint64_t)value, time_ns);
}

static void set_numbers(struct fleet_row *row, const struct summary *summary)
{
	fleet_set_integer(row, FLEET_COLUMN_sum, summary->sum);
	if (!summary->square_sum_is_over) {
		fleet_set_integer(row, FLEET_COLUMN_square_sum_high,
		                  (uint64_t)(summary->square_sum >> 64));
		fleet_set_integer(row, FLEET_COLUMN_square_sum_low, (uint64_t)summary->square_sum);
	}
	if (summary->has_min)
		fleet_set_integer(row, FLEET_COLUMN_min, summary->min);
	if (summary->has_max)
		fleet_set_integer(row, FLEET_COLUMN_max, summary->max);
}

static void clear_numbers(struct fleet_row *row)
{
	static const enum fleet_column columns[] = {
	        FLEET_COLUMN_exited,         FLEET_COLUMN_sum,   FLEET_COLUMN_square_sum_high,
	        FLEET_COLUMN_square_sum_low, FLEET_COLUMN_min,   FLEET_COLUMN_max,
	        FLEET_COLUMN_histogram,      FLEET_COLUMN_rated,
	};

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		set_null(row, columns[i]);
}

/* Returns whether rates differ from the work over the window's length: by anything where a wait may have begun before, and for other
 * counters by so much that it is worth a number in each fact. */
static bool rates_differ(enum metric_id metric, __int128 rated, __int128 work)
{
	enum { PERCENT = 100 };
	__int128 distance = rated > work ? rated - work : work - rated;

	if (metric_table[metric].bound == BOUND_waiting ||
	    metric_table[metric].source == SOURCE_jemalloc)
		return distance > 0;
	return distance > work / PERCENT;
}

void fleet_set_metric(struct fleet_row *row, enum metric_id metric, const struct summary *summary,
                      struct strbuf *histogram)
{
	const struct metric_desc *desc = &metric_table[metric];

	uint64_t length_ns = (uint64_t)row->cells[FLEET_COLUMN_length_ns].integer;
	__int128 rated, work;

	set_str(row, FLEET_COLUMN_metric, desc->name);
	set_str(row, FLEET_COLUMN_unit, unit_table[metric_unit(metric)].name);
	set_str(row, FLEET_COLUMN_type, metric_type_table[desc->type].name);
	set_str(row, FLEET_COLUMN_rule, metric_rule_name(desc->rule));
	fleet_set_integer(row, FLEET_COLUMN_threads, summary->threads);
	fleet_set_integer(row, FLEET_COLUMN_seen, summary->seen);
	clear_numbers(row);
	if (summary->exited_state == SUMMARY_EXITED_KNOWN)
		fleet_set_integer(row, FLEET_COLUMN_exited, (__int128)summary->exited);
	if (length_ns > 0 && summary_rated(summary, length_ns, &rated) &&
	    summary_work(summary, &work) && rates_differ(metric, rated, work))
		fleet_set_integer(row, FLEET_COLUMN_rated, rated);
	if (summary->seen == 0)
		return;
	set_numbers(row, summary);
	strbuf_clear(histogram);
	summary_add_histogram(summary, histogram);
	fleet_set_text(row, FLEET_COLUMN_histogram,
	               (struct span){strbuf_str(histogram), histogram->len});
}

void fleet_add_keys(const struct group_by *by, struct strbuf *out)
{
	for (unsigned i = 0; i < by->count; i++) {
		if (i > 0)
			strbuf_add_char(out, ',');
		group_by_add_name(by, i, out);
	}
}
