// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "base/text.h"
#include "plan-keys.h"

static bool is_blank(char c)
{
	return c != '\0' && strchr(PLAN_BLANKS, c);
}

static struct span trim(struct span text)
{
	while (text.len > 0 && is_blank(text.text[0])) {
		text.text++;
		text.len--;
	}
	while (text.len > 0 && is_blank(text.text[text.len - 1]))
		text.len--;
	return text;
}

static char *copy(struct span text)
{
	return mem_copy(text.text, text.len);
}

/* Splits at the first @separator and trims both sides. */
static bool split(struct span text, char separator, struct span *ret_before, struct span *ret_after)
{
	const char *at = memchr(text.text, separator, text.len);

	if (!at)
		return false;
	*ret_before = trim((struct span){text.text, (size_t)(at - text.text)});
	*ret_after = trim((struct span){at + 1, text.len - (size_t)(at + 1 - text.text)});
	return true;
}

/* "PATH = VALUE", "PATH=VALUE" or "PATH VALUE". */
static bool split_path(struct span text, struct span *ret_path, struct span *ret_value)
{
	struct span rest = text, word;

	if (!scan_word(&rest, &word))
		return false;
	rest = trim(rest);
	if (rest.len == 0)
		return split(word, '=', ret_path, ret_value);
	*ret_path = word;
	if (rest.text[0] == '=')
		rest = trim((struct span){rest.text + 1, rest.len - 1});
	else if (word.text[word.len - 1] == '=')
		ret_path->len--;
	*ret_value = rest;
	return true;
}

static int missing(const char *form, struct strbuf *reterr)
{
	strbuf_addf(reterr, "the form is: %s", form);
	return -EINVAL;
}

/* A file, or a variable, has one value in an arm. */
static int check_once(const struct plan_arm *arm, struct strbuf *reterr)
{
	const struct knob *last = &arm->knobs.entries[arm->knobs.count - 1];

	for (size_t i = 0; i + 1 < arm->knobs.count; i++) {
		const struct knob *knob = &arm->knobs.entries[i];

		if ((last->path && knob->path && strcmp(last->path, knob->path) == 0) ||
		    (last->kind == KNOB_ENV && knob->kind == KNOB_ENV &&
		     strcmp(last->name, knob->name) == 0)) {
			strbuf_addf(reterr, "the arm %s has %s twice", arm->name,
			            last->path ? last->path : last->name);
			return -EINVAL;
		}
	}
	return 0;
}

static int add_knob(struct plan_arm *arm, enum knob_kind kind, struct span name, struct span value,
                    struct span undo, struct strbuf *reterr)
{
	cleanup_(mem_freep) char *name_text = name.text ? copy(name) : NULL;
	cleanup_(mem_freep) char *value_text = copy(value);
	cleanup_(mem_freep) char *undo_text = undo.text ? copy(undo) : NULL;

	int r = knob_add(&arm->knobs, kind, name_text, value_text, undo_text, reterr);

	return r < 0 ? r : check_once(arm, reterr);
}

static const struct span nothing = {NULL, 0};

static int add_sysctl(const struct plan *plan, struct plan_arm *arm, struct span rest,
                      struct strbuf *reterr)
{
	struct span name, value;

	(void)plan;
	if (!split(rest, '=', &name, &value) || name.len == 0 || value.len == 0)
		return missing("sysctl NAME = VALUE", reterr);
	return add_knob(arm, KNOB_SYSCTL, name, value, nothing, reterr);
}

static int add_env(const struct plan *plan, struct plan_arm *arm, struct span rest,
                   struct strbuf *reterr)
{
	struct span name, value;

	(void)plan;
	if (!split(rest, '=', &name, &value) || name.len == 0)
		return missing("env NAME = VALUE", reterr);
	return add_knob(arm, KNOB_ENV, name, value, nothing, reterr);
}

static int add_write(const struct plan *plan, struct plan_arm *arm, struct span rest,
                     struct strbuf *reterr)
{
	struct span path, value;

	(void)plan;
	if (!split_path(rest, &path, &value) || path.len == 0 || value.len == 0)
		return missing("write PATH = VALUE", reterr);
	return add_knob(arm, KNOB_WRITE, path, value, nothing, reterr);
}

static int add_cgroup(const struct plan *plan, struct plan_arm *arm, struct span rest,
                      struct strbuf *reterr)
{
	struct span cgroup, file, value;
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	if (!scan_word(&rest, &cgroup) || !split_path(trim(rest), &file, &value) || file.len == 0 ||
	    value.len == 0)
		return missing("cgroup PATH FILE = VALUE", reterr);
	if (!plan->cgroup_root) {
		strbuf_add_str(reterr, "no cgroup2 is mounted here: name the file of another "
		                       "hierarchy with write");
		return -EINVAL;
	}
	if (memchr(file.text, '/', file.len)) {
		strbuf_add_str(reterr, "the name of a cgroup's file has no slash");
		return -EINVAL;
	}
	/* Tables print paths of cgroups with a slash in front. */
	if (cgroup.text[0] == '/')
		cgroup = (struct span){cgroup.text + 1, cgroup.len - 1};
	strbuf_addf(&path, "%s/%.*s%s%.*s", plan->cgroup_root, (int)cgroup.len, cgroup.text,
	            cgroup.len > 0 ? "/" : "", (int)file.len, file.text);
	return add_knob(arm, KNOB_WRITE, (struct span){path.data, path.len}, value, nothing,
	                reterr);
}

/* The last word "undo": the command itself may have one, as in "git checkout undo". */
static bool split_undo(struct span text, struct span *ret_command, struct span *ret_undo)
{
	static const char word[] = "undo";
	enum { LEN = sizeof(word) - 1 };

	for (size_t at = text.len; at-- > 1;)
		if (text.len - at > LEN && memcmp(text.text + at, word, LEN) == 0 &&
		    is_blank(text.text[at - 1]) && is_blank(text.text[at + LEN])) {
			*ret_command = trim((struct span){text.text, at});
			*ret_undo = trim((struct span){text.text + at + LEN, text.len - at - LEN});
			return ret_command->len > 0 && ret_undo->len > 0;
		}
	return false;
}

static int add_exec(const struct plan *plan, struct plan_arm *arm, struct span rest,
                    struct strbuf *reterr)
{
	struct span command, undo;

	(void)plan;
	if (!split_undo(rest, &command, &undo))
		return missing("exec COMMAND undo COMMAND", reterr);
	return add_knob(arm, KNOB_EXEC, nothing, command, undo, reterr);
}

static int add_daemon(const struct plan *plan, struct plan_arm *arm, struct span rest,
                      struct strbuf *reterr)
{
	(void)plan;
	if (rest.len == 0)
		return missing("daemon COMMAND", reterr);
	return add_knob(arm, KNOB_DAEMON, nothing, rest, nothing, reterr);
}

static const struct {
	const char *word;
	int (*add)(const struct plan *plan, struct plan_arm *arm, struct span rest,
	           struct strbuf *reterr);
} lines[] = {
        {"sysctl", add_sysctl}, {"write", add_write}, {"cgroup", add_cgroup},
        {"env", add_env},       {"exec", add_exec},   {"daemon", add_daemon},
};

int plan_add_line(const struct plan *plan, struct plan_arm *arm, const char *line,
                  struct strbuf *reterr)
{
	struct span text = trim((struct span){line, strlen(line)}), rest = text, word;

	if (arm->lines.count == PLAN_LINES_MAX) {
		strbuf_addf(reterr, "an arm has more than %d lines", PLAN_LINES_MAX);
		return -EINVAL;
	}
	if (memchr(text.text, '\n', text.len)) {
		strbuf_add_str(reterr, "there is a newline in it");
		return -EINVAL;
	}
	if (!text_is_utf8(text.text, text.len)) {
		strbuf_add_str(reterr, "it is no UTF-8");
		return -EINVAL;
	}
	if (scan_word(&rest, &word))
		for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
			int r;

			if (!span_is(word, lines[i].word))
				continue;
			r = lines[i].add(plan, arm, trim(rest), reterr);
			if (r == 0)
				plan_texts_add(&arm->lines, text.text, text.len);
			return r;
		}
	strbuf_addf(reterr, "'%.*s' is no setting: sysctl, write, cgroup, env, exec, daemon",
	            (int)word.len, word.text);
	return -EINVAL;
}

/* The place in a file. */
struct place {
	bool in_experiment;
	struct plan_arm *arm; /* NULL outside of its section */
	unsigned line;
};

static int begin_section(struct plan *plan, struct place *place, struct span line,
                         struct strbuf *reterr)
{
	struct span rest, word;
	cleanup_(mem_freep) char *name = NULL;
	size_t count = plan->arm_count;
	int r;

	if (line.text[line.len - 1] != ']') {
		strbuf_add_str(reterr, "the name of a section ends with ]");
		return -EINVAL;
	}
	rest = trim((struct span){line.text + 1, line.len - 2});
	place->in_experiment = span_is(rest, "experiment");
	place->arm = NULL;
	if (place->in_experiment)
		return 0;
	if (!scan_word(&rest, &word) || !span_is(word, "arm")) {
		strbuf_add_str(reterr, "a section is [experiment] or [arm NAME]");
		return -EINVAL;
	}
	name = copy(trim(rest));
	r = plan_find_arm(plan, name, &place->arm, reterr);
	if (r == 0 && plan->arm_count == count) {
		strbuf_addf(reterr, "the arm %s has a section already", name);
		return -EINVAL;
	}
	if (r == 0)
		place->arm->line = place->line;
	return r;
}

static int parse_key(struct plan *plan, struct span line, struct strbuf *reterr)
{
	struct span key, value;
	cleanup_(mem_freep) char *key_text = NULL, *value_text = NULL;

	if (!split(line, '=', &key, &value))
		return missing("KEY = VALUE", reterr);
	key_text = copy(key);
	value_text = copy(value);
	if (!plan_key_is_list(key_text) && plan_has(plan, key_text)) {
		strbuf_addf(reterr, "%s is there twice", key_text);
		return -EINVAL;
	}
	return plan_set(plan, key_text, value_text, reterr);
}

static int parse_line(struct plan *plan, struct place *place, struct span line,
                      struct strbuf *reterr)
{
	cleanup_(mem_freep) char *text = NULL;

	if (line.len == 0 || line.text[0] == '#')
		return 0;
	if (memchr(line.text, '\0', line.len)) {
		strbuf_add_str(reterr, "there is a NUL in it");
		return -EINVAL;
	}
	if (line.text[0] == '[')
		return begin_section(plan, place, line, reterr);
	if (place->in_experiment)
		return parse_key(plan, line, reterr);
	if (!place->arm) {
		strbuf_add_str(reterr, "a line stands in [experiment] or in [arm NAME]");
		return -EINVAL;
	}
	text = copy(line);
	return plan_add_line(plan, place->arm, text, reterr);
}

int plan_parse(struct plan *plan, const char *text, size_t len, struct strbuf *reterr)
{
	struct span rest = {text, len}, line;
	struct place place = {0};
	int r = 0;

	while (r == 0 && scan_line(&rest, &line)) {
		cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;

		place.line++;
		r = parse_line(plan, &place, trim(line), &phrase);
		if (r < 0)
			strbuf_addf(reterr, "line %u: %s", place.line, strbuf_str(&phrase));
	}
	return r;
}
