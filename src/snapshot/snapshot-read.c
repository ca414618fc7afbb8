// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "compression/zstd-stream.h"
#include "ctprof/snapshot/snapshot.h"
#include "frame-ended.h"
#include "snapshot-cgroup.h"
#include "snapshot-meta.h"
#include "snapshot-reference.h"
#include "snapshot-row-judge.h"
#include "snapshot-row.h"
#include "snapshot-value.h"
#include "snapshot/frame-base.h"
#include "snapshot/thread-store.h"
#include "json/json-read.h"

/* Generous: the largest host seen has 400,000 threads, about 2.5 KB each. */
const struct snapshot_limits snapshot_default_limits = {
        .bytes = UINT64_C(16) << 30,
        .threads = 4u << 20, /* the kernel's own limit of thread ids */
        .values = 8u << 20,  /* 100,000 cgroups have less */
        .depth = 64,
        .string_bytes = 1 << 20,
        .memory = UINT64_C(1) << 30,
};

/* The parts outside "threads" are held as text before they are parsed. */
enum { META_BYTES = 1 << 20 };

/* The value on every architecture that ktstr ctprof supports, for a file without it. */

struct reading {
	struct zstd_decompressor *zstd;
	struct json_reader *json;
	struct thread_row_reader rows;
	struct thread_sample sample;
	struct thread_row_process process;
	struct row_host last_host;  /* of the row before */
	struct value_reader values; /* of cgroups and pressure */
	struct cgroup_stats stats;
	uint64_t cgroups;
	uint64_t list_values; /* of all cgroups so far */
	struct strbuf scratch;
	const struct snapshot_limits *limits;
	struct snapshot_visitor *visitor;
	struct snapshot_info *info;
	struct strbuf *reterr;
	size_t reterr_start; /* the length at the beginning */
	struct reference_summary reference;
	struct strbuf reference_error; /* the first fault of a file as one of ktstr ctprof */
	/* Rows of a file whose tool is not known yet. */
	struct thread_store held;
	uint64_t tool_birth_clock_ticks; /* of the youngest thread of ktstr; 0: there is none */
	bool has_format;
	bool has_version;
	bool has_changes; /* it is a window that has only those */
	bool has_kind;
	bool has_time;
	bool has_threads;
	bool has_cgroups[2]; /* of version 2, of version 1 */
};

static int refuse(struct reading *reading, const char *sentence)
{
	strbuf_add_str(reading->reterr, sentence);
	return -EBADMSG;
}

/* Explains a failure of the JSON reader, whose own source may be the one that failed. */
static int explain(struct reading *reading, int r)
{
	if (r != -EBADMSG || reading->reterr->len > reading->reterr_start)
		return r;
	if (zstd_decompressor_error(reading->zstd)[0] != '\0')
		strbuf_add_str(reading->reterr, zstd_decompressor_error(reading->zstd));
	else
		strbuf_addf(reading->reterr, "%s%s",
		            json_reader_over_limit(reading->json) ? "" : "not JSON: ",
		            json_reader_error(reading->json));
	return json_reader_over_limit(reading->json) ? -E2BIG : r;
}

static int read_format(struct reading *reading)
{
	enum json_token token;
	int r = json_reader_next(reading->json, &token);
	size_t len;

	if (r < 0)
		return r;
	if (token != JSON_TOKEN_STRING ||
	    strcmp(json_reader_text(reading->json, &len), "ctprof") != 0)
		return refuse(reading, "\"format\" is not \"ctprof\"");
	reading->has_format = true;
	reading->rows.is_own = reading->values.is_own = true;
	return 0;
}

/* A window of changes says so before its rows, and its rows are nothing without those before them. */
static int begin_changes(struct reading *reading)
{
	if (reading->has_threads)
		return refuse(reading, "its \"version\" stands behind its rows");
	if (!reading->visitor->base && reading->visitor->thread)
		return refuse(reading, "a window that has only what changed since the one before; "
		                       "it can be read with its recording's file alone");
	reading->has_version = reading->has_changes = reading->rows.may_be_changes = true;
	return 0;
}

static int read_version(struct reading *reading)
{
	enum json_token token;
	int r = json_reader_next(reading->json, &token);
	uint64_t version;

	if (r < 0)
		return r;
	if (token != JSON_TOKEN_NUMBER || json_reader_u64(reading->json, &version) < 0 ||
	    version == 0)
		return refuse(reading, "\"version\" is not a number from 1 on");
	if (version == SNAPSHOT_VERSION_CHANGES)
		return begin_changes(reading);
	reading->info->is_of_hosts = version == SNAPSHOT_VERSION_HOSTS;
	if (reading->info->is_of_hosts && reading->has_threads)
		return refuse(reading, "its \"version\" stands behind its rows");
	if (reading->info->is_of_hosts && reading->visitor->base)
		return refuse(reading, "a window of many hosts is no part of a recording");
	if (version > SNAPSHOT_VERSION_HOSTS) {
		strbuf_addf(reading->reterr,
		            "written in version %llu of the format; this ctprof reads up to %d",
		            (unsigned long long)version, SNAPSHOT_VERSION_HOSTS);
		return -EBADMSG;
	}
	reading->has_version = true;
	return 0;
}

static int read_kind(struct reading *reading)
{
	enum json_token token;
	int r = json_reader_next(reading->json, &token);
	size_t len;

	if (r < 0)
		return r;
	if (token != JSON_TOKEN_STRING)
		return refuse(reading, "\"kind\" is not a string");
	reading->has_kind = true;
	for (unsigned kind = 0; kind < KIND_COUNT; kind++)
		if (strcmp(json_reader_text(reading->json, &len), snapshot_kind_names[kind]) == 0) {
			reading->info->kind = (enum snapshot_kind)kind;
			return 0;
		}
	return refuse(
	        reading,
	        "its kind is neither \"lifetime\" nor \"window\"; this ctprof reads no other");
}

static int read_time(struct reading *reading, const char *key, uint64_t *ret)
{
	enum json_token token;
	int r = json_reader_next(reading->json, &token);

	if (r < 0)
		return r;
	if (token == JSON_TOKEN_NUMBER && json_reader_u64(reading->json, ret) == 0)
		return 0;
	strbuf_addf(reading->reterr, "\"%s\" is not a number from 0 on", key);
	return -EBADMSG;
}

typedef int meta_function(const struct strbuf *json, struct snapshot_info *info,
                          struct strbuf *reterr);
typedef int reference_function(const struct strbuf *json, struct reference_summary *summary,
                               struct strbuf *reterr);

/* Reads an object as one of ours, or, with a function for that, as one of ktstr ctprof. */
static int read_either(struct reading *reading, meta_function *read,
                       reference_function *read_reference)
{
	int r;

	strbuf_clear(&reading->scratch);
	r = json_reader_capture(reading->json, &reading->scratch, META_BYTES);
	if (r == -EMSGSIZE) {
		strbuf_add_str(reading->reterr, json_reader_error(reading->json));
		return -EBADMSG;
	}
	if (r < 0 || strcmp(strbuf_str(&reading->scratch), "null") == 0)
		return r;
	if (read)
		r = read(&reading->scratch, reading->info, reading->reterr);
	if (r == 0 && read_reference && !reading->has_format && reading->reference_error.len == 0)
		(void)read_reference(&reading->scratch, &reading->reference,
		                     &reading->reference_error);
	return r;
}

static int read_meta(struct reading *reading, meta_function *read)
{
	return read_either(reading, read, NULL);
}

static int visit(struct reading *reading)
{
	snapshot_tally_add_impossible(&reading->info->tally, &reading->sample);
	return reading->visitor->thread(reading->visitor, &reading->sample);
}

/* A file of ktstr ctprof does not have the time of the boot. It has the threads of the tool itself, which were born a
 * moment before it read the others, in no order: the rows are kept until all are read. */
static int hold(struct reading *reading)
{
	static const char tool[] = "ktstr";
	const struct thread_sample *sample = &reading->sample;

	thread_store_add(&reading->held, sample);
	if (sample->pcomm.len == strlen(tool) &&
	    memcmp(sample->pcomm.data, tool, strlen(tool)) == 0 &&
	    sample->start_time_clock_ticks > reading->tool_birth_clock_ticks)
		reading->tool_birth_clock_ticks = sample->start_time_clock_ticks;
	return 0;
}

/* The time that the tool needed is unknown: a second, and a millisecond for each thread, are allowed. */
static void judge_reference(struct reading *reading)
{
	uint64_t ticks = reading->tool_birth_clock_ticks;
	uint64_t per_second = host_ticks_per_second(&reading->info->host);
	uint64_t read_ns;

	if (ticks == 0 || __builtin_mul_overflow(ticks, NS_PER_SECOND / per_second, &read_ns) ||
	    __builtin_add_overflow(read_ns, reading->held.count * NS_PER_MS, &read_ns))
		return;
	sample_judge_at(&reading->sample, read_ns, host_bounds_of(&reading->info->host));
}

/* Passes the rows that came before the tool was known. */
static int visit_held(struct reading *reading)
{
	int r = 0;

	for (uint32_t row = 0; r == 0 && row < reading->held.count; row++) {
		thread_store_get(&reading->held, row, &reading->sample);
		if (reading->has_format)
			thread_row_judge(reading->info, &reading->sample);
		else
			judge_reference(reading);
		r = visit(reading);
	}
	return r;
}

static int read_thread(struct reading *reading)
{
	uint64_t index = reading->info->tally.threads;
	int r;

	if (index == reading->limits->threads) {
		strbuf_addf(reading->reterr, "more than %llu threads",
		            (unsigned long long)reading->limits->threads);
		return -E2BIG;
	}
	r = thread_row_read(&reading->rows, reading->json, &reading->sample);
	if (r < 0) {
		if (reading->rows.values.reason.len > 0)
			strbuf_addf(reading->reterr, "threads[%llu]: %s", (unsigned long long)index,
			            strbuf_str(&reading->rows.values.reason));
		return r;
	}
	if (!thread_row_find_host(reading->info, &reading->last_host, &reading->process,
	                          &reading->sample))
		return refuse(reading, "a row of a window of many hosts has no \"host\"");
	if (reading->visitor->base) {
		r = frame_base_read_row(reading->visitor->base, reading->rows.is_changes,
		                        &reading->sample);
		if (r < 0)
			return refuse(reading, "a row has the changes of a thread that is not in "
			                       "the window before");
	}
	thread_row_find_process(&reading->process, &reading->sample);
	reading->info->tally.threads++;
	if (!reading->has_format)
		return hold(reading);
	thread_row_judge(reading->info, &reading->sample);
	return visit(reading);
}

static int read_threads(struct reading *reading)
{
	enum json_token token;
	int r;

	if (!reading->visitor->thread) {
		reading->has_threads = true;
		return json_reader_skip(reading->json);
	}
	if (reading->visitor->base)
		frame_base_begin_reading(reading->visitor->base, !reading->has_changes);
	r = json_reader_next(reading->json, &token);
	if (r < 0)
		return r;
	if (token != JSON_TOKEN_ARRAY_OPEN)
		return refuse(reading, "\"threads\" is not an array");
	if (reading->has_threads)
		return refuse(reading, "\"threads\" is there twice");
	reading->has_threads = true;
	for (;;) {
		r = json_reader_next(reading->json, &token);
		if (r < 0)
			return r;
		if (token == JSON_TOKEN_ARRAY_CLOSE)
			return 0;
		if (token != JSON_TOKEN_OBJECT_OPEN)
			return refuse(reading, "\"threads\" holds something that is not an object");
		r = read_thread(reading);
		if (r != 0)
			return r;
	}
}

static int read_ended(struct reading *reading)
{
	int r;

	if (!reading->visitor->base || !reading->has_changes)
		return json_reader_skip(reading->json);
	r = frame_ended_read(reading->json, reading->visitor->base);
	return r == -EINVAL ? refuse(reading, "\"ended_threads\" is no list of ids and times") : r;
}

/* Adds the reason why a cgroup or the pressure was refused. */
static int explain_value(struct reading *reading, int r)
{
	strbuf_add(reading->reterr, strbuf_str(&reading->values.reason),
	           reading->values.reason.len);
	return r;
}

static int read_cgroup(struct reading *reading, bool is_v1)
{
	int r;

	if (reading->cgroups++ == reading->limits->threads) {
		strbuf_addf(reading->reterr, "more than %llu cgroups",
		            (unsigned long long)reading->limits->threads);
		return -E2BIG;
	}
	r = cgroup_read(&reading->values, is_v1, &reading->stats);
	if (r < 0)
		return explain_value(reading, r);
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		reading->list_values += reading->stats.lists[i].count;
	if (reading->list_values > reading->limits->values) {
		strbuf_addf(reading->reterr, "more than %llu values in the lists of cgroups",
		            (unsigned long long)reading->limits->values);
		return -E2BIG;
	}
	if (reading->visitor->base && reading->stats.is_gone)
		frame_base_end_cgroup(reading->visitor->base, &reading->stats);
	else if (reading->visitor->base)
		frame_base_read_cgroup(reading->visitor->base, &reading->stats);
	return reading->visitor->cgroup
	               ? reading->visitor->cgroup(reading->visitor, &reading->stats)
	               : 0;
}

/* Moves to a value that is an object or null. */
static int open_or_null(struct reading *reading, const char *key, bool *ret_open)
{
	enum json_token token;
	int r = json_reader_next(reading->json, &token);

	if (r < 0)
		return r;
	*ret_open = token == JSON_TOKEN_OBJECT_OPEN;
	if (*ret_open || token == JSON_TOKEN_NULL)
		return 0;
	strbuf_addf(reading->reterr, "\"%s\" is not an object", key);
	return -EBADMSG;
}

static int read_cgroups(struct reading *reading, bool is_v1)
{
	const char *key = is_v1 ? "cgroup_v1_stats" : "cgroup_stats";
	bool open;
	int r = open_or_null(reading, key, &open);

	if (r < 0 || !open)
		return r;
	if (reading->has_cgroups[is_v1]) {
		strbuf_addf(reading->reterr, "\"%s\" is there twice", key);
		return -EBADMSG;
	}
	reading->has_cgroups[is_v1] = true;
	while ((r = value_next_key(&reading->values)) > 0) {
		r = read_cgroup(reading, is_v1);
		if (r != 0)
			return r;
	}
	return r;
}

static int read_psi(struct reading *reading)
{
	bool open;
	int r = open_or_null(reading, "psi", &open);

	if (r < 0 || !open)
		return r;
	strbuf_clear(&reading->values.place);
	strbuf_add_str(&reading->values.place, "psi");
	r = value_psi(&reading->values, &reading->info->psi);
	return r < 0 ? explain_value(reading, r) : 0;
}

static int read_pair(struct reading *reading)
{
	size_t len;
	const char *key = json_reader_text(reading->json, &len);

	if (strcmp(key, "format") == 0)
		return read_format(reading);
	if (strcmp(key, "version") == 0)
		return read_version(reading);
	if (strcmp(key, "kind") == 0)
		return read_kind(reading);
	if (strcmp(key, "captured_at_unix_ns") == 0) {
		reading->has_time = true;
		return read_time(reading, "captured_at_unix_ns",
		                 &reading->info->captured_at_unix_ns);
	}
	if (strcmp(key, "captured_boottime_ns") == 0)
		return read_time(reading, "captured_boottime_ns",
		                 &reading->info->captured_boottime_ns);
	if (strcmp(key, "window") == 0)
		return read_meta(reading, snapshot_meta_read_window);
	if (strcmp(key, "host") == 0)
		return read_meta(reading, snapshot_meta_read_host);
	if (strcmp(key, "labels") == 0)
		return read_meta(reading, snapshot_meta_read_labels);
	if (strcmp(key, "sources") == 0)
		return read_meta(reading, snapshot_meta_read_sources);
	if (strcmp(key, "probe_summary") == 0)
		return read_meta(reading, snapshot_meta_read_probe_summary);
	if (strcmp(key, "parse_summary") == 0)
		return read_either(reading, snapshot_meta_read_parse_summary,
		                   snapshot_meta_read_parse_reference);
	if (strcmp(key, "taskstats_summary") == 0 && !reading->has_format)
		return read_either(reading, NULL, snapshot_meta_read_taskstats_reference);
	if (strcmp(key, "sched_ext") == 0)
		return read_meta(reading, snapshot_meta_read_sched_ext);
	if (strcmp(key, "settings") == 0)
		return read_meta(reading, snapshot_meta_read_settings);
	if (strcmp(key, "cost") == 0)
		return read_meta(reading, snapshot_meta_read_cost);
	if (strcmp(key, "psi") == 0)
		return read_psi(reading);
	if (strcmp(key, "threads") == 0)
		return read_threads(reading);
	if (strcmp(key, "ended_threads") == 0)
		return read_ended(reading);
	if (strcmp(key, "unchanged") == 0)
		return read_meta(reading, snapshot_meta_read_unchanged);
	if (strcmp(key, "cgroup_stats") == 0)
		return read_cgroups(reading, false);
	if (strcmp(key, "cgroup_v1_stats") == 0)
		return read_cgroups(reading, true);
	return json_reader_skip(reading->json);
}

/* Returns whether the base has all that the window leaves out. */
static bool end_frame(struct reading *reading)
{
	struct frame_base *base = reading->visitor->base;
	struct snapshot_info *info = reading->info;
	bool is_right = !reading->has_changes ||
	                (info->unchanged.threads == frame_base_threads_left_out(base) &&
	                 info->unchanged.cgroups == frame_base_cgroups_left_out(base));

	info->tally.threads += info->unchanged.threads;
	frame_base_end(base);
	return is_right;
}

/* At the end of a file of ours: the part before its "format" must be right, too. */
static int check_own(struct reading *reading)
{
	if (reading->rows.values.own_reason.len > 0)
		return refuse(reading, strbuf_str(&reading->rows.values.own_reason));
	if (reading->values.own_reason.len > 0)
		return refuse(reading, strbuf_str(&reading->values.own_reason));
	if (reading->visitor->base && !end_frame(reading))
		return refuse(reading, "it leaves out threads or cgroups that are not in the "
		                       "windows before");
	return visit_held(reading);
}

/* At the end of an object without "format". Files of ours have always had their version and kind beside it. */
static int finish_reference(struct reading *reading)
{
	const struct reference_rows *rows = &reading->rows.reference;

	if (!reading->has_time || !reading->has_threads || reading->has_version ||
	    reading->has_kind)
		return refuse(reading, "it has no \"format\" key");
	if (rows->has_other) {
		strbuf_add_str(reading->reterr, "it has no \"format\" key");
		if (rows->other_lacks)
			strbuf_addf(reading->reterr,
			            ", and threads[%llu] no \"%s\", which ktstr ctprof writes",
			            (unsigned long long)rows->other, rows->other_lacks);
		return -EBADMSG;
	}
	if (reading->reference_error.len > 0)
		return refuse(reading, strbuf_str(&reading->reference_error));
	reading->info->tally.cgroups = reading->cgroups;
	reference_finish(rows, &reading->reference, reading->info);
	return visit_held(reading);
}

/* The file's own keys come in a fixed order, but a tool that rewrote it may have sorted them. */
static int read_document(struct reading *reading)
{
	enum json_token token;
	const char *fault;
	int r = json_reader_next(reading->json, &token);

	if (r < 0)
		return r;
	if (token != JSON_TOKEN_OBJECT_OPEN)
		return refuse(reading, "not an object");
	for (;;) {
		r = json_reader_next(reading->json, &token);
		if (r < 0)
			return r;
		if (token == JSON_TOKEN_OBJECT_CLOSE)
			break;
		r = read_pair(reading);
		if (r != 0)
			return r;
	}
	r = json_reader_next(reading->json, &token);
	if (r < 0)
		return r;
	if (!reading->has_format)
		return finish_reference(reading);
	if (!reading->has_version || !reading->has_kind)
		return refuse(reading, "it has no \"version\" or no \"kind\" key");
	if (!reading->has_threads)
		return refuse(reading, "it has no \"threads\" key");
	fault = snapshot_window_fault(reading->info);
	if (fault)
		return refuse(reading, fault);
	return check_own(reading);
}

int snapshot_read(struct byte_source *source, const struct snapshot_limits *limits,
                  struct snapshot_visitor *visitor, struct snapshot_info *ret_info,
                  struct strbuf *reterr)
{
	const struct json_limits json_limits = {.depth = limits->depth,
	                                        .string_bytes = limits->string_bytes,
	                                        .total_bytes = limits->bytes};
	struct reading reading = {.limits = limits,
	                          .visitor = visitor,
	                          .process = ROW_PROCESS_INIT,
	                          .info = ret_info,
	                          .reterr = reterr,
	                          .reterr_start = reterr->len};
	int r;

	memset(ret_info, 0, sizeof(*ret_info));
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		ret_info->rules[s] = OUTCOME_read;
	reading.zstd = zstd_decompressor_reuse(limits->spare, source);
	reading.json = json_reader_new(zstd_decompressor_source(reading.zstd), &json_limits);
	reading.values.json = reading.json;
	thread_row_reader_init(&reading.rows);

	r = read_document(&reading);
	r = explain(&reading, r);
	if (limits->read_bytes)
		saturating_add_to(limits->read_bytes, json_reader_offset(reading.json));

	thread_row_reader_done(&reading.rows);
	thread_store_done(&reading.held);
	sample_done(&reading.sample);
	row_host_done(&reading.last_host);
	value_reader_done(&reading.values);
	cgroup_stats_done(&reading.stats);
	strbuf_done(&reading.scratch);
	strbuf_done(&reading.reference_error);
	json_reader_free(reading.json);
	zstd_decompressor_keep(limits->spare, reading.zstd);
	return r;
}
