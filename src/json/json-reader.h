/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* json-reader - the state of the JSON reader between two tokens. json-read.c has the grammar, json-expected.c the short
 * way through it. */
#include "json-scan.h"
#include "json/json-read.h"

enum expectation {
	EXPECT_DOCUMENT,
	EXPECT_FIRST_KEY,  /* or the end of the object */
	EXPECT_FIRST_ITEM, /* or the end of the array */
	EXPECT_COLON,
	EXPECT_COMMA, /* or the end of the container */
	EXPECT_NOTHING,
};

struct json_reader {
	struct json_scan scan;
	struct strbuf closers; /* the brackets that close the open containers, innermost last */
	enum expectation expectation;
	enum json_token token;
};
