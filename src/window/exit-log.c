// SPDX-License-Identifier: GPL-2.0-or-later
#include "window/exit-log.h"

#include <stdlib.h>

#include "base/mem.h"

void exit_log_done(struct exit_log *log)
{
	thread_store_done(&log->records);
	free(log->notes);
	*log = (struct exit_log){0};
}

void exit_log_append(struct exit_log *log, struct exit_log *from)
{
	struct thread_sample sample = {0};

	for (uint32_t row = 0; row < from->records.count; row++) {
		thread_store_get(&from->records, row, &sample);
		exit_log_add(log, &sample, &from->notes[row]);
	}
	sample_done(&sample);
	log->exits = from->exits;
	log->received += from->received;
	log->overruns += from->overruns;
	exit_log_done(from);
}

static bool is_full(const struct exit_log *log)
{
	return log->bytes_max > 0 &&
	       thread_store_bytes(&log->records) + log->records.count * sizeof(log->notes[0]) >=
	               log->bytes_max;
}

void exit_log_add(struct exit_log *log, const struct thread_sample *sample,
                  const struct exit_note *note)
{
	uint32_t row;

	if (is_full(log)) {
		log->overruns++;
		return;
	}
	row = thread_store_add(&log->records, sample);
	array_reserve(log->notes, log->capacity, row + UINT32_C(1));
	log->notes[row] = *note;
	log->ends += note->is_complete;
}
