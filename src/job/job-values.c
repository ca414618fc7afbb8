// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctprof/base/macro.h"
#include "json/json-write.h"

/* clang-format off */
#define JOB_SOURCE(id_, text_) [JOB_SOURCE_##id_] = {#id_, text_},
const struct job_source_desc job_source_table[JOB_SOURCE_COUNT] = {
#include "job.def"
};
#define JOB_VALUE(id_, unit_, text_) [JOB_##id_] = {#id_, JOB_UNIT_##unit_, text_},
const struct job_value_desc job_value_table[JOB_VALUE_COUNT] = {
#include "job.def"
};
/* clang-format on */

const char *const job_unit_names[] = {
        [JOB_UNIT_s] = "s",
        [JOB_UNIT_bytes] = "bytes",
        [JOB_UNIT_count] = "count",
        [JOB_UNIT_percent] = "percent",
};

void job_set(struct job_values *values, enum job_value_id id, enum job_source source, double number)
{
	values->seen[id] = true;
	values->numbers[id] = number;
	values->sources[id] = source;
	values->impossible[id] = 0;
}

void job_add(struct job_values *values, enum job_value_id id, double number)
{
	if (values->seen[id])
		values->numbers[id] += number;
}

void job_forget(struct job_values *values, enum job_value_id id)
{
	values->seen[id] = false;
	values->numbers[id] = 0;
	values->impossible[id] = 0;
}

enum job_value_id job_value_find(const char *name, size_t len)
{
	unsigned id = 0;

	while (id < JOB_VALUE_COUNT && (strlen(job_value_table[id].name) != len ||
	                                memcmp(job_value_table[id].name, name, len) != 0))
		id++;
	return (enum job_value_id)id;
}

/* Appends the digits of a whole number in groups of three. */
static void add_grouped(double number, struct strbuf *out)
{
	char digits[64];
	int len = snprintf(digits, sizeof(digits), "%.0f", number);

	for (int i = 0; i < len && i < (int)sizeof(digits) - 1; i++) {
		strbuf_add_char(out, digits[i]);
		if ((len - i) % 3 == 1 && i + 1 < len && digits[i] != '-')
			strbuf_add_char(out, ',');
	}
}

static void add_bytes(double number, struct strbuf *out)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	size_t step = 0;

	/* 1.0 of the next unit stands for 1024.0. */
	while (fabs(number) >= 1023.95 && step + 1 < ARRAY_SIZE(names)) {
		number /= 1024;
		step++;
	}
	strbuf_addf(out, step == 0 ? "%.0f %s" : "%.1f %s", number, names[step]);
}

void job_number_format(enum job_unit unit, double number, struct strbuf *out)
{
	switch (unit) {
	case JOB_UNIT_s:
		strbuf_addf(out, "%.3f s", number);
		break;
	case JOB_UNIT_bytes:
		add_bytes(number, out);
		break;
	case JOB_UNIT_count:
		if (floor(number) == number)
			add_grouped(number, out);
		else
			strbuf_addf(out, "%.1f", number);
		break;
	case JOB_UNIT_percent:
		strbuf_addf(out, "%.1f %%", number);
		break;
	}
}

void job_number_plain(enum job_unit unit, double number, struct strbuf *out)
{
	struct json_writer writer = JSON_WRITER_INIT(out);

	if ((unit == JOB_UNIT_bytes || unit == JOB_UNIT_count) && floor(number) == number)
		strbuf_addf(out, "%.0f", number);
	else
		json_write_double(&writer, number);
}

void job_value_format(const struct job_values *values, enum job_value_id id, struct strbuf *out)
{
	if (values->seen[id])
		job_number_format(job_value_table[id].unit, values->numbers[id], out);
	else
		strbuf_add_char(out, '-');
	if (values->seen[id] && !job_is_whole(values, id))
		strbuf_add_char(out, '*');
}

static void set_share(struct job_values *values, enum job_value_id id, enum job_value_id part,
                      double whole)
{
	if (values->seen[part] && whole > 0)
		job_set(values, id, values->sources[part], 100 * values->numbers[part] / whole);
}

double job_host_memory(void)
{
	return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

void job_values_derive(struct job_values *values, double host_memory_bytes)
{
	if (values->seen[JOB_wall_clock_time])
		set_share(values, JOB_average_pcpu, JOB_cpu_time,
		          values->numbers[JOB_wall_clock_time]);
	set_share(values, JOB_peak_pmem, JOB_peak_rss, host_memory_bytes);
	set_share(values, JOB_average_pmem, JOB_average_rss, host_memory_bytes);
}
