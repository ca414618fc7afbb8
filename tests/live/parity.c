// SPDX-License-Identifier: GPL-2.0-or-later
/* parity - reads all threads of the host from /proc and taskstats, then in one pass by BPF, then from /proc again, and holds
 * every value of the pass against the two around it: what grows must be between them, all else equal to one of them, and
 * to both where the thread did not run in between. Each metric that /proc gives must have been compared.
 *
 *   parity [ROUNDS]
 *
 * Ends with 77 where this user, this kernel or this build has no such pass. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "bpf/task-record.h"
#include "cgroup/cgroup-id.h"
#include "host/host-read.h"
#include "parity-load.h"
#include "parity-read.h"

enum {
	CANNOT = 77,
	THREADS_LEAST = 500,
	FAILURES_SHOWN = 40,
	RSS_SLACK_BYTES = 4 << 20,
	VSIZE_SLACK_BYTES = 64 << 20
};

struct tally {
	uint64_t offered;  /* seen in both readings of /proc */
	uint64_t compared; /* and in the pass */
	uint64_t nonzero;
	uint64_t still; /* the same in both readings */
};

static struct tally metrics[METRIC_COUNT], totals[PROCESS_TOTAL_COUNT];
static struct tally identity, pointers, cgroups;
static unsigned failures;

static const char *restore_path = NULL;

static void restore(void)
{
	int fd = restore_path ? open(restore_path, O_WRONLY | O_CLOEXEC) : -1;

	if (fd >= 0 && write(fd, "0", 1) == 1)
		close(fd);
}

/* So that threads of ours have delay records. */
static void switch_delays_on(void)
{
	static const char path[] = "/proc/sys/kernel/task_delayacct";
	struct strbuf text = STRBUF_INIT;
	int fd;

	if (fd_read_all_at(AT_FDCWD, path, &text, 64) == 0 && strbuf_str(&text)[0] == '0') {
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd >= 0 && write(fd, "1", 1) == 1) {
			restore_path = path;
			atexit(restore);
		}
		fd_closep(&fd);
	}
	strbuf_done(&text);
}

static void failed(const struct thread_sample *who, const char *what, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

static void failed(const struct thread_sample *who, const char *what, const char *format, ...)
{
	va_list arguments;

	if (failures++ >= FAILURES_SHOWN)
		return;
	printf("FAILED %u/%u %s %s: ", who->tgid, who->tid, strbuf_str(&who->comm), what);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

static uint64_t number(const struct thread_sample *sample, enum metric_id metric)
{
	uint64_t value;

	memcpy(&value, sample_value(sample, metric), sizeof(value));
	return value;
}

static bool is_same(enum metric_id metric, const struct thread_sample *a,
                    const struct thread_sample *b)
{
	const void *left = sample_value(a, metric), *right = sample_value(b, metric);

	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		return memcmp(left, right, sizeof(uint64_t)) == 0;
	case REPRESENTATION_I32:
	case REPRESENTATION_U32:
		return memcmp(left, right, sizeof(uint32_t)) == 0;
	case REPRESENTATION_TEXT:
		return strcmp(left, right) == 0;
	case REPRESENTATION_LETTER:
		return memcmp(left, right, 1) == 0;
	case REPRESENTATION_FLAG:
		return memcmp(left, right, sizeof(bool)) == 0;
	case REPRESENTATION_CPUS:
		return cpu_mask_equal(left, right);
	}
	return false;
}

static bool is_zero(enum metric_id metric, const struct thread_sample *sample)
{
	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		return number(sample, metric) == 0;
	case REPRESENTATION_I32:
	case REPRESENTATION_U32:
		return memcmp(sample_value(sample, metric), &(uint32_t){0}, sizeof(uint32_t)) == 0;
	case REPRESENTATION_FLAG:
		return !*(const bool *)sample_value(sample, metric);
	default:
		return false;
	}
}

static bool has(const struct thread_sample *sample, enum metric_id metric)
{
	return metric_set_has(&sample->seen, metric);
}

/* Neither ran nor was woken, as far as the two readings tell. */
static bool stood_still(const struct thread_sample *before, const struct thread_sample *after)
{
	static const enum metric_id signs[] = {METRIC_voluntary_csw, METRIC_nonvoluntary_csw,
	                                       METRIC_run_time_ns, METRIC_state, METRIC_minflt};

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (has(before, signs[i]) &&
		    (!has(after, signs[i]) || !is_same(signs[i], before, after)))
			return false;
	return before->state.v != 'R';
}

static bool is_between(enum metric_id metric, const struct thread_sample *before,
                       const struct thread_sample *value, const struct thread_sample *after)
{
	uint64_t low = number(before, metric), have = number(value, metric);
	uint64_t high = number(after, metric);

	/* The shortest falls, but the first one is above nothing. */
	if (metric_table[metric].rule == RULE_MIN)
		return (low == 0 && (have == 0 || have >= high)) || (high <= have && have <= low);
	/* The kernel makes a note of a peak only when it goes down again, and not of all the CPUs. */
	if (metric == METRIC_hiwater_vm_bytes && high < low)
		return high <= have && have <= low;
	/* The counts of threads or CPUs for the pages of a process reach its sum in lots of 64 and more, up and down. */
	if (metric == METRIC_hiwater_rss_bytes || metric == METRIC_rss_bytes)
		return have + RSS_SLACK_BYTES >= (low < high ? low : high) &&
		       have <= (low < high ? high : low) + RSS_SLACK_BYTES;
	return low <= have && have <= high;
}

/* A process maps and unmaps as long as one of its threads runs. */
static bool is_size_right(const struct thread_sample *before, const struct thread_sample *value,
                          const struct thread_sample *after, bool still)
{
	uint64_t slack = still && before->nr_threads.v == 1 && after->nr_threads.v == 1
	                         ? 0
	                         : VSIZE_SLACK_BYTES;
	uint64_t low = before->vsize_bytes.v, high = after->vsize_bytes.v,
	         have = value->vsize_bytes.v;

	return have + slack >= (low < high ? low : high) &&
	       have <= (low < high ? high : low) + slack;
}

/* CPU time by mode is divided anew at each reading, and only /proc makes a note of what it has told: after the pass one
 * part may be smaller again, but both together are not, give or take a tick that each of them loses. */
static bool is_time_between(enum metric_id metric, const struct thread_sample *before,
                            const struct thread_sample *value, const struct thread_sample *after)
{
	return number(before, metric) <= number(value, metric) &&
	       value->utime_clock_ticks.v + value->stime_clock_ticks.v <=
	               after->utime_clock_ticks.v + after->stime_clock_ticks.v + 1;
}

static bool is_right(enum metric_id metric, const struct thread_sample *before,
                     const struct thread_sample *value, const struct thread_sample *after,
                     bool still)
{
	enum metric_rule rule = metric_table[metric].rule;
	bool grows =
	        metric_type_table[metric_table[metric].type].representation == REPRESENTATION_U64 &&
	        metric_table[metric].type != METRIC_TYPE_gauge_ns &&
	        metric_table[metric].type != METRIC_TYPE_gauge_count &&
	        metric_table[metric].type != METRIC_TYPE_level_bytes;

	if (metric == METRIC_utime_clock_ticks || metric == METRIC_stime_clock_ticks)
		return is_time_between(metric, before, value, after);
	if (metric == METRIC_vsize_bytes)
		return is_size_right(before, value, after, still);
	if (metric == METRIC_rss_bytes)
		return is_between(metric, before, value, after);
	if (grows && (rule == RULE_SUM || rule == RULE_MAX || rule == RULE_MIN))
		return is_between(metric, before, value, after);
	if (is_same(metric, before, value) || is_same(metric, after, value))
		return true;
	/* These can be anything while a thread runs. */
	return !still && (metric == METRIC_state || metric == METRIC_processor ||
	                  metric == METRIC_nr_threads);
}

static void compare_metric(enum metric_id metric, const struct thread_sample *before,
                           const struct thread_sample *value, const struct thread_sample *after,
                           const struct task_record_rules *rules, bool still)
{
	struct tally *tally = &metrics[metric];
	bool offered = has(before, metric) && has(after, metric);
	/* A delay record leaves only traces in /proc, and no file has what the source task has. */
	bool more = (rules->taskstats.delays == TASKSTATS_DELAYS_LATER &&
	             metric_table[metric].source == SOURCE_taskstats) ||
	            metric_table[metric].source == SOURCE_task;

	if (!offered) {
		if (has(value, metric) && !has(before, metric) && !has(after, metric) && !more)
			failed(value, metric_table[metric].name, "only the pass has it");
		return;
	}
	tally->offered++;
	if (!has(value, metric)) {
		failed(value, metric_table[metric].name, "the pass does not have it, but %s",
		       outcome_table[sample_reason(value, metric)].name);
		return;
	}
	tally->compared++;
	tally->nonzero += !is_zero(metric, value);
	tally->still += is_same(metric, before, after);
	if (is_right(metric, before, value, after, still))
		return;
	if (metric_type_table[metric_table[metric].type].representation == REPRESENTATION_U64)
		failed(value, metric_table[metric].name,
		       "%" PRIu64 " is not between %" PRIu64 " and %" PRIu64, number(value, metric),
		       number(before, metric), number(after, metric));
	else
		failed(value, metric_table[metric].name, "something else%s (%c, not %c or %c)",
		       still ? " while it stood still" : "", value->state.v, before->state.v,
		       after->state.v);
}

static bool is_same_text(const struct strbuf *a, const struct strbuf *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static void compare_identity(const struct thread_sample *before, const struct thread_sample *value,
                             const struct thread_sample *after, bool still)
{
	identity.compared++;
	if (value->tgid != before->tgid)
		failed(value, "tgid", "not %u", before->tgid);
	/* A worker of the kernel is named after its work. */
	if (!is_same_text(&value->comm, &before->comm) &&
	    !is_same_text(&value->comm, &after->comm) && still)
		failed(value, "comm", "not %s", strbuf_str(&before->comm));
}

static void compare_cgroup(struct cgroup_ids *ids, const struct task_record *values,
                           const struct thread_sample *before, const struct thread_sample *after)
{
	const struct strbuf *path;

	if (!before->has_cgroup || !after->has_cgroup || before->cgroup_is_v1 ||
	    !is_same_text(&before->cgroup, &after->cgroup))
		return;
	path = cgroup_ids_path(ids, values->cgroup_id);
	if (!path)
		return;
	cgroups.compared++;
	if (!is_same_text(path, &before->cgroup))
		failed(before, "cgroup", "%s, not %s", strbuf_str(path),
		       strbuf_str(&before->cgroup));
}

static void compare_pointers(const struct task_record_pass *pass)
{
	size_t count;
	const struct parity_anchor *anchors = parity_load_anchors(&count);

	for (size_t i = 0; i < pass->thread_count; i++)
		for (size_t a = 0; a < count; a++) {
			if (anchors[a].tid != pass->threads[i].tid)
				continue;
			pointers.compared++;
			if (anchors[a].pointer != pass->threads[i].pointer) {
				printf("FAILED the pointer of %u\n", anchors[a].tid);
				failures++;
			}
		}
}

/* Nobody who was there all the time is left out, except whole processes: there are hosts that hide some from BPF. */
static void find_missing(const struct task_record_pass *pass, const struct reading *before,
                         const struct reading *after)
{
	const unsigned hidden_most = 10; /* in a hundred */
	unsigned hidden = 0;

	for (size_t i = 0; i < before->thread_count; i++) {
		const struct thread_sample *first = &before->threads[i];
		bool found = !parity_find_thread(after, first->tid), any = false;

		for (size_t t = 0; !found && t < pass->thread_count; t++) {
			found = pass->threads[t].tid == first->tid;
			any = any || pass->threads[t].tgid == first->tgid;
		}
		if (!found && any)
			failed(first, "thread", "not in the pass");
		hidden += !found && !any;
	}
	if (hidden > 0)
		printf("%u threads are hidden from BPF\n", hidden);
	if (hidden * 100 > before->thread_count * hidden_most) {
		printf("FAILED: they are too many\n");
		failures++;
	}
}

static unsigned compare_threads(const struct task_record_rules *rules,
                                const struct task_record_pass *pass, struct cgroup_ids *ids,
                                const struct reading *before, const struct reading *after)
{
	struct thread_sample sample = {0};
	unsigned count = 0;

	for (size_t i = 0; i < pass->thread_count; i++) {
		const struct task_record *values = &pass->threads[i];
		const struct thread_sample *first = parity_find_thread(before, values->tid);
		const struct thread_sample *last = parity_find_thread(after, values->tid);
		bool still;

		if (!first || !last ||
		    first->start_time_clock_ticks != last->start_time_clock_ticks)
			continue;
		sample_reset(&sample);
		task_record_sample(rules, pass, values, task_record_process(pass, values), &sample);
		if (sample.start_time_clock_ticks != first->start_time_clock_ticks)
			failed(&sample, "start", "%" PRIu64 ", not %" PRIu64,
			       sample.start_time_clock_ticks, first->start_time_clock_ticks);
		still = stood_still(first, last);
		compare_identity(first, &sample, last, still);
		for (unsigned metric = 0; metric < METRIC_COUNT; metric++)
			compare_metric((enum metric_id)metric, first, &sample, last, rules, still);
		compare_cgroup(ids, values, first, last);
		count++;
	}
	sample_done(&sample);
	return count;
}

static bool is_time_total(unsigned total)
{
	return total == PROCESS_TOTAL_utime_clock_ticks || total == PROCESS_TOTAL_stime_clock_ticks;
}

/* The sum of both modes, see is_time_between(). */
static uint64_t total_of_time(const struct thread_sample *sample)
{
	return sample->process_totals[PROCESS_TOTAL_utime_clock_ticks] +
	       sample->process_totals[PROCESS_TOTAL_stime_clock_ticks];
}

static void compare_totals(const struct task_record_rules *rules,
                           const struct task_record_pass *pass, const struct reading *before,
                           const struct reading *after)
{
	struct thread_sample sample = {0};
	size_t i = 0;

	while (i < pass->thread_count) {
		const struct task_record *leader = &pass->threads[pass->order[i]];
		const struct process_record *process = task_record_process(pass, leader);
		uint32_t tgid = leader->tgid;
		const struct thread_sample *first = parity_find_process(before, tgid);
		const struct thread_sample *last = parity_find_process(after, tgid);
		struct process_record_sum sum = process_record_begin(NULL);

		for (; i < pass->thread_count &&
		       task_record_same_process(&pass->threads[pass->order[i]], leader);
		     i++)
			process_record_add(&sum, &pass->threads[pass->order[i]]);
		if (!process || !first || !last)
			continue;
		sample_reset(&sample);
		sample.tgid = tgid;
		process_record_totals(rules, process, &sum, &sample);
		if (process->uid != first->uid && process->uid != last->uid)
			failed(&sample, "uid", "%u, not %u", process->uid, first->uid);
		for (unsigned total = 0; total < PROCESS_TOTAL_COUNT; total++) {
			uint32_t bit = UINT32_C(1) << total;
			uint64_t low = first->process_totals[total];
			uint64_t high = last->process_totals[total];
			uint64_t have = sample.process_totals[total];

			if (!(first->process_totals_seen & last->process_totals_seen & bit))
				continue;
			totals[total].offered++;
			if (!(sample.process_totals_seen & bit))
				continue;
			totals[total].compared++;
			totals[total].nonzero += have != 0;
			totals[total].still += low == high;
			if (is_time_total(total) &&
			    total_of_time(&sample) <= total_of_time(last) + 1)
				high = UINT64_MAX;
			/* taskstats has zeros for a process that ended meanwhile: there is no upper bound. */
			if (high < low)
				continue;
			if (have < low || have > high)
				failed(&sample,
				       metric_table[process_total_table[total].metric].name,
				       "in all %" PRIu64 ", not between %" PRIu64 " and %" PRIu64,
				       have, low, high);
		}
	}
	sample_done(&sample);
}

static void print(const char *what, const struct tally *tally)
{
	printf("%-40s %8" PRIu64 " compared, %8" PRIu64 " not zero, %8" PRIu64 " unchanged%s\n",
	       what, tally->compared, tally->nonzero, tally->still,
	       tally->offered > 0 && tally->compared == 0 ? " FAILED: never compared" : "");
	failures += tally->offered > 0 && tally->compared == 0;
}

static void print_all(void)
{
	char name[64];

	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metrics[i].offered > 0)
			print(metric_table[i].name, &metrics[i]);
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		snprintf(name, sizeof(name), "total %s",
		         metric_table[process_total_table[i].metric].name);
		if (totals[i].offered > 0)
			print(name, &totals[i]);
	}
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metrics[i].offered == 0 && metric_table[i].source != SOURCE_synthetic)
			printf("%-40s not given by this kernel\n", metric_table[i].name);
	printf("names %" PRIu64 ", thread pointers %" PRIu64 ", cgroups %" PRIu64 "\n",
	       identity.compared, pointers.compared, cgroups.compared);
}

static void run(struct readers *readers, struct task_record_reader *reader,
                const struct taskstats_rules *taskstats, struct cgroup_ids *ids, unsigned rounds)
{
	struct reading before = {0}, after = {0};
	struct task_record_rules rules;
	struct task_record_pass pass;

	for (unsigned round = 0; round < rounds; round++) {
		unsigned count;
		int r;

		parity_read_proc(readers, &before);
		r = task_record_read(reader, &pass);
		if (r < 0) {
			printf("FAILED: the pass: %s\n", strerror(-r));
			exit(1);
		}
		task_record_rules_init(&rules, reader, readers->proc_fd, taskstats);
		parity_read_proc(readers, &after);
		find_missing(&pass, &before, &after);
		count = compare_threads(&rules, &pass, ids, &before, &after);
		compare_totals(&rules, &pass, &before, &after);
		compare_pointers(&pass);
		printf("round %u: %u threads, the pass took %.3f ms, keeps %x\n", round + 1, count,
		       (double)(pass.end_boottime_ns - pass.begin_boottime_ns) / 1e6, rules.kept);
		if (count < THREADS_LEAST) {
			printf("FAILED: fewer than %d threads\n", THREADS_LEAST);
			failures++;
		}
	}
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 5;
	const struct timespec settling = {.tv_sec = 1};
	struct task_record_reader *reader = NULL;
	struct readers readers = {.proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	struct cgroup_mounts mounts = {0};
	struct taskstats_rules taskstats;
	struct host host = {0};
	int sys_fd = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = task_record_open(&reader);

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (r < 0) {
		printf("skipped: no pass over all threads: %s\n", strerror(-r));
		return CANNOT;
	}
	printf("loaded by %s\n", task_record_loader(reader));
	switch_delays_on();
	printf("%u threads\n", parity_load_start());
	nanosleep(&settling, NULL);
	cgroup_mounts_find(readers.proc_fd, true, &mounts);
	host_read(readers.proc_fd, sys_fd, -1, true, false, &host);
	taskstats = taskstats_rules_of(&host);
	parity_readers_open(&readers, &taskstats);
	run(&readers, reader, &taskstats, cgroup_ids_new(&mounts), rounds);
	parity_load_stop();
	print_all();
	printf("%s: %u failures\n", failures ? "FAILED" : "ok", failures);
	return failures ? 1 : 0;
}
