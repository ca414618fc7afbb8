#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""archive.py CTPROF FAIL_ALLOC: 'ctprof export -f pcp' ends with status 0 or 1, leaves the whole archive or none, and nothing beside it, wherever
memory is short, also in the library that then ends its process; and a signal ends it in the same way."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PLACES, AROUND = 60, 40
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGALRM, signal.SIGUSR1, signal.SIGXCPU, signal.SIGRTMAX)
# Parts of the time that a run takes.
MOMENTS = (0.2, 0.4, 0.6, 0.8)
ARCHIVE = ["a.0", "a.index", "a.meta"]
SKIPPED = 77
SECOND = 10**9


def window(number, processes):
    head = {"format": "ctprof", "version": 1, "kind": "window", "captured_at_unix_ns": (10**9 + number) * SECOND,
            "captured_boottime_ns": (1000 + number) * SECOND, "host": {"hostname": "h", "boot_id": "b", "clock_ticks_per_second": 100},
            "threads": [{"tid": i + 2, "tgid": i + 2, "pcomm": f"p{chr(97 + i % 26)}{chr(97 + i // 26)}", "comm": "c",
                         "start_time_clock_ticks": 50, "window_part": "continued", "interval_ns": SECOND, "run_time_ns": number + i}
                        for i in range(processes)],
            "window": {"begin_unix_ns": (10**9 + number - 1) * SECOND, "begin_boottime_ns": (999 + number) * SECOND, "length_ns": SECOND,
                       "exits": "completed", "threads_lost": 0, "threads_missed": 0}}
    return subprocess.run(["zstd", "-q", "--check", "-c"], input=json.dumps(head, separators=(",", ":")).encode(), stdout=subprocess.PIPE, check=True).stdout


def start(ctprof, directory, **variables):
    def unignore():
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)

    return subprocess.Popen([ctprof, "export", "-f", "pcp", "-o", os.path.join(directory, "a"), os.path.join(directory, "../rec")],
                            env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=unignore)


def left_in(directory):
    names = sorted(os.listdir(directory))
    for name in names:
        path = os.path.join(directory, name)
        if os.path.isdir(path):
            subprocess.run(["rm", "-r", path], check=True)
        else:
            os.unlink(path)
    return names


def judge(what, process, directory, statuses):
    """Returns how many things went wrong."""
    out, error = process.communicate(timeout=60)
    names, status = left_in(directory), process.returncode
    wrong = []
    if status not in statuses:
        wrong.append(f"status {status}")
    if names != ARCHIVE and (names or status == 0):
        wrong.append(f"left {names}")
    if status == 1 and error.count("ctprof: ") != 1:
        wrong.append(f"printed {error!r}")
    if out:
        wrong.append(f"printed {out!r} as its output")
    if wrong:
        print(f"FAILED: {what}: {', '.join(wrong)}")
    return len(wrong)


def exchange(ctprof, top, directory):
    """The owner of the directory exchanges the one that was made for one with files of these names: they stay. Returns how many are gone."""
    old = os.path.join(directory, "old")
    os.mkdir(old)
    files = [os.path.join(old, "archive" + end) for end in (".0", ".index", ".meta")]
    for name in files:
        open(name, "x").close()
    if shutil.which("strace") is None:
        left_in(directory)
        return 0
    # The call that makes the directory returns late.
    process = subprocess.Popen(["strace", "-qq", "-f", "-o", "/dev/null", "-e", "trace=mkdirat", "-e", "inject=mkdirat:delay_exit=500000",
                                ctprof, "export", "-f", "pcp", "-o", os.path.join(directory, "a"), os.path.join(top, "rec")],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    made = []
    while not made and process.poll() is None:
        made = [name for name in os.listdir(directory) if name.startswith(".ctprof-")]
    if made:
        os.rename(old, old + "-aside")
        os.rename(os.path.join(directory, made[0]), old)
        os.rename(old + "-aside", os.path.join(directory, made[0]))
        files = [name.replace(old, os.path.join(directory, made[0])) for name in files]
    process.communicate(timeout=60)
    gone = [name for name in files if not os.path.exists(name)]
    if gone:
        print(f"FAILED: an exchanged directory lost {gone}")
    left_in(directory)
    return len(gone)


def blocked(ctprof, directory, number, took):
    """A signal ends the command while it waits for a reader of a FIFO of the user's. Returns how many things went wrong."""
    os.mkfifo(os.path.join(directory, "a.meta"))
    process = start(ctprof, directory)
    time.sleep(2 * took + 0.5)
    process.send_signal(number)
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
    names = left_in(directory)
    if process.returncode == -number and names == ["a.meta"]:
        return 0
    print(f"FAILED: {number.name} beside a FIFO: status {process.returncode}, left {names}")
    return 1


def without_proc(ctprof, directory):
    """The library writes by way of /proc. Returns how many things went wrong."""
    process = subprocess.run(["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh", ctprof, "export", "-f", "pcp", "-o",
                              os.path.join(directory, "a"), os.path.join(directory, "../rec")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, check=False)
    names = left_in(directory)
    if process.returncode == 1 and not names and process.stderr.count("\n") == 1:
        return 0
    print(f"FAILED: without /proc: status {process.returncode}, left {names}, {process.stderr!r}")
    return 1


def main():
    ctprof, library = (os.path.realpath(argument) for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as top:
        directory, counted = os.path.join(top, "out"), os.path.join(top, "count")
        os.mkdir(directory)
        os.mkdir(os.path.join(top, "rec"), 0o700)
        with open(os.path.join(top, "rec/20010909T014640Z.ctprof.zst"), "wb") as file:
            file.write(b"".join(window(number, 200) for number in range(40)))
        process = start(ctprof, directory, LD_PRELOAD=library, FAIL_ALLOC_REACHED=counted)
        error = process.communicate()[1]
        if "built without" in error or "cannot be loaded" in error:
            print(f"skipped: {error.strip()}")
            return SKIPPED
        if process.returncode != 0 or left_in(directory) != ARCHIVE:
            print(f"FAILED: without a fault: {error}")
            return 1
        begin = time.monotonic()
        start(ctprof, directory).communicate()
        took = time.monotonic() - begin
        left_in(directory)
        with open(counted, "rb") as file:
            allocations = int.from_bytes(file.read(8), "little")
        places = sorted({1 + allocations * i // PLACES for i in range(PLACES)} | set(range(1, AROUND)))
        wrong = ended = 0
        for place in places:
            for how in ("FROM", "AT"):
                wrong += judge(f"allocation {how} {place}", start(ctprof, directory, LD_PRELOAD=library, **{f"FAIL_ALLOC_{how}": str(place)}),
                               directory, (0, 1))
        for number in SIGNALS:
            for part in MOMENTS:
                process = start(ctprof, directory)
                time.sleep(part * took)
                process.send_signal(number)
                wrong += judge(f"{number.name} after {part} of the time", process, directory, (0, -number))
                ended += process.returncode != 0
        for number in SIGNALS:
            wrong += blocked(ctprof, directory, number, took)
        if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/proc"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            wrong += without_proc(ctprof, directory)
        wrong += exchange(ctprof, top, directory)
        print(f"{2 * len(places)} places of {allocations} allocations, {len(SIGNALS) * len(MOMENTS)} signals ({ended} ended it): {wrong} went wrong")
        if ended == 0:
            print("FAILED: no signal came before the end")
            return 1
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
