// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-info.h"

#include <string.h>

#include "duct-system.h"

/* The version of con-duct that writes the same files. */
#define DUCT_VERSION "0.23.0"
#define SCHEMA_VERSION "0.2.3"

static void add(struct duct_json *json, const char *key, const char *value)
{
	duct_json_key(json, key);
	duct_json_text(json, value);
}

static void add_paths(const struct duct_files *files, struct duct_json *json)
{
	static const char *const keys[DUCT_FILE_COUNT] = {
	        [DUCT_STDOUT] = "stdout",
	        [DUCT_STDERR] = "stderr",
	        [DUCT_USAGE] = "usage",
	        [DUCT_INFO] = "info",
	};

	duct_json_key(json, "output_paths");
	duct_json_open(json, '{');
	for (unsigned i = 0; i < DUCT_FILE_COUNT; i++)
		add(json, keys[i], files->files[i].path);
	add(json, "prefix", files->prefix);
	duct_json_close(json, '}');
}

static void add_info(const struct duct_info *info, struct strbuf *out)
{
	struct duct_json json = {.out = out};

	duct_json_open(&json, '{');
	add(&json, "command", info->command);
	duct_json_key(&json, "system");
	duct_system_add(&json);
	duct_json_key(&json, "env");
	duct_environment_add(&json);
	duct_json_key(&json, "gpu");
	if (info->gpu)
		duct_json_raw(&json, info->gpu);
	else
		duct_json_null(&json);
	add(&json, "duct_version", DUCT_VERSION);
	add(&json, "schema_version", SCHEMA_VERSION);
	if (info->summary) {
		duct_json_key(&json, "execution_summary");
		duct_summary_add(info->summary, &json);
	}
	add_paths(info->files, &json);
	add(&json, "working_directory", info->working_directory);
	add(&json, "message", info->message);
	add(&json, "ctprof_version", CTPROF_VERSION);
	duct_json_close(&json, '}');
}

int duct_info_write(const struct duct_info *info, struct strbuf *reterr)
{
	const struct duct_file *file = &info->files->files[DUCT_INFO];
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	int r;

	add_info(info, &text);
	if (info->summary)
		return duct_file_replace(file, &text, reterr);
	r = duct_file_append(file, &text);
	if (r < 0)
		strbuf_add_str(reterr, strerror(-r));
	return r;
}

void duct_command_add(char *const *argv, struct strbuf *out)
{
	for (char *const *word = argv; *word; word++) {
		if (word != argv)
			strbuf_add_char(out, ' ');
		strbuf_add_str(out, *word);
	}
}
