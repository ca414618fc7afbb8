// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines of an experiment over hosts: the effect on each host, and the hosts that differ. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "effect/host-effect.h"
#include "findings-format.h"

enum { EFFECTS_SHOWN = 8, HOSTS_SHOWN = 4 };

void findings_add_spread(const struct effect *effect, double y, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf change = STRBUF_INIT;

	/* The spread of logarithms is as good as a share. */
	if (isfinite(y) && effect->scale.is_log)
		strbuf_addf(&change, "%.1f%%", 100 * y);
	else
		effect_add_change(effect, y, &change);
	strbuf_add_str(out, strbuf_str(&change) + (change.len > 0 && change.data[0] == '+'));
}

static void add_host(const struct comparison *comparison, size_t place, struct strbuf *out)
{
	findings_add_name(comparison->parts.hosts[place], out);
}

void findings_add_host_effects(const struct comparison *comparison, const struct effect *effect,
                               bool verbose, struct strbuf *out)
{
	size_t count = comparison->parts.count;
	size_t shown = verbose || count < EFFECTS_SHOWN ? count : EFFECTS_SHOWN;
	struct host_effect *hosts = mem_calloc(count, sizeof(hosts[0]));
	double noise;

	host_effects_of(comparison, effect, hosts, &noise);
	strbuf_add_str(out, "           ");
	effect_add_name(effect, out);
	strbuf_add_str(out, " by host:");
	for (size_t i = 0; i < shown; i++) {
		strbuf_add_str(out, i > 0 ? ", " : " ");
		add_host(comparison, i, out);
		strbuf_add_char(out, ' ');
		effect_add_change(effect, hosts[i].y, out);
		if (!hosts[i].has_interval)
			continue;
		strbuf_add_str(out, " (");
		effect_add_change(effect, hosts[i].ci95.low, out);
		strbuf_add_char(out, ' ');
		effect_add_change(effect, hosts[i].ci95.high, out);
		strbuf_add_char(out, ')');
	}
	if (shown < count)
		strbuf_addf(out, ", and %zu more (-v)", count - shown);
	if (effect->test.has_sd) {
		strbuf_add_str(out, "; spread ");
		findings_add_spread(effect, effect->test.sd, out);
	}
	if (effect->test.has_sd && isfinite(noise)) {
		strbuf_add_str(out, ", of noise alone ");
		findings_add_spread(effect, noise, out);
	}
	strbuf_add_char(out, '\n');
	free(hosts);
}

/* A host, the row in which it differs with the most evidence, and how many there are. */
struct apart {
	size_t host, rows, against;
	const struct effect *effect;
	const struct effect_host *most;
};

static double evidence_of(const struct effect_host *host)
{
	return host->test.has_t ? fabs(host->test.t) : fabs(host->z);
}

/* Rows that somebody named come first, then those in which the host goes against the others. */
static bool is_clearer(const struct apart *a, const struct apart *b)
{
	const struct effect_host *of_a = a->most, *of_b = b->most;
	double p_a = of_a->p.is_defined ? of_a->p.p : 1, p_b = of_b->p.is_defined ? of_b->p.p : 1;

	if (a->effect->role != b->effect->role)
		return a->effect->role < b->effect->role;
	if (of_a->is_against != of_b->is_against)
		return of_a->is_against;
	return p_a != p_b ? p_a < p_b : evidence_of(of_a) > evidence_of(of_b);
}

static int by_evidence(const void *a_ptr, const void *b_ptr)
{
	const struct apart *a = a_ptr, *b = b_ptr;

	if (!a->most || !b->most)
		return (a->most == NULL) - (b->most == NULL);
	if (is_clearer(a, b))
		return -1;
	if (is_clearer(b, a))
		return 1;
	return (a->host > b->host) - (a->host < b->host);
}

/* Returns a place for each host, those that differ first, and stores their number. The caller frees the array. */
static struct apart *find_apart(const struct comparison *comparison, size_t *ret_count)
{
	struct apart *found = mem_calloc(comparison->parts.count, sizeof(found[0]));
	size_t count = 0;

	for (size_t i = 0; i < comparison->parts.count; i++)
		found[i].host = i;
	for (size_t i = 0; i < comparison->count; i++) {
		const struct effect *effect = &comparison->effects[i];

		for (size_t k = 0; k < effect->apart_count; k++) {
			const struct effect_host *host = &effect->apart[k];
			struct apart *apart = &found[host->host];
			struct apart here = {.effect = effect, .most = host};

			count += apart->rows++ == 0;
			apart->against += host->is_against;
			if (apart->most && !is_clearer(&here, apart))
				continue;
			apart->most = host;
			apart->effect = effect;
		}
	}
	qsort(found, comparison->parts.count, sizeof(found[0]), by_evidence);
	*ret_count = count;
	return found;
}

static void add_apart(const struct comparison *comparison, const struct apart *apart,
                      struct strbuf *out)
{
	const struct effect_host *most = apart->most;

	strbuf_add_str(out, "           ");
	add_host(comparison, apart->host, out);
	if (apart->against > 0)
		strbuf_addf(out, " against the others in %zu row%s", apart->against,
		            apart->against == 1 ? "" : "s");
	if (apart->rows > apart->against)
		strbuf_addf(out, "%s beyond them in %zu", apart->against > 0 ? "," : "",
		            apart->rows - apart->against);
	strbuf_add_str(out, ": ");
	effect_add_name(apart->effect, out);
	strbuf_add_char(out, ' ');
	effect_add_change(apart->effect, most->y, out);
	strbuf_add_str(out, ", the others ");
	effect_add_change(apart->effect, most->others, out);
	if (most->p.is_defined)
		strbuf_addf(out, most->p.p < .0001 ? ", p <.0001" : ", p %.2g", most->p.p);
	strbuf_addf(out, ", z %.1f\n", most->z);
}

void findings_add_hosts(const struct comparison *comparison, bool verbose, struct strbuf *out)
{
	size_t count, shown;
	struct apart *found;

	if (comparison->parts.kind != PART_HOST ||
	    comparison->parts.count < HOST_EFFECT_HOSTS_LEAST)
		return;
	found = find_apart(comparison, &count);
	shown = verbose || count < HOSTS_SHOWN ? count : HOSTS_SHOWN;
	if (count == 0)
		strbuf_add_str(out, "hosts      none differs from the others by more than noise\n");
	else
		strbuf_addf(out, "hosts      %zu of %zu differ%s from the others\n", count,
		            comparison->parts.count, count == 1 ? "s" : "");
	for (size_t i = 0; i < shown; i++)
		add_apart(comparison, &found[i], out);
	if (shown < count)
		strbuf_addf(out, "           and %zu more (-v)\n", count - shown);
	free(found);
}
