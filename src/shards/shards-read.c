// SPDX-License-Identifier: GPL-2.0-or-later
#include "shards/shards-read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "database/database-lister.h"
#include "http.h"
#include "row-binary.h"
#include "scan-plan.h"

/* A part of the facts is in memory at a time: so many rows, about 20 MB. */
enum { PART_ROWS = 200000 };
#define ANSWER_BYTES ((size_t)1 << 30)
/* A server can announce as many rows as it likes, and answer each question for them with nothing. */
#define ROWS_MAX UINT64_C(10000000000)
enum { EMPTY_PIECES_MAX = 100 };
/* Facts have the names of the registry, of this version and of others. */
enum { METRICS_MAX = 10000 };

/* The load of a file's facts of one set of keys that counts. */
struct load {
	uint64_t number;
	uint32_t set; /* its place among the sets */
};

struct group {
	uint32_t set;
	char *name; /* owned */
	uint64_t rows;
};

struct shards_reader {
	struct database_engine engine;        /* must stay the first member */
	const struct shards_address *address; /* borrowed */
	struct http *http;                    /* owned */
	size_t host;                          /* the server that is asked, see ask() */
	struct strbuf query, reason;
	struct strmap digests; /* of files, in the order of the list */
	struct strmap sets;    /* sets of keys */
	struct strmap loads;   /* struct load to the place of the file, see file_of() */
	size_t *files;         /* places of files by the places of loads; owned */
	size_t file_capacity;
	struct strmap metrics; /* names to places in the list: the same ones */
	struct group
	        *groups; /* those of the question, in the order of their sets and names; owned */
	size_t group_count, group_capacity;
};

static int fail(struct shards_reader *reader, const char *reason)
{
	strbuf_clear(&reader->reason);
	strbuf_add_str(&reader->reason, reason);
	return -EIO;
}

/* Asks the first server that can answer. The answer is whole: the server keeps it until it is. */
static int ask(struct shards_reader *reader, const struct strbuf *statement,
               struct strbuf *ret_answer)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = -EAGAIN;

	for (; r == -EAGAIN && reader->host < reader->address->count; reader->host++) {
		const char *host = reader->address->hosts[reader->host];

		strbuf_clear(&reason);
		strbuf_addf(&reason, "%s: ", host);
		strbuf_clear(ret_answer);
		r = http_post(reader->http, host, strbuf_str(&reader->query), statement->data,
		              statement->len, ANSWER_BYTES, ret_answer, &reason);
		if (r == 0)
			return 0;
	}
	reader->host = 0;
	return fail(reader, strbuf_str(&reason));
}

static int damaged(struct shards_reader *reader)
{
	return fail(reader, "a server's answer is not what was asked for");
}

/* Returns the number of a key, new or not. */
static uint32_t place_of(struct strmap *map, struct span key)
{
	uint32_t place;

	if (strmap_find(map, key.text, key.len, &place))
		return place;
	place = (uint32_t)map->count;
	strmap_add(map, key.text, key.len);
	return place;
}

static void add_load(struct shards_reader *reader, uint64_t number, struct span set, size_t file)
{
	struct load load;
	uint32_t place;

	/* Also the bytes between the members are part of the key. */
	memset(&load, 0, sizeof(load));
	load.number = number;
	load.set = place_of(&reader->sets, set);
	place = place_of(&reader->loads, (struct span){(const char *)&load, sizeof(load)});
	array_reserve(reader->files, reader->file_capacity, (size_t)place + 1);
	reader->files[place] = file;
}

/* Stores the place of the file whose facts of the set have this load. Returns false if they do not count. */
static bool file_of(const struct shards_reader *reader, uint64_t number, uint32_t set, size_t *ret)
{
	struct load load;
	uint32_t place;

	memset(&load, 0, sizeof(load));
	load.number = number;
	load.set = set;
	if (!strmap_find(&reader->loads, (const char *)&load, sizeof(load), &place))
		return false;
	*ret = reader->files[place];
	return true;
}

/* A row of the list of files. */
struct file_row {
	struct span digest, set, host, boot_id, kind, ends;
	bool has_host, has_boot_id;
	uint64_t load, end_unix_ns, length_ns;
};

static bool read_file_row(struct span *rest, struct file_row *ret)
{
	return row_binary_read_text(rest, &ret->digest) && row_binary_read_text(rest, &ret->set) &&
	       row_binary_read_u64(rest, &ret->load) &&
	       row_binary_read_nullable_text(rest, &ret->has_host, &ret->host) &&
	       row_binary_read_nullable_text(rest, &ret->has_boot_id, &ret->boot_id) &&
	       row_binary_read_text(rest, &ret->kind) &&
	       row_binary_read_u64(rest, &ret->end_unix_ns) &&
	       row_binary_read_u64(rest, &ret->length_ns) && row_binary_read_text(rest, &ret->ends);
}

/* Appends what the host is called, as in SQLite. */
static void add_host_name(const struct file_row *row, struct strbuf *out)
{
	struct span name = row->has_host      ? row->host
	                   : row->has_boot_id ? row->boot_id
	                                      : row->digest;

	strbuf_add_str(out, row->has_host ? "" : row->has_boot_id ? "boot " : "file ");
	strbuf_add(out, name.text, name.len);
}

static int list_files(struct shards_reader *reader, struct database_list *list)
{
	static const char text[] =
	        "SELECT snapshot, group_key, min(load), any(host), any(boot_id), any(kind), "
	        "any(end_unix_ns), ifNull(any(length_ns), 0), ifNull(any(ends), '') FROM file "
	        "GROUP BY snapshot, group_key ORDER BY snapshot, group_key FORMAT RowBinary";
	cleanup_(strbuf_done) struct strbuf statement = STRBUF_INIT, answer = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf host = STRBUF_INIT;
	struct database_lister lister = {.list = list};
	struct span rest, last = {"", 0};
	struct file_row row;
	int r;

	strbuf_add_str(&statement, text);
	r = ask(reader, &statement, &answer);
	rest = (struct span){strbuf_str(&answer), answer.len};
	while (r == 0 && rest.len > 0) {
		if (!read_file_row(&rest, &row)) {
			r = damaged(reader);
			break;
		}
		if (list->snapshot_count == 0 || !span_equal(row.digest, last)) {
			strbuf_clear(&host);
			add_host_name(&row, &host);
			database_lister_add(
			        &lister, list->snapshot_count,
			        &(struct database_listed){.host = strbuf_str(&host),
			                                  .digest = row.digest,
			                                  .is_window = span_is(row.kind, "window"),
			                                  .end_unix_ns = row.end_unix_ns,
			                                  .length_ns = row.length_ns,
			                                  .ends = row.ends});
		}
		last = row.digest;
		place_of(&reader->digests, row.digest);
		add_load(reader, row.load, row.set, list->snapshot_count - 1);
	}
	database_lister_finish(&lister);
	return r;
}

static int list_metrics(struct shards_reader *reader, struct database_list *list)
{
	cleanup_(strbuf_done) struct strbuf statement = STRBUF_INIT, answer = STRBUF_INIT;
	struct span rest, name;
	size_t capacity = 0;
	int r;

	strbuf_add_str(&statement, "SELECT DISTINCT metric FROM fact WHERE rule = 'sum' "
	                           "ORDER BY metric FORMAT RowBinary");
	r = ask(reader, &statement, &answer);
	rest = (struct span){strbuf_str(&answer), answer.len};
	while (r == 0 && rest.len > 0) {
		if (!row_binary_read_text(&rest, &name) || list->metric_count >= METRICS_MAX) {
			r = damaged(reader);
			break;
		}
		/* Also the places of a name that is there twice are the same in both. */
		if (place_of(&reader->metrics, name) < list->metric_count)
			continue;
		*array_add(list->metrics, list->metric_count, capacity) =
		        mem_copy(name.text, name.len);
	}
	return r;
}

static int list(struct database_engine *engine, struct database_list *ret)
{
	struct shards_reader *reader = (struct shards_reader *)engine;
	int r;

	*ret = (struct database_list){0};
	r = list_files(reader, ret);
	return r == 0 ? list_metrics(reader, ret) : r;
}

static int scan_labels(struct database_engine *engine, const char *group_key,
                       void (*visit)(void *context, const struct database_labels *labels),
                       void *context)
{
	struct shards_reader *reader = (struct shards_reader *)engine;
	cleanup_(strbuf_done) struct strbuf statement = STRBUF_INIT, answer = STRBUF_INIT;
	struct span rest, digest, boot_id, json;
	int r;

	strbuf_add_str(&statement,
	               "SELECT snapshot, any(ifNull(boot_id, '')), any(labels) FROM file "
	               "WHERE kind = 'window' AND group_key = ");
	scan_plan_add_text(&statement, group_key);
	strbuf_add_str(&statement, " GROUP BY snapshot ORDER BY snapshot FORMAT RowBinary");
	r = ask(reader, &statement, &answer);
	rest = (struct span){strbuf_str(&answer), answer.len};
	while (r == 0 && rest.len > 0) {
		cleanup_(mem_freep) char *boot = NULL, *labels = NULL;
		uint32_t place;

		if (!row_binary_read_text(&rest, &digest) ||
		    !row_binary_read_text(&rest, &boot_id) || !row_binary_read_text(&rest, &json))
			return damaged(reader);
		/* A file that was added after the list was read is in no answer. */
		if (!strmap_find(&reader->digests, digest.text, digest.len, &place))
			continue;
		boot = mem_copy(boot_id.text, boot_id.len);
		labels = mem_copy(json.text, json.len);
		visit(context, &(struct database_labels){
		                       .snapshot = place, .boot_id = boot, .json = labels});
	}
	return r;
}

static void free_groups(struct shards_reader *reader)
{
	for (size_t i = 0; i < reader->group_count; i++)
		free(reader->groups[i].name);
	reader->group_count = 0;
}

/* Finds the groups that have facts, and how many. */
static int find_groups(struct shards_reader *reader, const struct strbuf *conditions)
{
	cleanup_(strbuf_done) struct strbuf statement = STRBUF_INIT, answer = STRBUF_INIT;
	struct span rest, set, name;
	uint64_t rows, all = 0;
	int r;

	free_groups(reader);
	strbuf_addf(&statement,
	            "SELECT group_key, group_name, count() FROM fact WHERE %s "
	            "GROUP BY group_key, group_name ORDER BY group_key, group_name "
	            "FORMAT RowBinary",
	            strbuf_str(conditions));
	r = ask(reader, &statement, &answer);
	rest = (struct span){strbuf_str(&answer), answer.len};
	while (r == 0 && rest.len > 0) {
		if (!row_binary_read_text(&rest, &set) || !row_binary_read_text(&rest, &name) ||
		    !row_binary_read_u64(&rest, &rows) || rows == 0)
			return damaged(reader);
		if (rows > ROWS_MAX - all)
			return fail(reader, "these are more than 10000000000 facts");
		all += rows;
		*array_add(reader->groups, reader->group_count, reader->group_capacity) =
		        (struct group){.set = place_of(&reader->sets, set),
		                       .name = mem_copy(name.text, name.len),
		                       .rows = rows};
	}
	return r;
}

struct scanning {
	struct shards_reader *reader;
	const struct strbuf *conditions;
	void (*visit)(void *context, const struct database_fact *fact);
	void *context;
	size_t group;   /* the group of the last row, and of the next ones */
	unsigned empty; /* pieces of one part without a row, one behind the other */
	uint64_t rows;  /* that have come of one part */
	struct strbuf answer;
};

struct fact_row {
	struct span name, metric;
	uint64_t load;
	__int128 sum, exited, rated;
	struct database_fact fact;
};

static bool read_fact_row(struct span *rest, struct fact_row *ret)
{
	struct database_fact *fact = &ret->fact;

	*ret = (struct fact_row){0};
	return row_binary_read_text(rest, &ret->name) && row_binary_read_u64(rest, &ret->load) &&
	       row_binary_read_text(rest, &ret->metric) &&
	       row_binary_read_u64(rest, &fact->threads) &&
	       row_binary_read_u64(rest, &fact->seen) &&
	       row_binary_read_nullable_wide(rest, &fact->has_sum, &ret->sum) &&
	       row_binary_read_nullable_wide(rest, &fact->has_exited, &ret->exited) &&
	       row_binary_read_nullable_wide(rest, &fact->has_rated, &ret->rated);
}

/* Visits the rows of an answer, which are of groups up to @last. */
static int visit_rows(struct scanning *scanning, size_t last)
{
	struct shards_reader *reader = scanning->reader;
	struct span rest = {strbuf_str(&scanning->answer), scanning->answer.len};
	struct fact_row row;

	while (rest.len > 0) {
		uint32_t metric;

		if (!read_fact_row(&rest, &row))
			return damaged(reader);
		scanning->rows++;
		while (scanning->group <= last &&
		       !span_is(row.name, reader->groups[scanning->group].name))
			scanning->group++;
		/* A group that was added meanwhile has no load that counts: the list was read before. */
		if (scanning->group > last)
			return damaged(reader);
		if (!file_of(reader, row.load, reader->groups[scanning->group].set,
		             &row.fact.snapshot) ||
		    !strmap_find(&reader->metrics, row.metric.text, row.metric.len, &metric))
			continue;
		row.fact.metric = metric;
		row.fact.sum = (double)row.sum;
		row.fact.exited = (double)row.exited;
		row.fact.rated = (double)row.rated;
		row.fact.group = (int64_t)scanning->group;
		scanning->visit(scanning->context, &row.fact);
	}
	return 0;
}

/* Reads one of @pieces pieces of the groups from @first to @last, which are of one set. */
static int scan_piece(struct scanning *scanning, size_t first, size_t last, uint64_t piece,
                      uint64_t pieces)
{
	struct shards_reader *reader = scanning->reader;
	cleanup_(strbuf_done) struct strbuf statement = STRBUF_INIT;
	int r;

	strbuf_addf(&statement,
	            "SELECT group_name, load, metric, threads, seen, sum, exited, rated FROM fact "
	            "WHERE %s AND group_key = ",
	            strbuf_str(scanning->conditions));
	scan_plan_add_text(&statement, reader->sets.entries[reader->groups[first].set].key);
	strbuf_add_str(&statement, " AND group_name >= ");
	scan_plan_add_text(&statement, reader->groups[first].name);
	strbuf_add_str(&statement, " AND group_name <= ");
	scan_plan_add_text(&statement, reader->groups[last].name);
	if (pieces > 1)
		strbuf_addf(&statement, " AND load %% %llu = %llu", (unsigned long long)pieces,
		            (unsigned long long)piece);
	strbuf_add_str(&statement, " ORDER BY group_name, load FORMAT RowBinary");
	r = ask(reader, &statement, &scanning->answer);
	if (r < 0)
		return r;
	scanning->group = first;
	return visit_rows(scanning, last);
}

/* Loads are spread over the pieces of a part by their numbers, which are digests. A load lies in one piece, so there need not be more
 * pieces than loads. More than the announced @rows come where somebody adds files meanwhile; fewer are a wrong answer. */
static int scan_part(struct scanning *scanning, size_t first, size_t last, uint64_t rows)
{
	struct shards_reader *reader = scanning->reader;
	uint64_t pieces = rows / PART_ROWS + 1;
	int r = 0;

	if (pieces > reader->loads.count + 1)
		pieces = reader->loads.count + 1;
	scanning->empty = 0;
	scanning->rows = 0;
	for (uint64_t i = 0; r == 0 && i < pieces; i++) {
		r = scan_piece(scanning, first, last, i, pieces);
		scanning->empty = scanning->answer.len > 0 ? 0 : scanning->empty + 1;
		if (r == 0 && scanning->empty >= EMPTY_PIECES_MAX)
			r = damaged(reader);
	}
	if (r == 0 && scanning->rows < rows)
		r = fail(reader, "a server has sent fewer facts than it had counted");
	return r;
}

/* Reads the groups part by part: a part has many small groups, or a piece of a large one. */
static int scan_groups(struct scanning *scanning)
{
	const struct shards_reader *reader = scanning->reader;
	size_t first = 0;
	int r = 0;

	while (r == 0 && first < reader->group_count) {
		size_t last = first;
		uint64_t rows = reader->groups[first].rows;

		while (last + 1 < reader->group_count &&
		       reader->groups[last + 1].set == reader->groups[first].set &&
		       rows + reader->groups[last + 1].rows <= PART_ROWS)
			rows += reader->groups[++last].rows;
		r = scan_part(scanning, first, last, rows);
		first = last + 1;
	}
	return r;
}

static int scan(struct database_engine *engine, const struct database_filter *filter,
                const struct database_list *list, const unsigned char *uses,
                void (*visit)(void *context, const struct database_fact *fact), void *context)
{
	struct shards_reader *reader = (struct shards_reader *)engine;
	cleanup_(strbuf_done) struct strbuf conditions = STRBUF_INIT;
	struct scanning scanning = {
	        .reader = reader, .conditions = &conditions, .visit = visit, .context = context};
	int r;

	scan_plan_add(&conditions, filter, list, uses);
	r = find_groups(reader, &conditions);
	if (r == 0)
		r = scan_groups(&scanning);
	strbuf_done(&scanning.answer);
	return r;
}

static int add_group(struct database_engine *engine, int64_t group, struct strbuf *key,
                     struct strbuf *name)
{
	struct shards_reader *reader = (struct shards_reader *)engine;

	if (group < 0 || (uint64_t)group >= reader->group_count)
		return fail(reader, "there is no such group");
	strbuf_add_str(key, reader->sets.entries[reader->groups[group].set].key);
	strbuf_add_str(name, reader->groups[group].name);
	return 0;
}

static const char *reason(const struct database_engine *engine)
{
	return strbuf_str(&((const struct shards_reader *)engine)->reason);
}

static void free_reader(struct database_engine *engine)
{
	struct shards_reader *reader = (struct shards_reader *)engine;

	free_groups(reader);
	free(reader->groups);
	free(reader->files);
	strmap_done(&reader->digests);
	strmap_done(&reader->sets);
	strmap_done(&reader->loads);
	strmap_done(&reader->metrics);
	strbuf_done(&reader->query);
	strbuf_done(&reader->reason);
	http_freep(&reader->http);
	free(reader);
}

struct database *shards_open(const struct shards_address *address, struct strbuf *reterr)
{
	struct http *http = http_new(reterr);
	struct shards_reader *reader;

	if (!http)
		return NULL;
	reader = mem_calloc(1, sizeof(*reader));
	reader->engine = (struct database_engine){.list = list,
	                                          .scan = scan,
	                                          .scan_labels = scan_labels,
	                                          .add_group = add_group,
	                                          .reason = reason,
	                                          .free = free_reader};
	reader->address = address;
	reader->http = http;
	reader->digests = reader->sets = reader->loads = reader->metrics = STRMAP_INIT;
	/* A shard that is away is an error, and no smaller answer. */
	strbuf_addf(&reader->query,
	            "?database=%s&wait_end_of_query=1&skip_unavailable_shards=0&max_query_size="
	            "67108864",
	            address->database);
	return database_new(&reader->engine);
}
