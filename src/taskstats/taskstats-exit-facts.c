// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/clock.h"
#include "taskstats-layout.h"
#include "taskstats/taskstats.h"

static void set_fact_u32(const struct taskstats_payload *payload, enum field field,
                         enum exit_fact fact, struct thread_sample *sample)
{
	uint32_t value;

	if (taskstats_copy(payload, field, &value, sizeof(value)))
		sample_set_exit_fact(sample, fact, value);
}

static void set_fact(const struct taskstats_payload *payload, enum field field, enum exit_fact fact,
                     uint64_t factor, struct thread_sample *sample)
{
	uint64_t value;

	if (taskstats_get(payload, field, &value) && value <= UINT64_MAX / factor)
		sample_set_exit_fact(sample, fact, value * factor);
}

/* The kernel sets the exit code of a leader only; in the records of other threads it is 0. */
static void set_exit_code(const struct taskstats_payload *payload,
                          const struct taskstats_exit *exit, struct thread_sample *sample)
{
	uint32_t code;

	if (taskstats_copy(payload, FIELD_ac_exitcode, &code, sizeof(code)) &&
	    (code != 0 || (exit->has_tgid && sample->tid == sample->tgid)))
		sample_set_exit_fact(sample, EXIT_FACT_exit_code, code);
}

void taskstats_set_exit_facts(const struct taskstats_payload *payload,
                              const bool filled[static BUCKET_COUNT],
                              const struct taskstats_exit *exit, struct thread_sample *sample)
{
	static const struct {
		enum field field;
		enum exit_fact fact;
		enum bucket bucket;
		uint64_t factor;
	} wide[] = {
	        {FIELD_ac_etime, EXIT_FACT_elapsed_ns, BUCKET_EVENTS, NS_PER_US},
	        {FIELD_ac_utime, EXIT_FACT_user_ns, BUCKET_EVENTS, NS_PER_US},
	        {FIELD_ac_stime, EXIT_FACT_system_ns, BUCKET_EVENTS, NS_PER_US},
	        {FIELD_ac_utimescaled, EXIT_FACT_user_scaled_ns, BUCKET_EVENTS, NS_PER_US},
	        {FIELD_ac_stimescaled, EXIT_FACT_system_scaled_ns, BUCKET_EVENTS, NS_PER_US},
	        {FIELD_cpu_run_real_total, EXIT_FACT_cpu_run_real_total_ns, BUCKET_CPU, 1},
	        {FIELD_cpu_run_virtual_total, EXIT_FACT_cpu_run_virtual_total_ns, BUCKET_CPU, 1},
	        {FIELD_cpu_scaled_run_real_total, EXIT_FACT_cpu_scaled_run_real_total_ns,
	         BUCKET_CPU, 1},
	        {FIELD_coremem, EXIT_FACT_coremem_mib_us, BUCKET_MEMORY, 1},
	        {FIELD_virtmem, EXIT_FACT_virtmem_mib_us, BUCKET_MEMORY, 1},
	};
	uint8_t flags;

	set_exit_code(payload, exit, sample);
	if (taskstats_copy(payload, FIELD_ac_flag, &flags, sizeof(flags)))
		sample_set_exit_fact(sample, EXIT_FACT_flags, flags);
	set_fact_u32(payload, FIELD_ac_uid, EXIT_FACT_uid, sample);
	set_fact_u32(payload, FIELD_ac_gid, EXIT_FACT_gid, sample);
	set_fact_u32(payload, FIELD_ac_ppid, EXIT_FACT_ppid, sample);
	set_fact_u32(payload, FIELD_ac_btime, EXIT_FACT_begin_unix_s, sample);
	set_fact(payload, FIELD_ac_btime64, EXIT_FACT_begin_unix_s, 1, sample);
	for (size_t i = 0; i < ARRAY_SIZE(wide); i++)
		if (filled[wide[i].bucket])
			set_fact(payload, wide[i].field, wide[i].fact, wide[i].factor, sample);
}

void taskstats_parse_exit_process(const void *bytes, size_t len,
                                  const struct taskstats_rules *rules, struct thread_sample *sample)
{
	struct taskstats_payload payload;

	if (!rules->cpu_delay || !taskstats_payload_open(&payload, bytes, len))
		return;
	set_fact(&payload, FIELD_cpu_run_real_total, EXIT_FACT_process_cpu_run_real_total_ns, 1,
	         sample);
	set_fact(&payload, FIELD_cpu_run_virtual_total, EXIT_FACT_process_cpu_run_virtual_total_ns,
	         1, sample);
	set_fact(&payload, FIELD_cpu_count, EXIT_FACT_process_cpu_count, 1, sample);
	set_fact(&payload, FIELD_cpu_delay_total, EXIT_FACT_process_cpu_delay_total_ns, 1, sample);
}
