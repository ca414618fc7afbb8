// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/group-filter.h"

#include <string.h>

#include "base/text.h"

static const char separator[] = " / ";

/* Returns whether @rest begins with the text; moves behind it and its separator. */
static bool skip_text(const char **rest, const char *text, size_t len, bool last)
{
	if (strncmp(*rest, text, len) != 0)
		return false;
	if (last)
		return (*rest)[len] == '\0';
	if (strncmp(*rest + len, separator, strlen(separator)) != 0)
		return false;
	*rest += len + strlen(separator);
	return true;
}

/* Does so for a name as it is printed where the locale is not UTF-8; overwrites @text, which has it as it is printed elsewhere. */
static bool skip_ascii(const char **rest, struct strbuf *text, bool last)
{
	bool is_ascii = true;

	for (size_t i = 0; i < text->len; i++)
		is_ascii = is_ascii && (unsigned char)text->data[i] < 0x80;
	if (is_ascii)
		return false;
	text_make_ascii(text);
	return skip_text(rest, strbuf_str(text), text->len, last);
}

/* Does so for a name, literally or as it is printed. */
static bool skip_name(struct group_filter *filter, const char **rest, const char *name, size_t len,
                      bool last)
{
	struct strbuf *text = &filter->text;

	strbuf_clear(text);
	text_add_escaped(text, name, len);
	return skip_text(rest, strbuf_str(text), text->len, last) ||
	       (memchr(name, '\0', len) == NULL && skip_text(rest, name, len, last)) ||
	       skip_ascii(rest, text, last);
}

static uint32_t number_of(struct group_filter *filter, unsigned key,
                          const struct thread_sample *sample, const struct host *host, bool exited)
{
	const struct exited_process process = {sample->tgid,
	                                       0,
	                                       sample->process_successors,
	                                       strbuf_str(&sample->pcomm),
	                                       sample->pcomm.len,
	                                       &sample->host,
	                                       &sample->boot_id};

	if (exited && group_key_is_of_thread(filter->by.keys[key]))
		return key_names_of_exited(&filter->names[key], &filter->by, key, &process, host);
	return key_names_of_thread(&filter->names[key], &filter->by, key, sample, host);
}

/* Returns whether @rest has the names from @key on. Keys are few. */
static bool matches(struct group_filter *filter, unsigned key, const char *rest,
                    const struct thread_sample *sample, const struct host *host, bool exited)
{
	struct key_names *names = &filter->names[key];
	uint32_t number = number_of(filter, key, sample, host, exited);
	const struct strmap_entry *pattern = &names->map.entries[number];
	bool last = key + 1 == filter->by.count;
	const char *behind = rest;

	if (skip_name(filter, &behind, pattern->key, pattern->key_len, last) &&
	    (last || matches(filter, key + 1, behind, sample, host, exited)))
		return true;
	behind = rest;
	/* The caller's name is still there. */
	return skip_name(filter, &behind, strbuf_str(&names->name), names->name.len, last) &&
	       (last || matches(filter, key + 1, behind, sample, host, exited));
}

bool group_filter_wants(struct group_filter *filter, const struct thread_sample *sample,
                        const struct host *host)
{
	bool wants = matches(filter, 0, filter->label, sample, host, false);

	filter->found = filter->found || wants;
	return wants;
}

bool group_filter_wants_exited(struct group_filter *filter, const struct thread_sample *sample,
                               const struct host *host)
{
	return matches(filter, 0, filter->label, sample, host, true);
}

void group_filter_done(struct group_filter *filter)
{
	for (unsigned i = 0; i < GROUP_KEYS_MAX; i++)
		key_names_done(&filter->names[i]);
	strbuf_done(&filter->text);
}
