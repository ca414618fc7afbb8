/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-config - finds and reads con-duct's files .env. */
#include <stddef.h>

#include "duct/duct-dotenv.h"

/* con-duct's levels of messages. */
enum duct_level {
	DUCT_NONE, /* of those that are shown: none */
	DUCT_CRITICAL,
	DUCT_ERROR,
	DUCT_WARNING,
	DUCT_INFO_LEVEL,
	DUCT_DEBUG,
};

struct duct_message {
	enum duct_level level;
	char *text; /* owned; safe to print */
};

struct duct_messages {
	struct duct_message *entries; /* owned */
	size_t count, capacity;
};

/* Reads the files that DUCT_CONFIG_PATHS names, or those of con-duct; later ones override earlier ones. No file about which
 * others decide is read (trust-open.h), unless DUCT_CONFIG_PATHS names it and the user is not root. Messages say what was read and what was not. */
void duct_config_read(struct duct_variables *variables, struct duct_messages *messages);

/* For cleanup_(duct_messages_done). */
void duct_messages_done(struct duct_messages *messages);
