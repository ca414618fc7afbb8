// SPDX-License-Identifier: GPL-2.0-or-later
/* make-snapshot - writes a synthetic snapshot to standard output, through the project's own writer. The same
 * arguments give the same bytes; synthetic-host.c has the host. One thread in ten is busy: between STEP 0 and STEP 1 its
 * counters grow and its peaks may rise; the others keep what they have, which is mostly nothing. Meanwhile some pods are replaced by others of the
 * same content, some cgroups come and some go, and some processes start anew. Metrics that capture reads from /proc and
 * from taskstats are seen, those of other sources are not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "ctprof/metric/sample.h"
#include "ctprof/snapshot/snapshot.h"
#include "synthetic-host.h"

enum {
	FIRST_TID = 1000,
	BUSY_ONE_IN = 10,
	RARE_ONE_IN = 8,   /* threads that ever had what is rare */
	IDLE_ONE_IN = 4,   /* metrics of an idle thread that are not zero */
	EXITED_ONE_IN = 4, /* processes with threads that have exited */
};

struct stdout_sink {
	struct byte_sink sink; /* must stay the first member */
};

static int write_stdout(struct byte_sink *self, const void *bytes, size_t len)
{
	(void)self;
	return fd_write_all(STDOUT_FILENO, bytes, len);
}

/* A number with a random count of bits, as counters of different threads have: most are small. */
static uint64_t spread(uint64_t random, unsigned max_bits)
{
	return (random >> 8) >> (56 - 1 - random % max_bits);
}

static bool is_read(enum metric_id metric)
{
	switch (metric_table[metric].source) {
	case SOURCE_stat:
	case SOURCE_schedstat:
	case SOURCE_sched:
	case SOURCE_io:
	case SOURCE_taskstats:
		return true;
	default:
		return false;
	}
}

/* Waits for memory and failed migrations, which most threads never had. */
static bool is_rare(enum metric_id metric)
{
	return strstr(metric_table[metric].name, "swapin") ||
	       strstr(metric_table[metric].name, "freepages") ||
	       strstr(metric_table[metric].name, "thrashing") ||
	       strstr(metric_table[metric].name, "compact") ||
	       strstr(metric_table[metric].name, "failed") ||
	       strstr(metric_table[metric].name, "cancelled");
}

static void set_label(struct thread_sample *sample, enum metric_id metric, bool letter, bool busy)
{
	const char *label = letter ? (busy ? "R" : "S") : "SCHED_OTHER";

	if (!sample_set_label(sample, metric, label, strlen(label)))
		abort();
}

static uint64_t value_of(const struct synthetic_plan *plan, const struct thread_sample *sample,
                         enum metric_id metric, bool busy)
{
	uint64_t random =
	        synthetic_mix(plan->seed ^ synthetic_mix(sample->tid * UINT64_C(1000) + metric));
	uint64_t value = spread(random, busy ? 44 : 24);
	enum metric_rule rule = metric_table[metric].rule;

	if (is_rare(metric) && random / BUSY_ONE_IN % RARE_ONE_IN != 0)
		return 0;
	if (!busy && random / RARE_ONE_IN % IDLE_ONE_IN != 0)
		return 0;
	if (busy && rule == RULE_SUM)
		value += plan->step * spread(synthetic_mix(random), 40);
	if (busy && rule == RULE_MAX && random % 4 == 0)
		value += plan->step * 1000;
	return value;
}

static void set_metric(const struct synthetic_plan *plan, struct thread_sample *sample,
                       enum metric_id metric, bool busy)
{
	uint64_t value = value_of(plan, sample, metric, busy);
	bool ok = true;

	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		ok = sample_set_integer(sample, metric, value);
		break;
	case REPRESENTATION_I32:
	case REPRESENTATION_U32:
		ok = sample_set_integer(sample, metric, busy ? value % SYNTHETIC_CPUS : 20);
		break;
	case REPRESENTATION_TEXT:
		set_label(sample, metric, false, busy);
		break;
	case REPRESENTATION_LETTER:
		set_label(sample, metric, true, busy);
		break;
	case REPRESENTATION_FLAG:
		ok = sample_set_flag(sample, metric, false);
		break;
	case REPRESENTATION_CPUS:
		break;
	}
	if (!ok)
		abort();
}

static void set_affinity(struct thread_sample *sample)
{
	struct cpu_set set;

	cpu_mask_clear(&set.v);
	for (unsigned cpu = 0; cpu < SYNTHETIC_CPUS; cpu++)
		if (!cpu_mask_add(&set.v, cpu))
			abort();
	sample_set(sample, cpu_affinity, set);
}

/* The kernel's values for the whole process: those of its threads, and of the threads that have exited. */
static void add_to_totals(uint64_t totals[PROCESS_TOTAL_COUNT], const struct thread_sample *sample)
{
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		uint64_t value;

		if (!metric_set_has(&sample->seen, process_total_table[i].metric))
			continue;
		memcpy(&value, sample_value(sample, process_total_table[i].metric), sizeof(value));
		totals[i] += value;
	}
}

static void set_totals(const struct synthetic_plan *plan, struct thread_sample *sample,
                       const uint64_t totals[PROCESS_TOTAL_COUNT])
{
	uint64_t random = synthetic_mix(plan->seed ^ sample->tgid);

	sample->has_process_totals = true;
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		sample->process_totals_seen |= UINT32_C(1) << i;
		sample->process_totals[i] = totals[i];
		if (random % EXITED_ONE_IN == 0)
			sample->process_totals[i] +=
			        spread(synthetic_mix(random + i), 30) * (plan->step + 1);
	}
}

static void make_thread(const struct synthetic_plan *plan, const struct synthetic_process *process,
                        uint32_t tgid, uint64_t index, struct thread_sample *sample)
{
	bool busy;

	sample_reset(sample);
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		sample->outcomes[s] = OUTCOME_read;
	sample->tgid = tgid;
	sample->tid = tgid + (uint32_t)index;
	sample->start_time_clock_ticks =
	        1000 + spread(synthetic_mix(process->number), 18) + process->life * 360000;
	sample->read_boottime_ns =
	        UINT64_C(1000000000) * (plan->step * 10 + 3600) + process->number * 1000;
	synthetic_thread_name(plan, process, index, sample);
	busy = synthetic_mix(plan->seed ^ sample->tid) % BUSY_ONE_IN == 0;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		if (is_read(metric) && (!metric_is_leader_only(metric) || index == 0))
			set_metric(plan, sample, metric, busy);
	}
	set_affinity(sample);
}

static void set_host(const struct synthetic_plan *plan, struct snapshot_info *info)
{
	static const char release[] = "6.14.0-synthetic", boot[] = "synthetic";

	info->captured_at_unix_ns = UINT64_C(1700000000000000000) + plan->step * 10000000000;
	info->captured_boottime_ns = UINT64_C(3600000000000) + plan->step * 10000000000;
	host_set_text(&info->host, HOST_kernel_release, release, strlen(release));
	host_set_text(&info->host, HOST_boot_id, boot, strlen(boot));
	host_set_number(&info->host, HOST_clock_ticks_per_second, 100);
	host_set_number(&info->host, HOST_online_cpus, SYNTHETIC_CPUS);
	host_map_set(&info->host, HOST_users, "0", "root", strlen("root"));
	host_map_set(&info->host, HOST_users, "65532", "nonroot", strlen("nonroot"));
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		info->rules[s] = OUTCOME_read;
	info->rules[SOURCE_status] = info->rules[SOURCE_smaps_rollup] = OUTCOME_skipped;
	info->rules[SOURCE_jemalloc] = OUTCOME_skipped;
}

struct writing {
	const struct synthetic_plan *plan;
	struct snapshot_writer *writer;
	struct snapshot_info info;
	struct thread_sample sample;
};

/* The process's threads, as far as the snapshot has room for them. */
static int write_process(struct writing *writing, const struct synthetic_process *process,
                         uint32_t tgid)
{
	const struct synthetic_plan *plan = writing->plan;
	uint64_t totals[PROCESS_TOTAL_COUNT] = {0};
	uint64_t room = plan->threads - writing->info.tally.threads;
	uint64_t threads = process->threads < room ? process->threads : room;
	int r = 0;

	for (uint64_t i = 0; r == 0 && i < threads; i++) {
		make_thread(plan, process, tgid, i, &writing->sample);
		add_to_totals(totals, &writing->sample);
		if (i + 1 == threads)
			set_totals(plan, &writing->sample, totals);
		r = snapshot_write_thread(writing->writer, &writing->sample);
	}
	writing->info.tally.threads += threads;
	writing->info.tally.processes++;
	return r;
}

static int write_snapshot(const struct synthetic_plan *plan)
{
	struct stdout_sink out = {{write_stdout}};
	/* Too large for the stack of a careful program. */
	struct writing *writing = mem_calloc(1, sizeof(*writing));
	uint64_t tid = FIRST_TID;
	int r;

	writing->plan = plan;
	writing->writer = snapshot_writer_new(&out.sink, SNAPSHOT_ZSTD_LEVEL);
	set_host(plan, &writing->info);
	r = snapshot_write_begin(writing->writer, &writing->info);
	for (uint64_t i = 0; r == 0 && writing->info.tally.threads < plan->threads; i++) {
		struct synthetic_process process;

		synthetic_process_init(&process, plan, i);
		/* A new process has ids that none had before. */
		if (process.is_there)
			r = write_process(writing, &process,
			                  (uint32_t)(tid + process.life * 2 * plan->threads));
		tid += process.threads;
	}
	if (r == 0)
		r = snapshot_write_end(writing->writer, &writing->info);
	sample_done(&writing->sample);
	snapshot_info_done(&writing->info);
	snapshot_writer_freep(&writing->writer);
	free(writing);
	return r;
}

static bool parse_number(const char *text, uint64_t max, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	return end != text && *end == '\0' && errno == 0 && *ret <= max;
}

static int usage(void)
{
	fputs("Usage: make-snapshot THREADS SEED STEP [NAMES [CGROUPS]] > FILE\n"
	      "STEP is when: 0, and 1 or more for later. There are NAMES process names to choose\n"
	      "from (THREADS/20) and CGROUPS cgroups (THREADS/80). 100000 threads are then in "
	      "about\n"
	      "8400 groups of cgroup, process and thread, and in about 14900 with 5000 4000;\n"
	      "with --no-cg-normalize, in 10500 and 19700.\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	enum { THREADS_MAX = 4000000, STEP_MAX = 100, NAMES_MAX = 400000 };
	struct synthetic_plan plan = {0};
	int r;

	if (argc < 4 || argc > 6 || !parse_number(argv[1], THREADS_MAX, &plan.threads) ||
	    !parse_number(argv[2], UINT32_MAX, &plan.seed) ||
	    !parse_number(argv[3], STEP_MAX, &plan.step))
		return usage();
	plan.names = plan.threads / 20 + 1;
	plan.cgroups = plan.threads / 80 + 1;
	if ((argc > 4 && (!parse_number(argv[4], NAMES_MAX, &plan.names) || plan.names == 0)) ||
	    (argc > 5 && (!parse_number(argv[5], NAMES_MAX, &plan.cgroups) || plan.cgroups == 0)))
		return usage();
	r = write_snapshot(&plan);
	if (r < 0)
		fprintf(stderr, "make-snapshot: standard output: %s\n", strerror(-r));
	return r < 0;
}
