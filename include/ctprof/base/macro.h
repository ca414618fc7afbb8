/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* macro - attributes, ownership helpers and small arithmetic for all rooms. */
#include <stddef.h>
#include <stdint.h>

#define must_check_ __attribute__((warn_unused_result))
#define printf_(fmt_, args_) __attribute__((format(printf, fmt_, args_)))
#define noreturn_ __attribute__((noreturn))
#define unused_ __attribute__((unused))

/* cleanup_(x_freep) type *p = NULL; - runs x_freep(&p) when p leaves its scope. */
#define cleanup_(function_) __attribute__((cleanup(function_)))

/* Gives the pointer to the caller and clears the variable, so that its cleanup does nothing. */
#define take_ptr(pointer_)                                \
	({                                                \
		__typeof__(pointer_) *pp__ = &(pointer_); \
		__typeof__(pointer_) p__ = *pp__;         \
		*pp__ = NULL;                             \
		p__;                                      \
	})

/* Counters saturate. A sum beyond the range of its type is the largest number of the type, or, if it is signed and negative, the
 * smallest. */
static inline uint64_t saturating_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline void saturating_add_to(uint64_t *sum, uint64_t more)
{
	*sum = saturating_add(*sum, more);
}

static inline uint64_t saturating_multiply(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static inline int64_t saturating_add_signed(int64_t a, int64_t b)
{
	int64_t sum;

	return !__builtin_add_overflow(a, b, &sum) ? sum : a > 0 ? INT64_MAX : INT64_MIN;
}

#define ARRAY_SIZE(array_) (sizeof(array_) / sizeof((array_)[0]))

#define STRINGIFY_(text_) #text_
#define STRINGIFY(text_) STRINGIFY_(text_)
