// SPDX-License-Identifier: GPL-2.0-or-later
#include "shards/shards-check.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/strmap.h"
#include "http.h"
#include "row-binary.h"
#include "scan-plan.h"

#define ANSWER_BYTES ((size_t)1 << 30)
enum { PAUSE_MS = 100 };

/* Rows of files whose load has not as many facts. Rows of facts are never removed, and a row of a file is written behind them. */
static const char losses[] =
        "SELECT snapshot, group_key, load, facts, there FROM (SELECT snapshot, group_key, load, "
        "facts, there FROM file_local ANY LEFT JOIN (SELECT load, group_key, count() AS there FROM "
        "fact_local GROUP BY load, group_key) USING load, group_key) WHERE facts != there ORDER BY "
        "snapshot, group_key, load FORMAT RowBinary";

struct checking {
	const struct shards_check *check;
	struct http *http; /* owned */
	struct strbuf query;
	struct strbuf answer;
	struct strbuf condition; /* of the rows that are removed */
};

static void checking_done(struct checking *checking)
{
	http_freep(&checking->http);
	strbuf_done(&checking->query);
	strbuf_done(&checking->answer);
	strbuf_done(&checking->condition);
}

static int ask(struct checking *checking, const char *host, const char *statement,
               struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r;

	strbuf_clear(&checking->answer);
	r = http_post(checking->http, host, strbuf_str(&checking->query), statement,
	              strlen(statement), ANSWER_BYTES, &checking->answer, &reason);
	if (r < 0)
		strbuf_addf(reterr, "%s: %s", host, strbuf_str(&reason));
	return r < 0 ? -EIO : 0;
}

static void add_condition(struct strbuf *out, uint64_t load, struct span keys)
{
	cleanup_(mem_freep) char *text = mem_copy(keys.text, keys.len);

	strbuf_addf(out, "%s(load = %llu AND group_key = ", out->len > 0 ? " OR " : "",
	            (unsigned long long)load);
	scan_plan_add_text(out, text);
	strbuf_add_char(out, ')');
}

struct loss_row {
	struct span all; /* its bytes */
	uint64_t load;
	struct shards_loss loss;
};

static bool read_row(struct span *rest, struct loss_row *ret)
{
	const char *begin = rest->text;
	bool done = row_binary_read_text(rest, &ret->loss.digest) &&
	            row_binary_read_text(rest, &ret->loss.keys) &&
	            row_binary_read_u64(rest, &ret->load) &&
	            row_binary_read_u64(rest, &ret->loss.facts) &&
	            row_binary_read_u64(rest, &ret->loss.there);

	ret->all = (struct span){begin, (size_t)(rest->text - begin)};
	return done;
}

static int damaged(const char *host, struct strbuf *reterr)
{
	strbuf_addf(reterr, "%s: its answer is not what was asked for", host);
	return -EIO;
}

/* Adds the rows of the answer to @rows. */
static int note_rows(const struct checking *checking, const char *host, struct strmap *rows,
                     struct strbuf *reterr)
{
	struct span rest = {strbuf_str(&checking->answer), checking->answer.len};
	struct loss_row row = {0};

	while (rest.len > 0) {
		if (!read_row(&rest, &row))
			return damaged(host, reterr);
		(void)strmap_add(rows, row.all.text, row.all.len);
	}
	return 0;
}

/* Visits the rows of the answer that are in @rows as well. Returns their number, or -EIO. */
static int64_t visit_losses(struct checking *checking, const char *host, const struct strmap *rows,
                            struct strbuf *reterr)
{
	struct span rest = {strbuf_str(&checking->answer), checking->answer.len};
	struct loss_row row = {0};
	int64_t count = 0;
	uint32_t place;

	strbuf_clear(&checking->condition);
	while (rest.len > 0) {
		if (!read_row(&rest, &row))
			return damaged(host, reterr);
		if (!strmap_find(rows, row.all.text, row.all.len, &place))
			continue;
		row.loss.host = host;
		checking->check->visit(checking->check->context, &row.loss);
		add_condition(&checking->condition, row.load, row.loss.keys);
		count++;
	}
	return count;
}

/* Asks twice: the server may count the facts of a file before it gets them, and find the row of the file when it has got them. The
 * second answer has all facts of each row that the first one has. */
static int64_t find_losses(struct checking *checking, const char *host, struct strbuf *reterr)
{
	cleanup_(strmap_done) struct strmap rows = STRMAP_INIT;
	int r = ask(checking, host, losses, reterr);

	if (r < 0 || checking->answer.len == 0)
		return r;
	r = note_rows(checking, host, &rows, reterr);
	if (r == 0)
		r = ask(checking, host, losses, reterr);
	return r < 0 ? r : visit_losses(checking, host, &rows, reterr);
}

static bool pause_until(uint64_t until_ns)
{
	struct timespec pause = {.tv_nsec = PAUSE_MS * NS_PER_MS};

	if (clock_now_ns(CLOCK_MONOTONIC) >= until_ns)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

/* The server removes rows in its own time: until then they are still in answers. */
static int remove_rows(struct checking *checking, const char *host, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf statement = STRBUF_INIT, remaining = STRBUF_INIT;
	uint64_t until_ns =
	        saturating_add(clock_now_ns(CLOCK_MONOTONIC), checking->check->patience_ns);
	int r;

	strbuf_addf(&statement, "ALTER TABLE file_local DELETE WHERE %s",
	            strbuf_str(&checking->condition));
	strbuf_addf(&remaining, "SELECT load FROM file_local WHERE %s FORMAT RowBinary",
	            strbuf_str(&checking->condition));
	r = ask(checking, host, strbuf_str(&statement), reterr);
	while (r == 0) {
		r = ask(checking, host, strbuf_str(&remaining), reterr);
		if (r < 0 || checking->answer.len == 0)
			return r;
		if (!pause_until(until_ns)) {
			strbuf_addf(reterr, "%s: it has not removed the rows yet", host);
			return -EIO;
		}
	}
	return r;
}

int64_t shards_check(const struct shards_check *check, struct strbuf *reterr)
{
	cleanup_(checking_done) struct checking checking = {.check = check,
	                                                    .http = http_new(reterr)};
	int64_t all = 0;

	if (!checking.http)
		return -EIO;
	strbuf_addf(&checking.query, "?database=%s&wait_end_of_query=1&max_query_size=1073741824",
	            check->address->database);
	for (size_t i = 0; i < check->address->count; i++) {
		const char *host = check->address->hosts[i];
		int64_t found = find_losses(&checking, host, reterr);

		if (found > 0 && check->removes && remove_rows(&checking, host, reterr) < 0)
			return -EIO;
		if (found < 0)
			return -EIO;
		all += found;
	}
	return all;
}
