// SPDX-License-Identifier: GPL-2.0-or-later
#include "database/arm-plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/strmap.h"
#include "base/text.h"
#include "host-series.h"
#include "labels-read.h"

const char *const arm_design_names[ARM_DESIGN_COUNT] = {"paired", "between"};

/* A window with the label "arm". Texts are places in maps. */
struct entry {
	uint32_t snapshot, host;
	uint64_t end_unix_ns;
	uint32_t arm, experiment, boot, block;
	bool has_block, is_left_out;
	unsigned side; /* 0: of arm a; 1: of arm b */
};

struct finding {
	const struct arm_question *question;
	const struct database_list *list;
	struct arm_plan *plan;
	struct entry *entries; /* owned */
	size_t count, capacity;
	struct strmap arms, experiments; /* names */
	struct strmap boots, blocks;     /* of one host */
};

void arm_plan_done(struct arm_plan *plan)
{
	free(plan->experiment);
	free(plan->names[0]);
	free(plan->names[1]);
	free(plan->uses);
	free(plan->hosts);
	strbuf_done(&plan->failure);
	*plan = (struct arm_plan){0};
}

static uint32_t place_of(struct strmap *map, const char *key, size_t len)
{
	uint32_t place;

	if (strmap_find(map, key, len, &place))
		return place;
	place = (uint32_t)map->count;
	strmap_add(map, key, len);
	return place;
}

static uint32_t text_place(struct strmap *map, const char *text)
{
	return place_of(map, text, strlen(text));
}

/* A number in front of each text says where it ends. */
static uint32_t host_text_place(struct strmap *map, const struct entry *entry, const char *first,
                                const char *second)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT;

	strbuf_addf(&key, "%u %u %zu %s %s", entry->host, entry->experiment, strlen(first), first,
	            second);
	return place_of(map, strbuf_str(&key), key.len);
}

static void add_entry(struct finding *finding, const struct database_labels *found,
                      const struct labels *labels)
{
	const struct database_snapshot *file = &finding->list->snapshots[found->snapshot];
	const char *arm = labels_find(labels, "arm"), *name = labels_find(labels, "experiment");
	const char *block = labels_find(labels, "block"), *session = labels_find(labels, "session");
	const char *wanted = finding->question->experiment;
	struct entry *entry;

	name = name ? name : "";
	if (!arm || (wanted && strcmp(name, wanted) != 0))
		return;
	entry = array_add(finding->entries, finding->count, finding->capacity);
	*entry = (struct entry){.snapshot = (uint32_t)found->snapshot,
	                        .host = file->host,
	                        .end_unix_ns = file->end_unix_ns,
	                        .arm = text_place(&finding->arms, arm),
	                        .experiment = text_place(&finding->experiments, name),
	                        .has_block = block != NULL};
	entry->boot = host_text_place(&finding->boots, entry, found->boot_id, "");
	if (block)
		entry->block =
		        host_text_place(&finding->blocks, entry, session ? session : "", block);
}

/* A file without sound labels has no arm. */
static void visit_labels(void *context, const struct database_labels *found)
{
	struct finding *finding = context;
	const struct arm_question *question = finding->question;
	cleanup_(labels_done) struct labels labels = {0};
	const struct database_snapshot *file;

	if (found->snapshot >= finding->list->snapshot_count)
		return;
	file = &finding->list->snapshots[found->snapshot];
	if (!file->is_there || !file->is_window || file->length_ns == 0 ||
	    file->end_unix_ns < question->from_unix_ns || file->end_unix_ns > question->to_unix_ns)
		return;
	if (labels_read(&labels, found->json) == 0)
		add_entry(finding, found, &labels);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Appends some of the names, in order and as they are. */
static void add_names(const struct strmap *map, struct strbuf *out)
{
	enum { NAMES_MOST = 8 };
	const char **names = mem_calloc(map->count + 1, sizeof(names[0]));

	for (size_t i = 0; i < map->count; i++)
		names[i] = map->entries[i].key;
	qsort(names, map->count, sizeof(names[0]), by_text);
	for (size_t i = 0; i < map->count && i < NAMES_MOST; i++) {
		strbuf_add_str(out, i > 0 ? ", " : " ");
		if (names[i][0] == '\0')
			strbuf_add_str(out, "none");
		strbuf_add_str(out, names[i]);
	}
	strbuf_add_str(out, map->count > NAMES_MOST ? ", ..." : "");
	free(names);
}

static int check_experiment(struct finding *finding, struct strbuf *reterr)
{
	const char *wanted = finding->question->experiment;

	if (finding->count == 0 && wanted) {
		strbuf_add_str(reterr, "no window in that time has an arm of the experiment ");
		strbuf_add_str(reterr, wanted);
		return -ENODATA;
	}
	if (finding->count == 0) {
		strbuf_add_str(reterr, "no window in that time has the label arm");
		return -ENODATA;
	}
	if (finding->experiments.count > 1) {
		strbuf_add_str(reterr, "the windows are of several experiments, and --experiment "
		                       "names one:");
		add_names(&finding->experiments, reterr);
		return -ENODATA;
	}
	finding->plan->experiment = mem_copy(finding->experiments.entries[0].key,
	                                     finding->experiments.entries[0].key_len);
	return 0;
}

static int choose_arms(struct finding *finding, struct strbuf *reterr)
{
	const char *const *wanted = finding->question->arms;
	const struct strmap *arms = &finding->arms;
	struct arm_plan *plan = finding->plan;

	for (unsigned i = 0; wanted[0] && i < 2; i++) {
		if (!strmap_find(arms, wanted[i], strlen(wanted[i]), &(uint32_t){0})) {
			strbuf_add_str(reterr, "no window in that time is of arm ");
			strbuf_add_str(reterr, wanted[i]);
			strbuf_add_str(reterr, "; there are:");
			add_names(arms, reterr);
			return -ENODATA;
		}
		plan->names[i] = mem_copy(wanted[i], strlen(wanted[i]));
	}
	if (wanted[0])
		return 0;
	if (arms->count != 2) {
		strbuf_addf(reterr, "two arms are compared, and there %s%s:",
		            arms->count == 1 ? "is one" : "are more",
		            arms->count == 1 ? "" : ", of which --arms names two");
		add_names(arms, reterr);
		return -ENODATA;
	}
	for (unsigned i = 0; i < 2; i++) {
		bool swapped = strcmp(arms->entries[0].key, arms->entries[1].key) > 0;
		const struct strmap_entry *arm = &arms->entries[swapped ? 1 - i : i];

		plan->names[i] = mem_copy(arm->key, arm->key_len);
	}
	return 0;
}

/* Leaves the windows of these two arms. */
static void set_sides(struct finding *finding)
{
	size_t kept = 0;

	for (size_t i = 0; i < finding->count; i++) {
		struct entry *entry = &finding->entries[i];
		const char *arm = finding->arms.entries[entry->arm].key;

		if (strcmp(arm, finding->plan->names[0]) == 0)
			entry->side = 0;
		else if (strcmp(arm, finding->plan->names[1]) == 0)
			entry->side = 1;
		else
			continue;
		finding->entries[kept++] = *entry;
	}
	finding->count = kept;
}

/* A block that lacks an arm leaves a drift in the host's effect, unless the host has one arm only. */
static void leave_out_blocks(struct finding *finding)
{
	struct arm_plan *plan = finding->plan;
	unsigned char *of_block = mem_calloc(finding->blocks.count + 1, 1);
	unsigned char *of_host = mem_calloc(plan->host_count + 1, 1);
	enum { BOTH = 3 };

	for (size_t i = 0; i < finding->count; i++) {
		const struct entry *entry = &finding->entries[i];

		of_host[entry->host] |= (unsigned char)(1 << entry->side);
		if (entry->has_block)
			of_block[entry->block] |= (unsigned char)(1 << entry->side);
	}
	for (size_t i = 0; i < finding->count; i++) {
		struct entry *entry = &finding->entries[i];

		entry->is_left_out = of_host[entry->host] == BOTH && entry->has_block &&
		                     of_block[entry->block] != BOTH;
		plan->incomplete += entry->is_left_out;
	}
	free(of_block);
	free(of_host);
}

static int by_host_and_time(const void *a, const void *b)
{
	const struct entry *first = a, *second = b;

	if (first->host != second->host)
		return first->host < second->host ? -1 : 1;
	if (first->end_unix_ns != second->end_unix_ns)
		return first->end_unix_ns < second->end_unix_ns ? -1 : 1;
	return (first->snapshot > second->snapshot) - (first->snapshot < second->snapshot);
}

static void count_windows(struct finding *finding)
{
	struct arm_plan *plan = finding->plan;
	unsigned char *of_boot = mem_calloc(finding->boots.count + 1, 1);
	uint64_t position = 0;

	qsort(finding->entries, finding->count, sizeof(finding->entries[0]), by_host_and_time);
	for (size_t i = 0; i < finding->count; i++) {
		const struct entry *entry = &finding->entries[i];
		struct arm_host *host = &plan->hosts[entry->host];

		if (i == 0 || entry[-1].host != entry->host)
			position = 0;
		if (entry->is_left_out)
			continue;
		of_boot[entry->boot] |= (unsigned char)(1 << entry->side);
		host->same_boot |= of_boot[entry->boot] == 3;
		host->files[entry->side]++;
		host->seconds[entry->side] +=
		        (double)finding->list->snapshots[entry->snapshot].length_ns / NS_PER_SECOND;
		host->position[entry->side] += position++;
	}
	free(of_boot);
}

static int choose_design(struct arm_plan *plan, struct strbuf *reterr)
{
	size_t fewer;

	for (size_t h = 0; h < plan->host_count; h++) {
		const struct arm_host *host = &plan->hosts[h];

		plan->both += host->files[0] > 0 && host->files[1] > 0;
		plan->only[0] += host->files[0] > 0 && host->files[1] == 0;
		plan->only[1] += host->files[0] == 0 && host->files[1] > 0;
	}
	fewer = plan->only[0] < plan->only[1] ? plan->only[0] : plan->only[1];
	if (plan->both < ARM_HOSTS_LEAST && fewer < ARM_HOSTS_LEAST) {
		strbuf_addf(
		        reterr,
		        "an effect over hosts needs %d of them with both arms, or %d with each; "
		        "%zu have both, and %zu and %zu have one",
		        ARM_HOSTS_LEAST, ARM_HOSTS_LEAST, plan->both, plan->only[0], plan->only[1]);
		return -ENODATA;
	}
	/* A pair says more than two hosts: all that they have in common cancels. */
	plan->design = plan->both >= fewer ? ARM_DESIGN_PAIRED : ARM_DESIGN_BETWEEN;
	return 0;
}

/* Compares the mean places of both arms. */
static void count_order(struct arm_plan *plan, const struct arm_host *host)
{
	unsigned __int128 a = (unsigned __int128)host->position[0] * host->files[1];
	unsigned __int128 b = (unsigned __int128)host->position[1] * host->files[0];

	plan->first[0] += a < b;
	plan->first[1] += b < a;
	plan->boots += !host->same_boot;
}

static void use_files(struct finding *finding)
{
	struct arm_plan *plan = finding->plan;

	for (size_t h = 0; h < plan->host_count; h++) {
		struct arm_host *host = &plan->hosts[h];
		bool has_both = host->files[0] > 0 && host->files[1] > 0;

		host->takes_part = (host->files[0] > 0 || host->files[1] > 0) &&
		                   has_both == (plan->design == ARM_DESIGN_PAIRED);
		if (host->takes_part && has_both)
			count_order(plan, host);
	}
	for (size_t i = 0; i < finding->count; i++) {
		const struct entry *entry = &finding->entries[i];

		if (entry->is_left_out || !plan->hosts[entry->host].takes_part)
			continue;
		plan->uses[entry->snapshot] = entry->side == 0 ? USE_FIRST : USE_LAST;
		plan->files[entry->side]++;
	}
}

static void add_arm(struct arm_plan *plan, unsigned side)
{
	text_add_escaped(&plan->failure, plan->names[side], strlen(plan->names[side]));
}

/* The arms of different hosts should have been there at the same time. */
static void check_times(struct finding *finding)
{
	struct arm_plan *plan = finding->plan;
	uint64_t begin[2] = {UINT64_MAX, UINT64_MAX}, end[2] = {0, 0};

	for (size_t i = 0; i < finding->count; i++) {
		const struct entry *entry = &finding->entries[i];
		uint64_t time = entry->end_unix_ns;

		if (plan->uses[entry->snapshot] == USE_NOTHING)
			continue;
		begin[entry->side] = time < begin[entry->side] ? time : begin[entry->side];
		end[entry->side] = time > end[entry->side] ? time : end[entry->side];
	}
	for (unsigned side = 0; side < 2; side++)
		if (end[side] < begin[1 - side]) {
			strbuf_add_str(&plan->failure, "all windows of ");
			add_arm(plan, side);
			strbuf_add_str(&plan->failure, " ended before those of ");
			add_arm(plan, 1 - side);
			strbuf_add_str(&plan->failure, ": a drift looks like an effect");
		}
}

static void check_order(struct arm_plan *plan)
{
	for (unsigned side = 0; side < 2; side++)
		if (plan->first[side] == plan->both) {
			add_arm(plan, side);
			strbuf_add_str(&plan->failure,
			               " came first on each host: a drift looks like an effect");
		}
}

static int make_plan(struct finding *finding, struct strbuf *reterr)
{
	struct arm_plan *plan = finding->plan;
	int r = check_experiment(finding, reterr);

	if (r == 0)
		r = choose_arms(finding, reterr);
	if (r < 0)
		return r;
	set_sides(finding);
	leave_out_blocks(finding);
	count_windows(finding);
	r = choose_design(plan, reterr);
	if (r < 0)
		return r;
	use_files(finding);
	if (plan->design == ARM_DESIGN_PAIRED)
		check_order(plan);
	else
		check_times(finding);
	return 0;
}

int arm_plan_find(struct database *database, const struct arm_question *question,
                  const struct database_list *list, struct arm_plan *ret, struct strbuf *reterr)
{
	struct finding finding = {.question = question, .list = list, .plan = ret};
	int r;

	*ret = (struct arm_plan){
	        .uses = mem_calloc(list->snapshot_count + 1, 1),
	        .hosts = mem_calloc(list->host_count + 1, sizeof(ret->hosts[0])),
	        .host_count = list->host_count,
	};
	r = database_scan_labels(database, question->filter.group_key, visit_labels, &finding);
	if (r == 0)
		r = make_plan(&finding, reterr);
	free(finding.entries);
	strmap_done(&finding.arms);
	strmap_done(&finding.experiments);
	strmap_done(&finding.boots);
	strmap_done(&finding.blocks);
	return r;
}
