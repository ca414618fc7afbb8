// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct-system.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/regular-file.h"
#include "duct/duct-dotenv.h"
#include "job/job-values.h"

/* The file has the syntax of assignments in a shell, as files .env have. */
static void read_release(struct duct_variables *variables)
{
	enum { TEXT_BYTES = 1 << 16 };
	static const char *const paths[] = {"/etc/os-release", "/usr/lib/os-release"};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		cleanup_(fd_closep) int fd =
		        regular_file_open_link(AT_FDCWD, paths[i], FILE_SYSTEMS_ALL);
		cleanup_(mem_freep) char *text = mem_calloc(TEXT_BYTES, 1);
		ssize_t len = fd < 0 ? -1 : read(fd, text, TEXT_BYTES);

		if (len < 0)
			continue;
		(void)duct_dotenv_parse(text, (size_t)len, variables);
		return;
	}
}

static void add(struct duct_json *json, const char *key, const char *value)
{
	duct_json_key(json, key);
	duct_json_text(json, value ? value : "");
}

static void add_user(struct duct_json *json)
{
	const char *user = getenv("USER");

	duct_json_key(json, "uid");
	duct_json_int(json, getuid());
	duct_json_key(json, "user");
	if (user)
		duct_json_text(json, user);
	else
		duct_json_null(json);
}

static void add_release(struct duct_json *json)
{
	static const char *const keys[][2] = {
	        {"distro_id", "ID"},
	        {"distro_id_like", "ID_LIKE"},
	        {"distro_name", "NAME"},
	        {"distro_version", "VERSION"},
	        {"distro_version_id", "VERSION_ID"},
	        {"distro_codename", "VERSION_CODENAME"},
	        {"distro_variant_id", "VARIANT_ID"},
	        {"distro_pretty_name", "PRETTY_NAME"},
	        {"distro_build_id", "BUILD_ID"},
	};
	cleanup_(duct_variables_done) struct duct_variables release = {0};

	read_release(&release);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		add(json, keys[i][0], duct_variables_find(&release, keys[i][1]));
}

void duct_system_add(struct duct_json *json)
{
	struct utsname name = {0};

	(void)uname(&name);
	duct_json_open(json, '{');
	duct_json_key(json, "cpu_total");
	duct_json_int(json, sysconf(_SC_NPROCESSORS_CONF));
	duct_json_key(json, "memory_total");
	duct_json_int(json, (int64_t)job_host_memory());
	add(json, "hostname", name.nodename);
	add_user(json);
	add(json, "os_name", name.sysname);
	add(json, "os_release", name.release);
	add(json, "os_version", name.version);
	add(json, "arch", name.machine);
	add(json, "processor", "");
	add_release(json);
	duct_json_close(json, '}');
}

static bool is_of_batch_system(const char *variable)
{
	static const char *const prefixes[] = {"PBS_", "SLURM_", "OSG"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

void duct_environment_add(struct duct_json *json)
{
	duct_json_open(json, '{');
	for (char **variable = environ; *variable; variable++) {
		const char *equals = strchr(*variable, '=');
		cleanup_(mem_freep) char *name = NULL;

		if (!equals || !is_of_batch_system(*variable))
			continue;
		name = mem_copy(*variable, (size_t)(equals - *variable));
		add(json, name, equals + 1);
	}
	duct_json_close(json, '}');
}
