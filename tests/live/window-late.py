#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""window-late.py CTPROF: signals behind the end of a window, while its output waits for a reader. The first one does nothing, so that one
that was meant to end the window does not cost it; the second one ends the program. Within a window, two signals at once are one."""
import array
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import termios
import time

PIPE_BYTES = 4096
WAIT_S = 60
failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


def begin(ctprof):
    """Returns the capture, whose output has filled the pipe, and the end to read from."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    capture = subprocess.Popen([ctprof, "capture", "-q", "--window", "100ms", "-o", "-"], stdout=writer)
    os.close(writer)
    held, end = array.array("i", [0]), time.monotonic() + WAIT_S
    while held[0] < PIPE_BYTES and time.monotonic() < end:
        fcntl.ioctl(reader, termios.FIONREAD, held)
        time.sleep(0.01)
    check(held[0] == PIPE_BYTES, f"{held[0]} bytes of output")
    return capture, reader


def status_within(capture, seconds):
    try:
        return capture.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def blocks(process, number):
    """Whether the process waits for the signal by now."""
    with open(f"/proc/{process.pid}/status") as status:
        mask = next(int(line.split()[1], 16) for line in status if line.startswith("SigBlk:"))
    return mask >> (number - 1) & 1


def check_twice(ctprof):
    """timeout(1) signals its child and then the group of both: that is one request, and the running window is kept."""
    with tempfile.TemporaryDirectory() as place:
        for words, kept in ((("capture", "-q", "--window", "1h", "-o", "w.zst"), "w.zst"), (("record", "--every", "1h", "rec"), "rec")):
            process = subprocess.Popen([ctprof, *words], cwd=place, stderr=subprocess.DEVNULL)
            end = time.monotonic() + WAIT_S
            while not blocks(process, signal.SIGTERM) and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.005)
            process.send_signal(signal.SIGTERM)
            check(process.wait(WAIT_S) == 0, f"{words[0]}: a signal that comes twice ends it")
            check(subprocess.run([ctprof, "show", kept], cwd=place, capture_output=True).returncode == 0, f"{words[0]}: its window is lost")


def main():
    ctprof = os.path.abspath(sys.argv[1])
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in numbers:
        signal.signal(number, signal.SIG_DFL)
    # A supervisor may send another one.
    for first, second in [(number, number) for number in numbers] + list(zip(numbers, numbers[1:] + numbers[:1])):
        capture, reader = begin(ctprof)
        capture.send_signal(first)
        check(status_within(capture, 0.5) is None, f"{first.name}: the first one ended it")
        capture.send_signal(second)
        check(status_within(capture, WAIT_S) == -second, f"{second.name} behind {first.name} did not end it")
        capture.kill()
        os.close(reader)
    check_twice(ctprof)
    # In the background of a script SIGINT is ignored, and stays so.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    capture, reader = begin(ctprof)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for _ in range(3):
        capture.send_signal(signal.SIGINT)
    check(status_within(capture, 0.5) is None, "a signal that is ignored ended it")
    capture.kill()
    capture.wait()
    os.close(reader)
    capture, reader = begin(ctprof)
    capture.send_signal(signal.SIGINT)
    with open(reader, "rb") as file:
        data = file.read()
    done = subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=False)
    check(capture.wait() == 0, f"a late signal: status {capture.returncode}")
    check(done.returncode == 0 and b'"window"' in done.stdout, "a late signal: the window is not whole")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
