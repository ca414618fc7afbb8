#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""'ctprof db add' to two servers of ClickHouse: the facts are those of SQLite, files are added once however often, and a server or a
writer that is killed at any point leaves nothing that is counted twice, and nothing that is missing after the next call.

load.py CTPROF MAKE_FLEET DIRECTORY, started by shards.sh
"""
import os
import subprocess
import sys
import tempfile
import threading
import time

from shards import Proxy, Shards, check, in_sqlite, report

HOSTS, WINDOWS, GROUPS = 40, 2, 6


class Load:
    def __init__(self, ctprof, make_fleet, directory, scratch):
        self.shards = Shards(ctprof, directory)
        self.ctprof, self.files = self.shards.ctprof, os.path.join(scratch, "files")
        os.mkdir(self.files)
        subprocess.run([make_fleet, self.files, str(HOSTS), str(WINDOWS), str(GROUPS), "1", "7:3:2"], check=True)
        self.paths = sorted(os.path.join(self.files, name) for name in os.listdir(self.files))
        check(len(self.paths) == HOSTS * WINDOWS, f"{len(self.paths)} files")
        path = os.path.join(scratch, "fleet.db")
        subprocess.run([self.ctprof, "db", "add", "--db", path, *self.paths], check=True)
        self.expected = in_sqlite(path)
        check(len(self.expected) > HOSTS * WINDOWS * GROUPS * 10, f"only {len(self.expected)} facts in SQLite")

    def call(self, database, *words, addresses=None, **options):
        url = self.shards.url(database, addresses)
        return subprocess.run([self.ctprof, "db", "add", "--db", url, *words], stderr=subprocess.PIPE, text=True, **options)

    def check_facts(self, database, what):
        counted = self.shards.counted(database)
        check(counted == self.expected, f"{what}: {len(counted)} facts, {len(self.expected)} in SQLite, or others")

    def twice(self):
        self.shards.make_tables("twice")
        for attempt in ("once", "again"):
            done = self.call("twice", *self.paths)
            check(done.returncode == 0 and done.stderr == "", f"{attempt}: {done}")
            self.check_facts("twice", attempt)
            parts = [int(shard.ask("SELECT count() FROM twice.fact_local")) for shard in self.shards.shards]
            check(sum(parts) == len(self.expected), f"{attempt}: {parts} facts in the servers")
            check(min(parts) > len(self.expected) / 4, f"{attempt}: the servers share them as {parts}")
        done = self.call("twice", self.paths[0], self.paths[0], "-g", "comm")
        check(done.returncode == 0, f"another set of keys: {done}")
        rows = self.shards.shards[0].rows("SELECT count(), sum(facts) FROM twice.file WHERE group_key = 'comm'")
        facts = self.shards.shards[0].ask("SELECT count() FROM twice.fact WHERE group_key = 'comm'").strip()
        check(rows == [("1", facts)] and facts != "0", f"a file that is named twice: {rows}, {facts} facts")

    def writers(self):
        """Several at a time, in another order of files and of servers."""
        self.shards.make_tables("writers")
        addresses = [shard.address for shard in self.shards.shards]
        urls = [self.shards.url("writers", order) for order in (addresses, addresses[::-1], addresses)]
        writers = [subprocess.Popen([self.ctprof, "db", "add", "--db", url, *paths])
                   for url, paths in zip(urls, (self.paths, self.paths[::-1], self.paths[40:] + self.paths[:40]))]
        check([writer.wait() for writer in writers] == [0, 0, 0], "a writer failed")
        self.check_facts("writers", "three writers")

    def server_killed(self, database, matches, most, what):
        """The server dies while it gets a request, or when it has done it; it starts again, and the same call goes on."""
        self.shards.make_tables(database)
        first, dead = self.shards.shards[0], threading.Event()

        def die():
            first.kill()
            dead.set()

        proxy = Proxy(first, matches, die, most)
        url = self.shards.url(database, [proxy.address, self.shards.shards[1].address])
        writer = subprocess.Popen([self.ctprof, "db", "add", "--db", url, *self.paths])
        check(dead.wait(100), f"{what}: the server was not killed")
        first.start()
        check(writer.wait() == 0 and proxy.acted == 1, f"{what}: status {writer.returncode}")
        self.check_facts(database, what)
        return int(self.shards.shards[0].ask(f"SELECT count() FROM {database}.fact"))

    def servers_killed(self):
        total = len(self.expected)
        self.server_killed("early", b"fact_local", 100000, "a server killed while it gets facts")
        rows = self.server_killed("late", b"fact_local", None, "a server killed when it has the facts")
        check(rows > total, f"late: {rows} rows of facts: none was sent again")
        rows = self.server_killed("named", b"file_local%20%28", None, "a server killed when it has the rows of files")
        check(rows == total, f"named: {rows} rows of facts, {total} expected")
        files = int(self.shards.shards[0].ask("SELECT count() FROM named.file"))
        check(files > HOSTS * WINDOWS * 2, f"named: {files} rows of files: none was sent again")

    def writer_killed(self):
        """The writer dies before its facts count; those of the next one do, once."""
        self.shards.make_tables("writer")
        writers = []
        proxy = Proxy(self.shards.shards[0], b"file_local%20%28", lambda: writers[0].kill(), 0)
        addresses = [proxy.address, self.shards.shards[1].address]
        url = self.shards.url("writer", addresses)
        writers.append(subprocess.Popen([self.ctprof, "db", "add", "--db", url, *self.paths]))
        check(writers[0].wait() == -9, "the writer was not killed")
        counted = len(self.shards.counted("writer"))
        rows = int(self.shards.shards[0].ask("SELECT count() FROM writer.fact"))
        check(counted < len(self.expected) and rows > counted, f"a writer killed: {rows} rows of facts, {counted} count")
        done = self.call("writer", *self.paths, addresses=addresses)
        check(done.returncode == 0, f"after a writer was killed: {done}")
        self.check_facts("writer", "after a writer was killed")

    def server_away(self):
        self.shards.make_tables("away")
        first = self.shards.shards[0]
        first.kill()
        begin = time.monotonic()
        done = self.call("away", "--retry", "1", *self.paths)
        check(time.monotonic() - begin >= 1, "a server that is away was not asked again")
        check(done.returncode == 1 and done.stderr.startswith(f"ctprof: {first.address}: ") and "not added" in done.stderr and
              done.stderr.count("\n") == 1, f"a server away: {done}")
        first.start()
        rows = int(first.ask("SELECT count() FROM away.fact"))
        check(0 < rows < len(self.expected), f"a server away: {rows} facts")
        done = self.call("away", *self.paths)
        check(done.returncode == 0, f"a server back: {done}")
        self.check_facts("away", "a server back")

    def check_database(self, *words):
        return subprocess.run([self.ctprof, "db", "check", "--db", self.shards.url("lost"), *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)

    def lost(self):
        """A power cut has taken facts behind the rows of their files: some of one file, all of another on the other server."""
        self.shards.make_tables("lost")
        check(self.call("lost", *self.paths).returncode == 0, "lost: not added")
        done = self.check_database()
        check((done.returncode, done.stdout, done.stderr) == (0, "", ""), f"nothing is lost: {done}")
        wanted = []
        for shard, metric in zip(self.shards.shards, ("= 'run_time_ns'", "!= ''")):
            load, digest, facts = shard.rows("SELECT load, snapshot, facts FROM lost.file_local WHERE group_key = 'pcomm' "
                                             "ORDER BY snapshot LIMIT 1")[0]
            condition = f"load = {load} AND group_key = 'pcomm' AND metric {metric}"
            gone = int(shard.ask(f"SELECT count() FROM lost.fact_local WHERE {condition}"))
            shard.ask(f"ALTER TABLE lost.fact_local DELETE WHERE {condition}")
            while shard.ask(f"SELECT count() FROM lost.fact_local WHERE {condition}").strip() != "0":
                time.sleep(0.1)
            wanted.append(f"{digest} pcomm {int(facts) - gone} of {facts} facts at {shard.address}\n")
        check(wanted[0].split()[2] != "0" and wanted[1].split()[2] == "0", f"lost: {wanted}")
        # Servers are asked in the order of their names.
        wanted.sort(key=lambda line: line.split()[-1])
        done = self.check_database()
        check(done.returncode == 1 and done.stdout == "".join(wanted) and done.stderr.count("\n") == 1, f"lost: {done}, not {wanted}")
        check(self.call("lost", *self.paths).returncode == 0, "lost: not added again")
        check(len(self.shards.counted("lost")) < len(self.expected), "lost: facts came back by themselves")
        done = self.check_database("--repair")
        check(done.returncode == 0 and done.stdout == "".join(wanted) and done.stderr == "", f"repair: {done}")
        done = self.check_database()
        check((done.returncode, done.stdout, done.stderr) == (0, "", ""), f"after a repair: {done}")
        check(self.call("lost", *self.paths).returncode == 0, "lost: not added after a repair")
        self.check_facts("lost", "after a repair")

    def checked_meanwhile(self):
        """A writer adds while checks look: none of its files is taken for a loss."""
        self.shards.make_tables("meanwhile")
        url, checks = self.shards.url("meanwhile"), 0
        writer = subprocess.Popen([self.ctprof, "db", "add", "--db", url, *self.paths])
        while writer.poll() is None or checks < 3:
            done = subprocess.run([self.ctprof, "db", "check", "--repair", "--db", url], stdout=subprocess.PIPE, text=True)
            check(done.returncode == 0 and done.stdout == "", f"checked meanwhile: {done}")
            checks += 1
        check(writer.returncode == 0, "checked meanwhile: not added")
        self.check_facts("meanwhile", "checked meanwhile")

    def refusals(self):
        done = self.call("nowhere", *self.paths)
        check(done.returncode == 1 and done.stderr.count("HTTP status 404") == 2 and "nowhere" in done.stderr, f"no database: {done}")
        for password, status in (("se cret&1", 0), ("wr0ng", 1)):
            environment = dict(os.environ, CLICKHOUSE_USER="fleet", CLICKHOUSE_PASSWORD=password)
            done = self.call("twice", *self.paths, env=environment)
            check(done.returncode == status and password not in done.stderr, f"password '{password}': {done}")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        load = Load(*sys.argv[1:], scratch)
        load.twice()
        load.writers()
        load.servers_killed()
        load.writer_killed()
        load.server_away()
        load.lost()
        load.checked_meanwhile()
        load.refusals()
    return report()


sys.exit(main())
