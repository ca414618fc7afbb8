// SPDX-License-Identifier: GPL-2.0-or-later
/* A program of the build, not installed: registry-print man | tags | job | series | fields | schema | fleet | fleet-schema. */
#include "registry-print.h"

#include <string.h>

int main(int argc, char **argv)
{
	const char *mode = argc == 2 ? argv[1] : "";

	if (strcmp(mode, "man") == 0) {
		registry_print_man(stdout);
	} else if (strcmp(mode, "tags") == 0) {
		registry_print_tags(stdout);
	} else if (strcmp(mode, "job") == 0) {
		registry_print_job(stdout);
	} else if (strcmp(mode, "series") == 0) {
		registry_print_series(stdout);
	} else if (strcmp(mode, "fields") == 0) {
		registry_print_fields(stdout);
	} else if (strcmp(mode, "schema") == 0) {
		registry_print_schema(stdout);
	} else if (strcmp(mode, "fleet") == 0) {
		registry_print_fleet(stdout);
	} else if (strcmp(mode, "fleet-schema") == 0) {
		registry_print_fleet_schema(stdout);
	} else {
		fputs("Usage: registry-print "
		      "man|tags|job|series|fields|fleet|schema|fleet-schema\n",
		      stderr);
		return 2;
	}
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	fputs("registry-print: cannot write\n", stderr);
	return 1;
}
