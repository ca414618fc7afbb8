// SPDX-License-Identifier: GPL-2.0-or-later
#include "synthetic-host.h"

#include <string.h>

#include "ctprof/base/macro.h"

enum {
	COMM_BYTES = 15, /* longer names are cut off, as the kernel does */
	CONTAINERS_OF_POD = 3,
	NAMES_OF_CGROUP = 3,
	KERNEL_ONE_IN = 20,
	RESTARTED_ONE_IN = 100,
	PODS_REPLACED_ONE_IN = 20,
};

/* The uses of random numbers, so that each has a sequence of its own. */
enum purpose {
	FOR_CGROUP,
	FOR_NAME,
	FOR_SIZE,
	FOR_KIND,
	FOR_FATE,
	FOR_RESTART,
	FOR_ID,
	FOR_POOLS,
	FOR_KERNEL,
};

enum cgroup_kind { KIND_SERVICE, KIND_INSTANCE, KIND_SESSION, KIND_POD };

uint64_t synthetic_mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static uint64_t random_for(const struct synthetic_plan *plan, enum purpose purpose, uint64_t number)
{
	return synthetic_mix(synthetic_mix(plan->seed * 64 + purpose) ^ number);
}

/* A number below @count with a chance that falls as the number rises, about as 1/n: each power of two is as likely as
 * the next one. */
static uint64_t skewed(uint64_t random, uint64_t count)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(count);
	uint64_t first = UINT64_C(1) << (random >> 8) % bits;

	return (first - 1 + (random >> 16) % first) % count;
}

/* Six letters, which the normaliser leaves alone; another word for each number below 421,875. */
static void add_word(struct strbuf *text, uint64_t number)
{
	static const char consonants[] = "bdfghklmnprstvz", vowels[] = "aeiou";

	for (unsigned i = 0; i < 3; i++, number /= 75) {
		strbuf_add_char(text, consonants[number % 75 / 5]);
		strbuf_add_char(text, vowels[number % 5]);
	}
}

static void add_process_name(struct strbuf *text, uint64_t name)
{
	static const char *const endings[] = {"", "d", "-agent", "-server", "-proxy"};

	add_word(text, name);
	strbuf_add_str(text, endings[name % ARRAY_SIZE(endings)]);
}

static void add_id(struct strbuf *text, const struct synthetic_plan *plan, uint64_t number,
                   unsigned digits)
{
	for (unsigned i = 0; i < digits; i++)
		strbuf_addf(text, "%x", (unsigned)(random_for(plan, FOR_ID, number * 64 + i) % 16));
}

/* Names of processes are of three sizes: few threads, some tens, or up to a hundred and more. */
struct size {
	uint64_t threads_min, threads_spread, pools;
};

static struct size size_of(const struct synthetic_plan *plan, uint64_t name)
{
	uint64_t random = random_for(plan, FOR_SIZE, name), pools = random >> 32;

	if (random % 10 < 6)
		return (struct size){1 + pools % 3, 3, pools % 3};
	if (random % 10 < 9)
		return (struct size){8, 16, 2 + pools % 5};
	return (struct size){32, 96, 8 + pools % 12};
}

static enum cgroup_kind kind_of(const struct synthetic_plan *plan, uint64_t cgroup)
{
	/* All containers of a pod are of one kind. */
	uint64_t random = random_for(plan, FOR_KIND, cgroup / CONTAINERS_OF_POD) % 20;

	if (random < 3)
		return KIND_SERVICE;
	if (random < 5)
		return KIND_INSTANCE;
	return random < 7 ? KIND_SESSION : KIND_POD;
}

/* The change of a cgroup between an even step and an odd one. */
struct fate {
	uint64_t pod_life, container_life;
	bool is_there;
};

static struct fate fate_of(const struct synthetic_plan *plan, uint64_t cgroup)
{
	bool is_odd = plan->step % 2 == 1, is_pod = kind_of(plan, cgroup) == KIND_POD;
	uint64_t pod = random_for(plan, FOR_FATE, cgroup / CONTAINERS_OF_POD);
	struct fate fate = {.is_there = true};

	switch (pod % (2 * PODS_REPLACED_ONE_IN)) {
	case 0: /* another pod with the same containers in it */
	case 1:
		fate.pod_life = is_pod ? plan->step : 0;
		fate.container_life = fate.pod_life;
		break;
	case 2:
		fate.container_life = is_pod ? plan->step : 0;
		break;
	case 3:
		fate.is_there = is_odd;
		break;
	case 4:
		fate.is_there = !is_odd;
		break;
	default:
		break;
	}
	return fate;
}

/* The first name is what the cgroup is for, one of all; the others are helpers, some of which are everywhere. */
static uint64_t name_in(const struct synthetic_plan *plan, uint64_t cgroup, uint64_t place)
{
	uint64_t random = random_for(plan, FOR_NAME, cgroup * NAMES_OF_CGROUP + place);

	return place == 0 ? random % plan->names : skewed(random, plan->names);
}

void synthetic_process_init(struct synthetic_process *process, const struct synthetic_plan *plan,
                            uint64_t number)
{
	uint64_t random = random_for(plan, FOR_CGROUP, number);
	struct size size;
	struct fate fate;

	*process = (struct synthetic_process){.number = number, .threads = 1, .is_there = true};
	if (random % KERNEL_ONE_IN == 0) {
		process->is_kernel = true;
		return;
	}
	/* Every cgroup has a process, and some have many. */
	process->cgroup = number < plan->cgroups ? number : skewed(random, plan->cgroups);
	fate = fate_of(plan, process->cgroup);
	process->is_there = fate.is_there;
	process->life = fate.container_life;
	if (random_for(plan, FOR_RESTART, number) % RESTARTED_ONE_IN == 0)
		process->life += plan->step;
	process->name = name_in(plan, process->cgroup, (random >> 32) % NAMES_OF_CGROUP);
	size = size_of(plan, process->name);
	process->threads = size.threads_min + (random >> 40) % size.threads_spread;
}

static void add_kernel_name(struct strbuf *text, uint64_t random)
{
	static const char *const names[] = {
	        "kworker/%u:%u-events", "ksoftirqd/%u", "migration/%u", "cpuhp/%u", "rcuop/%u",
	        "irq/%u-nvme0q",        "scsi_eh_%u",   "jbd2/sda%u-8"};
	const char *name = names[(random >> 32) % ARRAY_SIZE(names)], *number = strstr(name, "%u");

	for (; number; name = number + 2, number = strstr(name, "%u"), random >>= 7) {
		strbuf_add(text, name, (size_t)(number - name));
		strbuf_addf(text, "%u", (unsigned)(random % SYNTHETIC_CPUS));
	}
	strbuf_add_str(text, name);
}

/* Pools of numbered threads, and threads that are alone in theirs. */
static void add_pool_name(const struct synthetic_plan *plan, uint64_t name, uint64_t pool,
                          uint64_t place, struct strbuf *text)
{
	static const char *const pools[] = {
	        "worker",      "grpc",   "http-nio",  "pool",     "epoll",     "kafka-out",
	        "rocksdb:low", "rx",     "netty-io",  "executor", "compactor", "gc",
	        "scan",        "sched",  "io",        "flush",    "timer",     "signals",
	        "log",         "reaper", "VM Thread", "metrics",  "gdbus",     "watchdog",
	};
	enum { ALONE = 9 };
	uint64_t first = random_for(plan, FOR_POOLS, name) % ARRAY_SIZE(pools);
	uint64_t chosen = (first + pool) % ARRAY_SIZE(pools);
	size_t start = text->len;

	strbuf_add_str(text, pools[chosen]);
	if (chosen + ALONE < ARRAY_SIZE(pools))
		strbuf_addf(text, "-%u", (unsigned)place);
	if (text->len - start > COMM_BYTES)
		text->len = start + COMM_BYTES;
}

static void add_pod(const struct synthetic_plan *plan, uint64_t cgroup, struct strbuf *text)
{
	static const char *const classes[] = {"burstable", "besteffort"};
	static const unsigned uid_groups[] = {8, 4, 4, 4, 12};
	struct fate fate = fate_of(plan, cgroup);
	uint64_t pod = cgroup / CONTAINERS_OF_POD;
	const char *class = classes[pod % ARRAY_SIZE(classes)];

	strbuf_addf(text, "/kubepods.slice/kubepods-%s.slice/kubepods-%s-pod", class, class);
	for (unsigned i = 0; i < ARRAY_SIZE(uid_groups); i++) {
		if (i > 0)
			strbuf_add_char(text, '_');
		add_id(text, plan, (pod * 1000 + fate.pod_life) * 8 + i, uid_groups[i]);
	}
	strbuf_add_str(text, ".slice/cri-containerd-");
	add_id(text, plan, ~(cgroup * 1000 + fate.container_life), 64);
	strbuf_add_str(text, ".scope");
}

static void add_cgroup(const struct synthetic_plan *plan, uint64_t cgroup, struct strbuf *text)
{
	uint64_t family = cgroup / CONTAINERS_OF_POD;

	switch (kind_of(plan, cgroup)) {
	case KIND_SERVICE:
		strbuf_add_str(text, "/system.slice/");
		add_word(text, cgroup);
		strbuf_add_str(text, ".service");
		break;
	case KIND_INSTANCE:
		strbuf_add_str(text, "/system.slice/system-");
		add_word(text, family);
		strbuf_add_str(text, ".slice/");
		add_word(text, family);
		strbuf_addf(text, "@%u.service", (unsigned)(cgroup % CONTAINERS_OF_POD));
		break;
	case KIND_SESSION:
		strbuf_addf(text, "/user.slice/user-%u.slice/user@%u.service/app.slice/app-",
		            1000 + (unsigned)(family % 50), 1000 + (unsigned)(family % 50));
		add_word(text, family);
		strbuf_addf(text, "-%u.scope", (unsigned)cgroup);
		break;
	case KIND_POD:
		add_pod(plan, cgroup, text);
		break;
	}
}

static uint32_t uid_of(const struct synthetic_plan *plan, const struct synthetic_process *process)
{
	uint32_t family = (uint32_t)(process->cgroup / CONTAINERS_OF_POD);

	switch (kind_of(plan, process->cgroup)) {
	case KIND_SERVICE:
		return family % 3 == 0 ? 0 : 100 + family % 40;
	case KIND_INSTANCE:
		return 0;
	case KIND_SESSION:
		return 1000 + family % 50;
	case KIND_POD:
		break;
	}
	return family % 2 == 0 ? 65532 : 10000 + family % 100;
}

static void name_kernel_thread(const struct synthetic_plan *plan,
                               const struct synthetic_process *process,
                               struct thread_sample *sample)
{
	uint64_t random = random_for(plan, FOR_KERNEL, process->number);

	add_kernel_name(&sample->pcomm, random);
	add_kernel_name(&sample->comm, random);
	strbuf_add_char(&sample->cgroup, '/');
	sample->has_exe = false;
	sample->outcomes[SOURCE_exe] = OUTCOME_off;
	sample->outcomes[SOURCE_cwd] = OUTCOME_off;
	sample->uid = 0;
}

void synthetic_thread_name(const struct synthetic_plan *plan,
                           const struct synthetic_process *process, uint64_t index,
                           struct thread_sample *sample)
{
	uint64_t pools = size_of(plan, process->name).pools;

	strbuf_clear(&sample->pcomm);
	strbuf_clear(&sample->comm);
	strbuf_clear(&sample->cgroup);
	strbuf_clear(&sample->exe);
	sample->has_cgroup = true;
	sample->has_uid = true;
	sample->has_exe = true;
	sample->outcomes[SOURCE_exe] = OUTCOME_read;
	sample->outcomes[SOURCE_cwd] = OUTCOME_off;
	if (process->is_kernel) {
		name_kernel_thread(plan, process, sample);
		return;
	}
	add_process_name(&sample->pcomm, process->name);
	if (index == 0 || pools == 0)
		add_process_name(&sample->comm, process->name);
	else
		add_pool_name(plan, process->name, (index - 1) % pools, (index - 1) / pools,
		              &sample->comm);
	add_cgroup(plan, process->cgroup, &sample->cgroup);
	strbuf_add_str(&sample->exe, "/usr/bin/");
	add_process_name(&sample->exe, process->name);
	sample->uid = uid_of(plan, process);
}
