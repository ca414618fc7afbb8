// SPDX-License-Identifier: GPL-2.0-or-later
#include "exit-merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum { NOWHERE = UINT32_MAX };

/* A record keeps its bytes until it is known which of its values are the last ones. */
struct waiting_record {
	uint32_t tid;  /* 0: free */
	uint32_t next; /* of the same slot, or free as well; NOWHERE behind the last */
	uint64_t elapsed_ns;
	uint64_t received_boottime_ns, late_ns;
	uint64_t number; /* in order of arrival */
	size_t len;
	unsigned char payload[TASKSTATS_PAYLOAD_BYTES];
	struct exit_process process;
};

void exit_merge_init(struct exit_merge *merge, const struct taskstats_rules *rules,
                     struct cgroup_ids *cgroups, bool expects_ends, uint64_t log_bytes_max)
{
	*merge = (struct exit_merge){.log = {.bytes_max = log_bytes_max},
	                             .rules = *rules,
	                             .cgroups = cgroups,
	                             .expects_ends = expects_ends,
	                             .seed = hash_seed(),
	                             .first_free = NOWHERE};
}

void exit_merge_set_rules(struct exit_merge *merge, const struct taskstats_rules *rules)
{
	merge->rules = *rules;
}

static void exit_merge_done(struct exit_merge *merge)
{
	exit_log_done(&merge->log);
	free(merge->records);
	free(merge->slots);
	free(merge->ends);
	sample_done(&merge->sample);
	*merge = (struct exit_merge){.first_free = NOWHERE};
}

/* The time as /proc/<tid>/stat has it. */
static uint64_t clock_ticks_of(uint64_t boottime_ns)
{
	return boottime_ns / (NS_PER_SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
}

static uint32_t *slot_of(struct exit_merge *merge, uint32_t tid)
{
	return &merge->slots[hash_bytes(&merge->seed, &tid, sizeof(tid)) & (merge->capacity - 1)];
}

/* Twice the room. */
static void grow(struct exit_merge *merge)
{
	uint32_t old = merge->capacity;

	array_reserve(merge->records, merge->capacity, old ? old + 1 : 64);
	free(merge->slots);
	merge->slots = mem_calloc(merge->capacity, sizeof(merge->slots[0]));
	memset(merge->slots, 0xff, merge->capacity * sizeof(merge->slots[0]));
	for (uint32_t i = 0; i < old; i++) {
		uint32_t *slot = slot_of(merge, merge->records[i].tid);

		merge->records[i].next = *slot;
		*slot = i;
	}
	for (uint32_t i = merge->capacity; i-- > old;) {
		merge->records[i].tid = 0;
		merge->records[i].next = merge->first_free;
		merge->first_free = i;
	}
}

static void keep_waiting(struct exit_merge *merge, const struct waiting_record *head,
                         const void *payload)
{
	struct waiting_record *record;
	uint32_t place, *slot;

	if (merge->first_free == NOWHERE)
		grow(merge);
	place = merge->first_free;
	record = &merge->records[place];
	merge->first_free = record->next;
	slot = slot_of(merge, head->tid);
	*record = (struct waiting_record){.tid = head->tid,
	                                  .next = *slot,
	                                  .elapsed_ns = head->elapsed_ns,
	                                  .received_boottime_ns = head->received_boottime_ns,
	                                  .late_ns = head->late_ns,
	                                  .number = merge->arrived,
	                                  .len = head->len,
	                                  .process = head->process};
	memcpy(record->payload, payload, head->len);
	*slot = place;
	merge->waiting++;
}

static void let_go(struct exit_merge *merge, uint32_t place)
{
	struct waiting_record *record = &merge->records[place];
	uint32_t *link = slot_of(merge, record->tid);

	while (*link != place)
		link = &merge->records[*link].next;
	*link = record->next;
	record->tid = 0;
	record->next = merge->first_free;
	merge->first_free = place;
	merge->waiting--;
}

static void set_process_start(struct thread_sample *sample, uint64_t process_born_boottime_ns)
{
	sample_set_process_start(sample, process_born_boottime_ns > 0
	                                         ? clock_ticks_of(process_born_boottime_ns)
	                                         : PROCESS_START_UNKNOWN);
}

/* Fills the sample and the note from the record alone. */
static bool parse_record(struct exit_merge *merge, const struct waiting_record *head,
                         const void *payload, struct exit_note *note)
{
	uint64_t received_boottime_ns = head->received_boottime_ns;
	struct thread_sample *sample = &merge->sample;
	struct taskstats_exit exit;

	sample_reset(sample);
	*note = (struct exit_note){0};
	if (taskstats_parse_exit(payload, head->len, &merge->rules, sample, &exit) != OUTCOME_read)
		return false;
	sample->exit_facts_seen |= head->process.seen;
	memcpy(sample->exit_facts + EXIT_PROCESS_FIRST, head->process.facts,
	       sizeof(head->process.facts));
	note->exited_boottime_ns = received_boottime_ns;
	note->late_ns = head->late_ns;
	note->born_boottime_ns =
	        received_boottime_ns > sample->life_ns ? received_boottime_ns - sample->life_ns : 0;
	if (exit.has_process_age && received_boottime_ns > exit.process_age_ns)
		note->process_born_boottime_ns = received_boottime_ns - exit.process_age_ns;
	note->has_tgid = exit.has_tgid;
	note->has_cpu_time = exit.has_cpu_time;
	note->user_ns = exit.user_ns;
	note->system_ns = exit.system_ns;
	sample->start_time_clock_ticks = clock_ticks_of(note->born_boottime_ns);
	set_process_start(sample, note->process_born_boottime_ns);
	sample->outcomes[SOURCE_taskstats] = OUTCOME_read;
	return true;
}

void exit_merge_set_process(struct exit_merge *merge, const void *process, size_t len)
{
	struct thread_sample *sample = &merge->sample;

	sample_reset(sample);
	if (len > 0)
		taskstats_parse_exit_process(process, len, &merge->rules, sample);
	merge->process.seen = sample->exit_facts_seen;
	memcpy(merge->process.facts, sample->exit_facts + EXIT_PROCESS_FIRST,
	       sizeof(merge->process.facts));
}

void exit_merge_add_record(struct exit_merge *merge, uint64_t received_boottime_ns,
                           uint64_t late_ns, const void *payload, size_t len)
{
	struct waiting_record head = {
	        .received_boottime_ns = received_boottime_ns,
	        .late_ns = late_ns,
	        .len = len < TASKSTATS_PAYLOAD_BYTES ? len : TASKSTATS_PAYLOAD_BYTES};
	struct exit_note note;

	head.process = merge->process;
	merge->process = (struct exit_process){0};
	if (!taskstats_exit_key(payload, head.len, &head.tid, &head.elapsed_ns))
		return;
	merge->log.received++;
	merge->arrived++;
	if (merge->expects_ends)
		keep_waiting(merge, &head, payload);
	else if (parse_record(merge, &head, payload, &note))
		exit_log_add(&merge->log, &merge->sample, &note);
}

void exit_merge_add_end(struct exit_merge *merge, const struct thread_end *end)
{
	struct thread_end *kept = array_add(merge->ends, merge->end_count, merge->end_capacity);

	*kept = *end;
	/* A thread that executes a program exchanges its id with the leader's once that is dead, be it before or after the leader's last
	 * switch (de_thread() in fs/exec.c). No other thread has the birth of the leader to the nanosecond. */
	if (end->process_born_boottime_ns > 0 &&
	    end->born_boottime_ns == end->process_born_boottime_ns)
		kept->tid = end->tgid;
}

/* Returns whether it may be the record of the thread: it is not of a longer life, and was not there before its birth.
 * The kernel reads one clock after the other when a thread is born, and may be interrupted between them. */
static bool is_possible(const struct waiting_record *record, const struct thread_end *end)
{
	enum { SLACK_NS = 100 * NS_PER_MS };
	uint64_t life_ns = end->ended_boottime_ns - end->born_boottime_ns;

	return record->tid == end->tid && record->elapsed_ns <= life_ns + SLACK_NS &&
	       record->received_boottime_ns >= end->born_boottime_ns;
}

/* Returns the record that came first, if there are several: lives with one tid follow one another, and so do their
 * records and their ends. */
static uint32_t find_record(struct exit_merge *merge, const struct thread_end *end)
{
	uint32_t found = NOWHERE;

	if (merge->waiting == 0)
		return NOWHERE;
	for (uint32_t i = *slot_of(merge, end->tid); i != NOWHERE; i = merge->records[i].next) {
		const struct waiting_record *record = &merge->records[i];

		if (is_possible(record, end) &&
		    (found == NOWHERE || record->number < merge->records[found].number))
			found = i;
	}
	return found;
}

static void set_policy(struct thread_sample *sample, const struct thread_end *end)
{
	char text[sizeof("4294967295")];
	int len = snprintf(text, sizeof(text), "%u", end->policy);

	(void)sample_set_text(sample, METRIC_policy, ENCODING_POLICY, text, (size_t)len);
}

/* copy_<metric>() sets the metric from the thread's last switch, as its row in exits.def says. Code in window-exit-row.c sets CPU
 * time by mode, and code in group.c the synthetic ones. */
/* clang-format off */
#define THREAD_END_ALWAYS 0
#define NOTHING SKIP,
#define PART(place_) place_
#define WHOLE(place_) place_
#define END(field_, kept_) FIELD, field_, THREAD_END_##kept_
#define RECORD SKIP,
#define CODE CODE,
#define SET_SKIP(id_, ...)
#define SET_FIELD(id_, field_, kept_)                                                              \
	if ((end->kept & (kept_)) == (kept_))                                                      \
		sample_set(sample, id_, (__typeof__(sample->id_)){end->field_})
#define SET_CODE(id_, ...)                                                                         \
	_Static_assert((int)METRIC_##id_ == (int)METRIC_policy ||                                  \
			       (int)METRIC_##id_ == (int)METRIC_utime_clock_ticks ||               \
			       (int)METRIC_##id_ == (int)METRIC_stime_clock_ticks ||               \
			       (int)METRIC_##id_ == (int)METRIC_thread_count ||                    \
			       (int)METRIC_##id_ == (int)METRIC_lived_ns,                          \
		       "metric " #id_ ": no code sets it from the last switch of a thread")
#define EXIT_METRIC(id_, recorded_, completed_) PLACE_(id_, completed_)
#define PLACE_(id_, ...) SETTER_(id_, __VA_ARGS__)
#define SETTER_(id_, form_, ...)                                                                   \
	static void copy_##id_(unused_ const struct thread_end *end,                               \
			       unused_ struct thread_sample *sample)                               \
	{                                                                                          \
		SET_##form_(id_, __VA_ARGS__);                                                     \
	}
#include CTPROF_EXITS_DEF
#undef EXIT_METRIC

static void set_counters(struct thread_sample *sample, const struct thread_end *end)
{
#define EXIT_METRIC(id_, ...) copy_##id_(end, sample);
#include CTPROF_EXITS_DEF
#undef EXIT_METRIC
}
/* clang-format on */

/* The counters of a kernel without delay accounting have no such names, whatever their values are. */
static void set_kept_counters(struct exit_merge *merge, const struct thread_end *end)
{
	struct thread_end counted = *end;

	if (!merge->rules.cpu_delay)
		counted.kept &= ~(uint32_t)(THREAD_END_CPU_DELAY | THREAD_END_CPU_DELAY_MAX |
		                            THREAD_END_CPU_DELAY_MIN);
	set_counters(&merge->sample, &counted);
}

static void set_name(struct strbuf *name, const char comm[static THREAD_END_COMM_BYTES])
{
	strbuf_clear(name);
	strbuf_add(name, comm, strnlen(comm, THREAD_END_COMM_BYTES));
}

static void set_identity(struct exit_merge *merge, const struct thread_end *end)
{
	struct thread_sample *sample = &merge->sample;
	const struct strbuf *path = NULL;

	sample->tid = end->tid;
	sample->tgid = end->tgid;
	sample->start_time_clock_ticks = clock_ticks_of(end->born_boottime_ns);
	set_process_start(sample, end->process_born_boottime_ns);
	sample->life_ns = end->ended_boottime_ns - end->born_boottime_ns;
	sample->uid = end->uid;
	sample->has_uid = true;
	set_name(&sample->comm, end->comm);
	set_name(&sample->pcomm, end->pcomm);
	if ((end->kept & THREAD_END_CGROUP) && merge->cgroups)
		path = cgroup_ids_path(merge->cgroups, end->cgroup_id);
	if (path) {
		strbuf_clear(&sample->cgroup);
		strbuf_add(&sample->cgroup, path->data, path->len);
		sample->has_cgroup = true;
	}
}

static void match_end(struct exit_merge *merge, const struct thread_end *end,
                      uint64_t until_boottime_ns)
{
	uint32_t place = find_record(merge, end);
	struct exit_note note;

	if (place != NOWHERE) {
		struct waiting_record *record = &merge->records[place];

		if (!parse_record(merge, record, record->payload, &note))
			sample_reset(&merge->sample);
		let_go(merge, place);
	} else if (end->ended_boottime_ns > until_boottime_ns) {
		return;
	} else {
		sample_reset(&merge->sample);
	}
	set_identity(merge, end);
	set_policy(&merge->sample, end);
	set_kept_counters(merge, end);
	note = (struct exit_note){.born_boottime_ns = end->born_boottime_ns,
	                          .process_born_boottime_ns = end->process_born_boottime_ns,
	                          .exited_boottime_ns = end->ended_boottime_ns,
	                          .has_cpu_time = true,
	                          .has_no_ticks =
	                                  end->sampled_user_ns == 0 && end->sampled_system_ns == 0,
	                          .has_tgid = true,
	                          .is_complete = true};
	thread_end_cpu_time(end, &note.user_ns, &note.system_ns);
	exit_log_add(&merge->log, &merge->sample, &note);
}

void exit_merge_match(struct exit_merge *merge, uint64_t until_boottime_ns)
{
	for (size_t i = 0; i < merge->end_count; i++)
		match_end(merge, &merge->ends[i], until_boottime_ns);
	merge->end_count = 0;
}

static int by_number(const void *a, const void *b)
{
	const struct waiting_record *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

bool exit_merge_waits(const struct exit_merge *merge, uint64_t received_by_boottime_ns)
{
	for (uint32_t i = 0; merge->waiting > 0 && i < merge->capacity; i++)
		if (merge->records[i].tid != 0 &&
		    merge->records[i].received_boottime_ns <= received_by_boottime_ns)
			return true;
	return false;
}

void exit_merge_drop(struct exit_merge *merge, uint64_t before_boottime_ns)
{
	for (uint32_t i = 0; merge->waiting > 0 && i < merge->capacity; i++)
		if (merge->records[i].tid != 0 &&
		    merge->records[i].received_boottime_ns < before_boottime_ns)
			let_go(merge, i);
}

/* The records keep their places, by which others are found. */
void exit_merge_split(struct exit_merge *merge, uint64_t lost_before_boottime_ns,
                      struct exit_log *ret_log)
{
	struct exit_note note;

	for (uint32_t i = 0; merge->waiting > 0 && i < merge->capacity; i++) {
		const struct waiting_record *record = &merge->records[i];

		if (record->tid == 0 || record->received_boottime_ns >= lost_before_boottime_ns)
			continue;
		if (parse_record(merge, record, record->payload, &note))
			exit_log_add(&merge->log, &merge->sample, &note);
		let_go(merge, i);
	}
	*ret_log = merge->log;
	merge->log = (struct exit_log){.bytes_max = ret_log->bytes_max};
}

void exit_merge_finish(struct exit_merge *merge, struct exit_log *ret_log)
{
	struct exit_note note;

	exit_merge_match(merge, UINT64_MAX);
	if (merge->waiting > 0)
		qsort(merge->records, merge->capacity, sizeof(merge->records[0]), by_number);
	for (uint32_t i = 0; merge->waiting > 0 && i < merge->capacity; i++) {
		const struct waiting_record *record = &merge->records[i];

		if (record->tid != 0 && parse_record(merge, record, record->payload, &note))
			exit_log_add(&merge->log, &merge->sample, &note);
	}
	*ret_log = merge->log;
	merge->log = (struct exit_log){0};
	exit_merge_done(merge);
}
