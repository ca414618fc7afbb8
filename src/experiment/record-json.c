// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/output.h"
#include "experiment/record.h"
#include "record-directory.h"
#include "json/json-tree.h"

enum { FORMAT_VERSION = 1, FILE_BYTES = 64 << 20 };

static const char *const state_names[EXPERIMENT_STATE_COUNT] = {"running", "interrupted", "failed",
                                                                "complete"};
static const char *const unit_state_names[UNIT_STATE_COUNT] = {"done", "void", "discarded"};

static json_t *new_array(void)
{
	json_t *array = json_array();

	if (!array)
		mem_exhausted();
	return array;
}

static void set_text(json_t *object, const char *key, const char *text)
{
	tree_set(object, key, text ? tree_text(text) : json_null());
}

static void set_number(json_t *object, const char *key, uint64_t number)
{
	tree_set(object, key, tree_number(number));
}

static void set_texts(json_t *object, const char *key, const struct plan_texts *texts)
{
	json_t *array = new_array();

	for (size_t i = 0; i < texts->count; i++)
		tree_append(array, tree_text(texts->entries[i]));
	tree_set(object, key, array);
}

static json_t *guards_json(const struct plan *plan)
{
	json_t *array = new_array();

	for (unsigned i = 0; i < PLAN_GUARD_COUNT; i++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

		if (!plan->guards[i].given)
			continue;
		plan_add_guard(plan, (enum plan_guard)i, &text);
		tree_append(array, tree_text(strbuf_str(&text)));
	}
	return array;
}

static json_t *outcomes_json(const struct plan *plan)
{
	json_t *object = tree_new();

	for (size_t i = 0; i < plan->outcome_count; i++)
		set_text(object, plan->outcomes[i].name, plan->outcomes[i].regex);
	return object;
}

static json_t *plan_json(const struct experiment *experiment)
{
	const struct plan *plan = &experiment->plan;
	json_t *object = tree_new();
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	set_text(object, "workload", plan->workload);
	set_text(object, "unit", plan->unit == PLAN_UNIT_RUN ? "run" : "window");
	if (plan->unit == PLAN_UNIT_WINDOW)
		set_number(object, "window_ns", plan->window_ns);
	set_number(object, "blocks",
	           experiment->is_enough ? experiment_blocks_done(experiment) : plan->blocks);
	if (plan->until > 0)
		tree_set(object, "until", json_real(plan->until));
	set_number(object, "settle_ns", plan->settle_ns);
	set_text(object, "before_each", plan->before_each);
	set_texts(object, "primary", &plan->primaries);
	set_texts(object, "control", &plan->controls);
	tree_set(object, "margin", json_real(plan->margin));
	tree_set(object, "min_effect", json_real(plan->min_effect));
	tree_set(object, "guard", guards_json(plan));
	tree_set(object, "outcome", outcomes_json(plan));
	plan_add_text(plan, &text);
	set_text(object, "text", strbuf_str(&text));
	return object;
}

static json_t *arms_json(const struct plan *plan)
{
	json_t *array = new_array();

	for (size_t i = 0; i < plan->arm_count; i++) {
		json_t *arm = tree_new();

		set_text(arm, "name", plan->arms[i].name);
		set_texts(arm, "lines", &plan->arms[i].lines);
		tree_append(array, arm);
	}
	return array;
}

/* The tosses: the arms of each block, by their place in "arms", from block 0 on. */
static json_t *schedule_json(const struct schedule *schedule)
{
	json_t *array = new_array();

	for (unsigned block = 0; block <= schedule->blocks; block++) {
		unsigned arms[SCHEDULE_BLOCK_MAX];
		json_t *order = new_array();

		schedule_block(schedule, block, arms);
		for (unsigned i = 0; i < schedule_block_length(schedule); i++)
			tree_append(order, tree_number(arms[i]));
		tree_append(array, order);
	}
	return array;
}

static json_t *sessions_json(const struct experiment *experiment)
{
	json_t *array = new_array();

	for (size_t i = 0; i < experiment->session_count; i++) {
		const struct session *session = &experiment->sessions[i];
		json_t *object = tree_new();

		set_number(object, "session", i + 1);
		set_text(object, "boot_id", session->boot_id);
		set_text(object, "host", session->host);
		set_number(object, "start", session->start_unix_ns);
		tree_append(array, object);
	}
	return array;
}

static json_t *before_json(const struct experiment *experiment)
{
	json_t *object = tree_new();

	for (size_t i = 0; i < experiment->before_count; i++)
		set_text(object, experiment->before[i].path, experiment->before[i].value);
	return object;
}

static json_t *unit_json(const struct experiment *experiment, const struct unit *unit)
{
	json_t *object = tree_new(), *outcomes = tree_new();

	set_text(object, "file", unit->file);
	set_text(object, "arm", experiment->plan.arms[unit->arm].name);
	set_number(object, "block", unit->block);
	set_number(object, "position", unit->position);
	set_number(object, "session", unit->session);
	set_text(object, "boot_id", experiment->sessions[unit->session - 1].boot_id);
	set_text(object, "state", unit_state_names[unit->state]);
	if (unit->reason)
		set_text(object, "reason", unit->reason);
	set_number(object, "start", unit->start_unix_ns);
	set_number(object, "length_ns", unit->length_ns);
	if (unit->has_exit_status)
		set_number(object, "exit_status", (uint64_t)unit->exit_status);
	for (size_t i = 0; i < unit->outcome_count; i++)
		tree_set(outcomes, unit->outcomes[i].name, json_real(unit->outcomes[i].value));
	tree_set(object, "outcomes", outcomes);
	return object;
}

static json_t *experiment_json(const struct experiment *experiment)
{
	json_t *object = tree_new(), *units = new_array();

	set_number(object, "ctprof_experiment", FORMAT_VERSION);
	set_text(object, "name", experiment->plan.name);
	set_text(object, "state", state_names[experiment->state]);
	set_text(object, "order", plan_order_names[experiment->plan.order]);
	set_number(object, "seed", experiment->schedule.seed);
	set_number(object, "settle_ns", experiment->plan.settle_ns);
	if (experiment->is_enough)
		tree_set(object, "is_enough", json_true());
	tree_set(object, "plan", plan_json(experiment));
	tree_set(object, "arms", arms_json(&experiment->plan));
	tree_set(object, "schedule", schedule_json(&experiment->schedule));
	tree_set(object, "before", before_json(experiment));
	tree_set(object, "sessions", sessions_json(experiment));
	for (size_t i = 0; i < experiment->unit_count; i++)
		tree_append(units, unit_json(experiment, &experiment->units[i]));
	tree_set(object, "units", units);
	return object;
}

static void add_path(const struct experiment *experiment, const char *directory, struct strbuf *out)
{
	strbuf_addf(out, "%s/" EXPERIMENT_FILE, directory ? directory : experiment->directory);
}

int experiment_write(const struct experiment *experiment, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	cleanup_(output_done) struct output output = OUTPUT_INIT;
	json_t *json = experiment_json(experiment);
	char *dumped = json_dumps(json, JSON_INDENT(1));
	int r;

	json_decref(json);
	if (!dumped)
		mem_exhausted();
	strbuf_add_str(&text, dumped);
	strbuf_add_char(&text, '\n');
	free(dumped);
	add_path(experiment, NULL, &path);
	r = output_open_at(&output, experiment->dir_fd, EXPERIMENT_FILE, OUTPUT_PRIVATE);
	if (r == 0)
		r = output.sink.write(&output.sink, text.data, text.len);
	if (r == 0)
		r = output_commit(&output);
	if (r < 0)
		strbuf_addf(reterr, "%s: %s", strbuf_str(&path), output_reason(&output, r));
	return r;
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static bool read_number(const json_t *object, const char *key, uint64_t most, uint64_t *ret)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    (uint64_t)json_integer_value(value) > most)
		return false;
	*ret = (uint64_t)json_integer_value(value);
	return true;
}

static int choose(const char *word, const char *const *names, unsigned count)
{
	for (unsigned i = 0; i < count && word; i++)
		if (strcmp(names[i], word) == 0)
			return (int)i;
	return -1;
}

static bool read_outcomes(const json_t *object, struct unit *unit)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)json_object_get(object, "outcomes"), key, value)
	{
		if (!json_is_number(value) || unit->outcome_count == ARRAY_SIZE(unit->outcomes))
			return false;
		unit_add_outcome(unit, key, json_number_value(value));
	}
	return true;
}

static bool read_arm(const struct experiment *experiment, const char *name, unsigned *ret)
{
	for (size_t i = 0; i < experiment->plan.arm_count && name; i++)
		if (strcmp(experiment->plan.arms[i].name, name) == 0) {
			*ret = (unsigned)i;
			return true;
		}
	return false;
}

static bool read_unit(struct experiment *experiment, const json_t *object)
{
	struct unit *unit =
	        array_add(experiment->units, experiment->unit_count, experiment->unit_capacity);
	uint64_t block, position, session, status = 0;
	int state = choose(text_of(object, "state"), unit_state_names, UNIT_STATE_COUNT);

	*unit = (struct unit){0};
	if (state < 0 || !read_arm(experiment, text_of(object, "arm"), &unit->arm) ||
	    !read_number(object, "block", experiment->plan.blocks, &block) ||
	    !read_number(object, "position", schedule_block_length(&experiment->schedule),
	                 &position) ||
	    !read_number(object, "session", experiment->session_count, &session) || session == 0 ||
	    !read_number(object, "start", INT64_MAX, &unit->start_unix_ns) ||
	    !read_number(object, "length_ns", INT64_MAX, &unit->length_ns))
		return false;
	unit->block = (unsigned)block;
	unit->position = (unsigned)position;
	unit->session = (unsigned)session;
	unit->state = (enum unit_state)state;
	unit->file = mem_copy_text(text_of(object, "file"));
	unit->reason = mem_copy_text(text_of(object, "reason"));
	unit->has_exit_status = read_number(object, "exit_status", 255, &status);
	unit->exit_status = (int)status;
	return read_outcomes(object, unit);
}

static bool read_sessions(struct experiment *experiment, const json_t *array)
{
	size_t i;
	json_t *object;

	json_array_foreach((json_t *)(uintptr_t)array, i, object)
	{
		struct session *session = array_add(experiment->sessions, experiment->session_count,
		                                    experiment->session_capacity);

		*session = (struct session){.boot_id = mem_copy_text(text_of(object, "boot_id")),
		                            .host = mem_copy_text(text_of(object, "host"))};
		if (!read_number(object, "start", INT64_MAX, &session->start_unix_ns))
			return false;
	}
	return json_is_array(array);
}

static bool read_before(struct experiment *experiment, const json_t *object)
{
	const char *path;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)object, path, value)
	{
		struct setting_before *before = array_add(
		        experiment->before, experiment->before_count, experiment->before_capacity);

		*before = (struct setting_before){mem_copy_text(path),
		                                  mem_copy_text(json_string_value(value))};
	}
	return json_is_object(object);
}

/* The plan is its text, which is parsed as the file was. */
static bool read_plan(struct experiment *experiment, const json_t *json, const char *directory,
                      const char *cgroup_root, struct strbuf *reterr)
{
	cleanup_(experiment_plan_done) struct plan plan;
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	const char *text = text_of(json_object_get(json, "plan"), "text");
	uint64_t seed;

	experiment_plan_init(&plan, cgroup_root);
	if (!text || !read_number(json, "seed", INT64_MAX, &seed))
		return false;
	if (plan_parse(&plan, text, strlen(text), &phrase) < 0 || plan_check(&plan, &phrase) < 0) {
		strbuf_addf(reterr, "%s/experiment.json: plan: %s", directory, strbuf_str(&phrase));
		return false;
	}
	plan.has_seed = true;
	plan.seed = seed;
	experiment_init(experiment, directory, &plan);
	return true;
}

static bool read_json(struct experiment *experiment, const json_t *json, const char *directory,
                      const char *cgroup_root, struct strbuf *reterr)
{
	const json_t *units = json_object_get(json, "units");
	uint64_t version;
	size_t i;
	json_t *unit;
	int state;

	if (!read_number(json, "ctprof_experiment", FORMAT_VERSION, &version) ||
	    !read_plan(experiment, json, directory, cgroup_root, reterr))
		return false;
	state = choose(text_of(json, "state"), state_names, EXPERIMENT_STATE_COUNT);
	if (state < 0 || !read_sessions(experiment, json_object_get(json, "sessions")) ||
	    !read_before(experiment, json_object_get(json, "before")) || !json_is_array(units))
		return false;
	experiment->state = (enum experiment_state)state;
	experiment->is_enough = json_is_true(json_object_get(json, "is_enough"));
	json_array_foreach((json_t *)(uintptr_t)units, i, unit)
	{
		if (!read_unit(experiment, unit))
			return false;
	}
	return true;
}

int experiment_read(struct experiment *experiment, const char *directory, const char *cgroup_root,
                    struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	cleanup_(fd_closep) int dir_fd = record_directory_open(directory, reterr);
	json_t *json;
	int r;

	if (dir_fd < 0)
		return dir_fd;
	add_path(NULL, directory, &path);
	r = fd_read_all_at(dir_fd, EXPERIMENT_FILE, &text, FILE_BYTES);
	if (r < 0) {
		strbuf_addf(reterr, "%s: %s", strbuf_str(&path), strerror(-r));
		return r;
	}
	json = json_loadb(strbuf_str(&text), text.len, JSON_REJECT_DUPLICATES, NULL);
	if (!json || !read_json(experiment, json, directory, cgroup_root, reterr))
		r = -EBADMSG;
	if (r < 0 && reterr->len == 0)
		strbuf_addf(reterr, "%s: this is no experiment that ctprof ab wrote",
		            strbuf_str(&path));
	json_decref(json);
	if (r == 0) {
		experiment->dir_fd = dir_fd;
		dir_fd = -1;
	}
	return r;
}
