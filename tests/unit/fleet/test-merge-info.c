// SPDX-License-Identifier: GPL-2.0-or-later
/* Merging what files say of their hosts does not depend on the tree of merges or the order. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "fleet/merge-info.h"
#include "random.h"

static void fill(struct random *random, unsigned number, struct snapshot_info *info)
{
	static const char *const releases[] = {"6.1", "6.12"};
	char name[16];
	const char *release = releases[random_below(random, 8) == 0];

	snprintf(name, sizeof(name), "host-%u", number);
	*info = (struct snapshot_info){.kind = KIND_window,
	                               .captured_at_unix_ns = random_below(random, 1000)};
	host_set_text(&info->host, HOST_hostname, name, strlen(name));
	host_set_text(&info->host, HOST_kernel_release, release, strlen(release));
	host_map_set(&info->host, HOST_users, "0", "root", 4);
	host_map_set(&info->host, HOST_users, random_below(random, 2) ? "7" : "8", release,
	             strlen(release));
	host_set_number(&info->host, HOST_total_threads, random_below(random, 2) ? 50 : 5000);
	if (random_below(random, 8) > 0)
		host_set_number(&info->host, HOST_total_memory_kib, random_below(random, 1000));
	host_set_number(&info->host, HOST_kernel_hz, random_below(random, 8) > 0 ? 250 : 1000);
	info->tally.threads = 60;
	info->window.exits = (enum window_exits)random_below(random, WINDOW_EXITS_COUNT);
	for (unsigned i = 0; i < WINDOW_NUMBER_COUNT; i++)
		if (random_below(random, 8) > 0)
			window_set(&info->window, (enum window_number)i, random_below(random, 9));
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		info->rules[s] = random_below(random, 4) > 0 ? OUTCOME_read : OUTCOME_denied;
	merge_info_prepare(info);
}

static void add_host_text(const struct host *host, struct strbuf *out)
{
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++) {
		const struct host_map *map = &host->maps[i];

		strbuf_addf(out, "%d %llu %s;", host->seen[i], (unsigned long long)host->numbers[i],
		            host->texts[i] ? host->texts[i] : "");
		for (size_t e = 0; e < map->count; e++)
			strbuf_addf(out, "%s=%s,", map->entries[e].name, map->entries[e].text);
	}
}

/* All that a merged file says of its hosts, as text. */
static void add_text(const struct snapshot_info *info, struct strbuf *out)
{
	add_host_text(&info->host, out);
	strbuf_addf(out, "exits %u, at %llu, %llu threads;", info->window.exits,
	            (unsigned long long)info->captured_at_unix_ns,
	            (unsigned long long)info->tally.threads);
	for (unsigned i = 0; i < WINDOW_NUMBER_COUNT; i++)
		strbuf_addf(out, "%d %llu;", info->window.seen[i],
		            (unsigned long long)info->window.numbers[i]);
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		strbuf_addf(out, "%u ", info->rules[s]);
}

enum { HOSTS = 6 };

static void merge_in_order(uint64_t seed, const unsigned order[HOSTS], unsigned split,
                           struct strbuf *out)
{
	struct snapshot_info infos[HOSTS];
	struct random random = random_start(3, (unsigned)seed);

	for (unsigned i = 0; i < HOSTS; i++)
		fill(&random, i, &infos[i]);
	/* Two merges, and then a merge of them. */
	for (unsigned i = 1; i < HOSTS; i++)
		if (i != split)
			merge_info_add(&infos[order[i < split ? 0 : split]], &infos[order[i]]);
	if (split > 0)
		merge_info_add(&infos[order[0]], &infos[order[split]]);
	add_text(&infos[order[0]], out);
	for (unsigned i = 0; i < HOSTS; i++)
		snapshot_info_done(&infos[i]);
}

static void is_the_same_in_any_order(void **state)
{
	struct random random = random_start(5, 0);

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		cleanup_(strbuf_done) struct strbuf flat = STRBUF_INIT, tree = STRBUF_INIT;
		unsigned order[HOSTS] = {0, 1, 2, 3, 4, 5};

		merge_in_order(round + 1, order, 0, &flat);
		for (unsigned i = HOSTS - 1; i > 0; i--) {
			unsigned other = (unsigned)random_below(&random, i + 1), kept = order[i];

			order[i] = order[other];
			order[other] = kept;
		}
		merge_in_order(round + 1, order, 1 + (unsigned)random_below(&random, HOSTS - 1),
		               &tree);
		assert_text(&tree, strbuf_str(&flat));
	}
}

static void leaves_out_what_one_host_lacks(void **state)
{
	struct snapshot_info a = {.kind = KIND_window}, b = {.kind = KIND_window};

	(void)state;
	window_set(&a.window, WINDOW_threads_born, 3);
	window_set(&a.window, WINDOW_threads_exited, 3);
	window_set(&b.window, WINDOW_threads_born, 4);
	window_set(&a.window, WINDOW_length_ns, 9);
	window_set(&b.window, WINDOW_length_ns, 7);
	merge_info_prepare(&a);
	merge_info_prepare(&b);
	merge_info_add(&a, &b);
	assert_int_equal(a.window.numbers[WINDOW_threads_born], 7);
	assert_false(a.window.seen[WINDOW_threads_exited]);
	assert_int_equal(a.window.numbers[WINDOW_length_ns], 9);
	assert_int_equal(a.window.numbers[WINDOW_shortest_length_ns], 7);
	assert_int_equal(a.host.numbers[HOST_hosts], 2);
	snapshot_info_done(&a);
	snapshot_info_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(is_the_same_in_any_order),
	        cmocka_unit_test(leaves_out_what_one_host_lacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
