/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* oracle - reads the files of oracles/ by jansson, and compares numbers within their tolerances. */
#include "check.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/mem.h"

struct oracle {
	json_t *root;
};

/* @name is that of the file, without ".json". */
static inline struct oracle oracle_open(const char *name)
{
	struct oracle oracle = {0};
	const char *directory = getenv("TEST_ORACLES");
	char path[4096];
	json_error_t error;

	assert_non_null(directory);
	snprintf(path, sizeof(path), "%s/%s.json", directory, name);
	oracle.root = json_load_file(path, JSON_DECODE_ANY, &error);
	if (!oracle.root)
		fail_msg("%s: line %d: %s", path, error.line, error.text);
	return oracle;
}

static inline void oracle_done(struct oracle *oracle)
{
	json_decref(oracle->root);
	oracle->root = NULL;
}

/* The member of an object; it must be there, if only as null. */
static inline json_t *oracle_get(json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	if (!value)
		fail_msg("no \"%s\" in the oracle", key);
	return value;
}

static inline double oracle_real(json_t *object, const char *key)
{
	json_t *value = oracle_get(object, key);

	assert_true(json_is_number(value));
	return json_number_value(value);
}

static inline size_t oracle_count(json_t *object, const char *key)
{
	json_t *value = oracle_get(object, key);

	/* Rank sums are reals with an integer value. */
	assert_true(json_is_number(value) && json_number_value(value) >= 0);
	return (size_t)json_number_value(value);
}

static inline bool oracle_is_null(json_t *object, const char *key)
{
	return json_is_null(oracle_get(object, key));
}

static inline bool oracle_bool(json_t *object, const char *key)
{
	json_t *value = oracle_get(object, key);

	assert_true(json_is_boolean(value));
	return json_is_true(value);
}

/* The numbers of an array, to be freed. There is one more, so that an empty array has memory as well. */
static inline double *oracle_reals(json_t *array, size_t *ret_count)
{
	size_t count = json_array_size(array);
	double *numbers = calloc(count + 1, sizeof(numbers[0]));

	assert_true(json_is_array(array));
	assert_non_null(numbers);
	for (size_t i = 0; i < count; i++) {
		assert_true(json_is_number(json_array_get(array, i)));
		numbers[i] = json_number_value(json_array_get(array, i));
	}
	*ret_count = count;
	return numbers;
}

static inline const char *oracle_name(json_t *object)
{
	return json_string_value(json_object_get(object, "name"));
}

/* |got - want| <= rel * |want|, or <= near. */
static inline void check_near(const char *where, const char *what, double got, double want,
                              double rel, double near)
{
	if (!(fabs(got - want) <= fmax(rel * fabs(want), near)))
		fail_msg("%s: %s is %.17g and not %.17g", where ? where : "", what, got, want);
}

static inline void check_interval(const char *where, double low, double high, json_t *want,
                                  double rel, double near)
{
	assert_int_equal(json_array_size(want), 2);
	check_near(where, "low", low, json_number_value(json_array_get(want, 0)), rel, near);
	check_near(where, "high", high, json_number_value(json_array_get(want, 1)), rel, near);
}

/* Calls @check for each of the @count members of an array of the file; @root is the whole file. */
static inline void oracle_each(const char *file, const char *array, size_t count,
                               void (*check)(json_t *item, json_t *root))
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open(file);
	json_t *item;
	size_t i;

	json_array_foreach(oracle_get(oracle.root, array), i, item) check(item, oracle.root);
	assert_int_equal(i, count);
}

/* Calls @check for the cases of oracles/published.json that expect @key; there are @count. */
static inline void oracle_published(const char *key, size_t count,
                                    void (*check)(json_t *item, json_t *want))
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("published");
	size_t i, cases = 0;
	json_t *item;

	json_array_foreach(oracle_get(oracle.root, "cases"), i, item)
	{
		json_t *want = oracle_get(item, "expect");

		if (!json_object_get(want, key))
			continue;
		check(item, want);
		cases++;
	}
	assert_int_equal(cases, count);
}
