// SPDX-License-Identifier: GPL-2.0-or-later
#include "command-run.h"
#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/text.h"
#include "fuzz.h"

enum { CAPTURED_BYTES_MAX = 1 << 28 };

uint8_t command_next_byte(struct command_input *input)
{
	if (input->size == 0)
		return 0;
	input->size--;
	return *input->data++;
}

struct command_input command_next_part(struct command_input *input)
{
	const uint8_t *end = input->size > 0 ? memchr(input->data, 0, input->size) : NULL;
	struct command_input part = {input->data, end ? (size_t)(end - input->data) : input->size};

	input->data += part.size + (end != NULL);
	input->size -= part.size + (end != NULL);
	return part;
}

void command_words_add(struct command_words *words, const char *word)
{
	require(words->count < COMMAND_WORDS_MAX, "COMMAND_WORDS_MAX is large enough");
	words->words[words->count++] = mem_copy(word, strlen(word));
}

void command_words_done(struct command_words *words)
{
	for (int i = 0; i < words->count; i++)
		free(words->words[i]);
	words->count = 0;
}

static void fill(int fd, const void *bytes, size_t len)
{
	require(fd >= 0 && fd_write_all(fd, bytes, len) == 0, "a file in memory");
}

void command_file_init(struct command_file *file, struct command_input part, bool raw)
{
	size_t room = ZSTD_compressBound(part.size), len;
	void *frame;

	/* It stays open on exec, as those of a caller do: the others are the program's own. */
	file->fd = memfd_create("snapshot", 0);
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
	if (raw) {
		fill(file->fd, part.data, part.size);
		return;
	}
	frame = mem_calloc(1, room);
	len = ZSTD_compress(frame, room, part.data, part.size, 1);
	require(!ZSTD_isError(len), "compressing");
	fill(file->fd, frame, len);
	free(frame);
}

void command_file_done(struct command_file *file)
{
	fd_closep(&file->fd);
}

/* A standard stream, caught in a file in memory. */
struct caught {
	int fd;   /* 1 or 2 */
	int kept; /* what the descriptor was */
	FILE **stream, *before;
	int file;
};

static void catch_stream(struct caught *caught, int fd, FILE **stream)
{
	fflush(*stream);
	*caught = (struct caught){.fd = fd, .stream = stream, .before = *stream};
	caught->kept = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	caught->file = memfd_create("stream", MFD_CLOEXEC);
	require(caught->kept >= 0 && caught->file >= 0 && dup2(caught->file, fd) == fd,
	        "descriptors");
	/* The command may close it, which must not close ours. */
	*stream = fdopen(fcntl(fd, F_DUPFD_CLOEXEC, 3), "w");
	require(*stream != NULL, "a stream");
}

/* @is_open says that the command has not closed it. */
static void release_stream(struct caught *caught, bool is_open, struct strbuf *ret)
{
	if (is_open)
		fclose(*caught->stream);
	*caught->stream = caught->before;
	require(dup2(caught->kept, caught->fd) == caught->fd, "descriptors");
	require(lseek(caught->file, 0, SEEK_SET) == 0, "a file in memory");
	strbuf_clear(ret);
	for (;;) {
		char block[1 << 16];
		ssize_t len = read(caught->file, block, sizeof(block));

		require(len >= 0 && ret->len < CAPTURED_BYTES_MAX, "output of a sound size");
		if (len == 0)
			break;
		strbuf_add(ret, block, (size_t)len);
	}
	close(caught->kept);
	close(caught->file);
}

static void check_harmless(const struct strbuf *text)
{
	uint32_t c;

	for (size_t at = 0, step; at < text->len; at += step) {
		step = text_decode(text->data + at, text->len - at, &c);
		require(step > 0 && (c == '\n' || text_is_harmless(c)), "text is safe to print");
	}
}

static void check_errors(int status, const struct strbuf *out, const struct strbuf *errors)
{
	const char *line = strbuf_str(errors);

	require(status == EXIT_DONE || status == EXIT_FAILED || status == EXIT_USAGE,
	        "a status of the command");
	require(status == EXIT_DONE || errors->len > 0, "a failure has a reason");
	require(status == EXIT_DONE || out->len == 0, "a failure prints nothing");
	require(errors->len == 0 || errors->data[errors->len - 1] == '\n', "whole lines");
	require(errors->len == 0 || strncmp(line, "ctprof: ", strlen("ctprof: ")) == 0,
	        "errors say who speaks");
	check_harmless(errors);
}

/* Returns whether the command closed standard output: cli_finish_output() does, if there is a report or a failure to write one. */
static bool is_report(const struct command *command, int status)
{
	return status == EXIT_DONE && (command == &command_show || command == &command_compare);
}

int command_words_run(const struct command *command, struct command_words *words,
                      struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf errors = STRBUF_INIT;
	struct caught caught[2];
	int status;

	words->words[words->count] = NULL;
	catch_stream(&caught[0], STDOUT_FILENO, &stdout);
	catch_stream(&caught[1], STDERR_FILENO, &stderr);
	status = command->run(command, words->count, words->words);
	release_stream(&caught[1], true, &errors);
	release_stream(&caught[0], !is_report(command, status), out);
	if (getenv("FUZZ_SHOW_OUTPUT"))
		fprintf(stderr, "status %d\n%s%s", status, strbuf_str(&errors), strbuf_str(out));
	check_errors(status, out, &errors);
	return status;
}

static const char *format_of(const struct command_words *words)
{
	for (int i = 0; i + 1 < words->count; i++)
		if (strcmp(words->words[i], "--format") == 0)
			return words->words[i + 1];
	return "table";
}

static void check_json(const char *text, size_t len)
{
	json_t *value = json_loadb(text, len, JSON_ALLOW_NUL, NULL);

	require(value != NULL, "a report is JSON");
	json_decref(value);
}

/* Each record has as many fields as the first one; fields may be quoted. */
static void check_csv(const struct strbuf *out)
{
	size_t fields = 1, first = 0;
	bool quoted = false;

	require(out->len > 0 && out->data[out->len - 1] == '\n', "whole records");
	for (size_t i = 0; i < out->len; i++) {
		quoted = quoted != (out->data[i] == '"');
		if (quoted || (out->data[i] != ',' && out->data[i] != '\n'))
			continue;
		if (out->data[i] == ',') {
			fields++;
			continue;
		}
		first = first > 0 ? first : fields;
		require(fields == first, "records have the same number of fields");
		fields = 1;
	}
	require(!quoted, "quotes are closed");
}

void command_check_report(const struct command_words *words, const struct strbuf *out)
{
	const char *format = format_of(words), *line = strbuf_str(out), *end;

	if (strcmp(format, "csv") == 0) {
		check_csv(out);
	} else if (strcmp(format, "json") == 0) {
		check_json(line, out->len);
	} else if (strcmp(format, "ndjson") == 0) {
		for (; (end = strchr(line, '\n')); line = end + 1)
			check_json(line, (size_t)(end - line));
		require(line == strbuf_str(out) + out->len, "whole lines");
	} else {
		check_harmless(out);
	}
}
