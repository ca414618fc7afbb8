#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""record-serve.py CTPROF RECORDER URL DIR ERRORS: asks a recorder of windows of a second with --top 20, and ends it."""
import concurrent.futures
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

ctprof, recorder, url, directory, errors = sys.argv[1:]
recorder = int(recorder)
port = int(url.split(":")[2].split("/")[0])
PATIENCE = 120
# Prometheus 2.42 and newer send this.
PROMETHEUS = ("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
              "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
checks = 0


def check(what, is_so):
    global checks
    if not is_so:
        sys.exit(f"FAILED: {what}")
    checks += 1


def curl(*arguments, at=url):
    """Returns the code, the type and the body."""
    done = subprocess.run(["curl", "-s", "--max-time", str(PATIENCE), "-w", "\n%{http_code} %{content_type}",
                           *arguments, at], stdout=subprocess.PIPE)
    body, _, last = done.stdout.rpartition(b"\n")
    code, _, kind = last.decode().partition(" ")
    return int(code), kind, body


def wait_for(what, is_so):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = is_so()
        if found:
            return found
        time.sleep(0.2)
    print(f"skipped: {what} took more than {PATIENCE} s")
    sys.exit(77)


def end_of(text):
    return float(re.search(rb"^ctprof_snapshot_timestamp_seconds (\S+)$", text, re.M)[1])


def length_of(text):
    return float(re.search(rb"^ctprof_window_seconds (\S+)$", text, re.M)[1])


def windows():
    out = b""
    for name in sorted(glob.glob(directory + "/*.zst")):
        out += subprocess.run(["zstd", "-dcq", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [(int(a), int(b)) for b, a in re.findall(
        rb'"captured_boottime_ns":(\d+),.*?"begin_boottime_ns":(\d+)', out, re.S)]


def window():
    code, kind, text = curl()
    return text if code == 200 else None


def is_same(a, b):
    """show merges processes of one name that ended in the window, which moves rates by less than a nanosecond."""
    if a == b:
        return True
    name, _, value = a.rpartition(b" ")
    other, _, wanted = b.rpartition(b" ")
    return name == other and not a.startswith(b"#") and abs(float(value) - float(wanted)) <= 1e-8 * abs(float(wanted))


text = wait_for("the first window", window)
server = int(subprocess.check_output(["pgrep", "-P", str(recorder), "-x", "ctprof-serve"]))

# Both formats, as the client asks.
for accept, is_open in ((None, False), ("*/*", False), ("text/plain", False), (PROMETHEUS, True),
                        ("application/openmetrics-text", True), ("text/html,*/*;q=0.8", False),
                        ("application/openmetrics-text;q=0.1,text/plain;q=0.2", False),
                        ("application/openmetrics-text;version=2.0.0,text/plain;q=0.1", False)):
    code, kind, text = curl("-H", "Accept:" + (" " + accept if accept else ""))
    check(f"{accept}: {code}", code == 200)
    check(f"{accept}: {kind}", kind == ("application/openmetrics-text; version=1.0.0; charset=utf-8" if is_open else
                                        "text/plain; version=0.0.4; charset=utf-8"))
    check(f"{accept}: the end", text.endswith(b"# EOF\n") == is_open)
if shutil.which("promtool"):
    code, kind, text = curl()
    done = subprocess.run(["promtool", "check", "metrics"], input=text)
    check("promtool", done.returncode == 0)
try:
    from prometheus_client import parser
    from prometheus_client.openmetrics import parser as openmetrics
except ImportError:
    print("no prometheus_client")
else:
    plain = list(parser.text_string_to_metric_families(curl()[2].decode()))
    opened = list(openmetrics.text_string_to_metric_families(curl("-H", "Accept: " + PROMETHEUS)[2].decode()))
    for families in plain, opened:
        check("families", len(families) > 20)
        for family in families:
            check(f"{family.name}: no more than 20 groups", 0 < len(family.samples) <= 20)

# Requests that are wrong.
head = subprocess.check_output(["curl", "-sI", url]).decode()
check("HEAD", head.startswith("HTTP/1.1 200") and "Content-Length: 0" not in head)
base = url.rsplit("/", 1)[0]
for want, arguments, at in ((404, [], base + "/"), (404, [], base + "/metrics/../../etc/passwd"),
                            (405, ["-X", "POST", "-d", "x"], url), (405, ["-X", "DELETE"], url),
                            (403, ["-H", "Host: example.com"], url), (403, ["-H", "Host:", "--http1.0"], url),
                            (403, ["-H", "Host: 127.0.0.1.example.com"], url), (200, ["-H", "Host: localhost:1"], url),
                            (200, ["-H", "Host: [::1]:1"], url), (431, ["-H", "X: " + "x" * 60000], url),
                            (200, ["-H", "Accept: " + "text/plain;q=0." * 500], url)):
    code, kind, body = curl("--path-as-is", *arguments, at=at)
    check(f"{arguments[:2]} {at}: {code}, not {want}", code == want)
for bytes_ in (b"\0" * 4096, b"GET /metrics HTTP/9.9\r\n\r\n", b"\r\n\r\n\r\n", b"GET " + b"/" * 100000, b"\xff\xfe\n" * 500):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        try:
            connection.sendall(bytes_)
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(PATIENCE)
            while connection.recv(65536):
                pass
        except OSError:
            pass
check("an answer behind garbage", curl()[0] == 200)

# Rights: of nobody, no file but sockets and those of waiting, and not the terminal of the recorder.
with open(f"/proc/{server}/status") as file:
    status = {line.partition(":")[0]: line.partition(":")[2].strip() for line in file}
for kind in "CapInh", "CapPrm", "CapEff", "CapAmb":
    check(f"{kind} {status[kind]}", int(status[kind], 16) == 0)
check("NoNewPrivs", status["NoNewPrivs"] == "1")
if os.geteuid() == 0:
    check(f"Uid {status['Uid']}", all(int(uid) > 0xefffffff for uid in status["Uid"].split()))
    check(f"Groups {status['Groups']}", status["Groups"] == "")
for fd in os.listdir(f"/proc/{server}/fd"):
    target = os.readlink(f"/proc/{server}/fd/{fd}")
    check(f"descriptor {fd}: {target}", re.match(r"/dev/null$" if int(fd) <= 2 else r"socket:|anon_inode:|pipe:", target))
check("session", os.getsid(server) == server)


def memory():
    with open(f"/proc/{server}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


# Many clients.
with concurrent.futures.ThreadPoolExecutor(60) as pool:
    list(pool.map(lambda _: curl(), range(100)))
    before = memory()
    codes = [answer[0] for answer in pool.map(lambda _: curl(), range(600))]
check(f"codes {set(codes)}", set(codes) == {200})
check(f"memory: {before} and {memory()} KiB", memory() < before + 16384)

# Slow clients take all connections: some never end their request, some never read. Nobody waits for them, and their time is limited.
slow = []
for i in range(48):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n" + (b"X" if i % 2 else b"\r\n"))
    slow.append(connection)
begin = time.monotonic()
last = windows()[-1][1]
wait_for("windows beside slow clients", lambda: len([w for w in windows() if w[0] >= last]) >= 3)


def drip():
    for connection in slow:
        try:
            connection.send(b"y")
        except OSError:
            pass
    return time.monotonic() - begin > 40 or None


wait_for("the time of slow clients", drip)
check("an answer behind slow clients", curl()[0] == 200)
gone = 0
for connection in slow:
    try:
        connection.settimeout(PATIENCE)
        while connection.recv(65536):
            pass
        gone += 1
    except (ConnectionResetError, BrokenPipeError):
        gone += 1
    except TimeoutError:
        pass
    connection.close()
check(f"{gone} of 48 slow clients were ended", gone == 48)

# A process that does not run: windows follow one another all the same, and it has the newest one when it runs again.
os.kill(server, signal.SIGSTOP)
last = windows()[-1][1]
wait_for("windows beside a process that is stopped", lambda: len([w for w in windows() if w[0] >= last]) >= 4)
os.kill(server, signal.SIGCONT)
now = time.time()
wait_for("a window behind it", lambda: end_of(curl()[2]) > now)

# Texts of some windows, for the comparison below.
texts = {}
wait_for("windows", lambda: texts.update({end_of(text): text for text in [curl()[2]]}) or len(texts) >= 6)

# Without the process the recording goes on.
os.kill(server, signal.SIGKILL)
last = windows()[-1][1]
wait_for("windows without the process", lambda: len([w for w in windows() if w[0] >= last]) >= 3)
with open(errors) as file:
    check("the end of the process is told once", file.read().count("the process of --serve has ended") == 1)
os.kill(recorder, signal.SIGTERM)
wait_for("the end of the recorder", lambda: not os.path.exists(f"/proc/{recorder}") or
         open(f"/proc/{recorder}/stat").read().rpartition(")")[2].split()[0] == "Z")

seen = windows()
gaps = [(a, b) for a, b in zip(seen, seen[1:]) if a[1] != b[0]]
check(f"windows follow one another: {gaps}", len(seen) > 10 and not gaps)
for end, text in texts.items():
    second = int(end) if end - int(end) < length_of(text) else None
    if second is None or second == end:
        continue
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second))
    shown = subprocess.check_output([ctprof, "show", "-f", "prometheus", "--top", "20", f"{directory}@{when}"])
    check(f"window of {when} is the same", end_of(shown) == end)
    mine, theirs = ({line.rpartition(b" ")[0] or line: line for line in lines.split(b"\n")} for lines in (text, shown))
    check(f"window of {when}: {len(mine)} lines served, {len(theirs)} by show", min(len(mine), len(theirs)) > 100)
    for name in mine.keys() & theirs.keys():
        check(f"window of {when}: served {mine[name]}, show has {theirs[name]}", is_same(mine[name], theirs[name]))
    # Two groups of nearly the same CPU time stand in either order, and either may be the last one of the list.
    others = {group for name in mine.keys() ^ theirs.keys() for group in re.findall(rb'pcomm="(?:[^"\\]|\\.)*"', name) or [name]}
    check(f"window of {when}: only one of the two has {others}", len(others) <= 2)
print(f"{checks} checks")
