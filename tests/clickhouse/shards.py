# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of this directory share: the servers that shards.sh has started, their tables, and what is in them."""
import os
import signal
import socket
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.request

FACT = ("group_key", "group_name", "metric", "unit", "type", "rule", "threads", "seen", "exited", "sum", "square_sum_high",
        "square_sum_low", "min", "max", "histogram", "rated")
FILE = ("snapshot", "host", "boot_id", "kernel", "labels", "kind", "end_unix_ns", "length_ns", "ends")
failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


def report():
    for message in failures:
        print(message)
    return 1 if failures else 0


class Shard:
    """A server: its address, and the directory that shards.sh made for it. It dies with the thread that starts it."""

    def __init__(self, address, directory):
        self.address, self.directory, self.process = address, directory, None

    def ask(self, statement):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://{self.address}/", data=statement.encode()) as answer:
            return answer.read().decode()

    def rows(self, statement):
        text = self.ask(statement + " FORMAT TabSeparated")
        return [tuple(None if cell == "\\N" else cell for cell in line.split("\t")) for line in text.splitlines()]

    def kill(self):
        with open(os.path.join(self.directory, "server.pid")) as file:
            pid = int(file.read())
        os.kill(pid, signal.SIGKILL)
        if self.process:
            self.process.wait()
        while self.runs(pid):
            time.sleep(0.01)

    def runs(self, pid):
        try:
            return os.readlink(f"/proc/{pid}/cwd") == self.directory
        except OSError:
            return False

    def start(self):
        os.remove(os.path.join(self.directory, "server.pid"))
        self.process = subprocess.Popen([os.path.join(self.directory, "start")])
        while not os.path.exists(os.path.join(self.directory, "server.pid")):
            time.sleep(0.01)
        subprocess.run([os.path.join(self.directory, "wait")], check=True)


class Shards:
    def __init__(self, ctprof, directory):
        self.ctprof = os.path.realpath(ctprof)
        addresses = os.environ["CTPROF_SHARDS"].split(",")
        self.shards = [Shard(address, os.path.realpath(os.path.join(directory, str(i + 1)))) for i, address in enumerate(addresses)]

    def make_tables(self, database):
        text = subprocess.run([self.ctprof, "db", "ddl", "clickhouse", "--db", f"clickhouse://x/{database}"], check=True,
                              stdout=subprocess.PIPE).stdout.decode()
        for shard in self.shards:
            for statement in text.split(";\n"):
                if statement.strip():
                    shard.ask(statement)

    def url(self, database, addresses=None):
        return f"clickhouse://{','.join(addresses or [shard.address for shard in self.shards])}/{database}"

    def counted(self, database):
        """All facts of loads that a file names, one load of each file and set of keys, by what is in them."""
        files, loads = {}, {}
        for row in self.shards[0].rows(f"SELECT load, group_key, {', '.join(FILE)} FROM {database}.file"):
            loads.setdefault((row[2], row[1]), set()).add(row[0])
            files[row[0]] = row[2:]
        chosen = {(min(names), keys) for (_, keys), names in loads.items()}
        facts = self.shards[0].rows(f"SELECT load, {', '.join(FACT)} FROM {database}.fact")
        return sorted((files[row[0]] + row[1:] for row in facts if row[0:2] in chosen), key=str)


def in_sqlite(path):
    """The same of a file of SQLite."""
    database = sqlite3.connect(path)
    rows = database.execute(
        "SELECT s.digest, s.host, s.boot_id, s.kernel, s.labels, s.kind, s.end_unix_ns, s.length_ns, s.ends, g.group_key, g.group_name, "
        "m.name, m.unit, m.type, m.rule, f.threads, f.seen, f.exited, f.sum, f.square_sum_high, f.square_sum_low, f.min, f.max, "
        "f.histogram, f.rated FROM fact f JOIN snapshot s ON s.id = f.snapshot JOIN grp g ON g.id = f.grp JOIN metric m ON m.id = f.metric")
    rows = [tuple(None if cell is None else str(cell) for cell in row) for row in rows]
    database.close()
    return sorted(rows, key=str)


class Proxy:
    """Stands before a server. When a request that @matches has come through, @act is called, and the connection is closed without an
    answer: @most bytes of the request have gone to the server, or all of them and it has answered."""

    def __init__(self, shard, matches, act, most=None):
        self.shard, self.matches, self.act, self.most = shard, matches, act, most
        self.acted = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    @staticmethod
    def read_message(stream):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = stream.read(1)
            if not byte:
                return None, None
            head += byte
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
        if fields.get(b"transfer-encoding") == b"chunked":
            body = b""
            while True:
                line = stream.readline()
                chunk = stream.read(int(line, 16) + 2)
                body += line + chunk
                if int(line, 16) == 0:
                    return head, body
        return head, stream.read(int(fields.get(b"content-length", 0)))

    def serve(self, client):
        host, port = self.shard.address.split(":")
        with client, client.makefile("rb") as requests:
            while True:
                head, body = self.read_message(requests)
                if head is None:
                    return
                acts = self.acted == 0 and self.matches in head
                try:
                    with socket.create_connection((host, int(port))) as server, server.makefile("rb") as answers:
                        whole = head.replace(b"Host:", b"Connection: close\r\nHost:", 1) + body
                        if acts and self.most is not None:
                            server.sendall(whole[:self.most])
                            time.sleep(0.2)
                        else:
                            server.sendall(whole)
                            answer = self.read_message(answers)
                        if acts:
                            self.acted += 1
                            self.act()
                            return
                        client.sendall(answer[0].replace(b"Connection: Close\r\n", b"") + answer[1])
                except OSError:
                    return
