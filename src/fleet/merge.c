// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "merge-info.h"

/* A file: the second reading needs this of the first one. */
struct file {
	enum source_outcome rules[SOURCE_COUNT];
	char *name;        /* owned */
	char *host, *boot; /* of all of its rows; NULL: the rows have them. Owned */
};

struct merge {
	struct snapshot_visitor survey, rows; /* see self_of() */
	struct snapshot_info info;
	struct file *files; /* owned */
	size_t count, capacity;
	struct strmap hosts;        /* to the number of their file, plus one */
	struct strmap survey_hosts; /* of the rows of the file that is read */
	struct snapshot_writer *writer;
	size_t writing; /* number of the file */
};

static struct merge *of_survey(struct snapshot_visitor *visitor)
{
	return (struct merge *)((char *)visitor - offsetof(struct merge, survey));
}

static struct merge *of_rows(struct snapshot_visitor *visitor)
{
	return (struct merge *)((char *)visitor - offsetof(struct merge, rows));
}

static int see_row(struct snapshot_visitor *self, struct thread_sample *sample)
{
	if (sample->host.len > 0)
		strmap_add(&of_survey(self)->survey_hosts, sample->host.data, sample->host.len);
	return 0;
}

/* The reason why a file does not have values is, in a result whose hosts differ in it, a reason of each row. */
static void add_reasons(const struct merge *merge, struct thread_sample *sample)
{
	const struct file *file = &merge->files[merge->writing];

	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		if (file->rules[s] != merge->info.rules[s] &&
		    sample->outcomes[s] == OUTCOME_unneeded)
			sample->outcomes[s] = file->rules[s];
}

static int write_row(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct merge *merge = of_rows(self);
	const struct file *file = &merge->files[merge->writing];

	add_reasons(merge, sample);
	if (file->host) {
		strbuf_clear(&sample->host);
		strbuf_add_str(&sample->host, file->host);
		/* In a sum over several boots, a row may be of another one than the file. */
		if (sample->boot_id.len == 0 && file->boot)
			strbuf_add_str(&sample->boot_id, file->boot);
	}
	return snapshot_write_thread(merge->writer, sample);
}

struct merge *merge_new(void)
{
	struct merge *merge = mem_calloc(1, sizeof(*merge));

	merge->survey.thread = see_row;
	merge->rows.thread = write_row;
	return merge;
}

void merge_freep(struct merge **merge_ref)
{
	struct merge *merge = *merge_ref;

	*merge_ref = NULL;
	if (!merge)
		return;
	for (size_t i = 0; i < merge->count; i++) {
		free(merge->files[i].name);
		free(merge->files[i].host);
		free(merge->files[i].boot);
	}
	free(merge->files);
	strmap_done(&merge->hosts);
	strmap_done(&merge->survey_hosts);
	snapshot_info_done(&merge->info);
	free(merge);
}

struct snapshot_visitor *merge_survey(struct merge *merge)
{
	strmap_done(&merge->survey_hosts);
	merge->survey_hosts = STRMAP_INIT;
	return &merge->survey;
}

static const char *text_or_none(const char *text)
{
	return text ? text : "";
}

static bool is_same_number(const struct host *a, const struct host *b, enum host_field field)
{
	return a->seen[field] == b->seen[field] && a->numbers[field] == b->numbers[field];
}

/* Returns what is wrong with the file by itself, or beside those before it; NULL if it can be merged. */
static const char *fault_of(const struct merge *merge, const struct snapshot_info *info)
{
	const struct host *host = &info->host;
	const char *name = host_text(host, HOST_hostname), *boot = host_text(host, HOST_boot_id);

	if (info->kind != KIND_window)
		return "it is no window; 'ctprof window' makes one of two snapshots of a host";
	if (!info->is_of_hosts && (!name || name[0] == '\0'))
		return "it does not have the name of its host, and its threads need it";
	if (!info->is_of_hosts &&
	    (strlen(name) > SAMPLE_HOST_BYTES || strlen(text_or_none(boot)) > SAMPLE_HOST_BYTES))
		return "the name of its host, or the identity of its boot, is too long";
	if (merge->count == 0)
		return NULL;
	if (!is_same_number(host, &merge->info.host, HOST_clock_ticks_per_second))
		return "its clock has another number of ticks in a second than that of the files "
		       "before";
	if (strcmp(text_or_none(host_text(host, HOST_selection)),
	           text_or_none(host_text(&merge->info.host, HOST_selection))) != 0)
		return "its processes were selected in another way (--pid, --comm, --cgroup) than "
		       "those of the files before";
	return NULL;
}

static int add_host_name(struct merge *merge, const char *file, const char *host, size_t len,
                         struct strbuf *reterr)
{
	struct strmap_entry *entry = strmap_add(&merge->hosts, host, len);

	if (!entry->value) {
		entry->value = (void *)(merge->count + 1);
		return 0;
	}
	strbuf_addf(reterr, "%s: host ", file);
	strbuf_add(reterr, host, len);
	strbuf_addf(reterr,
	            " is also in %s; a host counts once, and two need two names ('ctprof window' "
	            "adds up the windows of a recording)",
	            merge->files[(uintptr_t)entry->value - 1].name);
	return -EINVAL;
}

static int add_hosts(struct merge *merge, const char *name, const struct snapshot_info *info,
                     struct strbuf *reterr)
{
	const char *host = host_text(&info->host, HOST_hostname);
	int r = 0;

	if (!info->is_of_hosts)
		return add_host_name(merge, name, host, strlen(host), reterr);
	for (size_t i = 0; r == 0 && i < merge->survey_hosts.count; i++)
		r = add_host_name(merge, name, merge->survey_hosts.entries[i].key,
		                  merge->survey_hosts.entries[i].key_len, reterr);
	return r;
}

static char *copy_text(const char *text)
{
	return text ? mem_copy(text, strlen(text)) : NULL;
}

static void note_file(struct merge *merge, const char *name, const struct snapshot_info *info)
{
	struct file *file = array_add(merge->files, merge->count, merge->capacity);

	*file = (struct file){.name = copy_text(name)};
	memcpy(file->rules, info->rules, sizeof(file->rules));
	if (info->is_of_hosts)
		return;
	file->host = copy_text(host_text(&info->host, HOST_hostname));
	file->boot = copy_text(host_text(&info->host, HOST_boot_id));
}

int merge_add(struct merge *merge, const char *name, struct snapshot_info *info,
              struct strbuf *reterr)
{
	const char *fault = fault_of(merge, info);

	if (fault) {
		strbuf_addf(reterr, "%s: %s", name, fault);
		return -EINVAL;
	}
	if (add_hosts(merge, name, info, reterr) < 0)
		return -EINVAL;
	note_file(merge, name, info);
	merge_info_prepare(info);
	if (merge->count > 1) {
		merge_info_add(&merge->info, info);
		return 0;
	}
	merge->info = *info;
	*info = (struct snapshot_info){0};
	return 0;
}

int merge_begin(struct merge *merge, struct snapshot_writer *writer)
{
	merge->writer = writer;
	return snapshot_write_begin(writer, &merge->info);
}

struct snapshot_visitor *merge_rows(struct merge *merge, size_t number)
{
	merge->writing = number;
	return &merge->rows;
}

int merge_end(struct merge *merge)
{
	return snapshot_write_end(merge->writer, &merge->info);
}

const struct snapshot_info *merge_info(const struct merge *merge)
{
	return &merge->info;
}
