// SPDX-License-Identifier: GPL-2.0-or-later
#include "accept.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct range {
	const char *text;
	size_t len;
};

enum { WEIGHT_ONE = 1000 };

static struct range trim(struct range range)
{
	while (range.len > 0 && (*range.text == ' ' || *range.text == '\t')) {
		range.text++;
		range.len--;
	}
	while (range.len > 0 &&
	       (range.text[range.len - 1] == ' ' || range.text[range.len - 1] == '\t'))
		range.len--;
	return range;
}

/* Cuts the part up to @separator off. Returns false if there is none left. A quoted string may have one in it. */
static bool cut(struct range *rest, char separator, struct range *ret)
{
	bool is_quoted = false;
	size_t i = 0;

	if (!rest->text)
		return false;
	for (; i < rest->len && (is_quoted || rest->text[i] != separator); i++) {
		if (rest->text[i] == '"')
			is_quoted = !is_quoted;
		if (is_quoted && rest->text[i] == '\\' && i + 1 < rest->len)
			i++;
	}
	*ret = trim((struct range){rest->text, i});
	if (i == rest->len)
		rest->text = NULL;
	else
		*rest = (struct range){rest->text + i + 1, rest->len - i - 1};
	return true;
}

static bool is(struct range range, const char *word)
{
	return range.len == strlen(word) && strncasecmp(range.text, word, range.len) == 0;
}

/* Returns a weight in thousandths; one that is malformed is none. */
static int weight_of(struct range value)
{
	int weight, unit = WEIGHT_ONE / 10;

	if (value.len == 0 || (value.text[0] != '0' && value.text[0] != '1'))
		return 0;
	weight = (value.text[0] - '0') * WEIGHT_ONE;
	if (value.len > 1 && value.text[1] != '.')
		return 0;
	for (size_t i = 2; i < value.len; i++, unit /= 10) {
		if (!isdigit((unsigned char)value.text[i]))
			return 0;
		weight += (value.text[i] - '0') * unit;
	}
	return weight > WEIGHT_ONE ? WEIGHT_ONE : weight;
}

static bool is_one_of(struct range value, const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		if (is(value, words[i]))
			return true;
	return false;
}

/* Reads the parameters behind a type. Returns its weight; 0 if it is of a version that is not in @versions. */
static int read_parameters(struct range rest, const char *const *versions)
{
	struct range parameter, name;
	int weight = WEIGHT_ONE;
	bool is_known = true;

	while (cut(&rest, ';', &parameter)) {
		(void)cut(&parameter, '=', &name);
		if (!parameter.text)
			continue;
		parameter = trim(parameter);
		if (is(name, "q"))
			weight = weight_of(parameter);
		else if (is(name, "version"))
			is_known = is_one_of(parameter, versions);
	}
	return is_known ? weight : 0;
}

bool accept_is_openmetrics(const char *accept)
{
	static const char *const open[] = {"1.0.0", "0.0.1", "\"1.0.0\"", "\"0.0.1\"", NULL};
	static const char *const plain[] = {"0.0.4", "\"0.0.4\"", NULL};
	struct range rest = {accept, accept ? strlen(accept) : 0}, element, type;
	int openmetrics = 0, text = 0;

	while (cut(&rest, ',', &element)) {
		struct range parameters = element;
		int weight;

		(void)cut(&parameters, ';', &type);
		if (is(type, "application/openmetrics-text")) {
			weight = read_parameters(parameters, open);
			openmetrics = weight > openmetrics ? weight : openmetrics;
		} else if (is(type, "text/plain")) {
			weight = read_parameters(parameters, plain);
			text = weight > text ? weight : text;
		}
	}
	return openmetrics > 0 && openmetrics >= text;
}
