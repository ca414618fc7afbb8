/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* ddl - the statements that make tables for facts in SQLite, ClickHouse and DuckDB. */
#include "ctprof/base/strbuf.h"
#include "fleet/fleet-row.h"

enum ddl_engine { DDL_SQLITE, DDL_CLICKHOUSE, DDL_DUCKDB, DDL_ENGINE_COUNT };
extern const char *const ddl_engine_names[DDL_ENGINE_COUNT + 1]; /* ended by NULL */

/* The tables of `ctprof db` in SQLite. */
extern const char ddl_sqlite[];

/* The cluster of ClickHouse whose shards have the tables, and the database if none is named. */
#define DDL_CLUSTER "ctprof"
#define DDL_DATABASE "ctprof"

/* Columns of the tables in ClickHouse: in file_local behind the load and before the number of facts, in fact_local behind the load
 * and the day. */
enum { DDL_FILE_COLUMNS = 10, DDL_FACT_COLUMNS = 16 };
extern const enum fleet_column ddl_file_columns[DDL_FILE_COLUMNS];
extern const enum fleet_column ddl_fact_columns[DDL_FACT_COLUMNS];

/* Appends the statements. @database is the name of ClickHouse's database; it needs no quotes. In DuckDB there is one table with the
 * columns of `ctprof export`. */
void ddl_add(enum ddl_engine engine, const char *database, struct strbuf *out);
