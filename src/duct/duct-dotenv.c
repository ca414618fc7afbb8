// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-dotenv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct reader {
	const char *at, *end;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

static char peek(const struct reader *reader)
{
	return reader->at < reader->end ? *reader->at : '\0';
}

static void skip_blanks(struct reader *reader)
{
	while (reader->at < reader->end && is_blank(*reader->at))
		reader->at++;
}

static void skip_line(struct reader *reader)
{
	while (reader->at < reader->end && !is_line_end(*reader->at))
		reader->at++;
}

/* Reads what is between quotes. A backslash takes the next character with it. */
static int read_quoted(struct reader *reader, struct strbuf *out)
{
	static const char letters[] = "abfnrtv", codes[] = "\a\b\f\n\r\t\v";
	const char quote = *reader->at++;

	for (; reader->at < reader->end && *reader->at != quote; reader->at++) {
		const char *letter;
		char next;

		if (*reader->at != '\\' || reader->at + 1 == reader->end) {
			strbuf_add_char(out, *reader->at);
			continue;
		}
		next = *++reader->at;
		letter = quote == '"' && next != '\0' ? strchr(letters, next) : NULL;
		if (letter)
			next = codes[letter - letters];
		else if (next != '\\' && next != '\'' && !(next == '"' && quote == '"'))
			strbuf_add_char(out, '\\');
		strbuf_add_char(out, next);
	}
	if (reader->at == reader->end)
		return -EINVAL;
	reader->at++;
	return 0;
}

/* A comment begins behind a blank. */
static void read_plain(struct reader *reader, struct strbuf *out)
{
	const char *begin = reader->at, *end;

	skip_line(reader);
	end = begin;
	while (end < reader->at && !(*end == '#' && end > begin && is_blank(end[-1])))
		end++;
	while (end > begin && is_blank(end[-1]))
		end--;
	strbuf_add(out, begin, (size_t)(end - begin));
}

static int read_key(struct reader *reader, struct strbuf *out)
{
	const char *begin;

	if (peek(reader) == '\'') {
		begin = ++reader->at;
		while (reader->at < reader->end && *reader->at != '\'')
			reader->at++;
		if (reader->at == reader->end || reader->at == begin)
			return -EINVAL;
		strbuf_add(out, begin, (size_t)(reader->at - begin));
		reader->at++;
		return 0;
	}
	begin = reader->at;
	while (reader->at < reader->end && !strchr("=# \t\v\f\n\r", *reader->at))
		reader->at++;
	strbuf_add(out, begin, (size_t)(reader->at - begin));
	return out->len > 0 ? 0 : -EINVAL;
}

static int read_value(struct reader *reader, struct strbuf *out)
{
	const char *behind_sign = ++reader->at;
	int r = 0;

	skip_blanks(reader);
	if (peek(reader) == '"' || peek(reader) == '\'')
		r = read_quoted(reader, out);
	else if (!(peek(reader) == '#' && reader->at > behind_sign))
		read_plain(reader, out);
	return r;
}

/* Behind a value there is nothing, or a comment. */
static int read_rest(struct reader *reader)
{
	skip_blanks(reader);
	if (peek(reader) == '#')
		skip_line(reader);
	return reader->at == reader->end || is_line_end(*reader->at) ? 0 : -EINVAL;
}

static void skip_export(struct reader *reader)
{
	static const char word[] = "export";
	const size_t len = strlen(word);

	if ((size_t)(reader->end - reader->at) <= len || memcmp(reader->at, word, len) != 0 ||
	    !is_blank(reader->at[len]))
		return;
	reader->at += len;
	skip_blanks(reader);
}

/* Returns 0, or -E2BIG for more than the limits allow. */
static int set(struct duct_variables *variables, const struct strbuf *name,
               const struct strbuf *value)
{
	uint32_t place;
	bool is_there = strmap_find(&variables->names, strbuf_str(name), name->len, &place);
	size_t old = is_there ? strlen(variables->entries[place].value) : 0;
	struct duct_variable *entry;

	if (name->len > DUCT_NAME_BYTES_MAX || value->len > DUCT_VALUE_BYTES_MAX ||
	    variables->bytes - old + value->len > DUCT_VARIABLES_BYTES_MAX ||
	    (!is_there && variables->count == DUCT_VARIABLES_MAX))
		return -E2BIG;
	variables->bytes += value->len - old;
	if (is_there) {
		entry = &variables->entries[place];
		free(entry->value);
	} else {
		strmap_add(&variables->names, strbuf_str(name), name->len);
		entry = array_add(variables->entries, variables->count, variables->capacity);
		entry->name = mem_copy(strbuf_str(name), name->len);
	}
	entry->value = mem_copy(strbuf_str(value), value->len);
	return 0;
}

/* Reads one line, or more in quotes. Bytes that no environment can hold are refused. */
static int read_binding(struct reader *reader, struct duct_variables *variables)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT, raw = STRBUF_INIT,
	                                    value = STRBUF_INIT;
	bool has_value = false;
	int r = 0;

	skip_export(reader);
	if (peek(reader) != '#')
		r = read_key(reader, &key);
	skip_blanks(reader);
	if (r == 0 && peek(reader) == '=') {
		has_value = true;
		r = read_value(reader, &raw);
	}
	if (r == 0)
		r = read_rest(reader);
	if (r < 0 || !has_value)
		return r;
	if (memchr(strbuf_str(&raw), '\0', raw.len) || memchr(strbuf_str(&key), '\0', key.len))
		return -EINVAL;
	if (raw.len > DUCT_VALUE_BYTES_MAX)
		return -E2BIG;
	duct_dotenv_expand(strbuf_str(&raw), variables, &value);
	return set(variables, &key, &value);
}

static unsigned lines_before(const char *text, const char *at)
{
	unsigned lines = 0;

	for (; text < at; text++)
		lines += *text == '\n';
	return lines;
}

unsigned duct_dotenv_parse(const char *text, size_t len, struct duct_variables *variables)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of the order of bytes */
	struct reader reader = {text, text + len};
	unsigned bad = 0;

	if (len >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0)
		reader.at += strlen(mark);
	while (true) {
		const char *begin;

		while (reader.at < reader.end && (is_blank(*reader.at) || is_line_end(*reader.at)))
			reader.at++;
		if (reader.at == reader.end)
			return bad;
		begin = reader.at;
		if (read_binding(&reader, variables) == 0)
			continue;
		if (bad == 0)
			bad = lines_before(text, begin) + 1;
		skip_line(&reader);
	}
}

/* Finds the end of a name at @at, which begins with "${". Returns NULL if it is none. Behind @at there is a "}". */
static const char *find_close(const char *at, const char **ret_default)
{
	size_t len = strnlen(at, DUCT_NAME_BYTES_MAX + 1), name = 0;
	const char *colon;

	while (name < len && at[name] != ':' && at[name] != '}')
		name++;
	colon = at + name;
	*ret_default = NULL;
	if (name == len)
		return NULL;
	if (*colon == '}')
		return colon;
	if (colon[1] != '-')
		return NULL;
	*ret_default = colon + 2;
	return strchr(colon, '}');
}

void duct_dotenv_expand(const char *value, const struct duct_variables *variables,
                        struct strbuf *out)
{
	const char *last = strrchr(value, '}');

	while (*value && out->len <= DUCT_VALUE_BYTES_MAX) {
		cleanup_(mem_freep) char *name = NULL;
		const char *fallback, *found, *close = NULL;

		if (last && value < last && strncmp(value, "${", 2) == 0)
			close = find_close(value + 2, &fallback);
		if (!close) {
			strbuf_add_char(out, *value++);
			continue;
		}
		name = mem_copy(value + 2,
		                (size_t)((fallback ? fallback - 2 : close) - (value + 2)));
		found = getenv(name);
		if (!found)
			found = duct_variables_find(variables, name);
		if (found)
			strbuf_add_str(out, found);
		else if (fallback)
			strbuf_add(out, fallback, (size_t)(close - fallback));
		value = close + 1;
	}
}

const char *duct_variables_find(const struct duct_variables *variables, const char *name)
{
	uint32_t place;

	return strmap_find(&variables->names, name, strlen(name), &place)
	               ? variables->entries[place].value
	               : NULL;
}

void duct_variables_done(struct duct_variables *variables)
{
	for (size_t i = 0; i < variables->count; i++) {
		free(variables->entries[i].name);
		free(variables->entries[i].value);
	}
	free(variables->entries);
	strmap_done(&variables->names);
	*variables = (struct duct_variables){0};
}
