/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* shards-read - the facts of servers of ClickHouse, for the questions. One server answers for all, through the tables file and fact. */
#include "database/database.h"
#include "shards/shards-address.h"

/* @address is borrowed. Nothing is asked yet. Returns NULL with a sentence. Free it with database_freep(). */
must_check_ struct database *shards_open(const struct shards_address *address,
                                         struct strbuf *reterr);
