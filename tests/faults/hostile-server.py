#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile-server.py CTPROF [FAIL_ALLOC]: a server of ClickHouse may answer anything. `db query` ends with one line and status 1: it asks
no question for ever, takes no more memory than --read-limit says, adds up no number beyond what fits, and escapes the server's words
once. With FAIL_ALLOC, a library in whose presence allocations fail, no library that is loaded for the requests says anything of its
own."""

import http.server
import os
import re
import struct
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "hostile"))
from run import Run, is_sanitized  # noqa: E402

QUESTIONS_MOST = 1000
HOSTS = 200
LARGE_ROWS = 1000000
PIECE_ROWS = 10000
LIMIT_MIB = 48
# mem_limit() of src/base/mem.h allows so much beside it for buffers, libraries and stacks.
EXTRA_MIB = 32


def number(value):
    return struct.pack("<Q", value)


def text(value):
    return bytes([len(value)]) + value.encode()


def files():
    return b"".join(
        text(f"{i:064x}") + text("pcomm") + number(i) + b"\0" + text(f"h{i}") + b"\0" + text("b") + text("window")
        + number(17 * 10**17) + number(10**10) + text("")
        for i in range(HOSTS)
    )


class Server(http.server.ThreadingHTTPServer):
    """Answers with the groups that a case has."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.groups, self.refusal, self.questions, self.large = [], None, 0, {}

    def handle_error(self, *_):
        """A client without memory goes away."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send_rows(self, make):
        """Sends many rows in pieces: what this process has had in memory would count as memory of those that it starts."""
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for first in range(0, LARGE_ROWS, PIECE_ROWS):
            piece = b"".join(make(i) for i in range(first, first + PIECE_ROWS))
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def do_POST(self):
        query = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        body, status = b"", 200
        self.server.questions += 1
        if self.server.refusal is not None or self.server.questions > QUESTIONS_MOST:
            body, status = self.server.refusal or b"enough", 400
        elif any(words in query for words in self.server.large):
            self.send_rows(next(make for words, make in self.server.large.items() if words in query))
            return
        elif "any(host)" in query:
            body = files()
        elif "DISTINCT metric" in query:
            body = text("run_time_ns")
        elif "count()" in query:
            body = b"".join(text("pcomm") + text(name) + number(rows) for name, rows in self.server.groups)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def command(server, ctprof, *more):
    address = f"clickhouse://127.0.0.1:{server.server_address[1]}/x"
    return [ctprof, "db", "--db", address, "query", "outliers", *more]


def ask(server, ctprof, env=None):
    server.questions = 0
    return subprocess.run(command(server, ctprof), capture_output=True, timeout=200, check=False,
                          env={**os.environ, **(env or {})})


def check(what, condition, shown):
    if not condition:
        print(f"hostile-server.py: {what}: {shown}")
        sys.exit(1)


def refused(server, ctprof, what, reason, questions_most):
    result = ask(server, ctprof)
    check(what, result.returncode == 1 and result.stderr.count(b"\n") == 1 and re.search(reason, result.stderr), result)
    check(what, server.questions <= questions_most, f"{server.questions} questions")


LARGE_ANSWERS = {
    "any(host)": lambda i: text(f"{i:x}") + text("") + number(i) + b"\1\1" + text("window") + number(17 * 10**17) + number(10**10)
    + text(""),
    "count()": lambda i: text("pcomm") + text(f"{i:x}") + number(1),
}


def stays_within(server, ctprof):
    """Answers of so many small rows that they take a multiple of their bytes end at the limit of memory, in one line."""
    base = Run(command(server, ctprof)).kib
    for words, make in LARGE_ANSWERS.items():
        server.large, server.questions = {words: make}, 0
        result = Run(command(server, ctprof, "--read-limit", f"memory={LIMIT_MIB}M"))
        what = f"{LARGE_ROWS} rows of {len(make(LARGE_ROWS))} bytes for {words}"
        print(f"{what}: {(result.kib - base) >> 10} MiB, {result.cpu_seconds:.2f} s: {result.error.strip()}")
        check(what, result.status == 1 and result.error == f"ctprof: over a limit (see --read-limit): more than {LIMIT_MIB}"
              " MiB of memory\n", result.error)
        check(what, result.kib <= base + (LIMIT_MIB + EXTRA_MIB) * 1024, f"{result.kib} KiB")
    server.large = {"DISTINCT metric": lambda i: text(f"{i:x}")}
    refused(server, ctprof, "more metrics than there are", rb"not what was asked for", 10)
    server.large = {}
    return len(LARGE_ANSWERS) + 1


def fails_allocations(server, ctprof, library):
    """Tries some of the allocations of a run."""
    tried = 0
    for first in range(1, 4000, 29):
        result = ask(server, ctprof, {"FAIL_ALLOC_FROM": str(first), "LD_PRELOAD": library})
        tried += 1
        check("an allocation fails", result.stderr.count(b"\n") <= 1 and b"GnuTLS" not in result.stderr, (first, result))
    return tried


def main():
    ctprof = sys.argv[1]
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    result = ask(server, ctprof)
    if b"libcurl" in result.stderr or b"without" in result.stderr:
        print(f"skipped: {result.stderr.decode()}")
        sys.exit(77)
    check("no facts", result.returncode == 0 and result.stderr == b"", result)
    server.groups = [("g", 2**63)]
    refused(server, ctprof, "a group of 2^63 facts", rb"more than 10000000000 facts", 10)
    server.groups = [("g", 2**63), ("h", 2**63)]
    refused(server, ctprof, "a sum that goes round", rb"more than 10000000000 facts", 10)
    server.groups = [("g", 10**10)]
    refused(server, ctprof, "facts that never come", rb"not what was asked for", 150)
    server.groups = [(f"g{i}", 0) for i in range(1000)]
    refused(server, ctprof, "groups without a fact", rb"not what was asked for", 10)
    server.groups = [("g", 2)]
    refused(server, ctprof, "fewer facts than there are", rb"fewer facts than it had counted", 10)
    server.refusal = b"\x1b[31mred\\ \xe2\x80\xae\nmore"
    refused(server, ctprof, "a reason with escapes", rb": \\x1b\[31mred", 10)
    server.refusal, server.groups = None, []
    # mem_limit() does nothing in an instrumented program.
    large = 0 if is_sanitized(ctprof) else stays_within(server, ctprof)
    tried = fails_allocations(server, ctprof, sys.argv[2]) if len(sys.argv) > 2 else 0
    print(f"7 cases, {large} large answers, {tried} runs in which allocations fail")


main()
