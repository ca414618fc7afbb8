// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of a snapshot against jansson: the input is put between "threads":[ and ], and what the reader makes of it is what
 * jansson makes of it, value by value, once as it is and once with white space, which takes the reader the long way.
 *
 * Only the reader refuses rows that are no rows, on which the long way and the short way have to agree, and a NUL behind a
 * number, which jansson loses. Only jansson refuses integers from 2^63 on. Both take the last value of a key that comes
 * twice, and an input in which keys replace one another is left out. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "compression/zstd-stream.h"
#include "ctprof/snapshot/snapshot.h"
#include "fuzz.h"

static const char head[] =
        "{\"format\":\"ctprof\",\"version\":1,\"kind\":\"lifetime\",\"threads\":[",
                  tail[] = "]}";

struct memory_source {
	struct byte_source source; /* must stay the first member */
	const char *bytes;
	size_t len, piece;
};

static int memory_read(struct byte_source *self, void *buffer, size_t size, size_t *ret_len)
{
	struct memory_source *source = (struct memory_source *)self;

	*ret_len = size < source->len ? size : source->len;
	if (*ret_len > source->piece)
		*ret_len = source->piece;
	if (*ret_len > 0)
		memcpy(buffer, source->bytes, *ret_len);
	source->bytes += *ret_len;
	source->len -= *ret_len;
	return 0;
}

struct memory_sink {
	struct byte_sink sink; /* must stay the first member */
	struct strbuf bytes;
};

static int memory_write(struct byte_sink *self, const void *bytes, size_t len)
{
	strbuf_add(&((struct memory_sink *)self)->bytes, bytes, len);
	return 0;
}

static void pack(const struct strbuf *json, struct memory_sink *sink)
{
	struct zstd_compressor *compressor = zstd_compressor_new(&sink->sink, 1);

	require(zstd_compress(compressor, json->data, json->len) == 0, "compressing");
	require(zstd_compress_end(compressor) == 0, "compressing");
	zstd_compressor_free(compressor);
}

/* The rows that were read, as text: each one with its values, in the order of the registry. */
struct rows {
	struct snapshot_visitor visitor; /* must stay the first member */
	const json_t *expected; /* borrowed; the array of rows, or NULL where it cannot be had */
	size_t count;
	struct strbuf text;
};

static void require_integer(const json_t *row, const char *key, uint64_t value)
{
	const json_t *number = json_object_get(row, key);

	if (value == 0 && !number)
		return;
	require(json_is_integer(number), "an integer");
	require((uint64_t)json_integer_value(number) == value, "the same integer");
}

static void require_text(const json_t *row, const char *key, const char *hex_key, const char *bytes,
                         size_t len)
{
	const json_t *text = json_object_get(row, key);

	if (json_object_get(row, hex_key))
		return;
	require(json_is_string(text) && json_string_length(text) == len &&
	                memcmp(json_string_value(text), bytes, len) == 0,
	        "the same text");
}

static void check_cpus(const json_t *list, const struct cpu_mask *mask)
{
	struct cpu_mask expected;

	cpu_mask_clear(&expected);
	for (size_t i = 0; i < json_array_size(list); i++)
		require(cpu_mask_add(&expected,
		                     (uint64_t)json_integer_value(json_array_get(list, i))),
		        "a CPU");
	require(cpu_mask_equal(&expected, mask), "the same CPUs");
}

static void check_metric(const json_t *row, const struct thread_sample *sample,
                         enum metric_id metric)
{
	const json_t *value = json_object_get(row, metric_table[metric].name);
	const void *stored = sample_value(sample, metric);
	const struct label_bytes *label = stored;

	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		require((uint64_t)json_integer_value(value) == *(const uint64_t *)stored, "a u64");
		break;
	case REPRESENTATION_I32:
		require(json_integer_value(value) == *(const int32_t *)stored, "an i32");
		break;
	case REPRESENTATION_U32:
		require(json_integer_value(value) == *(const uint32_t *)stored, "a u32");
		break;
	case REPRESENTATION_TEXT:
		require(strcmp(json_string_value(value), label->bytes) == 0, "a label");
		break;
	case REPRESENTATION_LETTER:
		require(json_string_value(value)[0] == *(const char *)stored, "a letter");
		break;
	case REPRESENTATION_FLAG:
		require(json_is_true(value) == *(const bool *)stored, "a flag");
		break;
	case REPRESENTATION_CPUS:
		check_cpus(value, stored);
		break;
	}
}

/* An empty list of CPUs is no value. */
static bool is_value(const json_t *value)
{
	return value && !(json_is_array(value) && json_array_size(value) == 0);
}

static void check_row(const json_t *row, const struct thread_sample *sample)
{
	require_integer(row, "tid", sample->tid);
	require_integer(row, "tgid", sample->tgid);
	require_integer(row, "start_time_clock_ticks", sample->start_time_clock_ticks);
	/* A value that a row lacks may follow from the rows before. */
	if (json_object_get(row, "process_start_time_clock_ticks"))
		require_integer(row, "process_start_time_clock_ticks",
		                sample->process_start_clock_ticks);
	require_integer(row, "process_successors", sample->process_successors);
	require_integer(row, "read_boottime_ns", sample->read_boottime_ns);
	require_integer(row, "interval_ns", sample->interval_ns);
	require(sample->has_uid == (json_object_get(row, "uid") != NULL), "a user");
	require_integer(row, "uid", sample->uid);
	require_text(row, "pcomm", "pcomm_hex", strbuf_str(&sample->pcomm), sample->pcomm.len);
	require_text(row, "comm", "comm_hex", strbuf_str(&sample->comm), sample->comm.len);
	if (sample->has_exe)
		require_text(row, "exe", "exe_hex", strbuf_str(&sample->exe), sample->exe.len);
	if (sample->has_cgroup && !sample->cgroup_is_v1)
		require_text(row, "cgroup", "cgroup_hex", strbuf_str(&sample->cgroup),
		             sample->cgroup.len);
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		if (metric_table[i].source == SOURCE_synthetic)
			continue;
		/* The entries of an earlier list of the same row are kept. */
		if (is_value(json_object_get(row, metric_table[i].name))) {
			require(metric_set_has(&sample->seen, metric), "a value that was seen");
			check_metric(row, sample, metric);
		}
	}
}

/* All that the sample holds, so that two readings can be compared. */
static void add_row(struct strbuf *out, const struct thread_sample *sample)
{
	strbuf_addf(out, "%u %u %llu %llu %llu %u %llu %llu %d%d%d%d %u ", sample->tid,
	            sample->tgid, (unsigned long long)sample->start_time_clock_ticks,
	            (unsigned long long)sample_process_start(sample),
	            (unsigned long long)sample->read_boottime_ns, (unsigned)sample->window_part,
	            (unsigned long long)sample->interval_ns, (unsigned long long)sample->life_ns,
	            sample->has_cgroup, sample->cgroup_is_v1, sample->has_exe, sample->has_uid,
	            sample->uid);
	strbuf_add(out, sample->pcomm.data, sample->pcomm.len);
	strbuf_add(out, sample->comm.data, sample->comm.len);
	strbuf_add(out, sample->cgroup.data, sample->cgroup.len);
	strbuf_add(out, sample->exe.data, sample->exe.len);
	strbuf_add(out, &sample->seen, sizeof(sample->seen));
	strbuf_add(out, &sample->malformed, sizeof(sample->malformed));
	strbuf_add(out, sample->outcomes, sizeof(sample->outcomes));
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;
		const uint64_t *value = sample_value(sample, metric);

		if (metric_set_has(&sample->seen, metric) &&
		    metric_type_table[metric_table[i].type].representation == REPRESENTATION_U64)
			strbuf_addf(out, " %llu", (unsigned long long)*value);
	}
	for (unsigned i = 0; sample->has_process_totals && i < PROCESS_TOTAL_COUNT; i++)
		if (sample->process_totals_seen >> i & 1)
			strbuf_addf(out, " %u=%llu", i,
			            (unsigned long long)sample->process_totals[i]);
	for (size_t i = 0; sample->has_smaps && i < sample->smaps_rollup_kib.count; i++)
		strbuf_addf(out, " %s=%llu", sample->smaps_rollup_kib.entries[i].key,
		            (unsigned long long)sample->smaps_rollup_kib.entries[i].value);
	strbuf_add_char(out, '\n');
}

static int take_row(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct rows *rows = (struct rows *)self;

	if (rows->expected)
		check_row(json_array_get(rows->expected, rows->count), sample);
	rows->count++;
	add_row(&rows->text, sample);
	return 0;
}

static int read_rows(const struct strbuf *json, size_t piece, const json_t *expected,
                     struct rows *rows, struct strbuf *reason)
{
	const struct snapshot_limits limits = {
	        .bytes = 1 << 24, .threads = 1000, .depth = 100, .string_bytes = 1 << 20};
	struct memory_sink packed = {{memory_write}, STRBUF_INIT};
	struct memory_source source = {{memory_read}, NULL, 0, piece};
	struct snapshot_info info;
	int r;

	pack(json, &packed);
	source.bytes = packed.bytes.data;
	source.len = packed.bytes.len;
	*rows = (struct rows){.visitor = {.thread = take_row}, .expected = expected};
	r = snapshot_read(&source.source, &limits, &rows->visitor, &info, reason);
	require(r == 0 || r == -EBADMSG || r == -E2BIG, "no other result from memory");
	snapshot_info_done(&info);
	strbuf_done(&packed.bytes);
	return r;
}

/* The same with a blank in front of each comma and colon outside of strings. */
static void add_spaced(const char *text, size_t len, struct strbuf *out)
{
	bool in_string = false;

	for (size_t i = 0; i < len; i++) {
		if (in_string && text[i] == '\\' && i + 1 < len)
			strbuf_add_char(out, text[i++]);
		else if (text[i] == '"')
			in_string = !in_string;
		else if (!in_string && (text[i] == ',' || text[i] == ':'))
			strbuf_add_char(out, ' ');
		strbuf_add_char(out, text[i]);
	}
}

static void wrap(const char *text, size_t len, bool spaced, struct strbuf *out)
{
	strbuf_add_str(out, head);
	if (spaced)
		add_spaced(text, len, out);
	else
		strbuf_add(out, text, len);
	strbuf_add_str(out, tail);
}

/* Sentences about the JSON itself say at which byte, which blanks move. */
static bool is_about_json(const struct strbuf *reason)
{
	static const char not_json[] = "not JSON: ", limit[] = "byte ";

	return strncmp(strbuf_str(reason), not_json, strlen(not_json)) == 0 ||
	       strncmp(strbuf_str(reason), limit, strlen(limit)) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf plain = STRBUF_INIT, spaced = STRBUF_INIT, reason = STRBUF_INIT,
	              long_reason = STRBUF_INIT;
	struct rows rows, long_rows;
	json_error_t error;
	json_t *document, *threads;
	int r, long_r;

	wrap((const char *)data, size, false, &plain);
	wrap((const char *)data, size, true, &spaced);
	document = json_loadb(plain.data, plain.len, 0, &error);
	/* Another "threads" behind the first is refused, and would be another array here. */
	threads = document ? json_object_get(document, "threads") : NULL;
	r = read_rows(&plain, SIZE_MAX, NULL, &rows, &reason);
	long_r = read_rows(&spaced, 5, NULL, &long_rows, &long_reason);
	require(r == long_r, "both ways end alike");
	require(rows.count == long_rows.count && rows.text.len == long_rows.text.len &&
	                (rows.text.len == 0 ||
	                 memcmp(rows.text.data, long_rows.text.data, rows.text.len) == 0),
	        "both ways see the same rows");
	require(is_about_json(&reason) == is_about_json(&long_reason), "the same kind of reason");
	require(is_about_json(&reason) ||
	                strcmp(strbuf_str(&reason), strbuf_str(&long_reason)) == 0,
	        "the same reason");
	strbuf_done(&rows.text);
	strbuf_done(&long_rows.text);
	if (is_about_json(&reason) && r == -EBADMSG && !memchr(data, '\0', size))
		require(!document, "what is not JSON is none for jansson");
	if (r == 0) {
		require(document || json_error_code(&error) == json_error_numeric_overflow,
		        "what is accepted is JSON");
		if (threads && json_object_size(document) == 4) {
			strbuf_clear(&reason);
			require(read_rows(&plain, SIZE_MAX, threads, &rows, &reason) == 0, "again");
			require(rows.count == json_array_size(threads), "as many rows");
			strbuf_done(&rows.text);
		}
	}
	json_decref(document);
	strbuf_done(&plain);
	strbuf_done(&spaced);
	strbuf_done(&reason);
	strbuf_done(&long_reason);
	return 0;
}
