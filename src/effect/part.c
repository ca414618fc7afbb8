// SPDX-License-Identifier: GPL-2.0-or-later
#include "effect/part.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strmap.h"

const char *const part_kind_names[PART_KIND_COUNT] = {"block", "session", "host"};

static const char *host_of(const struct trial *trial, unsigned session)
{
	return session < trial->session_count ? trial->sessions[session].host : NULL;
}

/* Numbers the hosts by the order of their first blocks. Leaves none if a block has no host. */
static void find_hosts(struct parts *parts, const struct trial *trial)
{
	cleanup_(strmap_done) struct strmap names = STRMAP_INIT;

	for (size_t i = 0; i < trial->block_count; i++) {
		const char *host = host_of(trial, trial->blocks[i].session);
		uint32_t place;

		if (!host) {
			parts->count = 0;
			return;
		}
		if (!strmap_find(&names, host, strlen(host), &place)) {
			strmap_add(&names, host, strlen(host));
			place = (uint32_t)parts->count++;
			parts->hosts[place] = host;
		}
		parts->of_block[i] = place;
	}
}

/* Blocks are in the order of their sessions. */
static void find_sessions(struct parts *parts, const struct trial *trial)
{
	for (size_t i = 0; i < trial->block_count; i++) {
		if (i == 0 || trial->blocks[i].session != trial->blocks[i - 1].session)
			parts->count++;
		parts->of_block[i] = parts->count - 1;
	}
}

static void set_order(struct parts *parts, size_t blocks)
{
	size_t *next = mem_calloc(parts->count + 1, sizeof(next[0]));

	for (size_t i = 0; i < blocks; i++)
		parts->blocks[parts->of_block[i]]++;
	for (size_t i = 1; i < parts->count; i++)
		next[i] = next[i - 1] + parts->blocks[i - 1];
	for (size_t i = 0; i < blocks; i++)
		parts->order[next[parts->of_block[i]]++] = i;
	free(next);
}

void parts_find(struct parts *ret, const struct trial *trial)
{
	size_t room = trial->block_count + 1;

	*ret = (struct parts){.kind = PART_HOST,
	                      .of_block = mem_calloc(room, sizeof(ret->of_block[0])),
	                      .order = mem_calloc(room, sizeof(ret->order[0])),
	                      .blocks = mem_calloc(room, sizeof(ret->blocks[0])),
	                      .hosts = mem_calloc(room, sizeof(ret->hosts[0]))};
	find_hosts(ret, trial);
	if (ret->count < 2) {
		ret->kind = PART_SESSION;
		ret->count = 0;
		find_sessions(ret, trial);
	}
	if (ret->count < 2) {
		ret->kind = PART_BLOCK;
		ret->count = trial->block_count;
		for (size_t i = 0; i < trial->block_count; i++)
			ret->of_block[i] = i;
	}
	set_order(ret, trial->block_count);
}

void parts_done(struct parts *parts)
{
	free(parts->of_block);
	free(parts->order);
	free(parts->blocks);
	free(parts->hosts);
	*parts = (struct parts){.count = 0};
}

void parts_means(const struct parts *parts, const double *contrasts, double *ret)
{
	const size_t *block = parts->order;

	for (size_t i = 0; i < parts->count; i++) {
		double sum = 0;

		for (size_t k = 0; k < parts->blocks[i]; k++)
			sum += contrasts[*block++];
		ret[i] = sum / (double)parts->blocks[i];
	}
}
