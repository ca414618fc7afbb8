/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* ddl - the statements that make tables for facts in SQLite, ClickHouse and DuckDB. */
#include "ctprof/base/strbuf.h"

enum ddl_engine { DDL_SQLITE, DDL_CLICKHOUSE, DDL_DUCKDB, DDL_ENGINE_COUNT };
extern const char *const ddl_engine_names[DDL_ENGINE_COUNT + 1]; /* ended by NULL */

/* The tables of `ctprof db`. */
extern const char ddl_sqlite[];

/* Appends the statements. In ClickHouse and DuckDB there is one table with the columns of `ctprof export`. */
void ddl_add(enum ddl_engine engine, struct strbuf *out);
