// SPDX-License-Identifier: GPL-2.0-or-later
/* dotenv: any bytes are a file .env. Whatever its lines stand for, the variables stay within their limits, each name is there once,
 * and each is one that an environment can hold. */
#include <string.h>

#include "duct/duct-dotenv.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_(duct_variables_done) struct duct_variables variables = {0};
	size_t bytes = 0;
	unsigned bad = duct_dotenv_parse((const char *)data, size, &variables);

	require(bad <= size + 1, "the number of a line");
	require(variables.count <= DUCT_VARIABLES_MAX, "not too many variables");
	for (size_t i = 0; i < variables.count; i++) {
		const struct duct_variable *entry = &variables.entries[i];

		require(entry->name[0] != '\0', "a name");
		require(strlen(entry->name) <= DUCT_NAME_BYTES_MAX, "not too long a name");
		require(strlen(entry->value) <= DUCT_VALUE_BYTES_MAX, "not too long a value");
		require(duct_variables_find(&variables, entry->name) == entry->value,
		        "one variable of a name");
		bytes += strlen(entry->value);
	}
	require(bytes == variables.bytes && bytes <= DUCT_VARIABLES_BYTES_MAX, "the sum of them");
	return 0;
}
