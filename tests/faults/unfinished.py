#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""unfinished.py CTPROF NO_TMPFILE: where a file has a temporary name while it is written, no signal that ends a command leaves it there: one
command for each way to hold such a file. The old file stays, or the new one is whole."""
import os
import signal
import subprocess
import sys
import tempfile
import time

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM, signal.SIGUSR1, signal.SIGXCPU, signal.SIGRTMAX)
PATIENCE_S = 30


def unignore():
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def hidden(directory):
    return [name for name in os.listdir(directory) if name.startswith(".")]


def start(ctprof, library, arguments, directory, state):
    return subprocess.Popen([ctprof, *arguments], cwd=directory, env={**os.environ, "LD_PRELOAD": library, "STATE_DIRECTORY": state},
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=unignore)


def await_hidden(process, place, begin):
    """Waits for an unfinished file whose name begins so. Returns whether there was one."""
    until = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < until:
        if os.path.isdir(place) and any(name.startswith(begin) for name in hidden(place)):
            return True
    return False


def attempt(ctprof, library, name, arguments, place, begin, number, times):
    """Returns how many things went wrong, and whether there was an unfinished file."""
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "knob"), "w", encoding="ascii") as file:
            file.write("0")
        with open(os.path.join(directory, "out.zst"), "w", encoding="ascii") as file:
            file.write("old")
        process = start(ctprof, library, [argument.replace("{dir}", directory) for argument in arguments], directory,
                        os.path.join(directory, "state"))
        seen = await_hidden(process, os.path.join(directory, place), begin)
        for _ in range(times):
            if process.poll() is None:
                process.send_signal(number)
                time.sleep(0.2 if times > 1 else 0)
        error = process.communicate(timeout=60)[1]
        # The process that measures for "ab" ends behind its parent.
        until = time.monotonic() + 5
        while os.path.isdir(os.path.join(directory, place)) and hidden(os.path.join(directory, place)) and time.monotonic() < until:
            time.sleep(0.02)
        left = hidden(os.path.join(directory, place)) if os.path.isdir(os.path.join(directory, place)) else []
    if left:
        print(f"FAILED: {name}, {number.name}: left {left} (status {process.returncode}) {error[-200:]}")
    return len(left), seen


def main():
    ctprof, library = (os.path.realpath(argument) for argument in sys.argv[1:3])
    ab = ["ab", "-q", "-y", "--settle", "0s", "--blocks", "6", "--unit", "window 400ms", "-o", "exp", "--a", "write {dir}/knob = 1",
          "--b", "write {dir}/knob = 2"]
    commands = [
        ("capture", ["capture", "-q", "-w", "20s", "-o", "out.zst"], ".", ".out", 1, (signal.SIGALRM, signal.SIGUSR1, signal.SIGXCPU, signal.SIGRTMAX)),
        # The first interrupt ends the window, the second one the program, unless all is written by then.
        ("capture, two", ["capture", "-q", "-w", "20s", "-o", "out.zst"], ".", ".out", 2, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)),
        ("run", ["run", "-q", "--summary", "out.zst", "--", "sleep", "0.3"], ".", ".out", 1, (signal.SIGXCPU, signal.SIGPROF)),
    ]
    if os.geteuid() == 0:
        commands.append(("ab", ab, "exp", ".unit", 1, SIGNALS))
    wrong = unfinished = runs = 0
    for name, arguments, place, begin, times, numbers in commands:
        for number in numbers:
            left, seen = attempt(ctprof, library, name, arguments, place, begin, number, times)
            wrong, unfinished, runs = wrong + left, unfinished + seen, runs + 1
    print(f"{runs} runs, {unfinished} with an unfinished file: {wrong} stayed")
    if unfinished == 0:
        print("FAILED: no run had an unfinished file")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
