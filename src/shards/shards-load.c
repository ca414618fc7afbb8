// SPDX-License-Identifier: GPL-2.0-or-later
#include "shards/shards-load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/strmap.h"
#include "fleet/ddl.h"
#include "http.h"
#include "row-binary.h"

enum {
	REQUEST_BYTES = 16 << 20, /* of facts for one server, and what the last file adds */
	ALL_BYTES = 64 << 20,     /* of facts for all servers */
	REQUEST_FILES = 4096,
	ANSWER_BYTES = 1 << 20,
	WAIT_FIRST_MS = 100,
	WAIT_MOST_MS = 5000,
	DAY_SECONDS = 24 * 60 * 60,
};

/* The place of a load in rows. */
struct place {
	size_t at;
	uint32_t file;
};

struct rows {
	struct strbuf bytes;
	struct place *places; /* by row; owned */
	size_t count, capacity;
};

struct mark {
	size_t fact_bytes, facts, file_bytes, files;
};

/* A server, and what it does not have yet. */
struct shard {
	const char *host;         /* borrowed */
	struct rows facts, files; /* rows of both tables */
	size_t file_count;        /* in the rows */
	struct strmap sets;       /* "DIGEST KEYS" of these */
	size_t lost;              /* files that it did not take */
	struct strbuf reason;     /* not empty: it has failed, and gets no more */
};

struct shards_loader {
	struct fleet_sink sink; /* must stay the first member */
	const struct shards_address *address;
	struct http *http;
	uint64_t patience_ns;
	struct strbuf fact_query, file_query, ask_query;
	struct shard *shards; /* owned */
	/* The file that is being added. */
	struct shard *open;
	char digest[SHA256_HEX_BYTES];
	struct strbuf there;  /* its sets of keys that the server has, as texts of RowBinary */
	struct strbuf keys;   /* the set whose rows are being added */
	size_t count_at;      /* the place of its number of facts */
	struct strbuf opened; /* its sets of keys that have rows, in the same way */
	struct mark before;   /* what the server's rows had when it began */
};

static void rows_clear(struct rows *rows)
{
	strbuf_clear(&rows->bytes);
	rows->count = 0;
}

static void rows_done(struct rows *rows)
{
	strbuf_done(&rows->bytes);
	free(rows->places);
}

/* Begins a row with room for the load. */
static void rows_add(struct rows *rows, size_t file)
{
	*array_add(rows->places, rows->count, rows->capacity) =
	        (struct place){.at = rows->bytes.len, .file = (uint32_t)file};
	row_binary_add_u64(&rows->bytes, 0);
}

static void rows_set_loads(struct rows *rows, const uint64_t *loads)
{
	for (size_t i = 0; i < rows->count; i++)
		row_binary_set_u64(&rows->bytes, rows->places[i].at, loads[rows->places[i].file]);
}

static void shard_clear(struct shard *shard)
{
	rows_clear(&shard->facts);
	rows_clear(&shard->files);
	shard->file_count = 0;
	strmap_done(&shard->sets);
	shard->sets = STRMAP_INIT;
}

static void add_query(struct strbuf *out, const char *database, const char *statement)
{
	strbuf_add_str(out, "?database=");
	http_add_escaped(out, database);
	if (statement) {
		strbuf_add_str(out, "&query=");
		http_add_escaped(out, statement);
	}
}

static void add_insert(struct strbuf *out, const char *database, const char *table,
                       const enum fleet_column *columns, size_t count, const char *end)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "INSERT INTO %s (load", table);
	for (size_t i = 0; i < count; i++)
		strbuf_addf(&text, ", %s", fleet_column_table[columns[i]].name);
	strbuf_addf(&text, "%s) FORMAT RowBinary", end);
	add_query(out, database, strbuf_str(&text));
}

struct shards_loader *shards_loader_new(const struct shards_address *address, uint64_t patience_ns,
                                        struct strbuf *reterr)
{
	struct http *http = http_new(reterr);
	struct shards_loader *loader;

	if (!http)
		return NULL;
	loader = mem_calloc(1, sizeof(*loader));
	loader->address = address;
	loader->http = http;
	loader->patience_ns = patience_ns;
	add_insert(&loader->fact_query, address->database, "fact_local", ddl_fact_columns,
	           DDL_FACT_COLUMNS, ", day");
	add_insert(&loader->file_query, address->database, "file_local", ddl_file_columns,
	           DDL_FILE_COLUMNS, ", facts");
	add_query(&loader->ask_query, address->database, NULL);
	loader->shards = mem_calloc(address->count, sizeof(loader->shards[0]));
	for (size_t i = 0; i < address->count; i++) {
		loader->shards[i].host = address->hosts[i];
		loader->shards[i].sets = STRMAP_INIT;
	}
	return loader;
}

void shards_loader_freep(struct shards_loader **pointer)
{
	struct shards_loader *loader = *pointer;

	if (!loader)
		return;
	for (size_t i = 0; i < loader->address->count; i++) {
		rows_done(&loader->shards[i].facts);
		rows_done(&loader->shards[i].files);
		strmap_done(&loader->shards[i].sets);
		strbuf_done(&loader->shards[i].reason);
	}
	free(loader->shards);
	http_freep(&loader->http);
	strbuf_done(&loader->fact_query);
	strbuf_done(&loader->file_query);
	strbuf_done(&loader->ask_query);
	strbuf_done(&loader->there);
	strbuf_done(&loader->opened);
	strbuf_done(&loader->keys);
	free(loader);
	*pointer = NULL;
}

/* Gives each file of the shard a number that no other try has: 64 random bits. */
static void renew_loads(struct shard *shard)
{
	cleanup_(mem_freep) uint64_t *loads = mem_calloc(shard->file_count, sizeof(loads[0]));

	for (size_t i = 0; i < shard->file_count; i++)
		while (getrandom(&loads[i], sizeof(loads[i]), 0) != (ssize_t)sizeof(loads[i]))
			;
	rows_set_loads(&shard->facts, loads);
	rows_set_loads(&shard->files, loads);
}

/* Waits before another try, longer each time. Returns false if there is no time for one. */
static bool wait_again(uint64_t *wait_ms, uint64_t until_ns)
{
	uint64_t left, now = clock_now_ns(CLOCK_MONOTONIC), wait_ns = *wait_ms * NS_PER_MS;
	struct timespec pause;

	if (now >= until_ns)
		return false;
	left = until_ns - now;
	wait_ns = wait_ns < left ? wait_ns : left;
	pause = (struct timespec){.tv_sec = (time_t)(wait_ns / NS_PER_SECOND),
	                          .tv_nsec = (long)(wait_ns % NS_PER_SECOND)};
	nanosleep(&pause, NULL);
	*wait_ms = 2 * *wait_ms < WAIT_MOST_MS ? 2 * *wait_ms : WAIT_MOST_MS;
	return true;
}

/* Gives a server up, with the files that it does not have. */
static void give_up(struct shard *shard, const struct strbuf *reason)
{
	strbuf_add(&shard->reason, reason->data, reason->len);
	shard->lost += shard->file_count;
	shard_clear(shard);
}

/* Makes a request, again and again while the server cannot do it. @again is called before each further try. Returns 0 or -EIO. */
static int request(struct shards_loader *loader, struct shard *shard, const struct strbuf *query,
                   const struct strbuf *body, struct strbuf *ret_answer,
                   void (*again)(struct shard *shard))
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	uint64_t wait_ms = WAIT_FIRST_MS;
	uint64_t until_ns = saturating_add(clock_now_ns(CLOCK_MONOTONIC), loader->patience_ns);

	for (;;) {
		int r = http_post(loader->http, shard->host, strbuf_str(query), strbuf_str(body),
		                  body->len, ANSWER_BYTES, ret_answer, &reason);

		if (r == 0)
			return 0;
		if (r != -EAGAIN || !wait_again(&wait_ms, until_ns))
			break;
		strbuf_clear(&reason);
		if (again)
			again(shard);
	}
	give_up(shard, &reason);
	return -EIO;
}

/* Sends facts, and then the rows that make them count. If a request for facts fails, the server may have some of them or all: they are
 * sent again under other loads. The rows of files may be sent twice, since they say the same. */
static void flush(struct shards_loader *loader, struct shard *shard)
{
	cleanup_(strbuf_done) struct strbuf answer = STRBUF_INIT;
	int r = 0;

	if (shard->file_count == 0)
		return;
	renew_loads(shard);
	if (shard->facts.count > 0)
		r = request(loader, shard, &loader->fact_query, &shard->facts.bytes, &answer,
		            renew_loads);
	if (r == 0)
		r = request(loader, shard, &loader->file_query, &shard->files.bytes, &answer, NULL);
	if (r == 0)
		shard_clear(shard);
}

/* Bounds the memory of all servers together. */
static void flush_largest(struct shards_loader *loader)
{
	struct shard *largest = &loader->shards[0];
	size_t all = 0;

	for (size_t i = 0; i < loader->address->count; i++) {
		struct shard *shard = &loader->shards[i];

		all += shard->facts.bytes.len;
		if (shard->facts.bytes.len > largest->facts.bytes.len)
			largest = shard;
	}
	if (all >= ALL_BYTES)
		flush(loader, largest);
}

void shards_loader_finish(struct shards_loader *loader)
{
	for (size_t i = 0; i < loader->address->count; i++)
		flush(loader, &loader->shards[i]);
}

int shards_loader_begin(struct shards_loader *loader, const char *digest)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct shard *shard = &loader->shards[shards_address_of(loader->address, digest)];
	int r = shard->reason.len > 0 ? -EIO : 0;

	loader->open = shard;
	strbuf_clear(&loader->there);
	strbuf_clear(&loader->keys);
	snprintf(loader->digest, sizeof(loader->digest), "%s", digest);
	strbuf_clear(&loader->opened);
	loader->before = (struct mark){shard->facts.bytes.len, shard->facts.count,
	                               shard->files.bytes.len, shard->files.count};
	strbuf_addf(&text,
	            "SELECT DISTINCT group_key FROM file_local WHERE snapshot = '%s' "
	            "FORMAT RowBinary",
	            loader->digest);
	if (r == 0)
		r = request(loader, shard, &loader->ask_query, &text, &loader->there, NULL);
	if (r < 0)
		shard->lost++;
	return r;
}

static void add_set(const struct shards_loader *loader, struct span keys, struct strbuf *out)
{
	strbuf_addf(out, "%s ", loader->digest);
	strbuf_add(out, keys.text, keys.len);
}

bool shards_loader_has(const struct shards_loader *loader, struct span keys)
{
	cleanup_(strbuf_done) struct strbuf set = STRBUF_INIT;
	struct span rest = {strbuf_str(&loader->there), loader->there.len}, there;
	uint32_t place;

	while (row_binary_read_text(&rest, &there))
		if (span_equal(there, keys))
			return true;
	add_set(loader, keys, &set);
	return strmap_find(&loader->open->sets, strbuf_str(&set), set.len, &place);
}

/* Begins the rows of a set of keys. */
static void open_set(struct shards_loader *loader, const struct fleet_row *row, struct span keys)
{
	struct rows *files = &loader->open->files;

	strbuf_clear(&loader->keys);
	strbuf_add(&loader->keys, keys.text, keys.len);
	row_binary_add_text(&loader->opened, keys);
	rows_add(files, loader->open->file_count);
	for (unsigned i = 0; i < DDL_FILE_COLUMNS; i++)
		row_binary_add_cell(&files->bytes, row, ddl_file_columns[i]);
	loader->count_at = files->bytes.len;
	row_binary_add_u64(&files->bytes, 0);
}

static int add_row(struct fleet_sink *sink, const struct fleet_row *row)
{
	struct shards_loader *loader = (struct shards_loader *)sink;
	struct span keys = row->cells[FLEET_COLUMN_group_key].text;
	struct rows *facts = &loader->open->facts, *files = &loader->open->files;
	__int128 day = row->cells[FLEET_COLUMN_end_unix_ns].integer / NS_PER_SECOND / DAY_SECONDS;

	if (files->count == loader->before.files || keys.len != loader->keys.len ||
	    memcmp(keys.text, strbuf_str(&loader->keys), keys.len) != 0)
		open_set(loader, row, keys);
	rows_add(facts, loader->open->file_count);
	for (unsigned i = 0; i < DDL_FACT_COLUMNS; i++)
		row_binary_add_cell(&facts->bytes, row, ddl_fact_columns[i]);
	row_binary_add_u16(&facts->bytes, day < UINT16_MAX ? (uint16_t)day : UINT16_MAX);
	row_binary_set_u64(&files->bytes, loader->count_at,
	                   row_binary_get_u64(&files->bytes, loader->count_at) + 1);
	return 0;
}

struct fleet_sink *shards_loader_sink(struct shards_loader *loader)
{
	loader->sink.row = add_row;
	return &loader->sink;
}

void shards_loader_end(struct shards_loader *loader)
{
	struct span rest = {strbuf_str(&loader->opened), loader->opened.len}, keys;
	struct shard *shard = loader->open;

	if (shard->files.count == loader->before.files)
		return;
	shard->file_count++;
	while (row_binary_read_text(&rest, &keys)) {
		cleanup_(strbuf_done) struct strbuf set = STRBUF_INIT;

		add_set(loader, keys, &set);
		strmap_add(&shard->sets, strbuf_str(&set), set.len);
	}
	if (shard->facts.bytes.len >= REQUEST_BYTES || shard->file_count >= REQUEST_FILES)
		flush(loader, shard);
	else
		flush_largest(loader);
}

void shards_loader_cancel(struct shards_loader *loader)
{
	struct shard *shard = loader->open;

	strbuf_cut(&shard->facts.bytes, loader->before.fact_bytes);
	strbuf_cut(&shard->files.bytes, loader->before.file_bytes);
	shard->facts.count = loader->before.facts;
	shard->files.count = loader->before.files;
}

size_t shards_loader_failure(const struct shards_loader *loader, size_t server,
                             const char **ret_host, const char **ret_reason)
{
	const struct shard *shard = &loader->shards[server];

	*ret_host = shard->host;
	*ret_reason = strbuf_str(&shard->reason);
	return shard->lost;
}
