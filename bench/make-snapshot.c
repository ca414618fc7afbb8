// SPDX-License-Identifier: GPL-2.0-or-later
/* make-snapshot - writes a synthetic snapshot to standard output, through the project's own writer. The same
 * arguments give the same bytes. One thread in ten is busy: between STEP 0 and STEP 1 its counters grow and
 * its peaks may rise; the others keep what they have. Metrics that capture reads from /proc are seen, those of
 * other sources are not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctprof/fd.h"
#include "ctprof/mem.h"
#include "ctprof/sample.h"
#include "ctprof/snapshot.h"

enum {
	THREADS_OF_PROCESS = 8,
	FIRST_TID = 1000,
	CPUS = 64,
	BUSY_ONE_IN = 10,
	FIRST_UID = 1000,
	USERS = 10
};

struct plan {
	uint64_t threads, seed, step, groups;
};

struct stdout_sink {
	struct byte_sink sink; /* must stay the first member */
};

static int write_stdout(struct byte_sink *self, const void *bytes, size_t len)
{
	(void)self;
	return fd_write_all(STDOUT_FILENO, bytes, len);
}

/* splitmix64: well spread, and the same everywhere. */
static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* A number with a random count of bits, as counters of different threads have: most are small. */
static uint64_t spread(uint64_t random, unsigned max_bits)
{
	return (random >> 8) >> (56 - 1 - random % max_bits);
}

static bool is_from_proc(enum metric_id metric)
{
	switch (metric_table[metric].source) {
	case SOURCE_stat:
	case SOURCE_schedstat:
	case SOURCE_sched:
	case SOURCE_io:
		return true;
	default:
		return false;
	}
}

static void set_label(struct thread_sample *sample, enum metric_id metric, bool letter, bool busy)
{
	const char *label = letter ? (busy ? "R" : "S") : "SCHED_OTHER";

	if (!sample_set_label(sample, metric, label, strlen(label)))
		abort();
}

static void set_metric(const struct plan *plan, struct thread_sample *sample, enum metric_id metric,
                       bool busy)
{
	uint64_t random = mix(plan->seed ^ mix(sample->tid * UINT64_C(1000) + metric));
	uint64_t value = spread(random, busy ? 44 : 24);
	enum metric_rule rule = metric_table[metric].rule;
	bool ok = true;

	if (busy && rule == RULE_SUM)
		value += plan->step * spread(mix(random), 40);
	if (busy && rule == RULE_MAX && random % 4 == 0)
		value += plan->step * 1000;
	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		ok = sample_set_integer(sample, metric, value);
		break;
	case REPRESENTATION_I32:
	case REPRESENTATION_U32:
		ok = sample_set_integer(sample, metric, busy ? value % CPUS : 20);
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
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		if (!cpu_mask_add(&set.v, cpu))
			abort();
	sample_set(sample, cpu_affinity, set);
}

/* Letters only, so that the normaliser keeps the groups apart. */
static void set_process_name(struct strbuf *text, uint64_t group)
{
	char word[5] = "aaaa";

	for (int i = 3; i >= 0; i--, group /= 26)
		word[i] = (char)('a' + group % 26);
	strbuf_clear(text);
	strbuf_add_str(text, "svc-");
	strbuf_add_str(text, word);
}

static void make_thread(const struct plan *plan, uint64_t index, struct thread_sample *sample)
{
	uint64_t process = index / THREADS_OF_PROCESS;
	bool busy = mix(plan->seed ^ index) % BUSY_ONE_IN == 0;

	sample_reset(sample);
	sample->tid = (uint32_t)(FIRST_TID + index);
	sample->tgid = (uint32_t)(FIRST_TID + process * THREADS_OF_PROCESS);
	sample->start_time_clock_ticks = 1000 + process;
	sample->read_boottime_ns = UINT64_C(1000000000) * (plan->step * 10 + 3600) + process * 1000;
	set_process_name(&sample->pcomm, process % plan->groups);
	set_process_name(&sample->comm, process % plan->groups);
	if (sample->tid != sample->tgid) {
		strbuf_clear(&sample->comm);
		strbuf_addf(&sample->comm, "worker-%u", (unsigned)(index % THREADS_OF_PROCESS));
	}
	strbuf_clear(&sample->cgroup);
	strbuf_addf(&sample->cgroup, "/system.slice/svc-%u.service",
	            (unsigned)(process % plan->groups));
	sample->has_cgroup = true;
	strbuf_clear(&sample->exe);
	strbuf_addf(&sample->exe, "/usr/bin/%s", strbuf_str(&sample->pcomm));
	sample->has_exe = true;
	sample->uid = FIRST_UID + (uint32_t)(process % plan->groups % USERS);
	sample->has_uid = true;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		if (is_from_proc(metric) &&
		    (!metric_is_leader_only(metric) || sample->tid == sample->tgid))
			set_metric(plan, sample, metric, busy);
	}
	set_affinity(sample);
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		sample->outcomes[s] = OUTCOME_read;
}

static void set_host(const struct plan *plan, struct snapshot_info *info)
{
	static const char release[] = "6.1.0-synthetic", boot[] = "synthetic";

	info->captured_at_unix_ns = UINT64_C(1700000000000000000) + plan->step * 10000000000;
	info->captured_boottime_ns = UINT64_C(3600000000000) + plan->step * 10000000000;
	host_set_text(&info->host, HOST_kernel_release, release, strlen(release));
	host_set_text(&info->host, HOST_boot_id, boot, strlen(boot));
	host_set_number(&info->host, HOST_clock_ticks_per_second, 100);
	host_set_number(&info->host, HOST_online_cpus, CPUS);
	for (uint32_t user = 0; user < USERS; user++) {
		char id[12], name[16];

		snprintf(id, sizeof(id), "%u", FIRST_UID + user);
		host_map_set(&info->host, HOST_users, id, name,
		             (size_t)snprintf(name, sizeof(name), "user%u", user));
	}
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		info->rules[s] = OUTCOME_skipped;
	info->rules[SOURCE_stat] = info->rules[SOURCE_schedstat] = OUTCOME_read;
	info->rules[SOURCE_sched] = info->rules[SOURCE_io] = OUTCOME_read;
	info->rules[SOURCE_cgroup] = info->rules[SOURCE_affinity] = OUTCOME_read;
	info->rules[SOURCE_exe] = OUTCOME_read;
}

static int write_snapshot(const struct plan *plan)
{
	struct stdout_sink out = {{write_stdout}};
	struct snapshot_writer *writer = snapshot_writer_new(&out.sink, SNAPSHOT_ZSTD_LEVEL);
	struct snapshot_info info = {0};
	/* Too large for the stack of a careful program. */
	struct thread_sample *sample = mem_calloc(1, sizeof(*sample));
	int r;

	set_host(plan, &info);
	r = snapshot_write_begin(writer, &info);
	for (uint64_t i = 0; r == 0 && i < plan->threads; i++) {
		make_thread(plan, i, sample);
		r = snapshot_write_thread(writer, sample);
		info.tally.threads++;
		info.tally.processes += sample->tid == sample->tgid;
	}
	if (r == 0)
		r = snapshot_write_end(writer, &info);
	sample_done(sample);
	free(sample);
	snapshot_info_done(&info);
	snapshot_writer_free(writer);
	return r;
}

static bool parse_number(const char *text, uint64_t max, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	return end != text && *end == '\0' && errno == 0 && *ret <= max;
}

int main(int argc, char **argv)
{
	struct plan plan = {.groups = 100};
	int r;

	if (argc < 4 || argc > 5 || !parse_number(argv[1], 4000000, &plan.threads) ||
	    !parse_number(argv[2], UINT64_MAX, &plan.seed) ||
	    !parse_number(argv[3], 1000, &plan.step) ||
	    (argc == 5 && (!parse_number(argv[4], 400000, &plan.groups) || plan.groups == 0))) {
		fputs("Usage: make-snapshot THREADS SEED STEP [GROUPS] > FILE\n"
		      "GROUPS is the number of process names, 100 where it is not given.\n",
		      stderr);
		return 2;
	}
	r = write_snapshot(&plan);
	if (r < 0)
		fprintf(stderr, "make-snapshot: standard output: %s\n", strerror(-r));
	return r < 0;
}
