// SPDX-License-Identifier: GPL-2.0-or-later
/* make-fleet - writes windows of simulated hosts into a directory, through the project's own writer. The same arguments give the
 * same bytes. Each host has the same services, whose work differs from host to host and from window to window by noise; a few hosts
 * are outliers: one service of each does some times its work there.
 *
 *   make-fleet DIR HOSTS WINDOWS GROUPS SEED [HOST:GROUP:TIMES]... [ARM:GROUP:TIMES[:HOST]]...
 *
 * ARM is "windows" or "hosts": the fleet is in an experiment then, in whose arm B the group does some times its work, on all hosts or on
 * this one instead. A coin says which one of two windows of a host is of arm B, and both are one block; or which one of two hosts.
 *
 * Host N is called host-000N, its window W ends W hours after the first one, and group G is the process svc-a, svc-b, ..., svc-aa. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/scan.h"
#include "ctprof/metric/sample.h"
#include "ctprof/snapshot/snapshot.h"

enum { THREADS_OF_GROUP = 3, OUTLIERS_MAX = 64, WINDOW_SECONDS = 10 };
static const uint64_t first_unix_ns = UINT64_C(1767225600) * NS_PER_SECOND;

struct outlier {
	uint64_t host, group;
	double times;
};

/* A group's work in arm B. */
struct arm_effect {
	uint64_t group, host; /* host: ALL_HOSTS, or one of them, which has no other effect */
	double times;
};
#define ALL_HOSTS UINT64_MAX

enum arms { ARMS_NONE, ARMS_OF_WINDOWS, ARMS_OF_HOSTS };

struct fleet {
	const char *directory;
	uint64_t hosts, windows, groups, seed;
	struct outlier outliers[OUTLIERS_MAX];
	size_t outlier_count;
	enum arms arms;
	struct arm_effect effects[OUTLIERS_MAX];
	size_t effect_count;
};

struct file_sink {
	struct byte_sink sink; /* must stay the first member */
	int fd;
};

static int write_file(struct byte_sink *self, const void *bytes, size_t len)
{
	return fd_write_all(((struct file_sink *)self)->fd, bytes, len);
}

/* One step of splitmix64 of a place in the fleet. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t z = a + 0x9e3779b97f4a7c15u * (b + 1);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static double uniform(uint64_t number)
{
	return (double)(number >> 11) * 0x1p-53;
}

/* The sum of 12 uniform numbers less 6 is nearly normal. */
static double normal(uint64_t number)
{
	double sum = -6;

	for (uint64_t i = 0; i < 12; i++)
		sum += uniform(mix(number, i));
	return sum;
}

static void set_name(struct strbuf *out, uint64_t group)
{
	char letters[16];
	size_t count = 0;

	do
		letters[count++] = (char)('a' + (int)(group % 26));
	while ((group /= 26) > 0 && count < sizeof(letters));
	strbuf_clear(out);
	strbuf_add_str(out, "svc-");
	while (count > 0)
		strbuf_add_char(out, letters[--count]);
}

static bool is_arm_b(const struct fleet *fleet, uint64_t host, uint64_t window)
{
	enum { COINS = 77 };
	bool of_windows = fleet->arms == ARMS_OF_WINDOWS;
	uint64_t place = of_windows ? window : host, coins = mix(fleet->seed, COINS);

	coins = of_windows ? mix(mix(coins, host), place / 2) : mix(coins, place / 2);
	return fleet->arms != ARMS_NONE && (coins & 1) == (place & 1);
}

static double effect_of(const struct fleet *fleet, uint64_t host, uint64_t group)
{
	double all = 1, own = NAN;

	for (size_t i = 0; i < fleet->effect_count; i++) {
		const struct arm_effect *effect = &fleet->effects[i];

		if (effect->group == group && effect->host == ALL_HOSTS)
			all = effect->times;
		else if (effect->group == group && effect->host == host)
			own = effect->times;
	}
	return isnan(own) ? all : own;
}

static double times_of(const struct fleet *fleet, uint64_t host, uint64_t window, uint64_t group)
{
	double times = is_arm_b(fleet, host, window) ? effect_of(fleet, host, group) : 1;

	for (size_t i = 0; i < fleet->outlier_count; i++)
		if (fleet->outliers[i].host == host && fleet->outliers[i].group == group)
			times *= fleet->outliers[i].times;
	return times;
}

/* A thread's work: that of its group and metric in the whole fleet, times noise of the host (3 %) and of the window (2 %). */
static uint64_t work(const struct fleet *fleet, uint64_t host, uint64_t window, uint64_t group,
                     uint64_t thread, enum metric_id metric)
{
	uint64_t series = mix(mix(fleet->seed, group), metric);
	uint64_t of_host = mix(mix(series, host), UINT64_C(1) << 40);
	double typical = exp(8 + 8 * uniform(series));
	double value = typical * (1 + 0.03 * normal(of_host)) *
	               (1 + 0.02 * normal(mix(mix(of_host, window), thread)));

	return value > 0 ? (uint64_t)(value * times_of(fleet, host, window, group)) : 0;
}

static void set_values(const struct fleet *fleet, struct thread_sample *sample, uint64_t host,
                       uint64_t window, uint64_t group, uint64_t thread)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		const struct metric_desc *metric = &metric_table[i];

		/* A time would have to stay below the thread's life. */
		if (metric->rule != RULE_SUM || metric->source == SOURCE_synthetic ||
		    metric->source == SOURCE_jemalloc)
			continue;
		(void)!sample_set_integer(
		        sample, (enum metric_id)i,
		        work(fleet, host, window, group, thread, (enum metric_id)i));
	}
}

static void set_thread(const struct fleet *fleet, struct thread_sample *sample, uint64_t host,
                       uint64_t window, uint64_t group, uint64_t thread)
{
	sample_reset(sample);
	sample->tgid = (uint32_t)(1000 + group * THREADS_OF_GROUP);
	sample->tid = sample->tgid + (uint32_t)thread;
	sample->start_time_clock_ticks = 1000 + thread;
	sample_set_process_start(sample, 1000);
	sample->window_part = WINDOW_PART_continued;
	sample->interval_ns = sample->life_ns = WINDOW_SECONDS * NS_PER_SECOND;
	set_name(&sample->pcomm, group);
	set_name(&sample->comm, group);
	strbuf_clear(&sample->cgroup);
	strbuf_addf(&sample->cgroup, "/system.slice/%s.service", strbuf_str(&sample->pcomm));
	sample->has_cgroup = true;
	set_values(fleet, sample, host, window, group, thread);
}

static void add_label(struct snapshot_info *info, const char *key, const char *value)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	(void)!labels_add(&info->labels, key, strlen(key), value, strlen(value), &reason);
}

static void set_labels(const struct fleet *fleet, struct snapshot_info *info, uint64_t host,
                       uint64_t window)
{
	char block[32];

	if (fleet->arms == ARMS_NONE)
		return;
	add_label(info, "experiment", "fleet");
	add_label(info, "arm", is_arm_b(fleet, host, window) ? "B" : "A");
	if (fleet->arms == ARMS_OF_HOSTS)
		return;
	snprintf(block, sizeof(block), "%llu", (unsigned long long)window / 2);
	add_label(info, "block", block);
}

static void set_info(const struct fleet *fleet, struct snapshot_info *info, uint64_t host,
                     uint64_t window)
{
	char name[32];

	snprintf(name, sizeof(name), "host-%04llu", (unsigned long long)host);
	info->kind = KIND_window;
	info->captured_at_unix_ns = first_unix_ns + window * 3600 * NS_PER_SECOND;
	info->captured_boottime_ns = (window + 1) * 3600 * NS_PER_SECOND;
	window_set(&info->window, WINDOW_length_ns, WINDOW_SECONDS * NS_PER_SECOND);
	info->window.exits = WINDOW_EXITS_skipped;
	host_set_text(&info->host, HOST_hostname, name, strlen(name));
	host_set_text(&info->host, HOST_boot_id, "00000000-0000-4000-8000-000000000000", 36);
	host_set_number(&info->host, HOST_clock_ticks_per_second, 100);
	set_labels(fleet, info, host, window);
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		info->rules[s] = OUTCOME_read;
}

static int write_host(const struct fleet *fleet, struct snapshot_writer *writer, uint64_t host,
                      uint64_t window)
{
	struct snapshot_info info = {0};
	struct thread_sample sample = {0};
	int r;

	set_info(fleet, &info, host, window);
	r = snapshot_write_begin(writer, &info);
	for (uint64_t g = 0; r == 0 && g < fleet->groups; g++)
		for (uint64_t t = 0; r == 0 && t < THREADS_OF_GROUP; t++) {
			set_thread(fleet, &sample, host, window, g, t);
			r = snapshot_write_thread(writer, &sample);
		}
	if (r == 0)
		r = snapshot_write_end(writer, &info);
	sample_done(&sample);
	snapshot_info_done(&info);
	return r;
}

static int write_window(const struct fleet *fleet, uint64_t host, uint64_t window)
{
	cleanup_(fd_closep) int fd = -1;
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer = NULL;
	struct file_sink sink = {.sink = {write_file}};
	char path[4096];

	snprintf(path, sizeof(path), "%s/%04llu-%03llu.ctprof.zst", fleet->directory,
	         (unsigned long long)host, (unsigned long long)window);
	fd = sink.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	writer = snapshot_writer_new(&sink.sink, SNAPSHOT_ZSTD_LEVEL);
	return write_host(fleet, writer, host, window);
}

static bool parse_number(const char *text, uint64_t *ret)
{
	return scan_u64(text, strlen(text), ret);
}

static bool parse_outlier(const char *text, struct fleet *fleet)
{
	struct outlier *outlier = &fleet->outliers[fleet->outlier_count];
	unsigned long long host, group;

	if (fleet->outlier_count == OUTLIERS_MAX ||
	    sscanf(text, "%llu:%llu:%lf", &host, &group, &outlier->times) != 3)
		return false;
	outlier->host = host;
	outlier->group = group;
	fleet->outlier_count++;
	return true;
}

static bool parse_effect(const char *text, struct fleet *fleet)
{
	struct arm_effect *effect = &fleet->effects[fleet->effect_count];
	enum arms arms = strncmp(text, "hosts:", 6) == 0 ? ARMS_OF_HOSTS : ARMS_OF_WINDOWS;
	unsigned long long group, host = ALL_HOSTS;

	if (fleet->effect_count == OUTLIERS_MAX ||
	    (fleet->arms != ARMS_NONE && fleet->arms != arms) ||
	    sscanf(strchr(text, ':'), ":%llu:%lf:%llu", &group, &effect->times, &host) < 2)
		return false;
	effect->group = group;
	effect->host = host;
	fleet->arms = arms;
	fleet->effect_count++;
	return true;
}

static bool parse_plant(const char *text, struct fleet *fleet)
{
	bool of_arm = strncmp(text, "hosts:", 6) == 0 || strncmp(text, "windows:", 8) == 0;

	return of_arm ? parse_effect(text, fleet) : parse_outlier(text, fleet);
}

int main(int argc, char **argv)
{
	struct fleet fleet = {.directory = argv[1]};
	bool good = argc >= 6 && parse_number(argv[2], &fleet.hosts) &&
	            parse_number(argv[3], &fleet.windows) && parse_number(argv[4], &fleet.groups) &&
	            parse_number(argv[5], &fleet.seed);

	for (int i = 6; good && i < argc; i++)
		good = parse_plant(argv[i], &fleet);
	if (!good) {
		fputs("Usage: make-fleet DIR HOSTS WINDOWS GROUPS SEED [HOST:GROUP:TIMES]... "
		      "[windows|hosts:GROUP:TIMES[:HOST]]...\n",
		      stderr);
		return 2;
	}
	for (uint64_t h = 0; h < fleet.hosts; h++)
		for (uint64_t w = 0; w < fleet.windows; w++) {
			int r = write_window(&fleet, h, w);

			if (r < 0) {
				fprintf(stderr, "make-fleet: %s: %s\n", fleet.directory,
				        strerror(-r));
				return 1;
			}
		}
	return 0;
}
