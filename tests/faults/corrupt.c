// SPDX-License-Identifier: GPL-2.0-or-later
/* corrupt - reads a snapshot that is damaged in every way.
 *
 *   corrupt SNAPSHOT OTHER STEP JSON_STEP
 *
 * show, compare and window read the file SNAPSHOT cut off after each of its bytes, with each of its bits the other way round, and, in a
 * sound frame, with each bit of its JSON the other way round; compare and window against OTHER. Every STEPth of these cases is run, and
 * every JSON_STEPth of the bits of the JSON, from one on that the process id chooses, so that runs differ.
 *
 * A file that is cut off, or damaged within the frame, which has a checksum, is refused with a reason, or, if the bit has no meaning, gives
 * the report of the sound file. Damaged JSON in a sound frame is refused, or gives a sound report. command_words_run() checks the rest, and ends the
 * process with a sentence. Prints "WHAT TRIED WRONG" for each kind. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "command-run.h"
#include "fuzz.h"

enum { FILE_BYTES_MAX = 1 << 20, READERS = 3 };

struct damage {
	const struct strbuf *sound;  /* bytes of the file, or its JSON */
	const char *other;           /* path of the other file */
	bool raw;                    /* bytes of the file */
	struct strbuf good[READERS]; /* what each reader prints of the sound file */
	unsigned long tried, wrong;
};

static const struct command *const readers[READERS] = {&command_show, &command_compare,
                                                       &command_window};

static int read_damaged(const struct damage *damage, unsigned reader, const void *bytes, size_t len,
                        struct strbuf *out)
{
	cleanup_(command_words_done) struct command_words words = {{NULL}, 0};
	cleanup_(command_file_done) struct command_file file;

	command_file_init(&file, (struct command_input){bytes, len}, damage->raw);
	command_words_add(&words, readers[reader]->name);
	if (readers[reader] == &command_window)
		command_words_add(&words, "--output=-");
	else
		command_words_add(&words, "--format=csv");
	command_words_add(&words, file.path);
	if (readers[reader] != &command_show)
		command_words_add(&words, damage->other);
	return command_words_run(readers[reader], &words, out);
}

/* Returns whether a reader handles damaged bytes as it should. */
static bool is_well_read(const struct damage *damage, unsigned reader, const void *bytes,
                         size_t len)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	if (read_damaged(damage, reader, bytes, len, &out) != EXIT_DONE || !damage->raw)
		return true;
	return out.len == damage->good[reader].len &&
	       memcmp(strbuf_str(&out), strbuf_str(&damage->good[reader]), out.len) == 0;
}

static void try_damaged(struct damage *damage, const void *bytes, size_t len, const char *what,
                        size_t at)
{
	for (unsigned reader = 0; reader < READERS; reader++) {
		damage->tried++;
		if (is_well_read(damage, reader, bytes, len))
			continue;
		damage->wrong++;
		printf("wrong: %s reads another file where %s %zu\n", readers[reader]->name, what,
		       at);
	}
}

static void try_cuts(struct damage *damage, size_t step)
{
	for (size_t len = (size_t)getpid() % step; len < damage->sound->len; len += step)
		try_damaged(damage, damage->sound->data, len, "it is cut off behind byte", len);
}

static void try_flips(struct damage *damage, size_t step)
{
	cleanup_(mem_freep) char *bytes = mem_copy(damage->sound->data, damage->sound->len);

	for (size_t bit = (size_t)getpid() % step; bit < damage->sound->len * 8; bit += step) {
		bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
		try_damaged(damage, bytes, damage->sound->len, "it has another bit", bit);
		bytes[bit / 8] = damage->sound->data[bit / 8];
	}
}

static void read_file(const char *path, struct strbuf *ret)
{
	require(fd_read_all_at(AT_FDCWD, path, ret, FILE_BYTES_MAX) == 0, "the file is read");
}

static void decompress(const struct strbuf *file, struct strbuf *json)
{
	size_t len = ZSTD_decompress(strbuf_reserve(json, FILE_BYTES_MAX), FILE_BYTES_MAX,
	                             file->data, file->len);

	require(!ZSTD_isError(len), "the sound file is decompressed");
	json->len = len;
}

static void damage_init(struct damage *damage, const struct strbuf *sound, const char *other,
                        bool raw)
{
	*damage = (struct damage){.sound = sound, .other = other, .raw = raw};
	for (unsigned reader = 0; reader < READERS; reader++)
		require(read_damaged(damage, reader, sound->data, sound->len,
		                     &damage->good[reader]) == EXIT_DONE,
		        "the sound file is read");
}

static void damage_report(struct damage *damage, const char *what)
{
	printf("%s %lu %lu\n", what, damage->tried, damage->wrong);
	damage->tried = damage->wrong = 0;
}

static void damage_done(struct damage *damage)
{
	for (unsigned reader = 0; reader < READERS; reader++)
		strbuf_done(&damage->good[reader]);
}

int main(int argc, char **argv)
{
	cleanup_(strbuf_done) struct strbuf file = STRBUF_INIT, json = STRBUF_INIT;
	cleanup_(damage_done) struct damage packed = {0}, plain = {0};
	unsigned long step, json_step, wrong;

	if (argc != 5 || (step = strtoul(argv[3], NULL, 10)) == 0 ||
	    (json_step = strtoul(argv[4], NULL, 10)) == 0) {
		fprintf(stderr, "usage: corrupt SNAPSHOT OTHER STEP JSON_STEP\n");
		return 2;
	}
	read_file(argv[1], &file);
	decompress(&file, &json);
	damage_init(&packed, &file, argv[2], true);
	try_cuts(&packed, step);
	wrong = packed.wrong;
	damage_report(&packed, "truncations");
	try_flips(&packed, step);
	wrong += packed.wrong;
	damage_report(&packed, "bits of the file");
	damage_init(&plain, &json, argv[2], false);
	try_flips(&plain, json_step);
	wrong += plain.wrong;
	damage_report(&plain, "bits of the JSON");
	return wrong == 0 ? 0 : 1;
}
