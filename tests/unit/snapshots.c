// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshots.h"

#include <errno.h>
#include <stdio.h>

#include "base/mem.h"
#include "cgroups.h"
#include "memory-stream.h"
#include "samples.h"

static int keep_thread(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct snapshot_copy *copy = (struct snapshot_copy *)self;

	if (copy->count == copy->capacity) {
		copy->capacity = copy->capacity ? 2 * copy->capacity : 4;
		copy->samples =
		        mem_realloc(copy->samples, copy->capacity, sizeof(copy->samples[0]));
	}
	sample_copy(&copy->samples[copy->count++], sample);
	return 0;
}

static int keep_cgroup(struct snapshot_visitor *self, const struct cgroup_stats *stats)
{
	struct snapshot_copy *copy = (struct snapshot_copy *)self;

	if (copy->cgroup_count == copy->cgroup_capacity) {
		copy->cgroup_capacity = copy->cgroup_capacity ? 2 * copy->cgroup_capacity : 4;
		copy->cgroups =
		        mem_realloc(copy->cgroups, copy->cgroup_capacity, sizeof(copy->cgroups[0]));
	}
	cgroup_stats_copy(&copy->cgroups[copy->cgroup_count++], stats);
	return 0;
}

void snapshot_copy_read(struct snapshot_copy *copy, const char *bytes, size_t len,
                        const struct snapshot_limits *limits)
{
	struct memory_source source = memory_source_make(bytes, len, SIZE_MAX);

	memset(copy, 0, sizeof(*copy));
	copy->visitor.thread = keep_thread;
	copy->visitor.cgroup = keep_cgroup;
	copy->result = snapshot_read(&source.base, limits ? limits : &snapshot_default_limits,
	                             &copy->visitor, &copy->info, &copy->error);
}

void snapshot_copy_read_json(struct snapshot_copy *copy, const char *json, size_t len,
                             const struct snapshot_limits *limits)
{
	struct strbuf packed = STRBUF_INIT;

	zstd_pack(json, len, &packed);
	snapshot_copy_read(copy, packed.data, packed.len, limits);
	strbuf_done(&packed);
}

void snapshot_copy_visit(struct snapshot_copy *copy, const struct snapshot_info *info,
                         const struct thread_sample *samples, size_t count)
{
	struct snapshot_writer *writer = snapshot_writer_new_visiting(&copy->visitor);

	memset(copy, 0, sizeof(*copy));
	copy->visitor.thread = keep_thread;
	assert_int_equal(snapshot_write_begin(writer, info), 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(snapshot_write_thread(writer, &samples[i]), 0);
	assert_int_equal(snapshot_write_end(writer, info), 0);
	snapshot_writer_freep(&writer);
}

void snapshot_copy_done(struct snapshot_copy *copy)
{
	for (size_t i = 0; i < copy->count; i++)
		sample_done(&copy->samples[i]);
	free(copy->samples);
	for (size_t i = 0; i < copy->cgroup_count; i++)
		cgroup_stats_done(&copy->cgroups[i]);
	free(copy->cgroups);
	snapshot_info_done(&copy->info);
	strbuf_done(&copy->error);
	memset(copy, 0, sizeof(*copy));
}

const struct thread_sample *snapshot_copy_find(const struct snapshot_copy *copy, uint32_t tid)
{
	for (size_t i = 0; i < copy->count; i++)
		if (copy->samples[i].tid == tid)
			return &copy->samples[i];
	return NULL;
}

static void copy_name(struct strbuf *to, const struct strbuf *from)
{
	*to = STRBUF_INIT;
	strbuf_add(to, from->data, from->len);
}

void sample_copy(struct thread_sample *to, const struct thread_sample *from)
{
	*to = *from;
	copy_name(&to->pcomm, &from->pcomm);
	copy_name(&to->comm, &from->comm);
	copy_name(&to->cgroup, &from->cgroup);
	copy_name(&to->cgroups_v1, &from->cgroups_v1);
	copy_name(&to->exe, &from->exe);
	copy_name(&to->cwd, &from->cwd);
	copy_name(&to->title, &from->title);
	keyed_values_copy(&to->smaps_rollup_kib, &from->smaps_rollup_kib);
}

static bool same_name(const struct strbuf *a, const struct strbuf *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static bool same_values(const struct thread_sample *a, const struct thread_sample *b)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		/* A random value may be beyond a random life, which is found when it is read. */
		if (sample_has_said(a, metric) != sample_has_said(b, metric))
			return false;
		if (sample_has_said(a, metric) && !same_value(metric, a, b))
			return false;
		/* Once a value is seen, a first failure does not matter any more. */
		if (!sample_has_said(a, metric) &&
		    metric_set_has(&a->malformed, metric) != metric_set_has(&b->malformed, metric))
			return false;
		/* The snapshot has a malformed value. */
		if (!sample_has_said(a, metric) && !metric_set_has(&a->malformed, metric) &&
		    metric_set_has(&a->skipped, metric) != metric_set_has(&b->skipped, metric))
			return false;
	}
	return true;
}

static bool same_identity(const struct thread_sample *a, const struct thread_sample *b)
{
	return a->tid == b->tid && a->tgid == b->tgid &&
	       a->start_time_clock_ticks == b->start_time_clock_ticks &&
	       sample_process_start(a) == sample_process_start(b) &&
	       a->read_boottime_ns == b->read_boottime_ns && a->window_part == b->window_part &&
	       a->interval_ns == b->interval_ns && a->life_ns == b->life_ns &&
	       a->run_time_before_ns == b->run_time_before_ns && same_name(&a->pcomm, &b->pcomm) &&
	       same_name(&a->comm, &b->comm) && same_name(&a->cgroups_v1, &b->cgroups_v1) &&
	       a->has_cgroup == b->has_cgroup &&
	       (!a->has_cgroup ||
	        (a->cgroup_is_v1 == b->cgroup_is_v1 && same_name(&a->cgroup, &b->cgroup)));
}

static bool same_process(const struct thread_sample *a, const struct thread_sample *b)
{
	if (a->has_exe != b->has_exe || (a->has_exe && !same_name(&a->exe, &b->exe)))
		return false;
	if (a->has_cwd != b->has_cwd || (a->has_cwd && !same_name(&a->cwd, &b->cwd)))
		return false;
	if (a->has_title != b->has_title || (a->has_title && !same_name(&a->title, &b->title)))
		return false;
	if (a->has_uid != b->has_uid || (a->has_uid && a->uid != b->uid))
		return false;
	if (a->has_parent != b->has_parent ||
	    (a->has_parent &&
	     (a->ppid != b->ppid || a->pgrp != b->pgrp || a->session != b->session)))
		return false;
	if (a->has_smaps != b->has_smaps || a->has_process_totals != b->has_process_totals)
		return false;
	if (a->has_smaps && !same_keyed_values(&a->smaps_rollup_kib, &b->smaps_rollup_kib))
		return false;
	if (a->exit_facts_seen != b->exit_facts_seen)
		return false;
	for (unsigned i = 0; i < EXIT_FACT_COUNT; i++)
		if (sample_has_exit_fact(a, (enum exit_fact)i) &&
		    a->exit_facts[i] != b->exit_facts[i])
			return false;
	if (!a->has_process_totals)
		return true;
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (sample_has_said_total(a, (enum process_total)i) !=
		            sample_has_said_total(b, (enum process_total)i) ||
		    (sample_has_said_total(a, (enum process_total)i) &&
		     a->process_totals[i] != b->process_totals[i]))
			return false;
	return true;
}

bool sample_survives(const struct thread_sample *written, const struct thread_sample *read,
                     const enum source_outcome *rules)
{
	for (unsigned s = 0; s < SOURCE_COUNT; s++) {
		enum source_outcome outcome = written->outcomes[s];

		if (outcome == rules[s] || outcome == OUTCOME_read)
			outcome = OUTCOME_unneeded;
		if (read->outcomes[s] != outcome)
			return false;
	}
	return same_identity(written, read) && same_values(written, read) &&
	       same_process(written, read);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_map(const struct host_map *a, const struct host_map *b)
{
	for (size_t i = 0; a->count == b->count && i < a->count; i++)
		if (!same_text(a->entries[i].name, b->entries[i].name) ||
		    !same_text(a->entries[i].text, b->entries[i].text))
			return false;
	return a->count == b->count;
}

static bool same_host(const struct host *a, const struct host *b)
{
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		if (a->seen[i] != b->seen[i] || a->numbers[i] != b->numbers[i] ||
		    !same_text(a->texts[i], b->texts[i]) || !same_map(&a->maps[i], &b->maps[i]))
			return false;
	return true;
}

static bool same_cost(const struct snapshot_info *a, const struct snapshot_info *b)
{
	for (unsigned i = 0; i < COST_COUNT; i++)
		if (a->cost_seen[i] != b->cost_seen[i] ||
		    (a->cost_seen[i] && a->cost[i] != b->cost[i]))
			return false;
	return true;
}

static bool same_window(const struct snapshot_info *a, const struct snapshot_info *b)
{
	if (a->kind != b->kind || (a->kind == KIND_window && a->window.exits != b->window.exits))
		return false;
	for (unsigned i = 0; a->kind == KIND_window && i < WINDOW_NUMBER_COUNT; i++)
		if (a->window.seen[i] != b->window.seen[i] ||
		    (a->window.seen[i] && a->window.numbers[i] != b->window.numbers[i]))
			return false;
	return true;
}

static bool same_probe(const struct probe_summary *a, const struct probe_summary *b)
{
	return a->seen == b->seen && a->tgids_walked == b->tgids_walked &&
	       a->jemalloc_detected == b->jemalloc_detected && a->probed_ok == b->probed_ok &&
	       a->failed == b->failed &&
	       memcmp(a->processes, b->processes, sizeof(a->processes)) == 0 &&
	       memcmp(a->threads, b->threads, sizeof(a->threads)) == 0 &&
	       probe_summary_dominant(a) == probe_summary_dominant(b) &&
	       probe_summary_is_about_rights(a) == probe_summary_is_about_rights(b);
}

/* Impossible values are counted by whom they are found. */
static bool same_tally(struct snapshot_tally a, struct snapshot_tally b)
{
	memset(a.impossible, 0, sizeof(a.impossible));
	memset(b.impossible, 0, sizeof(b.impossible));
	memset(a.impossible_totals, 0, sizeof(a.impossible_totals));
	memset(b.impossible_totals, 0, sizeof(b.impossible_totals));
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static bool same_settings(const struct settings *a, const struct settings *b)
{
	bool same = a->seen == b->seen && a->count == b->count &&
	            a->denied_count == b->denied_count && a->left_out == b->left_out;

	for (size_t i = 0; same && i < a->count; i++) {
		const struct setting *left = &a->entries[i], *right = &b->entries[i];

		same = strcmp(left->name, right->name) == 0 &&
		       strcmp(left->text, right->text) == 0 && !left->before == !right->before &&
		       (!left->before || strcmp(left->before, right->before) == 0);
	}
	for (size_t i = 0; same && i < a->denied_count; i++)
		same = strcmp(a->denied[i], b->denied[i]) == 0;
	return same;
}

static bool same_labels(const struct labels *a, const struct labels *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->entries[i].key, b->entries[i].key) != 0 ||
		    strcmp(a->entries[i].value, b->entries[i].value) != 0)
			return false;
	return true;
}

bool same_info(const struct snapshot_info *a, const struct snapshot_info *b)
{
	return same_window(a, b) && a->captured_at_unix_ns == b->captured_at_unix_ns &&
	       a->captured_boottime_ns == b->captured_boottime_ns &&
	       same_labels(&a->labels, &b->labels) && same_host(&a->host, &b->host) &&
	       memcmp(a->rules, b->rules, sizeof(a->rules)) == 0 &&
	       same_tally(a->tally, b->tally) && same_psi(&a->psi, &b->psi) &&
	       same_sched_ext(&a->sched_ext, &b->sched_ext) && same_cost(a, b) &&
	       same_probe(&a->probe, &b->probe) && same_settings(&a->settings, &b->settings);
}

bool snapshot_copies_equal(const struct snapshot_copy *a, const struct snapshot_copy *b)
{
	if (a->count != b->count || a->cgroup_count != b->cgroup_count ||
	    !same_info(&a->info, &b->info))
		return false;
	for (size_t i = 0; i < a->cgroup_count; i++)
		if (!same_cgroup(&a->cgroups[i], &b->cgroups[i]))
			return false;
	for (size_t i = 0; i < a->count; i++)
		if (memcmp(a->samples[i].outcomes, b->samples[i].outcomes,
		           sizeof(a->samples[i].outcomes)) != 0 ||
		    !same_identity(&a->samples[i], &b->samples[i]) ||
		    !same_values(&a->samples[i], &b->samples[i]) ||
		    !same_process(&a->samples[i], &b->samples[i]))
			return false;
	return true;
}

void snapshot_pack_all(const struct snapshot_info *info, const struct thread_sample *samples,
                       size_t count, const struct cgroup_stats *cgroups, size_t cgroup_count,
                       struct strbuf *out)
{
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, SNAPSHOT_ZSTD_LEVEL);

	assert_int_equal(snapshot_write_begin(writer, info), 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(snapshot_write_thread(writer, &samples[i]), 0);
	for (size_t i = 0; i < cgroup_count; i++)
		assert_int_equal(snapshot_write_cgroup(writer, &cgroups[i]), 0);
	assert_int_equal(snapshot_write_end(writer, info), 0);
	snapshot_writer_freep(&writer);
	strbuf_add(out, sink.bytes.data, sink.bytes.len);
	strbuf_done(&sink.bytes);
}

void snapshot_pack(const struct snapshot_info *info, const struct thread_sample *samples,
                   size_t count, struct strbuf *out)
{
	snapshot_pack_all(info, samples, count, NULL, 0, out);
}

void random_name(struct random *random, struct strbuf *name)
{
	static const char *const pieces[] = {
	        "worker-",
	        "\"",
	        "\\",
	        "\n",
	        "\x01",
	        "\x7f",
	        "\xe6\xbc\xa2",
	        "\xf0\x9f\x98\x80",
	        "\xed\xa0\x80",
	        "\xff",
	        "\xc3",
	        "\xe2\x80\xa8",
	        "/",
	        "\\u0000",
	        "\xef\xbf\xbd",
	};

	strbuf_clear(name);
	for (uint64_t i = random_below(random, 8); i > 0; i--) {
		const char *piece = pieces[random_below(random, ARRAY_SIZE(pieces))];

		if (random_chance(random, 30))
			strbuf_add_char(name, (char)random_next(random));
		else
			strbuf_add_str(name, piece);
	}
}

static void random_window_part(struct random *random, struct thread_sample *sample)
{
	if (random_chance(random, 50))
		return;
	sample->window_part = (enum window_part)(1 + random_below(random, WINDOW_PART_COUNT - 1));
	sample->interval_ns = random_number(random) | 1;
	sample->life_ns =
	        random_chance(random, 50) ? sample->interval_ns : random_number(random) | 1;
	if (random_chance(random, 20))
		sample->run_time_before_ns = random_number(random);
}

static void random_process(struct random *random, struct thread_sample *sample)
{
	sample->has_exe = random_chance(random, 70);
	if (sample->has_exe)
		random_name(random, &sample->exe);
	sample->has_cwd = random_chance(random, 70);
	if (sample->has_cwd)
		random_name(random, &sample->cwd);
	sample->has_title = random_chance(random, 70);
	if (sample->has_title)
		random_name(random, &sample->title);
	sample->has_uid = random_chance(random, 70);
	if (sample->has_uid)
		sample->uid = (uint32_t)random_number(random);
	sample->has_parent = random_chance(random, 70);
	if (sample->has_parent) {
		sample->ppid = (uint32_t)random_number(random);
		sample->pgrp = (uint32_t)random_number(random);
		sample->session = (uint32_t)random_number(random);
	}
	sample->has_smaps = random_chance(random, 30);
	if (sample->has_smaps)
		random_values(random, &sample->smaps_rollup_kib);
	if (sample->window_part == WINDOW_PART_exited || sample->window_part == WINDOW_PART_passed)
		for (unsigned i = 0; i < EXIT_FACT_COUNT; i++)
			if (random_chance(random, 60))
				sample_set_exit_fact(sample, (enum exit_fact)i,
				                     random_number(random));
	sample->has_process_totals = random_chance(random, 30);
	for (unsigned i = 0; sample->has_process_totals && i < PROCESS_TOTAL_COUNT; i++)
		if (random_chance(random, 60)) {
			sample->process_totals_seen |= UINT32_C(1) << i;
			sample->process_totals[i] = random_number(random);
			if (process_total_is_bounded((enum process_total)i) &&
			    random_chance(random, 10)) {
				sample->process_totals_seen &= ~(UINT32_C(1) << i);
				sample->process_totals_impossible |= UINT32_C(1) << i;
			}
		}
}

void random_thread(struct random *random, struct thread_sample *sample)
{
	sample_reset(sample);
	sample->tid = (uint32_t)random_number(random);
	sample->tgid = (uint32_t)random_number(random);
	sample->start_time_clock_ticks = random_number(random);
	/* Without it the reader would use that of the row before, if the tgid is the same. */
	sample_set_process_start(sample, random_number(random));
	sample->read_boottime_ns = random_number(random);
	random_window_part(random, sample);
	random_name(random, &sample->pcomm);
	random_name(random, &sample->comm);
	sample->has_cgroup = random_chance(random, 70);
	if (sample->has_cgroup)
		random_name(random, &sample->cgroup);
	sample->cgroup_is_v1 = sample->has_cgroup && random_chance(random, 30);
	if (random_chance(random, 30))
		random_name(random, &sample->cgroups_v1);
	random_process(random, sample);
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		sample->outcomes[s] = (enum source_outcome)random_below(random, OUTCOME_COUNT);
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		if (metric_table[i].source == SOURCE_synthetic)
			continue;
		if (random_chance(random, 60))
			random_value(random, (enum metric_id)i, sample);
		if (random_chance(random, 10))
			metric_set_add(&sample->malformed, (enum metric_id)i);
		if ((sample->tid + i) % 10 == 0)
			metric_set_add(&sample->skipped, (enum metric_id)i);
	}
}

/* Counts stay below 2^63, which is all that the parts outside of the threads promise. */
static uint64_t random_count(struct random *random)
{
	return random_number(random) >> 1;
}

static void random_host_field(struct random *random, enum host_field field, struct host *host)
{
	static const char *const names[] = {"sched_rt_runtime_us", "", "a\"b", "\xc3\xa9", "y"};
	char text[64];
	int len = snprintf(text, sizeof(text), "text %u \"\\\n\xc3\xa9 of field %u",
	                   (unsigned)random_number(random), field);

	switch (host_field_table[field].kind) {
	case HOST_KIND_NUMBER:
		host_set_number(host, field, random_count(random));
		break;
	case HOST_KIND_TEXT:
		host_set_text(host, field, text, (size_t)len);
		break;
	case HOST_KIND_MAP:
		host->seen[field] = true;
		for (uint64_t i = random_below(random, 5); i > 0; i--)
			host_map_set(host, field, names[random_below(random, ARRAY_SIZE(names))],
			             text, random_below(random, 6));
		break;
	}
}

static void random_window(struct random *random, struct snapshot_info *info)
{
	info->kind = KIND_window;
	info->window.exits = (enum window_exits)random_below(random, WINDOW_EXITS_COUNT);
	for (unsigned i = 0; i < WINDOW_NUMBER_COUNT; i++)
		if (random_chance(random, 70))
			window_set(&info->window, (enum window_number)i, random_count(random));
	window_set(&info->window, WINDOW_length_ns, random_count(random) | 1);
}

static void random_probe(struct random *random, struct probe_summary *probe)
{
	if (random_chance(random, 50))
		return;
	probe->seen = true;
	probe->tgids_walked = random_count(random);
	probe->jemalloc_detected = random_count(random);
	probe->probed_ok = random_count(random);
	probe->failed = random_count(random);
	for (unsigned i = 0; i < PROBE_TAG_COUNT; i++)
		if (random_chance(random, 30)) {
			probe->processes[i] = random_count(random);
			probe->threads[i] = random_count(random);
		}
	if (random_chance(random, 20))
		probe->said_dominant = PROBE_TAG_waitpid;
	probe->said_about_rights = random_chance(random, 20);
}

static void random_settings(struct random *random, struct settings *settings)
{
	static const char *const names[] = {"vm.a", "", "a\"b", "\xc3\xa9",
	                                    "net.ipv4.conf.eth0/1.x"};

	settings->seen = random_chance(random, 70);
	for (unsigned i = 0; settings->seen && i < ARRAY_SIZE(names); i++) {
		if (random_chance(random, 50))
			continue;
		settings_add(settings, names[i], strlen(names[i]), "1\t2\n3", i);
		settings_add_denied(settings, names[i], strlen(names[i]));
		settings->left_out = i;
		if (random_chance(random, 50))
			setting_set_before(&settings->entries[settings->count - 1], "before");
	}
	settings_sort(settings);
}

static void random_labels(struct random *random, struct labels *labels)
{
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;

	for (unsigned i = 0; random_chance(random, 50) && i < LABELS_MAX; i++) {
		char key[8];

		snprintf(key, sizeof(key), "k.%u", i);
		assert_int_equal(
		        labels_add(labels, key, strlen(key), "v\"\x1b\xc3\xa4", i % 6, &error),
		        i % 6 == 4 ? -EINVAL : 0);
	}
}

void random_info(struct random *random, struct snapshot_info *info)
{
	memset(info, 0, sizeof(*info));
	if (random_chance(random, 50))
		random_window(random, info);
	info->captured_at_unix_ns = random_number(random);
	info->captured_boottime_ns = random_number(random);
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		if (random_chance(random, 70))
			random_host_field(random, (enum host_field)i, &info->host);
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		info->rules[s] = (enum source_outcome)(1 + random_below(random, OUTCOME_COUNT - 1));
	info->rules[SOURCE_synthetic] = OUTCOME_read;
	info->tally.processes = random_count(random) / 2;
	info->tally.processes_gone = random_count(random) / 2;
	info->tally.processes_denied = random_count(random);
	info->tally.threads_gone = random_count(random) / 4;
	info->tally.threads_unreadable = random_count(random) / 4;
	info->tally.malformed_values = random_count(random);
	info->tally.cgroups = random_count(random);
	info->tally.cgroups_gone = random_count(random);
	info->tally.cgroups_denied = random_count(random);
	info->tally.cgroups_outside = random_count(random);
	for (unsigned s = SOURCE_synthetic + 1; s < SOURCE_COUNT; s++)
		for (unsigned o = OUTCOME_unneeded + 1; o < OUTCOME_COUNT; o++)
			info->tally.sources[s][o] = random_count(random) / 16;
	random_labels(random, &info->labels);
	random_psi(random, &info->psi);
	random_sched_ext(random, &info->sched_ext);
	random_probe(random, &info->probe);
	random_settings(random, &info->settings);
	for (unsigned i = 0; i < COST_COUNT; i++) {
		info->cost_seen[i] = random_chance(random, 70);
		info->cost[i] = random_count(random);
	}
}
