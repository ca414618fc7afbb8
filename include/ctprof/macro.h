/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* macro - attributes, ownership helpers and small arithmetic used everywhere. */
#include <stddef.h>

#define must_check_ __attribute__((warn_unused_result))
#define nonnull_ __attribute__((nonnull))
#define printf_(fmt_, args_) __attribute__((format(printf, fmt_, args_)))
#define noreturn_ __attribute__((noreturn))
#define unused_ __attribute__((unused))

/* cleanup_(x_freep) type *p = NULL; - runs x_freep(&p) when p leaves its scope. */
#define cleanup_(function_) __attribute__((cleanup(function_)))

/* Hands the pointer over to the caller and forgets it, so that its cleanup does nothing. */
#define take_ptr(pointer_)                                \
	({                                                \
		__typeof__(pointer_) *pp__ = &(pointer_); \
		__typeof__(pointer_) p__ = *pp__;         \
		*pp__ = NULL;                             \
		p__;                                      \
	})

#define ARRAY_SIZE(array_) (sizeof(array_) / sizeof((array_)[0]))

#define STRINGIFY_(text_) #text_
#define STRINGIFY(text_) STRINGIFY_(text_)
