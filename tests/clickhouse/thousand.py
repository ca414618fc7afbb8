#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""1,000 hosts with five planted outliers and one planted effect of an arm: SQLite and two servers of ClickHouse name exactly these, with the
same answers row by row. Both servers are killed while they get facts: when the call is over, all facts are there, each once, and adding
all files again changes nothing.

thousand.py CTPROF MAKE_FLEET DIRECTORY, started by shards.sh
"""
import csv
import io
import os
import queue
import sqlite3
import subprocess
import sys
import tempfile

from shards import FACT, Proxy, Shards, check, report

HOSTS, WINDOWS, GROUPS, FIRST = 1000, 2, 6, 1767225600
OUTLIERS = {7: "3:2", 50: "0:1.8", 111: "5:0.3", 150: "1:3", 199: "4:0.5"}
MOVED, AGAINST = "svc-c", "host-0033"
QUESTIONS = (["outliers"], ["arms"], ["movers", "--from", str(FIRST), "--to", str(FIRST + 3600)], ["group", "--group", MOVED])
IN_SQLITE = """SELECT s.digest, g.group_key, g.group_name, m.name, m.unit, m.type, m.rule, f.threads, f.seen, f.exited, f.sum, f.square_sum_high,
  f.square_sum_low, f.min, f.max, f.histogram, f.rated FROM grp g JOIN fact f ON f.grp = g.id JOIN snapshot s ON s.id = f.snapshot
  JOIN metric m ON m.id = f.metric WHERE g.group_key = ? AND g.group_name = ?"""


def lines(rows):
    """Rows in one order, each as one text, which takes less memory."""
    return sorted("\t".join("\\N" if cell is None else str(cell) for cell in row) for row in rows)


class Thousand:
    def __init__(self, ctprof, make_fleet, directory, scratch):
        self.shards = Shards(ctprof, directory)
        self.ctprof, self.files, self.path = self.shards.ctprof, os.path.join(scratch, "files"), os.path.join(scratch, "fleet.db")
        os.mkdir(self.files)
        planted = [f"{host}:{place}" for host, place in OUTLIERS.items()] + ["windows:2:1.05", f"windows:2:0.9:{int(AGAINST[5:])}"]
        subprocess.run([make_fleet, self.files, str(HOSTS), str(WINDOWS), str(GROUPS), "1", *planted], check=True)
        self.paths = sorted(os.path.join(self.files, name) for name in os.listdir(self.files))
        check(len(self.paths) == HOSTS * WINDOWS, f"{len(self.paths)} files")
        self.shards.make_tables("fleet")
        self.url = self.shards.url("fleet")

    def add(self, place):
        return subprocess.run([self.ctprof, "db", "add", "--db", place, *self.paths], check=False).returncode

    def add_with_kills(self):
        """One call. A server dies when it has facts and has not said so, the other one while it gets some; both start again, and the call goes
        on. The call sends to one server at a time: the first one to die starts before the other one dies."""
        dead, proxies = queue.Queue(), []
        for shard, most in zip(self.shards.shards, (None, 1000000)):
            def die(shard=shard):
                shard.kill()
                dead.put(shard)

            proxies.append(Proxy(shard, b"fact_local", die, most))
        url = self.shards.url("fleet", [proxy.address for proxy in proxies])
        writer = subprocess.Popen([self.ctprof, "db", "add", "--retry", "600", "--db", url, *self.paths])
        for _ in proxies:
            dead.get(timeout=1000).start()
        check(writer.wait() == 0 and [proxy.acted for proxy in proxies] == [1, 1], f"servers killed: status {writer.returncode}")
        return url

    def counts(self):
        """Numbers of rows: facts and files in SQLite, and in each server."""
        database = sqlite3.connect(self.path)
        rows = [database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("fact", "snapshot", "snapshot_key")]
        database.close()
        return rows + [int(shard.ask(f"SELECT count() FROM fleet.{table}_local")) for shard in self.shards.shards
                       for table in ("fact", "file")]

    def compare_facts(self):
        """Group by group: all parts of all facts that count, of one load of each file and set of keys."""
        database, chosen, total = sqlite3.connect(self.path), {}, 0
        for load, digest, keys in self.shards.shards[0].rows("SELECT load, snapshot, group_key FROM fleet.file ORDER BY load"):
            # The smaller number counts: the texts of numbers are as ordered as the numbers if they are as long.
            if (digest, keys) not in chosen or int(load) < int(chosen[digest, keys]):
                chosen[digest, keys] = load
        digests = {(load, keys): digest for (digest, keys), load in chosen.items()}
        for keys, name in database.execute("SELECT group_key, group_name FROM grp").fetchall():
            expected = lines(database.execute(IN_SQLITE, (keys, name)))
            rows = self.shards.shards[0].rows(f"SELECT load, {', '.join(FACT)} FROM fleet.fact WHERE group_key = '{keys}' "
                                              f"AND group_name = '{name}'")
            found = lines((digests[row[0], row[1]],) + row[1:] for row in rows if (row[0], row[1]) in digests)
            differ = sum(a != b for a, b in zip(found, expected)) + abs(len(found) - len(expected))
            check(differ == 0, f"{keys} {name}: {len(found)} facts, {len(expected)} in SQLite, {differ} differ")
            total += len(expected)
        database.close()
        check(total > HOSTS * WINDOWS * GROUPS * 2 * 50, f"only {total} facts")
        return total

    def ask(self, place):
        return [subprocess.run([self.ctprof, "db", "query", "--db", place, "-f", "csv", *words], check=True, stdout=subprocess.PIPE,
                               text=True).stdout for words in QUESTIONS]

    @staticmethod
    def check_names(engine, answers):
        outliers, arms = (list(csv.DictReader(io.StringIO(text))) for text in answers[:2])
        named = sorted({row["host"] for row in outliers})
        check(named == [f"host-{host:04}" for host in OUTLIERS], f"{engine}: outliers {named}")
        series = [row for row in arms if not row["host"] and row["group_name"] == MOVED]
        moved = [row for row in arms if not row["host"] and row["answer"] == "moved"]
        check(len(series) > 40 and moved == series, f"{engine}: {len(moved)} series moved, of groups "
              f"{sorted({row['group_name'] for row in moved})}, and {MOVED} has {len(series)}")
        against = sorted({(row["host"], row["group_name"]) for row in arms if row["answer"] == "against"})
        check(against == [(AGAINST, MOVED)], f"{engine}: against the others {against}")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        fleet = Thousand(*sys.argv[1:], scratch)
        check(fleet.add(fleet.path) == 0, "SQLite: not added")
        url = fleet.add_with_kills()
        before = fleet.counts()
        total = fleet.compare_facts()
        # A try that died has left facts that do not count.
        check(before[0] == total < before[3] + before[5], f"{before} rows, {total} facts")
        answers = [fleet.ask(place) for place in (fleet.path, fleet.url)]
        check(fleet.add(fleet.path) == 0 and fleet.add(url) == 0, "again: a call failed")
        check(fleet.counts() == before, f"again: {fleet.counts()} rows, {before} before")
        answers += [fleet.ask(place) for place in (fleet.path, fleet.url)]
        for engine, found in zip(("SQLite", "ClickHouse", "SQLite again", "ClickHouse again"), answers):
            fleet.check_names(engine, found)
            for words, text, expected in zip(QUESTIONS, found, answers[0]):
                check(text == expected and text.count("\n") > 5, f"{engine}: {words}: another answer than SQLite's")
        print(f"{total} facts; rows of facts in both servers: {before[3] + before[5]}")
    return report()


sys.exit(main())
