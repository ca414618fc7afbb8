// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/report-exits.h"

#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "metric/units.h"
#include "report-overview.h"

enum exits_column {
	EXITS_ENDED,
	EXITS_TID,
	EXITS_TGID,
	EXITS_PPID,
	EXITS_UID,
	EXITS_GID,
	EXITS_CODE,
	EXITS_FLAGS,
	EXITS_LIFE,
	EXITS_USER,
	EXITS_SYSTEM,
	EXITS_RSS,
	EXITS_COMM,
	EXITS_COLUMNS,
};

static const struct table_column columns[EXITS_COLUMNS] = {
        [EXITS_ENDED] = {.heading = "ended (UTC)"},
        [EXITS_TID] = {.heading = "tid", .right = true},
        [EXITS_TGID] = {.heading = "tgid", .right = true, .leaves = 4},
        [EXITS_PPID] = {.heading = "ppid", .right = true, .leaves = 3},
        [EXITS_UID] = {.heading = "uid", .right = true, .leaves = 5},
        [EXITS_GID] = {.heading = "gid", .right = true, .leaves = 1},
        [EXITS_CODE] = {.heading = "exit", .right = true},
        [EXITS_FLAGS] = {.heading = "flags", .leaves = 6},
        [EXITS_LIFE] = {.heading = "life", .right = true},
        [EXITS_USER] = {.heading = "user", .right = true},
        [EXITS_SYSTEM] = {.heading = "system", .right = true},
        [EXITS_RSS] = {.heading = "maxrss", .right = true, .leaves = 2},
        [EXITS_COMM] = {.heading = "command", .shrinks = SHRINKS_ALWAYS},
};

struct exits_table {
	const struct report *report;
	const struct report_exits *exits;
	struct thread_sample sample; /* of @row */
	size_t row;                  /* SIZE_MAX: none yet */
};

uint64_t report_exit_time(const struct snapshot_info *info, const struct thread_sample *sample)
{
	const struct snapshot_window *window = &info->window;
	uint64_t begin = window->numbers[WINDOW_begin_boottime_ns];

	if (!window->seen[WINDOW_begin_boottime_ns] || !window->seen[WINDOW_begin_unix_ns] ||
	    sample->read_boottime_ns < begin)
		return 0;
	return saturating_add(window->numbers[WINDOW_begin_unix_ns],
	                      sample->read_boottime_ns - begin);
}

void report_add_exit_flags(uint64_t flags, struct strbuf *out)
{
	/* The bits are those of the kernel's linux/acct.h, the letters those of lastcomm(1). */
	static const struct {
		unsigned bit;
		char letter;
	} letters[] = {{0x01, 'F'}, {0x02, 'S'}, {0x08, 'D'}, {0x10, 'X'}};

	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (flags & letters[i].bit)
			strbuf_add_char(out, letters[i].letter);
}

void report_add_exit_code(uint64_t code, struct strbuf *out)
{
	int status = (int)(code & UINT16_MAX);
	const char *name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;

	if (WIFEXITED(status))
		strbuf_addf(out, "%d", WEXITSTATUS(status));
	else if (name)
		strbuf_addf(out, "SIG%s", name);
	else
		strbuf_addf(out, "%d", status);
}

static void add_time_of_day(uint64_t unix_ns, struct strbuf *out)
{
	time_t seconds = (time_t)(unix_ns / NS_PER_SECOND);
	struct tm parts;
	char text[sizeof("23:59:59")];

	if (unix_ns == 0 || !gmtime_r(&seconds, &parts)) {
		strbuf_add_char(out, '-');
		return;
	}
	strftime(text, sizeof(text), "%H:%M:%S", &parts);
	strbuf_addf(out, "%s.%03u", text, (unsigned)(unix_ns % NS_PER_SECOND / NS_PER_MS));
}

static void add_fact(const struct thread_sample *sample, enum exit_fact fact, struct strbuf *out)
{
	if (!sample_shows_exit_fact(sample, fact))
		strbuf_add_char(out, '-');
	else if (fact == EXIT_FACT_exit_code)
		report_add_exit_code(sample->exit_facts[fact], out);
	else if (fact == EXIT_FACT_flags)
		report_add_exit_flags(sample->exit_facts[fact], out);
	else if (exit_fact_table[fact].unit == UNIT_ns)
		units_format(UNIT_ns, quantity_integer(sample->exit_facts[fact]), false, out);
	else
		strbuf_addf(out, "%llu", (unsigned long long)sample->exit_facts[fact]);
}

static void add_peak(const struct thread_sample *sample, enum metric_id metric, struct strbuf *out)
{
	if (metric_set_has(&sample->seen, metric))
		units_format(metric_unit(metric),
		             quantity_integer(*(const uint64_t *)sample_value(sample, metric)),
		             false, out);
	else
		strbuf_add_char(out, '-');
}

static enum table_color exits_cell(void *opaque, size_t row, unsigned column, struct strbuf *out)
{
	static const enum exit_fact facts[EXITS_COLUMNS] = {
	        [EXITS_PPID] = EXIT_FACT_ppid,    [EXITS_UID] = EXIT_FACT_uid,
	        [EXITS_GID] = EXIT_FACT_gid,      [EXITS_CODE] = EXIT_FACT_exit_code,
	        [EXITS_FLAGS] = EXIT_FACT_flags,  [EXITS_LIFE] = EXIT_FACT_elapsed_ns,
	        [EXITS_USER] = EXIT_FACT_user_ns, [EXITS_SYSTEM] = EXIT_FACT_system_ns,
	};
	struct exits_table *table = opaque;
	struct thread_sample *sample = &table->sample;

	if (table->row != row)
		thread_store_get(table->exits->ended, table->exits->order[row], sample);
	table->row = row;
	switch (column) {
	case EXITS_ENDED:
		add_time_of_day(report_exit_time(table->report->sides[0].info, sample), out);
		break;
	case EXITS_TID:
		strbuf_addf(out, "%u", sample->tid);
		break;
	case EXITS_TGID:
		strbuf_addf(out, "%u", sample->tgid);
		break;
	case EXITS_RSS:
		add_peak(sample, METRIC_hiwater_rss_bytes, out);
		break;
	case EXITS_COMM:
		text_add_escaped(out, strbuf_str(&sample->comm), sample->comm.len);
		break;
	default:
		add_fact(sample, facts[column], out);
		break;
	}
	return COLOR_NONE;
}

/* Adds a line with the number of times on a CPU that the table leaves out, if there are any. */
static void add_impossible(struct exits_table *table, struct strbuf *out)
{
	size_t count = 0;

	for (size_t row = 0; row < table->exits->shown; row++) {
		thread_store_get(table->exits->ended, table->exits->order[row], &table->sample);
		for (unsigned i = 0; i < EXIT_FACT_COUNT; i++)
			count += sample_exit_fact_is_impossible(&table->sample, (enum exit_fact)i);
	}
	if (count > 0)
		strbuf_addf(out,
		            "%zu impossible time%s of records left out: longer than the thread's "
		            "life\n",
		            count, count == 1 ? "" : "s");
}

void report_exits_table(FILE *file, const struct report *report, const struct report_exits *exits)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct exits_table table = {.report = report, .exits = exits, .row = SIZE_MAX};

	report_add_two_lines(report, &text);
	table_print_text(file, &report->style, &text);
	strbuf_clear(&text);
	if (exits->count == 0)
		fputs("no thread ended with a record in the window\n", file);
	else
		table_print(file, &report->style, columns, EXITS_COLUMNS, exits->shown, exits_cell,
		            &table);
	add_impossible(&table, &text);
	sample_done(&table.sample);
	if (exits->shown < exits->count)
		strbuf_addf(&text, "%zu more ends (--limit 0 shows all)\n",
		            exits->count - exits->shown);
	if (exits->count > 0)
		strbuf_add_str(&text,
		               "flags: F forked without exec, S superuser rights, D began a core "
		               "dump, X by a signal\n");
	if (report->style.markdown)
		putc('\n', file);
	table_print_text(file, &report->style, &text);
}
