/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-info - the description of a job and its summary: an info.json, as con-duct and ctprof duct write it, as one list of
 * fields. Objects inside it are opened: their members are fields as well. */
#include <stdbool.h>
#include <stddef.h>

#include "base/strmap.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

enum job_field_kind {
	JOB_FIELD_NULL,
	JOB_FIELD_BOOL, /* "true" or "false" */
	JOB_FIELD_NUMBER,
	JOB_FIELD_TEXT,
	JOB_FIELD_JSON, /* an array, as JSON */
};

struct job_field {
	enum job_field_kind kind;
	bool is_integer;
	double number; /* of a number or a bool, else NaN */
	char *text;    /* as in the file, raw bytes of any kind; owned; "" for null */
};

struct job_info {
	struct strmap names;      /* the place of a name is that of its field */
	struct job_field *fields; /* owned */
	size_t count, capacity;
};

enum job_info_outcome {
	JOB_INFO_EMPTY = 1, /* nothing is in the file: the job goes on, or its monitor was killed */
	JOB_INFO_OLD,       /* of a schema before 0.2.0, in which con-duct reads nothing either */
};

enum { JOB_INFO_BYTES_MAX = 16 * 1024 * 1024 };

/* Reads the text. @info is zeroed before. A name that con-duct has is the one in its own object ("system",
 * "execution_summary", "output_paths" or the outermost), if that has it; for any other name the last one counts. Returns 0; a
 * job_info_outcome; or -EBADMSG with a phrase in @reterr. */
must_check_ int job_info_read(struct job_info *info, const char *text, size_t len,
                              struct strbuf *reterr);
/* For cleanup_(job_info_done). */
void job_info_done(struct job_info *info);

/* Returns the field of that name, or NULL; borrowed until the next change. */
const struct job_field *job_info_find(const struct job_info *info, const char *name);
/* Returns its text, or NULL if it is no text; its number, or NaN. */
const char *job_info_text(const struct job_info *info, const char *name);
double job_info_number(const struct job_info *info, const char *name);

/* Sets a text, as the reader does. */
void job_info_set_text(struct job_info *info, const char *name, const char *text);
/* Sets a number; NaN sets nothing. */
void job_info_set_number(struct job_info *info, const char *name, double number, bool is_integer);
