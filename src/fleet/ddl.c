// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/ddl.h"

#include "fleet/fleet-row.h"

const char *const ddl_engine_names[DDL_ENGINE_COUNT + 1] = {"sqlite", "clickhouse", "duckdb", NULL};

/* The facts of one file stand together, since files are added one after the other, and those of one group in it. SQLite has no unsigned
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
                          "  length_ns INTEGER\n"
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
                          "  PRIMARY KEY (snapshot, grp, metric)\n"
                          ") WITHOUT ROWID;\n";

static const char *type_name(enum ddl_engine engine, enum fleet_type type)
{
	static const char *const names[DDL_ENGINE_COUNT][FLEET_TYPE_COUNT] = {
	        [DDL_CLICKHOUSE] = {"String", "UInt64", "Decimal(38, 0)"},
	        [DDL_DUCKDB] = {"VARCHAR", "UBIGINT", "HUGEINT"},
	};

	return names[engine][type];
}

static void add_columns(enum ddl_engine engine, struct strbuf *out)
{
	for (unsigned c = 0; c < FLEET_COLUMN_COUNT; c++) {
		const struct fleet_column_desc *column = &fleet_column_table[c];
		const char *type = type_name(engine, column->type);
		const char *end = c + 1 < FLEET_COLUMN_COUNT ? ",\n" : "\n";

		if (engine == DDL_CLICKHOUSE && column->nullable)
			strbuf_addf(out, "  %s Nullable(%s)%s", column->name, type, end);
		else
			strbuf_addf(out, "  %s %s%s%s", column->name, type,
			            engine == DDL_DUCKDB && !column->nullable ? " NOT NULL" : "",
			            end);
	}
}

void ddl_add(enum ddl_engine engine, struct strbuf *out)
{
	switch (engine) {
	case DDL_SQLITE:
		strbuf_add_str(out, ddl_sqlite);
		break;
	case DDL_CLICKHOUSE:
		strbuf_add_str(out, "CREATE TABLE fact_local (\n");
		add_columns(engine, out);
		strbuf_add_str(out, ") ENGINE = MergeTree\n"
		                    "PARTITION BY toYYYYMM(toDate(toDateTime(intDiv(end_unix_ns, "
		                    "toUInt64(pow(10, 9))))))\n"
		                    "ORDER BY (metric, group_key, group_name, snapshot);\n");
		break;
	case DDL_DUCKDB:
		strbuf_add_str(out, "CREATE TABLE fact (\n");
		add_columns(engine, out);
		strbuf_add_str(out, ");\n");
		break;
	case DDL_ENGINE_COUNT:
		break;
	}
}
