// SPDX-License-Identifier: GPL-2.0-or-later
#include "db-check.h"

#include <stdio.h>

#include "base/text.h"
#include "command/command.h"
#include "database/database.h"
#include "shards/shards-check.h"

int db_check_file(const char *path)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(database_freep) struct database *database =
	        database_open(path, DATABASE_READ, &reason);

	if (database && database_check(database) == 0)
		return EXIT_DONE;
	cli_error("%s: %s", path, database ? database_reason(database) : strbuf_str(&reason));
	return EXIT_FAILED;
}

static void print_loss(unused_ void *context, const struct shards_loss *loss)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	text_add_escaped(&line, loss->digest.text, loss->digest.len);
	strbuf_add_char(&line, ' ');
	text_add_escaped(&line, loss->keys.text, loss->keys.len);
	printf("%s %llu of %llu facts at %s\n", strbuf_str(&line), (unsigned long long)loss->there,
	       (unsigned long long)loss->facts, loss->host);
}

int db_check_servers(const struct shards_address *address, bool removes, uint64_t patience_ns)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct shards_check check = {.address = address,
	                             .removes = removes,
	                             .patience_ns = patience_ns,
	                             .visit = print_loss};
	int64_t found = shards_check(&check, &reason);
	bool has_failed = found < 0 || (found > 0 && !removes);
	int status = cli_finish_output(0);

	if (found < 0)
		cli_error("%s", strbuf_str(&reason));
	else if (found > 0 && !removes)
		cli_error("facts are missing: 'ctprof db check --repair', and add the files again");
	return has_failed ? EXIT_FAILED : status;
}
