// SPDX-License-Identifier: GPL-2.0-or-later
/* database: any bytes are a database file, which is asked each question, and to which a transaction is added; or it is refused with
 * a reason. Behind a first byte that says so a journal follows it. No file but these two is made, changed or removed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/memory-stream.h"
#include "database/answer-print.h"
#include "database/arms-print.h"
#include "database/question.h"
#include "fuzz.h"

static const char directory[] = "/dev/shm/ctprof-fuzz-database";

static void write_file(int dir_fd, const char *name, const uint8_t *data, size_t size)
{
	int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	require(fd >= 0 && fd_write_all(fd, data, size) == 0, "a place for the database");
	close(fd);
}

static void print(struct database *database, const struct question *question,
                  const struct database_list *list, const struct answer *answer)
{
	static const struct table_style style = {.width = 80};
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	require(file != NULL, "memory");
	answer_print_table(file, &style, database, question, list, answer, 20);
	answer_print_csv(file, database, question, list, answer, false);
	answer_print_ndjson(file, database, question, list, answer);
	fclose(file);
	free(text);
}

static void print_arms(struct database *database, const struct database_list *list,
                       const struct arms_answer *answer)
{
	static const struct table_style style = {.width = 80};
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	require(file != NULL, "memory");
	arms_print_table(file, &style, database, list, answer, 20);
	arms_print_csv(file, database, list, answer, false);
	arms_print_ndjson(file, database, list, answer);
	fclose(file);
	free(text);
}

static void ask_arms(struct database *database, const struct database_list *list)
{
	static const struct arm_question question = {.filter.group_key = "pcomm",
	                                             .to_unix_ns = UINT64_MAX,
	                                             .least_effect = 0.01,
	                                             .margin = 0.02,
	                                             .least_z = 6};
	cleanup_(arms_answer_done) struct arms_answer answer = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	if (arms_ask(database, &question, list, &answer, &reason) == 0)
		print_arms(database, list, &answer);
	else
		require(reason.len > 0 || database_reason(database)[0] != '\0', "a reason");
}

static void ask(struct database *database)
{
	cleanup_(database_list_done) struct database_list list = {0};

	if (database_list(database, &list) < 0) {
		require(database_reason(database)[0] != '\0', "a reason");
		return;
	}
	for (unsigned kind = 0; kind < QUESTION_COUNT; kind++) {
		cleanup_(answer_done) struct answer answer = {0};
		cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
		const struct question question = {
		        .kind = (enum question_kind)kind,
		        .from_unix_ns = kind == QUESTION_MOVERS ? 1000 : 0,
		        .to_unix_ns = kind == QUESTION_MOVERS ? 2000 : UINT64_MAX,
		        .filter.group_name = kind == QUESTION_GROUP ? "g1" : NULL,
		};

		if (question_ask(database, &question, &list, &answer, &reason) == 0)
			print(database, &question, &list, &answer);
		else
			require(reason.len > 0 || database_reason(database)[0] != '\0', "a reason");
	}
	ask_arms(database, &list);
}

static void open_and_ask(const char *path, enum database_use use)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(database_freep) struct database *database = database_open(path, use, &reason);

	require((database != NULL) == (reason.len == 0), "a database or a reason");
	if (!database)
		return;
	ask(database);
	if (use == DATABASE_ADD && database_begin(database) == 0 && database_commit(database) < 0)
		database_cancel(database);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"db", "db-journal", "db-wal", "db-shm"};
	cleanup_(fd_closep) int dir_fd = -1, before_fd = open(".", O_PATH | O_CLOEXEC);
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	struct stat status;
	size_t journal = 0;

	strbuf_addf(&path, "%s-%u", directory, (unsigned)getpid());
	require(mkdir(strbuf_str(&path), 0700) == 0 || errno == EEXIST, "a directory");
	dir_fd = open(strbuf_str(&path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	require(dir_fd >= 0, "a directory");
	/* So that the journal can name it. */
	require(before_fd >= 0 && fchdir(dir_fd) == 0, "a directory");
	write_file(dir_fd, "kept", (const uint8_t *)"", 0);
	if (size > 0 && data[0] > 0 && data[0] <= 2)
		/* The part behind the last 1,024 bytes' begin. */
		journal = size > 1024 ? 1024 : size / 2;
	if (journal > 0)
		write_file(dir_fd, names[data[0]], data + size - journal, journal);
	write_file(dir_fd, "db", data + (size > 0), size - journal - (size > 0));
	strbuf_add_str(&path, "/db");
	open_and_ask(strbuf_str(&path), DATABASE_READ);
	open_and_ask(strbuf_str(&path), DATABASE_ADD);
	require(fstatat(dir_fd, "kept", &status, 0) == 0 && status.st_size == 0, "another file");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		(void)unlinkat(dir_fd, names[i], 0);
	require(unlinkat(dir_fd, "kept", 0) == 0, "another file");
	require(fchdir(before_fd) == 0, "a directory");
	path.len -= 3;
	path.data[path.len] = '\0';
	require(rmdir(strbuf_str(&path)) == 0, "no other file");
	return 0;
}
