// SPDX-License-Identifier: GPL-2.0-or-later
/* Datagrams of exit records, and what is in them, behind one byte that says what the host keeps: whatever is handed
 * over lies inside, a record is refused whole or says whose it is, and it never has both a value and a complaint. */
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"
#include "taskstats/taskstats-exits.h"
#include "taskstats/taskstats.h"

enum { FAMILY = 31 };

struct datagram {
	const unsigned char *bytes;
	size_t len;
	const struct taskstats_rules *rules;
};

static void check_values(const struct thread_sample *sample, const struct taskstats_rules *rules)
{
	for (size_t i = 0; i < METRIC_SET_WORDS; i++)
		require((sample->seen.words[i] & sample->malformed.words[i]) == 0,
		        "a value, or a complaint");
	require(rules->io || !metric_set_has(&sample->seen, METRIC_read_bytes),
	        "bytes only where they are kept");
	require(rules->cpu_delay || !metric_set_has(&sample->seen, METRIC_timeslices),
	        "the cpu bucket only where it is kept");
	require(!metric_set_has(&sample->seen, METRIC_rchar), "no characters");
}

static void check_record(const unsigned char *bytes, size_t len,
                         const struct taskstats_rules *rules)
{
	struct thread_sample sample = {0};
	struct taskstats_exit record;
	uint64_t elapsed_ns;
	uint32_t tid;
	bool found = taskstats_exit_key(bytes, len, &tid, &elapsed_ns);
	enum source_outcome outcome = taskstats_parse_exit(bytes, len, rules, &sample, &record);

	require(outcome == (found ? OUTCOME_read : OUTCOME_malformed), "as the key says");
	if (found) {
		require(tid != 0 && sample.tid == tid && sample.tgid != 0, "whose it is");
		require(sample.life_ns == elapsed_ns, "how old");
		require(record.has_tgid || sample.tgid == tid, "no process of its own making");
		require(record.has_cpu_time || record.user_ns + record.system_ns == 0,
		        "no CPU time");
	}
	check_values(&sample, rules);
	sample_done(&sample);
}

static void handle(void *context, const void *payload, size_t len, const void *process,
                   size_t process_len)
{
	const struct datagram *datagram = context;
	const unsigned char *bytes = payload;
	struct thread_sample sample = {0};

	require(process || process_len == 0, "no length without bytes");
	if (process)
		taskstats_parse_exit_process(process, process_len, datagram->rules, &sample);
	sample_done(&sample);

	require(bytes >= datagram->bytes && bytes + len <= datagram->bytes + datagram->len,
	        "inside of the datagram");
	check_record(bytes, len, datagram->rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_(mem_freep) char *bytes = NULL;
	struct taskstats_rules rules;
	struct datagram datagram;

	if (size == 0)
		return 0;
	rules = (struct taskstats_rules){.cpu_delay = data[0] & 1,
	                                 .irq = data[0] & 2,
	                                 .io = data[0] & 4,
	                                 .delays = (enum taskstats_delays)((data[0] >> 3) % 3)};
	bytes = mem_copy(data + 1, size - 1);
	datagram = (struct datagram){(unsigned char *)bytes, size - 1, &rules};
	taskstats_exits_parse(FAMILY, bytes, size - 1, handle, &datagram);
	check_record(data + 1, size - 1, &rules);
	return 0;
}
