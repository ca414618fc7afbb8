// SPDX-License-Identifier: GPL-2.0-or-later
#include "db-arms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int db_arms_check(const struct option_parser *parser)
{
	const char *text = parser->value, *comma = strchr(text, ',');
	size_t len = comma ? (size_t)(comma - text) : 0;

	if (len == 0 || comma[1] == '\0' || strchr(comma + 1, ','))
		return options_error(parser, "'%s' is not two names with a comma between them",
		                     text);
	if (strlen(comma + 1) == len && memcmp(text, comma + 1, len) == 0)
		return options_error(parser, "'%s' is the same arm twice", text);
	return 0;
}

void db_arms_split(const char *text, char **ret_names, struct arm_question *ret)
{
	char *names = mem_copy_text(text);
	size_t len = strcspn(names, ",");

	names[len] = '\0';
	ret->arms[0] = names;
	ret->arms[1] = names + len + 1;
	*ret_names = names;
}

int db_arms_parse_margin(const struct option_parser *parser, double *ret)
{
	char *end;

	errno = 0;
	*ret = strtod(parser->value, &end) / 100;
	if (end == parser->value || *end != '\0' || errno != 0 || !(*ret > 0 && *ret < 1))
		return options_error(parser, "'%s' is no percentage between 0 and 100",
		                     parser->value);
	return 0;
}
