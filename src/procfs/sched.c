// SPDX-License-Identifier: GPL-2.0-or-later

#include "keyed.h"

/* A comm has at most 15 bytes, so it cannot imitate the line of dashes under it. */
enum { DASHES_MIN = 16 };

/* The two operands of a DOTTED_MS_DIFFERENCE, collected line by line. */
struct difference {
	enum metric_id metric;
	struct span parts[2];
};
enum { DIFFERENCES_MAX = 8 };
struct differences {
	struct difference list[DIFFERENCES_MAX];
	size_t count;
};

static bool is_dashes(struct span line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.text[i] != '-')
			return false;
	return line.len >= DASHES_MIN;
}

static void keep_operand(struct differences *differences, const struct source_want *want,
                         struct span value)
{
	size_t i = 0;

	while (i < differences->count && differences->list[i].metric != want->metric)
		i++;
	if (i == DIFFERENCES_MAX)
		return;
	if (i == differences->count)
		differences->list[differences->count++] =
		        (struct difference){.metric = want->metric};
	differences->list[i].parts[want->part] = value;
}

static void set_line(const struct source_keys *keys, const struct source_want *want,
                     struct span value, struct differences *differences,
                     struct thread_sample *sample)
{
	keyed_set(keys, want, value, sample);
	while (want) {
		if (want->encoding == ENCODING_DOTTED_MS_DIFFERENCE)
			keep_operand(differences, want, value);
		want = source_want_next(keys, want);
	}
}

static void set_differences(const struct differences *differences, struct thread_sample *sample)
{
	for (size_t i = 0; i < differences->count; i++) {
		const struct difference *difference = &differences->list[i];
		const struct span *from = &difference->parts[0], *less = &difference->parts[1];

		if (from->text && less->text)
			sample_set_difference(sample, difference->metric, from->text, from->len,
			                      less->text, less->len);
	}
}

enum source_outcome sched_parse(const struct source_keys *keys, const char *text, size_t len,
                                struct thread_sample *sample)
{
	struct span rest = {text, len}, line, value;
	const struct source_want *want;
	struct differences differences = {0};

	do {
		if (!scan_line(&rest, &line))
			return OUTCOME_malformed;
	} while (!is_dashes(line));

	for (size_t number = 0; scan_line(&rest, &line); number++)
		if (keyed_split(keys, number, line, true, &want, &value))
			set_line(keys, want, value, &differences, sample);
	set_differences(&differences, sample);
	return OUTCOME_read;
}
