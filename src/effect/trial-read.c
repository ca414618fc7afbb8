// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "effect/trial.h"

enum { FORMAT_VERSION = 1 };

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static bool number_of(const json_t *object, const char *key, uint64_t *ret)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*ret = (uint64_t)json_integer_value(value);
	return true;
}

static char *copy_of(const char *text)
{
	return text ? mem_copy(text, strlen(text)) : NULL;
}

/* A list of texts; adds those that are not there yet. */
static bool read_texts(const json_t *array, struct trial_texts *texts)
{
	size_t count = json_array_size(array), known = texts->count;

	if (array && !json_is_array(array))
		return false;
	for (size_t i = 0; i < count; i++) {
		const char *text = json_string_value(json_array_get(array, i));
		bool found = false;

		if (!text || count > TRIAL_UNITS_MAX)
			return false;
		for (size_t k = 0; k < known; k++)
			found = found || strcmp(texts->entries[k], text) == 0;
		if (!found)
			trial_texts_add(texts, text);
	}
	return true;
}

/* Arms of one name that are set differently are different arms. */
static bool has_lines(const struct trial_arm *arm, const json_t *lines)
{
	if (json_array_size(lines) != arm->line_count)
		return false;
	for (size_t i = 0; i < arm->line_count; i++) {
		const char *line = json_string_value(json_array_get(lines, i));

		if (!line || strcmp(line, arm->lines[i]) != 0)
			return false;
	}
	return true;
}

static bool read_arms(struct trial *trial, const json_t *array, bool is_first)
{
	size_t count = json_array_size(array);

	if (count < 2 || count > TRIAL_ARMS_MAX || (!is_first && count != trial->arm_count))
		return false;
	for (size_t i = 0; i < count; i++) {
		const json_t *object = json_array_get(array, i);
		const json_t *lines = json_object_get(object, "lines");
		const char *name = text_of(object, "name");
		struct trial_arm *arm = &trial->arms[i];

		if (!name || trial_arm_of(trial, name) != i ||
		    (!is_first && !has_lines(arm, lines)))
			return false;
		for (size_t k = 0; is_first && k < json_array_size(lines); k++) {
			const char *line = json_string_value(json_array_get(lines, k));

			if (!line)
				return false;
			*array_add(arm->lines, arm->line_count, arm->line_capacity) = copy_of(line);
		}
	}
	return true;
}

/* Several directories have one plan. */
static bool read_plan(struct trial *trial, const json_t *json, bool is_first)
{
	const json_t *plan = json_object_get(json, "plan");
	const char *order = text_of(json, "order");
	double margin = json_number_value(json_object_get(plan, "margin"));
	double min_effect = json_number_value(json_object_get(plan, "min_effect"));
	uint64_t blocks = 0;

	if (!order || !(margin > 0) || !(margin < 1) || !(min_effect >= 0) ||
	    !isfinite(min_effect) || !number_of(json, "seed", &trial->seed) ||
	    !number_of(plan, "blocks", &blocks))
		return false;
	(void)number_of(json, "settle_ns", &trial->settle_ns);
	trial->planned_blocks += blocks;
	if (strcmp(order, "abba") != 0)
		trial->order = TRIAL_ORDER_SEQUENTIAL;
	if (is_first || margin < trial->margin)
		trial->margin = margin;
	if (is_first || min_effect > trial->min_effect)
		trial->min_effect = min_effect;
	if (!trial->name)
		trial->name = copy_of(text_of(json, "name"));
	return read_texts(json_object_get(plan, "primary"), &trial->primaries) &&
	       read_texts(json_object_get(plan, "control"), &trial->controls) &&
	       read_texts(json_object_get(plan, "guard"), &trial->guards);
}

/* Several experiments in one boot of one host are one session: they share its luck. */
static void find_first_of_boots(struct trial *trial)
{
	cleanup_(strmap_done) struct strmap boots = STRMAP_INIT;

	for (size_t i = 0; i < trial->session_count; i++) {
		struct trial_session *session = &trial->sessions[i];
		struct strmap_entry *boot;

		session->first = (unsigned)i;
		if (!session->boot_id)
			continue;
		boot = strmap_add(&boots, session->boot_id, strlen(session->boot_id));
		if (boot->value)
			session->first = ((struct trial_session *)boot->value)->first;
		else
			boot->value = session;
	}
}

static bool read_sessions(struct trial *trial, const json_t *array)
{
	size_t count = json_array_size(array);

	if (count == 0 || count > TRIAL_UNITS_MAX)
		return false;
	for (size_t i = 0; i < count; i++) {
		const json_t *object = json_array_get(array, i);

		*array_add(trial->sessions, trial->session_count, trial->session_capacity) =
		        (struct trial_session){copy_of(text_of(object, "boot_id")),
		                               copy_of(text_of(object, "host")), 0};
	}
	find_first_of_boots(trial);
	return true;
}

static bool read_outcomes(struct trial_unit *unit, const json_t *object)
{
	const char *name;
	json_t *value;

	if (json_object_size(object) > TRIAL_OUTCOMES_MAX)
		return false;
	json_object_foreach((json_t *)(uintptr_t)object, name, value)
	{
		if (!json_is_number(value))
			return false;
		trial_unit_add_outcome(unit, name, json_number_value(value));
	}
	return true;
}

/* Files lie in the directory itself: the text of experiment.json may be anybody's. */
static bool is_file_name(const char *file)
{
	return file && file[0] != '\0' && file[0] != '.' && !strchr(file, '/');
}

static bool find_arm(const struct trial *trial, const char *name, unsigned *ret)
{
	for (unsigned arm = 0; arm < trial->arm_count && name; arm++)
		if (strcmp(trial->arms[arm].name, name) == 0) {
			*ret = arm;
			return true;
		}
	return false;
}

/* Blocks that were given up, by the reason of their first unit that has one. Returns false if there are too many. */
static bool note_void(struct trial *trial, struct strmap *voids, const json_t *object,
                      uint64_t session, uint64_t block)
{
	cleanup_(strbuf_done) struct strbuf whole = STRBUF_INIT;
	const char *reason = text_of(object, "reason");
	uint32_t place;
	char text[64];

	if (!reason)
		return true;
	snprintf(text, sizeof(text), "session %llu, block %llu: ", (unsigned long long)session,
	         (unsigned long long)block);
	if (strmap_find(voids, text, strlen(text), &place))
		return true;
	if (voids->count == TRIAL_UNITS_MAX)
		return false;
	strmap_add(voids, text, strlen(text));
	strbuf_addf(&whole, "%s%s", text, reason);
	trial_texts_add(&trial->void_reasons, strbuf_str(&whole));
	trial->voided++;
	return true;
}

/* The units and blocks that were read before this directory. */
struct earlier {
	size_t sessions;
	int blocks;          /* numbers that are taken */
	struct strmap known; /* units, by struct unit_key */
};

/* A session has one unit at a time. */
struct unit_key {
	uint64_t session, start_unix_ns;
};

static struct unit_key key_of(const struct trial_unit *unit)
{
	return (struct unit_key){unit->session, unit->start_unix_ns};
}

static void earlier_of(const struct trial *trial, struct earlier *ret)
{
	*ret = (struct earlier){.sessions = trial->session_count, .known = STRMAP_INIT};
	for (size_t i = 0; i < trial->unit_count; i++) {
		const struct unit_key key = key_of(&trial->units[i]);

		strmap_add(&ret->known, (const char *)&key, sizeof(key));
		if (trial->units[i].block >= ret->blocks)
			ret->blocks = trial->units[i].block + 1;
	}
}

static void earlier_done(struct earlier *earlier)
{
	strmap_done(&earlier->known);
}

/* Reasons against an experiment that can be read alone. */
static const char other_arms[] = "arms, which are not those of the first directory",
                  same_units[] = "units, which were read before";

/* Returns whether the unit would count twice, which would make all p too small. */
static bool is_known(const struct earlier *earlier, const struct trial_unit *unit)
{
	const struct unit_key key = key_of(unit);
	uint32_t place;

	return strmap_find(&earlier->known, (const char *)&key, sizeof(key), &place);
}

static bool read_unit(struct trial *trial, struct strmap *voids, const json_t *object,
                      const char *dir, const struct earlier *earlier, const char **ret_what)
{
	const char *state = text_of(object, "state"), *file = text_of(object, "file");
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	struct trial_unit *unit;
	uint64_t block = 0, session = 0;
	unsigned arm = 0;

	if (!state || !find_arm(trial, text_of(object, "arm"), &arm) ||
	    !number_of(object, "block", &block) || !number_of(object, "session", &session) ||
	    block > TRIAL_UNITS_MAX || session == 0 ||
	    session > trial->session_count - earlier->sessions)
		return false;
	trial->discarded += strcmp(state, "discarded") == 0;
	if (strcmp(state, "void") == 0)
		return note_void(trial, voids, object, session, block);
	if (strcmp(state, "done") != 0)
		return true;
	if (trial->unit_count == TRIAL_UNITS_MAX)
		*ret_what = "units, of which there are too many with those of the others";
	if (!is_file_name(file) || trial->unit_count == TRIAL_UNITS_MAX)
		return false;
	strbuf_addf(&path, "%s/%s", dir, file);
	unit = trial_add_unit(trial, strbuf_str(&path), arm);
	unit->number = trial->unit_count;
	unit->block = earlier->blocks + (int)block;
	unit->session = trial->sessions[earlier->sessions + session - 1].first;
	if (!number_of(object, "start", &unit->start_unix_ns))
		return false;
	if (is_known(earlier, unit)) {
		*ret_what = same_units;
		return false;
	}
	return number_of(object, "length_ns", &unit->length_ns) &&
	       read_outcomes(unit, json_object_get(object, "outcomes"));
}

static bool read_all(struct trial *trial, const char *dir, const json_t *json,
                     const char **ret_what)
{
	const json_t *units = json_object_get(json, "units");
	const char *state = text_of(json, "state");
	cleanup_(earlier_done) struct earlier earlier;
	bool is_first = trial->session_count == 0;
	uint64_t version = 0;
	cleanup_(strmap_done) struct strmap voids = STRMAP_INIT;

	earlier_of(trial, &earlier);
	*ret_what = "version";
	if (!number_of(json, "ctprof_experiment", &version) || version != FORMAT_VERSION)
		return false;
	*ret_what = is_first ? "arms" : other_arms;
	if (!read_arms(trial, json_object_get(json, "arms"), is_first))
		return false;
	*ret_what = "plan";
	if (!read_plan(trial, json, is_first))
		return false;
	*ret_what = "sessions";
	if (!read_sessions(trial, json_object_get(json, "sessions")))
		return false;
	*ret_what = "units";
	if (!state || !json_is_array(units))
		return false;
	trial->is_unfinished = trial->is_unfinished || strcmp(state, "complete") != 0;
	for (size_t i = 0; i < json_array_size(units); i++)
		if (!read_unit(trial, &voids, json_array_get(units, i), dir, &earlier, ret_what))
			return false;
	return true;
}

int trial_read(struct trial *trial, const char *dir, const struct strbuf *json,
               struct strbuf *reterr)
{
	json_auto_t *root = json_loadb(strbuf_str(json), json->len, JSON_REJECT_DUPLICATES, NULL);
	const char *what = "JSON";

	if (json_is_object(root) && read_all(trial, dir, root, &what))
		return 0;
	strbuf_addf(reterr, "%s/experiment.json: %s: %s", dir,
	            what == other_arms || what == same_units
	                    ? "it cannot be joined with those before it"
	                    : "this is no experiment that ctprof ab wrote",
	            what);
	return -EBADMSG;
}
