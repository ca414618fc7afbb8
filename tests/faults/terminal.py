#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""terminal.py CTPROF FAIL_ALLOC: 'ctprof top' gives its terminal back, wherever in its work it runs out of memory: the modes are those from
before, and the page that it has turned to is left. It says why it ended, with status 1. ncurses itself has a line of its own for this where
it reads the description of the terminal."""
import os
import pty
import select
import sys
import tempfile
import termios
import time

PLACES, AROUND = 40, 60
# The library of the terminal's descriptions, which makes each text that is written, and how many of its last allocations are tried.
LIBRARY, LAST = "libtinfo", 24
WAIT_S = 60
# The other page, and the keypad's own codes.
PAIRS = {"page": (b"\x1b[?1049h", b"\x1b[?1049l"), "keypad": (b"\x1b[?1h", b"\x1b[?1l")}
ENTER = PAIRS["page"][0]
WORDS = ("top", "--count", "1", "--every", "150ms")


def run(ctprof, **variables):
    """Runs top in a terminal of its own. Returns its status, what it wrote, and whether the modes are as they were."""
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    pid = os.fork()
    if pid == 0:
        os.setsid()
        for descriptor in range(3):
            os.dup2(slave, descriptor)
        os.execve(ctprof, [ctprof, *WORDS], {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **variables})
    written, end, status = b"", time.monotonic() + WAIT_S, None
    while status is None or select.select([master], [], [], 0)[0]:
        if select.select([master], [], [], 0.05)[0]:
            written += os.read(master, 65536)
        if status is None:
            ended, code = os.waitpid(pid, os.WNOHANG)
            status = os.waitstatus_to_exitcode(code) if ended else None
        if time.monotonic() > end:
            os.kill(pid, 9)
            raise TimeoutError(f"{variables}: top hangs")
    same = termios.tcgetattr(slave) == before
    os.close(slave)
    os.close(master)
    return status, written, same


def find_page(ctprof, library, most):
    """The first allocation that fails on the other page, about: their number differs a little from run to run."""
    low, high = 1, most
    while high - low > 1:
        middle = (low + high) // 2
        _, written, _ = run(ctprof, LD_PRELOAD=library, FAIL_ALLOC_AT=str(middle))
        low, high = (low, middle) if ENTER in written else (middle, high)
    return high


def count(ctprof, library, **variables):
    """The number of allocations of a run in which none fails; None if it goes wrong."""
    with tempfile.NamedTemporaryFile("r") as counted:
        status, written, same = run(ctprof, LD_PRELOAD=library, FAIL_ALLOC_COUNT=counted.name, **variables)
        text = counted.read()
    if status != 0 or not same or ENTER not in written or not text:
        print(f"without a fault: status {status}, {written[-200:]}")
        return None
    return int(text)


def fail_at(ctprof, library, place, failures, **variables):
    """Has one allocation fail. Returns whether it was behind the turn of the page, and ended the program."""
    what = " ".join([f"allocation {place}", *variables.values()])
    status, written, same = run(ctprof, LD_PRELOAD=library, FAIL_ALLOC_AT=str(place), **variables)
    if not same:
        failures.append(f"{what}: the terminal has other modes")
    for name, (enter, leave) in PAIRS.items():
        if enter in written and written.rfind(enter) > written.rfind(leave):
            failures.append(f"{what}: the {name} is not left")
    if status not in (0, 1):
        failures.append(f"{what}: status {status}, {written[-100:]}")
    if status == 1 and b"ctprof: " not in written and b"Out of memory" not in written:
        failures.append(f"{what}: no reason, {written[-100:]}")
    return ENTER in written and status == 1


def main():
    ctprof, library = sys.argv[1:]
    failures, on_page = [], 0
    most, of_library = count(ctprof, library), count(ctprof, library, FAIL_ALLOC_IN=LIBRARY)
    if not most or not of_library:
        return 1
    for place in range(1, most, max(1, most // PLACES)):
        on_page += fail_at(ctprof, library, place, failures)
    # On a host whose number of threads changes from run to run, the first look may be beside the page.
    for attempt in range(6):
        if attempt > 0 and on_page >= PLACES / 4:
            break
        page = find_page(ctprof, library, most)
        for place in range(max(1, page - AROUND), page + AROUND):
            on_page += fail_at(ctprof, library, place, failures)
    for place in (*range(1, of_library, max(1, of_library // PLACES)), *range(max(1, of_library - LAST), of_library + 1)):
        fail_at(ctprof, library, place, failures, FAIL_ALLOC_IN=LIBRARY)
    if on_page < PLACES / 4:
        failures.append(f"only {on_page} failed behind the turn of the page, of {most} allocations")
    for failure in failures:
        print(failure)
    print(f"{on_page} of {most} allocations failed on the page")
    return 1 if failures else 0


sys.exit(main())
