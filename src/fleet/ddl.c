// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/ddl.h"

const char *const ddl_engine_names[DDL_ENGINE_COUNT + 1] = {"sqlite", "clickhouse", "duckdb", NULL};

/* The facts of one file are together, since files are added one after the other, and those of one group in it. SQLite has no unsigned
 * integers: a number above 2^63-1 is the text of its digits, which a column without a type takes. */
const char ddl_sqlite[] = "CREATE TABLE snapshot (\n"
                          "  id INTEGER PRIMARY KEY,\n"
                          "  digest TEXT NOT NULL UNIQUE,\n"
                          "  host TEXT,\n"
                          "  boot_id TEXT,\n"
                          "  kernel TEXT,\n"
                          "  labels TEXT NOT NULL,\n"
                          "  kind TEXT NOT NULL,\n"
                          "  end_unix_ns INTEGER NOT NULL,\n"
                          "  length_ns INTEGER,\n"
                          "  ends TEXT\n"
                          ");\n"
                          "CREATE TABLE snapshot_key (\n"
                          "  snapshot INTEGER NOT NULL REFERENCES snapshot(id),\n"
                          "  group_key TEXT NOT NULL,\n"
                          "  PRIMARY KEY (snapshot, group_key)\n"
                          ") WITHOUT ROWID;\n"
                          "CREATE TABLE grp (\n"
                          "  id INTEGER PRIMARY KEY,\n"
                          "  group_key TEXT NOT NULL,\n"
                          "  group_name TEXT NOT NULL,\n"
                          "  UNIQUE (group_key, group_name)\n"
                          ");\n"
                          "CREATE TABLE metric (\n"
                          "  id INTEGER PRIMARY KEY,\n"
                          "  name TEXT NOT NULL UNIQUE,\n"
                          "  unit TEXT NOT NULL,\n"
                          "  type TEXT NOT NULL,\n"
                          "  rule TEXT NOT NULL\n"
                          ");\n"
                          "CREATE TABLE fact (\n"
                          "  snapshot INTEGER NOT NULL REFERENCES snapshot(id),\n"
                          "  grp INTEGER NOT NULL REFERENCES grp(id),\n"
                          "  metric INTEGER NOT NULL REFERENCES metric(id),\n"
                          "  threads NOT NULL,\n"
                          "  seen NOT NULL,\n"
                          "  exited,\n"
                          "  sum,\n"
                          "  square_sum_high,\n"
                          "  square_sum_low,\n"
                          "  min,\n"
                          "  max,\n"
                          "  histogram TEXT,\n"
                          "  rated,\n"
                          "  PRIMARY KEY (snapshot, grp, metric)\n"
                          ") WITHOUT ROWID;\n";

/* Those that all facts of a file and a set of keys share, and the others. */
const enum fleet_column ddl_file_columns[DDL_FILE_COLUMNS] = {
        FLEET_COLUMN_snapshot,    FLEET_COLUMN_host,      FLEET_COLUMN_boot_id,
        FLEET_COLUMN_kernel,      FLEET_COLUMN_labels,    FLEET_COLUMN_kind,
        FLEET_COLUMN_end_unix_ns, FLEET_COLUMN_length_ns, FLEET_COLUMN_ends,
        FLEET_COLUMN_group_key,
};

const enum fleet_column ddl_fact_columns[DDL_FACT_COLUMNS] = {
        FLEET_COLUMN_group_key,
        FLEET_COLUMN_group_name,
        FLEET_COLUMN_metric,
        FLEET_COLUMN_unit,
        FLEET_COLUMN_type,
        FLEET_COLUMN_rule,
        FLEET_COLUMN_threads,
        FLEET_COLUMN_seen,
        FLEET_COLUMN_exited,
        FLEET_COLUMN_sum,
        FLEET_COLUMN_square_sum_high,
        FLEET_COLUMN_square_sum_low,
        FLEET_COLUMN_min,
        FLEET_COLUMN_max,
        FLEET_COLUMN_histogram,
        FLEET_COLUMN_rated,
};

static void add_clickhouse_column(enum fleet_column id, struct strbuf *out)
{
	static const char *const types[FLEET_TYPE_COUNT] = {"String", "UInt64", "Decimal(38, 0)"};
	const struct fleet_column_desc *column = &fleet_column_table[id];
	const char *type = types[column->type];

	if (column->nullable)
		strbuf_addf(out, "  %s Nullable(%s)", column->name, type);
	else
		strbuf_addf(out, "  %s %s", column->name, type);
}

static void add_distributed(const char *database, const char *table, struct strbuf *out)
{
	strbuf_addf(
	        out,
	        "CREATE TABLE IF NOT EXISTS %s.%s AS %s.%s_local ENGINE = Distributed(" DDL_CLUSTER
	        ", %s, %s_local);\n",
	        database, table, database, table, database, table);
}

/* A file's facts count once a row of the table file names their load, and those of other loads never do. They are in the order in which
 * the questions read them, and the day lets questions about a time leave out months. */
static void add_clickhouse(const char *database, struct strbuf *out)
{
	strbuf_addf(out, "CREATE DATABASE IF NOT EXISTS %s;\n", database);
	strbuf_addf(out, "CREATE TABLE IF NOT EXISTS %s.file_local (\n  load UInt64,\n", database);
	for (unsigned i = 0; i < DDL_FILE_COLUMNS; i++) {
		add_clickhouse_column(ddl_file_columns[i], out);
		strbuf_add_str(out, ",\n");
	}
	strbuf_add_str(out, "  facts UInt64\n) ENGINE = MergeTree\nPARTITION BY tuple()\n"
	                    "ORDER BY (snapshot, group_key);\n");
	strbuf_addf(out,
	            "CREATE TABLE IF NOT EXISTS %s.fact_local (\n  load UInt64,\n  day Date,\n",
	            database);
	for (unsigned i = 0; i < DDL_FACT_COLUMNS; i++) {
		add_clickhouse_column(ddl_fact_columns[i], out);
		strbuf_add_str(out, i + 1 < DDL_FACT_COLUMNS ? ",\n" : "\n");
	}
	strbuf_add_str(out, ") ENGINE = MergeTree\nPARTITION BY toYYYYMM(day)\n"
	                    "ORDER BY (group_key, group_name, load, metric);\n");
	add_distributed(database, "file", out);
	add_distributed(database, "fact", out);
}

static void add_duckdb(struct strbuf *out)
{
	static const char *const types[FLEET_TYPE_COUNT] = {"VARCHAR", "UBIGINT", "HUGEINT"};

	strbuf_add_str(out, "CREATE TABLE fact (\n");
	for (unsigned c = 0; c < FLEET_COLUMN_COUNT; c++) {
		const struct fleet_column_desc *column = &fleet_column_table[c];

		strbuf_addf(out, "  %s %s%s%s", column->name, types[column->type],
		            column->nullable ? "" : " NOT NULL",
		            c + 1 < FLEET_COLUMN_COUNT ? ",\n" : "\n");
	}
	strbuf_add_str(out, ");\n");
}

void ddl_add(enum ddl_engine engine, const char *database, struct strbuf *out)
{
	switch (engine) {
	case DDL_SQLITE:
		strbuf_add_str(out, ddl_sqlite);
		break;
	case DDL_CLICKHOUSE:
		add_clickhouse(database, out);
		break;
	case DDL_DUCKDB:
		add_duckdb(out);
		break;
	case DDL_ENGINE_COUNT:
		break;
	}
}
