#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""'ctprof db query' gives the same answers, to the byte, with two servers of ClickHouse as with SQLite, in whatever order files were
added; planted outliers are named exactly; tries that did not end and files that two writers added at once change nothing.

questions.py CTPROF MAKE_FLEET DIRECTORY, started by shards.sh
"""
import csv
import io
import os
import subprocess
import sys
import tempfile

from shards import FACT, FILE, Shards, check, report

HOSTS, WINDOWS, GROUPS, FIRST = 40, 4, 6, 1767225600
PLANTED = {"7:3": 2.0, "20:0": 1.8, "33:5": 0.3}
QUESTIONS = [
    ["outliers"], ["outliers", "--min-z", "0", "--min-impact", "0"], ["outliers", "-g", "cgroup:service", "--min-z", "2"],
    ["outliers", "-m", "run_time_ns", "--min-z", "1"], ["outliers", "--from", str(FIRST + 3600)], ["outliers", "--to", str(FIRST)],
    ["movers", "--from", str(FIRST), "--to", str(FIRST + 3600)],
    ["movers", "--from", str(FIRST), "--to", str(FIRST + 7200), "-g", "cgroup:service"],
    ["movers", "--from", str(FIRST + 3599), "--to", str(FIRST + 3600), "-m", "nvcsw"],
    ["group", "--group", "svc-d"], ["group", "--group", "svc-d", "-m", "run_time_ns"],
    ["group", "--group", "svc-d.service", "-g", "cgroup:service"], ["group", "--group", "no such ' \\ group"],
    ["outliers", "--from", "1", "--to", "2"], ["arms"], ["arms", "-g", "cgroup:service"], ["arms", "-m", "run_time_ns"],
]


class Questions:
    def __init__(self, ctprof, make_fleet, directory, scratch):
        self.shards, self.scratch = Shards(ctprof, directory), scratch
        files = os.path.join(scratch, "files")
        os.mkdir(files)
        planted = [f"{place}:{times}" for place, times in PLANTED.items()]
        subprocess.run([make_fleet, files, str(HOSTS), str(WINDOWS), str(GROUPS), "1", *planted, "windows:2:1.2"], check=True)
        self.paths = sorted(os.path.join(files, name) for name in os.listdir(files))
        self.databases = [os.path.join(scratch, name) for name in ("forward.db", "backward.db")]
        self.urls = [self.shards.url("fleet"), self.shards.url("fleet", [self.shards.shards[1].address])]
        self.shards.make_tables("fleet")
        self.add(self.databases[0], self.paths)
        self.add(self.databases[1], self.paths[::-1])
        self.add(self.urls[0], self.paths[40:] + self.paths[:40])

    def add(self, place, paths):
        subprocess.run([self.shards.ctprof, "db", "add", "--db", place, *paths], check=True)

    def ask(self, place, words, form):
        done = subprocess.run([self.shards.ctprof, "db", "query", "--db", place, "-f", form, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        return done.returncode, done.stdout, done.stderr.replace(place, "PLACE")

    def compare(self, what):
        answered = 0
        for words in QUESTIONS:
            for form in ("csv", "ndjson", "table"):
                expected = self.ask(self.databases[0], words, form)
                answered += expected[1].count("\n")
                for place in self.databases[1:] + self.urls:
                    found = self.ask(place, words, form)
                    check(found == expected, f"{what}: {words} as {form}: {place.split(':')[0]}: {found} is not {expected}")
        check(answered > 1000, f"{what}: only {answered} lines")

    def planted(self):
        status, text, _ = self.ask(self.urls[0], ["outliers"], "csv")
        named = {row["host"] for row in csv.DictReader(io.StringIO(text))}
        expected = {f"host-{int(place.split(':')[0]):04}" for place in PLANTED}
        check(status == 0 and named == expected, f"outliers: {named}, planted {expected}")

    def doubles(self):
        """The facts of each server once more under other loads, which rows of files name, and under loads that no row names."""
        columns = ", ".join(FACT)
        for shard in self.shards.shards:
            for load in ("bitXor(load, 1)", "5"):
                shard.ask(f"INSERT INTO fleet.fact_local (load, day, {columns}) SELECT {load}, day, {columns} FROM fleet.fact_local")
            shard.ask(f"INSERT INTO fleet.file_local (load, {', '.join(FILE)}, group_key, facts) "
                      f"SELECT bitXor(load, 1), {', '.join(FILE)}, group_key, facts FROM fleet.file_local")

    def away(self):
        """An answer without a server's facts would be a wrong one."""
        self.shards.shards[1].kill()
        done = self.ask(self.urls[0], ["outliers"], "csv")
        check(done[0] == 1 and done[1] == "" and done[2].count("\n") == 1, f"a server away: {done}")
        self.shards.shards[1].start()
        self.compare("a server back")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        questions = Questions(*sys.argv[1:], scratch)
        questions.compare("answers")
        questions.planted()
        questions.doubles()
        questions.compare("doubles")
        questions.away()
    return report()


sys.exit(main())
