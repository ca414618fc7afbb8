// SPDX-License-Identifier: GPL-2.0-or-later
#include "samples.h"

void sample_name(struct strbuf *field, const char *text)
{
	strbuf_clear(field);
	strbuf_add_str(field, text);
}

static void random_label(struct random *random, enum metric_id metric, struct thread_sample *sample)
{
	static const char *const labels[] = {
	        "SCHED_OTHER",
	        "SCHED_FIFO",
	        "SCHED_OTHER2",
	        "SCHED_UNKNOWN(4294967295)",
	        "a",
	        "a \"b\"\\,\n",
	        "\xe6\xbc\xa2\xc3\xa9",
	        "31 bytes, which are the longest",
	};
	const char *label = labels[random_below(random, ARRAY_SIZE(labels))];

	assert_true(sample_set_label(sample, metric, label, strlen(label)));
}

static void random_cpus(struct random *random, struct thread_sample *sample)
{
	static const char *const lists[] = {"0", "0-3", "1,3,5,63-65,127", "8191", "0-8191"};
	struct cpu_mask *mask = &sample->cpu_affinity.v;
	const char *list = lists[random_below(random, ARRAY_SIZE(lists))];

	if (random_chance(random, 70)) {
		assert_true(cpu_mask_parse(mask, list, strlen(list)));
	} else {
		cpu_mask_clear(mask);
		for (uint64_t i = random_below(random, 20) + 1; i > 0; i--)
			assert_true(cpu_mask_add(mask, random_below(random, CPU_MASK_CPUS)));
	}
	metric_set_add(&sample->seen, METRIC_cpu_affinity);
}

void random_value(struct random *random, enum metric_id metric, struct thread_sample *sample)
{
	uint64_t number = random_number(random);
	char letter = (char)('!' + random_below(random, 4) * 31);

	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		assert_true(sample_set_integer(sample, metric, number));
		break;
	case REPRESENTATION_U32:
		assert_true(sample_set_integer(sample, metric, (uint32_t)number));
		break;
	case REPRESENTATION_I32:
		assert_true(sample_set_negative(sample, metric, (int32_t)number));
		break;
	case REPRESENTATION_TEXT:
		random_label(random, metric, sample);
		break;
	case REPRESENTATION_LETTER:
		assert_true(sample_set_label(sample, metric, &letter, 1));
		break;
	case REPRESENTATION_FLAG:
		assert_true(sample_set_flag(sample, metric, number % 2 == 0));
		break;
	case REPRESENTATION_CPUS:
		random_cpus(random, sample);
		break;
	}
}

void random_member(struct random *random, struct thread_sample *sample, uint32_t tid,
                   const char *const *names, size_t name_count)
{
	sample_reset(sample);
	sample->tid = tid;
	sample->tgid = random_chance(random, 50) ? tid : 1;
	sample->start_time_clock_ticks = random_below(random, 100);
	sample_name(&sample->comm, names[random_below(random, name_count)]);
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_table[i].source != SOURCE_synthetic && random_chance(random, 70))
			random_value(random, (enum metric_id)i, sample);
}

bool same_value(enum metric_id metric, const struct thread_sample *a, const struct thread_sample *b)
{
	const void *value_a = sample_value(a, metric), *value_b = sample_value(b, metric);

	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		return memcmp(value_a, value_b, sizeof(uint64_t)) == 0;
	case REPRESENTATION_U32:
	case REPRESENTATION_I32:
		return memcmp(value_a, value_b, sizeof(uint32_t)) == 0;
	case REPRESENTATION_TEXT:
		return strcmp(value_a, value_b) == 0;
	case REPRESENTATION_LETTER:
		return *(const char *)value_a == *(const char *)value_b;
	case REPRESENTATION_FLAG:
		return *(const bool *)value_a == *(const bool *)value_b;
	case REPRESENTATION_CPUS:
		return cpu_mask_equal(value_a, value_b);
	}
	return false;
}
